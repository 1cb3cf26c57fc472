//! Structs of every shape.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    marker::PhantomData,
};

use extract::Extractable;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::oracle::check;

/// One line
/// of an invoice.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Line {
    /// How many.
    qty: u8,
    note: Option<String>,
}

#[test]
fn a_struct_with_named_fields_is_an_object() {
    assert_eq!(
        Line::schema(),
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Line",
            "description": "One line\nof an invoice.",
            "type": "object",
            "properties": {
                "qty": { "type": "integer", "minimum": 0, "maximum": 255, "description": "How many." },
                "note": { "type": ["string", "null"] },
            },
            "required": ["qty"],
        })
    );
    assert!(check::<Line>([json!({ "qty": 1, "note": "x" }), json!({ "qty": 256 })]) > 0);
}

#[derive(Debug, Deserialize, Extractable)]
struct Nested {
    lines: Vec<Line>,
    boxed: Box<Line>,
    by_name: HashMap<String, Line>,
    by_number: BTreeMap<u8, bool>,
    set: BTreeSet<String>,
    pair: (u8, Option<Line>),
    three: [f64; 3],
}

#[test]
fn containers_hold_extractable_types() {
    let line = json!({ "qty": 1 });
    let value = json!({
        "lines": [line, line],
        "boxed": line,
        "by_name": { "a": line },
        "by_number": { "1": true },
        "set": ["a", "b"],
        "pair": [1, line],
        "three": [1, 2.5, 3],
    });
    assert!(check::<Nested>([value]) > 0);
    assert_eq!(Nested::schema()["properties"]["lines"]["items"], json!({ "$ref": "#/$defs/Line" }));
}

#[derive(Debug, Deserialize, Extractable)]
struct Name(String);

#[derive(Debug, Deserialize, Extractable)]
struct Pair(u8, #[serde(default)] bool);

#[derive(Debug, Deserialize, Extractable)]
struct Unit;

#[derive(Debug, Deserialize, Extractable)]
struct Skipping(u8, #[serde(skip)] PhantomData<NotExtractable>, bool);

#[derive(Debug)]
struct NotExtractable;

#[test]
fn fields_without_names_are_positions() {
    assert!(check::<Name>([json!("a")]) > 0);
    assert!(check::<Pair>([json!([1, true])]) > 0);
    assert!(check::<Unit>([json!(null)]) > 0);
    assert!(check::<Skipping>([json!([1, true])]) > 0);
}

#[derive(Debug, Deserialize, Extractable)]
struct Tree {
    value: u8,
    children: Vec<Tree>,
    left: Option<Box<Tree>>,
    other: Option<Box<Mutual>>,
}

#[derive(Debug, Deserialize, Extractable)]
struct Mutual {
    tree: Tree,
}

#[test]
fn recursion_is_a_reference() {
    let leaf = json!({ "value": 1, "children": [] });
    let value = json!({ "value": 1, "children": [leaf], "left": leaf, "other": { "tree": leaf } });
    assert!(check::<Tree>([value]) > 0);
    assert_eq!(Tree::schema()["properties"]["children"]["items"], json!({ "$ref": "#" }));
}

#[derive(Debug, Deserialize, Extractable)]
struct Page<T, const N: usize = 2>
where
    T: Clone,
{
    items: Vec<T>,
    first: Option<T>,
    size: PhantomData<[u8; N]>,
}

#[derive(Debug, Deserialize, Extractable)]
struct Tagged<T> {
    id: u8,
    marker: PhantomData<T>,
}

#[derive(Debug, Deserialize, Extractable)]
struct Pages {
    a: Page<u8>,
    b: Page<String>,
    c: Tagged<NotExtractable>,
}

#[test]
fn generics_have_a_definition_for_each_use() {
    let value = json!({
        "a": { "items": [1], "first": 2, "size": null },
        "b": { "items": ["a"], "size": null },
        "c": { "id": 1, "marker": null },
    });
    assert!(check::<Pages>([value]) > 0);
    let definitions = Pages::schema()["$defs"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(definitions, ["Page_of_u8_and_2", "Page_of_String_and_2", "Tagged"]);
}

trait HasKey {
    type Key;
}

#[derive(Debug)]
struct ByName;

impl HasKey for ByName {
    type Key = String;
}

#[derive(Debug, Deserialize, Extractable)]
struct Keyed<T: HasKey> {
    key: T::Key,
    keys: Vec<T::Key>,
}

#[test]
fn an_associated_type_is_asked_and_not_its_owner() {
    assert!(check::<Keyed<ByName>>([json!({ "key": "a", "keys": ["b"] })]) > 0);
}

mod one {
    #[derive(serde::Deserialize, extract::Extractable)]
    pub(super) struct Same {
        pub(super) a: u8,
    }
}

mod two {
    #[derive(serde::Deserialize, extract::Extractable)]
    pub(super) struct Same {
        pub(super) b: String,
    }
}

#[derive(Deserialize, Extractable)]
struct Both {
    one: one::Same,
    two: two::Same,
}

#[test]
fn types_of_the_same_name_are_kept_apart() {
    let accepted = check::<Both>([json!({ "one": { "a": 1 }, "two": { "b": "x" } })]);
    assert!(accepted > 0);
    let both: Both = serde_json::from_value(json!({ "one": { "a": 1 }, "two": { "b": "x" } })).unwrap();
    assert_eq!((both.one.a, both.two.b.as_str()), (1, "x"));
}

#[derive(Deserialize, Extractable)]
struct Raw {
    r#type: String,
    r#fn: Option<u8>,
}

#[test]
fn raw_identifiers_lose_their_prefix() {
    let raw: Raw = serde_json::from_value(json!({ "type": "a", "fn": 1 })).unwrap();
    assert_eq!((raw.r#type.as_str(), raw.r#fn), ("a", Some(1)));
    assert!(check::<Raw>([json!({ "type": "a", "fn": 1 })]) > 0);
}

/// serde adds `T: Default`, and what `bound` says.
#[derive(Debug, Deserialize, Extractable)]
struct Defaulted<T, U, V> {
    #[serde(default)]
    items: Vec<T>,
    #[serde(skip)]
    skipped: U,
    #[serde(bound(deserialize = "V: Clone + serde::de::DeserializeOwned"))]
    cloned: V,
}

#[derive(Debug, Deserialize, Extractable)]
enum BoundVariant<T> {
    #[serde(bound(deserialize = "T: Clone + serde::de::DeserializeOwned"))]
    One(T),
}

#[test]
fn the_bounds_of_serde_are_those_of_the_derive() {
    assert!(check::<Defaulted<u8, u8, String>>([json!({ "items": [1], "cloned": "a" })]) > 0);
    assert!(check::<BoundVariant<u8>>([json!({ "One": 1 })]) > 0);
    let _ = |of: Defaulted<u8, u8, u8>, BoundVariant::One(one): BoundVariant<u8>| {
        (of.items, of.skipped, of.cloned, one)
    };
}
