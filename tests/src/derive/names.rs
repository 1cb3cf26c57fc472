//! serde's attributes on names and presence.

use extract::Extractable;
use serde::Deserialize;
use serde_json::{Value, json};

use super::oracle::check;

fn names<T: Extractable>() -> Vec<String> {
    T::schema()["properties"].as_object().unwrap().keys().cloned().collect()
}

macro_rules! cases {
    ($($name:ident $case:literal),*) => {$(
        #[derive(Deserialize, Extractable)]
        #[serde(rename_all = $case)]
        struct $name {
            two_words: u8,
            #[serde(rename = "other")]
            renamed: u8,
            r#type: u8,
        }
    )*};
}

cases!(
    Lower "lowercase", Upper "UPPERCASE", Pascal "PascalCase", Camel "camelCase", Snake "snake_case",
    ScreamingSnake "SCREAMING_SNAKE_CASE", Kebab "kebab-case", ScreamingKebab "SCREAMING-KEBAB-CASE"
);

#[test]
fn fields_are_renamed_as_serde_renames_them() {
    fn agrees<T: Extractable>() {
        let value: Value = names::<T>().into_iter().map(|name| (name, json!(1))).collect();
        assert!(T::deserialize(&value).is_ok(), "{value}");
        assert!(check::<T>([value]) > 0);
    }
    agrees::<Lower>();
    agrees::<Upper>();
    agrees::<Pascal>();
    agrees::<Camel>();
    agrees::<Snake>();
    agrees::<ScreamingSnake>();
    agrees::<Kebab>();
    agrees::<ScreamingKebab>();
    assert_eq!(names::<Kebab>(), ["two-words", "other", "type"]);
}

#[derive(Deserialize, Extractable)]
struct Split {
    #[serde(rename(serialize = "out", deserialize = "in"))]
    both: u8,
    #[serde(rename(serialize = "out2"))]
    plain: u8,
}

#[test]
fn the_deserialize_side_of_a_rename_counts() {
    assert_eq!(names::<Split>(), ["in", "plain"]);
    assert!(check::<Split>([json!({ "in": 1, "plain": 1 })]) > 0);
}

#[derive(Deserialize, Extractable)]
struct Aliased {
    #[serde(alias = "b", alias = "c")]
    a: u8,
    #[serde(alias = "y")]
    x: Option<u8>,
}

#[test]
fn a_field_has_one_of_its_names_once() {
    let accepted = check::<Aliased>([
        json!({ "a": 1, "x": 1 }),
        json!({ "b": 1, "y": 1 }),
        json!({ "a": 1, "b": 1 }),
        json!({ "a": 1, "x": 1, "y": 1 }),
        json!({ "c": 1 }),
    ]);
    assert!(accepted > 3);
    assert_eq!(Aliased::example(), json!({ "a": 1, "x": 1 }));
    let error = Aliased::from_reply("{}").err().unwrap().to_string();
    assert!(error.contains("$.a: required, but absent"), "{error}");
}

#[derive(Default, Deserialize, Extractable)]
#[serde(default)]
struct AllDefaulted {
    a: u8,
    b: String,
}

fn seven() -> u8 {
    7
}

#[derive(Deserialize, Extractable)]
struct SomeDefaulted {
    #[serde(default)]
    a: u8,
    #[serde(default = "seven")]
    b: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    c: Vec<u8>,
    d: u8,
}

type Maybe<T> = Option<T>;

#[derive(Deserialize, Extractable)]
struct Alias {
    a: Maybe<u8>,
    b: Box<Option<u8>>,
    c: u8,
}

#[derive(Deserialize, Extractable)]
struct Skipped {
    a: u8,
    #[serde(skip)]
    _b: u8,
    #[serde(skip_deserializing)]
    _c: u8,
    #[serde(skip_serializing)]
    d: u8,
}

#[derive(Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: u8,
}

#[test]
fn fields_that_serde_fills_in_may_be_absent() {
    assert!(check::<AllDefaulted>([json!({ "a": 1, "b": "x" })]) > 0);
    assert!(check::<SomeDefaulted>([json!({ "a": 1, "b": 2, "c": [1], "d": 3 })]) > 0);
    assert!(check::<Alias>([json!({ "a": 1, "b": 2, "c": 3 }), json!({ "a": null, "b": null, "c": 1 })]) > 0);
    assert!(check::<Skipped>([json!({ "a": 1, "_b": "x", "_c": "x", "d": 1 })]) > 0);
    assert!(check::<Closed>([json!({ "a": 1 })]) > 0);
}

#[derive(Deserialize, Extractable)]
#[serde(transparent)]
struct Transparent {
    inner: Option<u8>,
    #[serde(skip)]
    _cache: u8,
}

#[derive(Deserialize, Extractable)]
#[serde(from = "String")]
struct From_ {
    _length: usize,
}

impl From<String> for From_ {
    fn from(text: String) -> Self {
        Self { _length: text.len() }
    }
}

#[derive(Deserialize, Extractable)]
struct Proxies {
    a: Transparent,
    b: From_,
}

#[test]
fn serde_looks_through_transparent_and_from() {
    assert!(check::<Proxies>([json!({ "a": 1, "b": "x" }), json!({ "b": "x" })]) > 1);
}

#[derive(Deserialize, Extractable)]
struct Inner {
    b: u8,
    c: Option<u8>,
}

#[derive(Deserialize, Extractable)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Deserialize, Extractable)]
struct FlatMap {
    a: u8,
    #[serde(flatten)]
    rest: std::collections::HashMap<String, u8>,
}

#[derive(Deserialize, Extractable)]
struct FlatAny {
    a: u8,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Kind {
    One { b: u8 },
    Two(Inner),
    Three,
}

#[derive(Deserialize, Extractable)]
struct FlatEnum {
    a: u8,
    #[serde(flatten)]
    kind: Kind,
}

#[test]
fn flattened_fields_stand_in_the_object_around() {
    assert!(check::<Flat>([json!({ "a": 1, "b": 2, "c": 3 })]) > 0);
    assert_eq!(names::<Flat>(), ["a", "b", "c"]);
    assert!(check::<FlatAny>([json!({ "a": 1, "b": 2, "c": "x" })]) > 0);
    let _ = |flat: FlatAny| (flat.a, flat.rest);
    assert!(check::<FlatMap>([json!({ "a": 1, "b": 2 })]) > 0);
    assert!(
        check::<FlatEnum>([
            json!({ "a": 1, "kind": "One", "b": 2 }),
            json!({ "a": 1, "kind": "Two", "b": 2 }),
            json!({ "a": 1, "kind": "Three" }),
        ]) > 0
    );
}

#[derive(Deserialize, Extractable)]
struct FlatOption {
    a: u8,
    #[serde(flatten)]
    inner: Option<Inner>,
}

#[test]
fn an_optional_flattened_struct_is_whole_or_absent() {
    let validator = super::oracle::validator::<FlatOption>();
    assert!(validator.is_valid(&json!({ "a": 1 })));
    assert!(validator.is_valid(&json!({ "a": 1, "b": 2 })));
    assert!(validator.is_valid(&json!({ "a": 1, "b": 2, "c": 3 })));
    // serde would treat these as absent, and lose `c` and `b` silently.
    assert!(!validator.is_valid(&json!({ "a": 1, "c": 3 })));
    assert!(!validator.is_valid(&json!({ "a": 1, "b": "x" })));
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Renamed {
    id: u8,
    #[serde(alias = "surname", alias = "family_name")]
    name: String,
    #[serde(default, alias = "years")]
    age: Option<u8>,
    kind: Being,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
enum Being {
    #[serde(alias = "Human")]
    Person(String),
    Robot(u8),
}

#[test]
fn an_agent_sees_one_name_of_each_field() {
    let contract = extract::Contract::of::<Renamed>().unwrap();
    let told = contract.instructions();
    assert!(
        told.contains(
            "type Being = { \"Person\": string } | {\n  \"Robot\": integer // 0 to 255\n}\n\
             type Renamed = {\n  \"id\": integer // 0 to 255\n  \"name\": string\n  \
             \"age\"?: integer | null // 0 to 255\n  \"kind\": Being\n}"
        ),
        "{told}"
    );
    // The others are accepted nevertheless.
    assert!(
        contract
            .validate(&json!({"id": 1, "surname": "Lovelace", "years": 36, "kind": {"Human": "x"}}))
            .is_empty()
    );
}
