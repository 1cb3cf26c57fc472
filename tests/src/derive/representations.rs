//! Enums in serde's representations.

use std::collections::BTreeMap;

use extract::Extractable;
use serde::Deserialize;
use serde_json::json;

use super::oracle::{Stricter, check, check_but_for};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
enum Role {
    /// Who acts.
    Subject,
    Verb,
    #[serde(rename = "obj", alias = "object")]
    Object,
    #[serde(skip)]
    #[allow(dead_code)]
    Hidden,
}

#[test]
fn unit_variants_are_a_list_of_texts_and_their_docs_a_description() {
    assert_eq!(
        Role::schema(),
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Role",
            "type": "string",
            "enum": ["subject", "verb", "obj", "object"],
            "description": "- `subject`: Who acts.",
        })
    );
    let names = ["subject", "verb", "obj", "object", "Hidden", "hidden", "Object"];
    assert_eq!(check::<Role>(names.map(|name| json!(name))), 4);
    assert_eq!(serde_json::from_value::<Role>(json!("object")).unwrap(), Role::Object);
}

#[test]
fn an_enum_may_be_the_key_of_a_map() {
    assert!(check::<BTreeMap<Role, u8>>([json!({ "subject": 1, "obj": 2 }), json!({ "nobody": 1 })]) > 0);
}

#[derive(Deserialize, Extractable)]
struct Payload {
    x: u8,
}

macro_rules! every_variant {
    ($(#[$attribute:meta])* $name:ident { $($more:tt)* }) => {
        #[derive(Deserialize, Extractable)]
        $(#[$attribute])*
        enum $name {
            Unit,
            Newtype(Payload),
            Optional(Option<Payload>),
            #[serde(rename_all = "UPPERCASE")]
            Struct { a: u8, b: Option<String> },
            $($more)*
        }
    };
}

every_variant!(External { Tuple(u8, bool), Scalar(u8), });
every_variant!(
    #[serde(tag = "t")]
    Internal {}
);
every_variant!(#[serde(tag = "t", content = "c")] Adjacent { Tuple(u8, bool), Scalar(u8), });
every_variant!(#[serde(tag = "t", content = "c", deny_unknown_fields)] ClosedAdjacent { Tuple(u8, bool), });
every_variant!(#[serde(untagged)] Untagged { Tuple(u8, bool), Scalar(u8), });
every_variant!(#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")] Renamed { LongName { a_b: u8 }, });

#[test]
fn external() {
    let values = [
        json!("Unit"),
        json!({ "Newtype": { "x": 1 } }),
        json!({ "Optional": null }),
        json!({ "Struct": { "A": 1, "B": "x" } }),
        json!({ "Tuple": [1, true] }),
        json!({ "Scalar": 1 }),
        json!({ "Scalar": 1, "Tuple": [1, true] }),
    ];
    assert!(check::<External>(values) >= 6);
}

#[test]
fn internal() {
    let values = [
        json!({ "t": "Unit" }),
        json!({ "t": "Newtype", "x": 1 }),
        json!({ "t": "Optional", "x": 1 }),
        json!({ "t": "Struct", "A": 1, "B": "x" }),
    ];
    assert!(check::<Internal>(values) >= 4);
}

#[test]
fn adjacent() {
    let values = [
        json!({ "t": "Unit" }),
        json!({ "t": "Newtype", "c": { "x": 1 } }),
        json!({ "t": "Optional" }),
        json!({ "t": "Struct", "c": { "A": 1, "B": "x" } }),
        json!({ "c": [1, true], "t": "Tuple" }),
        json!({ "t": "Scalar", "c": 1 }),
    ];
    assert!(check::<Adjacent>(values.clone()) >= 6);
    assert!(check::<ClosedAdjacent>(values) >= 5);
}

#[test]
fn untagged() {
    let values = [json!(null), json!({ "x": 1 }), json!({ "A": 1, "B": "x" }), json!([1, true]), json!(1)];
    assert!(check::<Untagged>(values) >= 5);
}

#[test]
fn renamed_variants_and_their_fields() {
    let values = [json!("unit"), json!({ "long-name": { "aB": 1 } }), json!({ "struct": { "A": 1 } })];
    assert!(check::<Renamed>(values) >= 3);
}

#[derive(Deserialize, Extractable)]
enum Aliased {
    #[serde(alias = "B", alias = "C")]
    A { x: u8 },
    #[serde(alias = "E")]
    D,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum AliasedTags {
    #[serde(alias = "B")]
    A { x: u8 },
    #[serde(alias = "E")]
    D,
}

#[test]
fn a_variant_has_one_of_its_names() {
    let x = json!({ "x": 1 });
    let values = [json!({ "A": x }), json!({ "C": x }), json!({ "A": x, "B": x }), json!("D"), json!("E")];
    assert!(check::<Aliased>(values) >= 4);
    let tagged = [json!({ "t": "A", "x": 1 }), json!({ "t": "B", "x": 1 }), json!({ "t": "E" })];
    assert!(check::<AliasedTags>(tagged) >= 3);
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum Open {
    A {
        x: u8,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t", content = "c")]
enum OpenAdjacent {
    A(u8),
    #[serde(other)]
    Other,
}

#[derive(Deserialize, Extractable)]
enum Mixed {
    A {
        x: u8,
    },
    B,
    #[serde(untagged)]
    Rest(u8),
    #[serde(untagged)]
    Shape {
        y: u8,
    },
}

#[test]
fn a_variant_may_accept_all_other_tags() {
    assert!(check::<Open>([json!({ "t": "A", "x": 1 }), json!({ "t": "?" })]) >= 2);
    assert!(check::<OpenAdjacent>([json!({ "t": "A", "c": 1 }), json!({ "t": "?" })]) >= 2);
    assert!(check::<Mixed>([json!({ "A": { "x": 1 } }), json!("B"), json!(1), json!({ "y": 1 })]) >= 4);
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "op")]
enum Expression {
    Number { value: f64 },
    Add { left: Box<Expression>, right: Box<Expression> },
    Not(Box<Payload>),
}

#[test]
fn recursion_through_an_enum() {
    let one = json!({ "op": "Number", "value": 1 });
    assert!(check::<Expression>([json!({ "op": "Add", "left": one, "right": one })]) >= 1);
}

#[derive(Deserialize, Extractable)]
struct FlatExternal {
    a: u8,
    #[serde(flatten)]
    inner: FlatChoice,
}

#[derive(Deserialize, Extractable)]
enum FlatChoice {
    Unit,
    Newtype(u8),
}

#[test]
fn a_flattened_external_enum_is_a_key() {
    let values = [json!({ "a": 1, "Unit": null }), json!({ "a": 1, "Newtype": 1 })];
    assert!(check_but_for::<FlatExternal>(&[Stricter::Variants], values) >= 2);
}
