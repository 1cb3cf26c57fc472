//! Combinations of shapes and attributes.

use std::collections::HashMap;

use extract::Extractable;
use serde::Deserialize;
use serde_json::json;

use super::oracle::check;

#[derive(Deserialize, Extractable)]
struct EmptyNamed {}

#[derive(Deserialize, Extractable)]
struct EmptyTuple();

#[derive(Deserialize, Extractable)]
enum Empties {
    Named {},
    Unit,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum TaggedEmpties {
    Named {},
    Unit,
}

#[test]
fn nothing_inside() {
    assert!(check::<EmptyNamed>([json!({})]) > 0);
    assert!(check::<EmptyTuple>([json!([])]) > 0);
    assert!(check::<Empties>([json!({ "Named": {} }), json!("Unit")]) >= 2);
    assert!(check::<TaggedEmpties>([json!({ "t": "Named" }), json!({ "t": "Unit" })]) >= 2);
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "type")]
struct TaggedStruct {
    a: u8,
}

#[test]
fn a_tag_on_a_struct_is_not_asked_for() {
    assert!(check::<TaggedStruct>([json!({ "type": "TaggedStruct", "a": 1 }), json!({ "a": 1 })]) > 1);
}

#[derive(Deserialize, Extractable)]
struct Outer {
    a: u8,
    #[serde(flatten)]
    middle: Middle,
}

#[derive(Deserialize, Extractable)]
struct Middle {
    b: u8,
    #[serde(flatten)]
    inner: Box<Inner>,
    #[serde(flatten)]
    rest: HashMap<String, bool>,
}

#[derive(Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct Inner {
    #[serde(alias = "d")]
    c: u8,
}

#[derive(Deserialize, Extractable)]
enum FlatInVariant {
    A {
        a: u8,
        #[serde(flatten)]
        inner: Inner,
    },
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum FlatInTaggedVariant {
    A {
        #[serde(flatten)]
        inner: Inner,
    },
    B(HashMap<String, u8>),
    C(Inner),
}

#[test]
fn flatten_in_flatten_and_in_variants() {
    assert!(
        check::<Outer>([json!({ "a": 1, "b": 2, "c": 3, "e": true }), json!({ "a": 1, "b": 2, "d": 3 })]) > 1
    );
    assert!(check::<FlatInVariant>([json!({ "A": { "a": 1, "c": 2 } })]) > 0);
    let values = [
        json!({ "t": "A", "c": 1 }),
        json!({ "t": "B", "x": 1 }),
        json!({ "t": "B", "x": "y" }),
        json!({ "t": "C", "c": 1 }),
        json!({ "t": "C", "d": 1 }),
    ];
    assert!(check::<FlatInTaggedVariant>(values) >= 4);
}

#[derive(Deserialize, Extractable)]
#[serde(untagged)]
enum Json {
    Null,
    Text(String),
    List(Vec<Json>),
    Object(HashMap<String, Json>),
}

#[test]
fn recursion_through_an_untagged_enum() {
    assert!(check::<Json>([json!({ "a": [null, "b", { "c": [] }] }), json!(["a", 1])]) > 1);
}

#[derive(Deserialize, Extractable)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Settings {
    line_width: u8,
    font_name: Option<String>,
    #[serde(rename = "third")]
    tab_stops: Vec<u8>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { line_width: 7, font_name: None, tab_stops: vec![1] }
    }
}

#[derive(Deserialize, Extractable)]
#[serde(default)]
struct Point(u8, u8);

impl Default for Point {
    fn default() -> Self {
        Self(1, 2)
    }
}

#[test]
fn defaults_of_the_whole() {
    assert!(check::<Settings>([json!({ "lineWidth": 1, "fontName": "a", "third": [] })]) > 0);
    assert!(check::<Point>([json!([3, 4])]) > 0);
}

#[derive(Deserialize, Extractable)]
#[serde(try_from = "u32")]
struct Even {
    half: u32,
}

impl TryFrom<u32> for Even {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        if number.is_multiple_of(2) { Ok(Self { half: number / 2 }) } else { Err(format!("{number} is odd")) }
    }
}

#[test]
fn a_failed_conversion_is_a_violation() {
    assert_eq!(Even::from_reply("4").unwrap().0.half, 2);
    assert!(Even::from_reply("3").err().unwrap().to_string().contains("3 is odd"));
}

#[derive(Deserialize, Extractable)]
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned + Default"))]
struct Bounded<T> {
    #[serde(default)]
    value: T,
}

#[test]
fn bounds_of_serde_are_bounds_here() {
    assert!(check::<Bounded<u8>>([json!({ "value": 1 }), json!({})]) > 1);
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Least {
    #[extract(range(min = -9_223_372_036_854_775_808))]
    n: i64,
    #[extract(range(max = 18_446_744_073_709_551_615))]
    m: u64,
}

#[test]
fn bounds_may_be_the_ends_of_the_type() {
    assert!(Least::from_reply(format!("{{\"n\": {}, \"m\": {}}}", i64::MIN, u64::MAX)).is_ok());
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[serde(untagged)]
enum NamedOrAny {
    Named { a: u8 },
    Any(HashMap<String, u8>),
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Around {
    id: u8,
    #[serde(flatten)]
    inside: NamedOrAny,
}

#[test]
fn keys_of_a_flattened_union_are_data_if_its_map_takes_them() {
    let (around, metrics) = Around::from_reply(r#"{"id": 1, "error": 2, "ids": 3}"#).unwrap();
    let expected = HashMap::from([("error".to_owned(), 2), ("ids".to_owned(), 3)]);
    assert_eq!(around, Around { id: 1, inside: NamedOrAny::Any(expected) });
    assert_eq!(metrics.changes, [], "nothing is left out");
    let (_, metrics) = Around::from_reply(r#"{"id": 1, "a": 2, "b": 3}"#).unwrap();
    assert_eq!(
        metrics.changes.len(),
        1,
        "serde takes the first variant, and leaves out what it does not know"
    );
}
