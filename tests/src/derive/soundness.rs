//! `assert_extractable`, on types of every kind, sound and unsound.

use std::collections::{BTreeMap, BTreeSet};

use extract::{
    Extractable,
    testing::{assert_extractable, assert_extractable_one_way},
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Extractable)]
struct Order {
    #[extract(length(min = 1, max = 9))]
    name: String,
    #[extract(pattern = "^[A-Z]{2}$")]
    country: String,
    #[extract(format = "date")]
    day: String,
    #[extract(range(min = 1, max = 9), multiple_of = 3)]
    size: u8,
    #[extract(range(exclusive_min = 0.0))]
    price: Option<f64>,
    share: f32,
    #[extract(one_of = ["EUR", "USD"])]
    currency: String,
    #[extract(length(min = 1, max = 3), unique)]
    tags: Vec<String>,
    set: BTreeSet<u8>,
    by_name: BTreeMap<String, Line>,
    boxed: Option<Box<Line>>,
    pair: (u8, String),
    shape: Shape,
    role: Role,
    #[serde(flatten)]
    flat: Flat,
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct Line {
    quantity: i64,
    #[serde(default)]
    note: String,
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Nothing,
}

#[derive(Serialize, Deserialize, Extractable)]
enum Role {
    A,
    B,
}

#[derive(Serialize, Deserialize, Extractable)]
struct Flat {
    inside: bool,
}

#[test]
fn sound_types_pass() {
    assert_extractable::<Order>();
    assert_extractable::<Vec<Line>>();
    assert_extractable::<Shape>();
    assert_extractable::<Role>();
    assert_extractable::<u8>();
    assert_extractable::<(bool, Option<String>)>();
}

#[derive(Serialize, Deserialize, Extractable)]
struct WrongSchema {
    #[extract(schema_with = a_text)]
    number: u8,
}

fn a_text(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string" })
}

#[test]
#[should_panic(expected = "the example is rejected")]
fn a_schema_that_serde_does_not_know_is_noticed() {
    assert_extractable::<WrongSchema>();
}

#[derive(Serialize, Deserialize, Extractable)]
#[extract(rule = never)]
struct NeverRight {
    number: u8,
}

fn never(_: &NeverRight) -> Result<(), &'static str> {
    Err("never right")
}

#[test]
#[should_panic(expected = "never right")]
fn an_example_that_breaks_a_rule_is_noticed() {
    assert_extractable::<NeverRight>();
}

#[derive(Serialize, Deserialize, Extractable)]
struct WrittenOtherwise {
    #[serde(rename(serialize = "out", deserialize = "in"))]
    field: u8,
}

#[test]
#[should_panic(expected = "after a round trip")]
fn a_value_that_is_written_otherwise_than_read_is_noticed() {
    assert_extractable::<WrittenOtherwise>();
}

/// Read only.
#[derive(Deserialize, Extractable)]
struct Letter {
    #[extract(length(min = 1, max = 9))]
    subject: String,
    pages: Option<u8>,
}

#[test]
fn a_type_without_serialize_is_checked_one_way() {
    assert_extractable_one_way::<Letter>();
    let _ = |letter: Letter| (letter.subject, letter.pages);
}

/// Its rule rejects its example.
#[derive(Deserialize, Extractable)]
#[extract(rule = refuses)]
struct Refused {
    #[extract(example = 1)]
    number: u8,
}

fn refuses(_: &Refused) -> Result<(), &'static str> {
    Err("never")
}

#[test]
#[should_panic(expected = "the example is rejected")]
fn a_type_without_serialize_whose_example_is_rejected_is_not_sound() {
    assert_extractable_one_way::<Refused>();
    let _ = |refused: Refused| refused.number;
}

/// The derive cannot check look-around, so this compiles.
#[derive(Serialize, Deserialize, Extractable)]
struct LookAround {
    #[extract(pattern = "^(?!INV)[A-Z]+$", example = "INVOICE")]
    number: String,
}

#[test]
#[should_panic(expected = "is not sound")]
fn an_example_that_breaks_a_pattern_which_the_compiler_cannot_judge_is_found() {
    assert_extractable::<LookAround>();
}
