//! The layers of the library: each room uses only what stands below it, and no room has a circle inside.
//!
//! Read from the source, so that an arrow that runs upward is found when it is written.

mod arrows;
mod derive;
mod source;

use std::{path::Path, sync::LazyLock};

use self::{
    arrows::{Arrow, arrows, cycle},
    source::modules,
};

/// The rooms from the ground up. Those of one line may not use each other.
const LAYERS: [&[&str]; 11] = [
    &["path", "violation", "rejection", "metrics", "text", "secrets", "context", "time_limit"],
    &["schema"],
    &["reading"],
    &["validation"],
    &["contract"],
    &["agent", "prompt"],
    &["feedback"],
    &["judging"],
    &["extraction", "toolkit"],
    &["extractable"],
    &["agent::genai", "agent::rig", "agent::command", "agent::local", "mcp", "testing", "__private"],
];

static ARROWS: LazyLock<Vec<Arrow>> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extract/src");
    arrows(&modules(&source))
});

/// The room that a module belongs to, and its layer: the longest name counts.
fn room(module: &[String]) -> Option<(&'static str, usize)> {
    let name = module.join("::");
    let rooms =
        LAYERS.iter().enumerate().flat_map(|(layer, rooms)| rooms.iter().map(move |room| (*room, layer)));
    rooms
        .filter(|(room, _)| {
            name.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        })
        .max_by_key(|(room, _)| room.len())
}

fn assert_none<'a>(what: &str, arrows: impl Iterator<Item = &'a Arrow>) {
    let all: Vec<String> = arrows.map(ToString::to_string).collect();
    assert!(all.is_empty(), "{} arrows {what}:\n{}", all.len(), all.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extract/src");
    let without: Vec<_> =
        modules(&source).into_keys().filter(|name| !name.is_empty() && room(name).is_none()).collect();
    assert_eq!(without, [] as [Vec<String>; 0]);
}

#[test]
fn modules_name_each_other_by_their_own_path() {
    assert_none("lead through the crate's root", ARROWS.iter().filter(|arrow| arrow.is_by_root));
}

#[test]
fn no_arrow_runs_upward() {
    assert_none(
        "run upward",
        ARROWS.iter().filter(|arrow| match (room(&arrow.from), room(&arrow.to)) {
            (Some((from, lower)), Some((to, upper))) => from != to && lower <= upper,
            _ => false,
        }),
    );
}

#[test]
fn no_room_has_a_circle() {
    for name in LAYERS.into_iter().flatten() {
        let is_inside = |arrow: &Arrow| {
            [&arrow.from, &arrow.to].map(|end| room(end).map(|room| room.0)) == [Some(*name); 2]
        };
        assert_none(&format!("are a circle in `{name}`"), cycle(&ARROWS, is_inside).into_iter());
    }
}
