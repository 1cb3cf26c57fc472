//! Checks and rules, and the paths of their rejections.

use std::collections::{BTreeMap, BTreeSet};

use extract::{Extractable, Rejection, Rejections};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn violations<T: Extractable + DeserializeOwned>(value: Value) -> Vec<String> {
    let value: T = serde_json::from_value(value).unwrap();
    let violations = extract::__private::judge(&value);
    violations.into_iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
}

// The signature of a check is the library's.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn even(number: &u32) -> Result<(), String> {
    if number.is_multiple_of(2) { Ok(()) } else { Err(format!("{number} is odd")) }
}

fn short(text: &str) -> Result<(), &'static str> {
    if text.len() < 5 { Ok(()) } else { Err("too long") }
}

fn not_empty<T>(list: &[T]) -> Result<(), &'static str> {
    if list.is_empty() { Err("empty") } else { Ok(()) }
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Extractable)]
#[extract(rule = sum, rule = limits)]
struct Numbers {
    #[extract(check = even)]
    #[serde(rename = "first number")]
    a: u32,
    #[extract(check = even)]
    b: u32,
    #[extract(check = short, check = Self::never)]
    text: String,
}

impl Numbers {
    fn never(text: &str) -> Result<(), &'static str> {
        if text == "never" { Err("never") } else { Ok(()) }
    }
}

fn sum(numbers: &Numbers) -> Result<(), Rejection> {
    if numbers.a + numbers.b == 6 {
        return Ok(());
    }
    Err(Rejection::new("wrong sum").at("b").expected(6).actual(numbers.a + numbers.b))
}

fn limits(numbers: &Numbers) -> Result<(), Rejections> {
    let mut rejections = Rejections::new();
    if numbers.a > 100 {
        rejections.push("too much");
    }
    rejections.into_result()
}

#[test]
fn every_rejection_has_its_path() {
    let value = json!({ "first number": 101, "b": 3, "text": "longer" });
    assert_eq!(
        violations::<Numbers>(value),
        [
            r#"$["first number"]: 101 is odd"#,
            "$.b: 3 is odd",
            "$.text: too long",
            "$.b: wrong sum",
            "$: too much",
        ]
    );
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Extractable)]
enum Key {
    #[serde(rename = "the key")]
    A,
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Extractable)]
struct Odd(#[extract(check = even)] u32);

#[derive(Deserialize, Extractable)]
struct Deep {
    list: Vec<Odd>,
    option: Option<Box<Odd>>,
    pair: (u8, Odd),
    by_enum: BTreeMap<Key, Odd>,
    by_odd: BTreeMap<Odd, u8>,
    set: BTreeSet<Odd>,
    #[serde(flatten)]
    flat: Flat,
    #[extract(check = not_empty)]
    elements: Vec<u8>,
}

#[derive(Deserialize, Extractable)]
struct Flat {
    inner: Odd,
}

#[test]
fn places_go_through_containers() {
    let value = json!({
        "list": [2, 1], "option": 3, "pair": [1, 5], "by_enum": { "the key": 7 }, "by_odd": { "9": 1 }, "set": [11, 2],
        "inner": 13, "elements": [],
    });
    assert_eq!(
        violations::<Deep>(value),
        [
            "$.list[1]: 1 is odd",
            "$.option: 3 is odd",
            "$.pair[1]: 5 is odd",
            r#"$.by_enum["the key"]: 7 is odd"#,
            r#"$.by_odd["9"]: 9 is odd"#,
            "$.set: 11 is odd",
            "$.inner: 13 is odd",
            "$.elements: empty",
        ]
    );
}

macro_rules! variants {
    ($(#[$attribute:meta])* $name:ident { $($more:tt)* }) => {
        #[derive(Deserialize, Extractable)]
        $(#[$attribute])*
        #[serde(rename_all = "lowercase")]
        enum $name {
            #[allow(dead_code)]
            Unit,
            #[extract(rule = ordered)]
            Named { #[extract(check = even)] a: u32, b: u32 },
            $($more)*
        }
    };
}

#[expect(clippy::trivially_copy_pass_by_ref)]
fn ordered(a: &u32, b: &u32) -> Result<(), &'static str> {
    if a <= b { Ok(()) } else { Err("not in order") }
}

variants!(External { Tuple(#[extract(check = even)] u32, Odd), New(Odd), });
variants!(
    #[serde(tag = "t")]
    Internal {}
);
variants!(#[serde(tag = "t", content = "c")] Adjacent { New(Odd), });
variants!(#[serde(untagged)] Untagged { New(Odd), });

#[test]
fn places_go_through_variants() {
    let named = json!({ "a": 3, "b": 1 });
    assert_eq!(
        violations::<External>(json!({ "named": named })),
        ["$.named.a: 3 is odd", "$.named: not in order"]
    );
    assert_eq!(
        violations::<External>(json!({ "tuple": [1, 3] })),
        ["$.tuple[0]: 1 is odd", "$.tuple[1]: 3 is odd"]
    );
    assert_eq!(violations::<External>(json!({ "new": 1 })), ["$.new: 1 is odd"]);
    assert_eq!(
        violations::<Internal>(json!({ "t": "named", "a": 3, "b": 1 })),
        ["$.a: 3 is odd", "$: not in order"]
    );
    assert_eq!(
        violations::<Adjacent>(json!({ "t": "named", "c": named })),
        ["$.c.a: 3 is odd", "$.c: not in order"]
    );
    assert_eq!(violations::<Adjacent>(json!({ "t": "new", "c": 1 })), ["$.c: 1 is odd"]);
    assert_eq!(violations::<Untagged>(json!({ "a": 3, "b": 1 })), ["$.a: 3 is odd", "$: not in order"]);
    assert_eq!(violations::<Untagged>(json!(1)), ["$: 1 is odd"]);
}

fn two<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<(Opaque, u32), D::Error> {
    u32::deserialize(deserializer).map(|number| (Opaque, number))
}

fn a_number(generator: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    generator.subschema_for::<u32>()
}

struct Opaque;

// The signature of a rule is the library's.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn even_beside(_: &Opaque, number: &u32) -> Result<(), String> {
    even(number)
}

#[derive(Deserialize, Extractable)]
enum ReadByAFunction {
    #[serde(deserialize_with = "two")]
    #[extract(schema_with = a_number, rule = even_beside)]
    A { _opaque: Opaque, _number: u32 },
}

#[test]
fn a_rule_looks_at_a_variant_that_a_function_reads() {
    assert_eq!(violations::<ReadByAFunction>(json!({ "A": 2 })), [""; 0]);
    assert_eq!(violations::<ReadByAFunction>(json!({ "A": 3 })), ["$.A: 3 is odd"]);
}
