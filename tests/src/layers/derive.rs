//! The layers of the derive: from attributes to code, and never back.

use std::{path::Path, sync::LazyLock};

use super::{
    arrows::{Arrow, arrows, in_circles},
    assert_none,
    source::modules,
};

/// The rooms from the ground up.
const LAYERS: [&str; 7] = ["case", "errors", "parse", "model", "check", "expand", "at"];

static ARROWS: LazyLock<Vec<Arrow>> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extract-derive/src");
    arrows(&modules(&source))
});

fn layer(module: &[String]) -> Option<usize> {
    LAYERS.iter().position(|layer| module.first().is_some_and(|first| first == layer))
}

#[test]
fn the_derive_has_arrows() {
    let leads = |from: &str, to: &str| {
        let is = |end: &[String], name: &str| end.first().is_some_and(|first| first == name);
        ARROWS.iter().any(|arrow| is(&arrow.from, from) && is(&arrow.to, to))
    };
    assert!(leads("model", "parse") && leads("check", "model") && leads("expand", "model"));
}

#[test]
fn no_arrow_of_the_derive_runs_upward() {
    assert_none(
        "run upward",
        ARROWS.iter().filter(|arrow| match (layer(&arrow.from), layer(&arrow.to)) {
            (Some(from), Some(to)) => from < to,
            _ => false,
        }),
    );
}

#[test]
fn no_room_of_the_derive_has_a_circle() {
    let mut circles = Vec::new();
    for index in 0..LAYERS.len() {
        let is_inside = |arrow: &&Arrow| [&arrow.from, &arrow.to].map(|end| layer(end)) == [Some(index); 2];
        circles.extend(in_circles(&ARROWS.iter().filter(is_inside).collect::<Vec<_>>()));
    }
    assert_none("are part of a circle inside a room", circles.into_iter());
}
