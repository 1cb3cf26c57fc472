//! Generated code passes clippy at its strictest. `.ci/run` runs it.

#![deny(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_trait_methods,
    clippy::absolute_paths,
    clippy::implicit_return,
    clippy::question_mark_used,
    clippy::single_call_fn,
    clippy::min_ident_chars,
    clippy::pattern_type_mismatch,
    clippy::default_numeric_fallback
)]

use std::collections::BTreeMap;

use extract::Extractable;
use serde::Deserialize;

/// Uses every attribute.
#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = never, title = "Order", partial)]
struct Order {
    #[extract(length(min = 1), pattern = "a", check = never, example = "a")]
    name: String,
    #[extract(range(min = 1, max = 3), one_of = [1, 2], multiple_of = 1, example = 1)]
    size: Option<u8>,
    #[extract(items(range(max = 9)), unique, length(max = 3))]
    list: Vec<u8>,
    #[extract(keys(length(max = 9)), values(multiple_of = 2))]
    map: BTreeMap<String, u8>,
    #[serde(default, alias = "kind")]
    choice: Choice,
    page: Page<u8, 2>,
    #[serde(flatten)]
    flat: Flat,
}

#[derive(Debug, Default, Deserialize, Extractable)]
#[serde(tag = "t", content = "c")]
enum Choice {
    /// First.
    #[default]
    First,
    #[extract(rule = never)]
    Second {
        inside: u8,
    },
    Third(u8, u8),
    Fourth(Name),
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
struct Page<T, const N: usize> {
    elements: Vec<T>,
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(partial(name = DraftName))]
struct Name(#[extract(length(min = 1))] String);

#[derive(Debug, Deserialize, Extractable)]
struct Flat {
    flat: u8,
}

#[allow(clippy::all, clippy::pedantic, clippy::restriction, clippy::nursery)]
fn never<T>(_: &T) -> Result<(), String> {
    Ok(())
}

#[allow(clippy::all, clippy::pedantic, clippy::restriction, clippy::nursery)]
#[test]
fn nothing_is_said() {
    let reply = r#"{"name": "a", "list": [], "map": {}, "page": {"elements": [1]}, "flat": 1, "size": 1}"#;
    let (order, _) = Order::from_reply(reply).unwrap();
    let Order { name, size, list, map, choice, page, flat } = order;
    assert_eq!((name.as_str(), size, list.len(), map.len()), ("a", Some(1), 0, 0));
    assert_eq!((page.elements.len(), flat.flat), (1, 1));
    assert!(matches!(choice, Choice::First));
    assert_eq!(OrderPartial::default().name.known(), None);
    let _ = |choice: Choice| match choice {
        Choice::Second { inside } => usize::from(inside),
        Choice::Third(one, two) => usize::from(one + two),
        Choice::Fourth(Name(name)) => name.len(),
        Choice::First => 0,
    };
}
