//! `assert_extractable` on every alternative of every union of a type.

use std::{collections::BTreeMap, panic::catch_unwind};

use extract::{
    Code, Extractable,
    testing::{assert_extractable, assert_extractable_one_way},
};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

fn complaint<T: Extractable + Serialize>() -> Option<String> {
    said(assert_extractable::<T>)
}

fn one_way<T: Extractable>() -> Option<String> {
    said(assert_extractable_one_way::<T>)
}

fn said(check: fn()) -> Option<String> {
    let panic = catch_unwind(check).err()?;
    Some(panic.downcast_ref::<String>().unwrap().clone())
}

#[derive(Serialize, Deserialize, Extractable)]
struct Card {
    digits: String,
}

#[derive(Serialize, Deserialize, Extractable)]
struct CardWithName {
    digits: String,
    name: Option<String>,
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Fields {
    Short { a: u8 },
    Long { a: u8, b: u8 },
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Held {
    Nothing(()),
    Card(Card),
    Named(CardWithName),
}

/// The first alternative takes everything.
#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Lists {
    Cards(Vec<Card>),
    Named(Vec<CardWithName>),
}

#[derive(Serialize, Deserialize, Extractable)]
enum Rest {
    Known(u8),
    #[serde(untagged)]
    Card(Card),
    #[serde(untagged)]
    Named(CardWithName),
}

#[derive(Serialize, Deserialize, Extractable)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Deep {
    First,
    Second { inner: Option<Box<Deep>>, fields: Vec<Fields> },
}

#[derive(Serialize, Deserialize, Extractable)]
struct Exampled {
    #[extract(example = Fields::Short { a: 1 })]
    fields: Fields,
}

#[derive(Serialize, Deserialize, Extractable)]
struct Digits {
    digits: Option<String>,
}

#[derive(Serialize, Deserialize, Extractable)]
struct Name {
    name: Option<String>,
}

/// The variants differ inside of a member that both have.
#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Nested {
    Digits { holds: Digits },
    Name { holds: Name },
}

/// serde reads a struct from a list of its fields.
#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum FromList {
    Pair(Pair),
    List((u8, u8)),
}

#[derive(Serialize, Deserialize, Extractable)]
struct Pair {
    a: u8,
    b: u8,
}

#[test]
fn a_variant_that_an_earlier_one_takes_is_found() {
    for (complaints, lost) in [
        ([complaint::<Fields>(), one_way::<Fields>()], "read as alternative 1, and loses $.b"),
        (
            [complaint::<Held>(), one_way::<Held>()],
            "alternative 3 of $ is read as alternative 2, and loses $.name",
        ),
        ([complaint::<Lists>(), one_way::<Lists>()], "read as alternative 1, and loses $[0].name"),
        (
            [complaint::<Rest>(), one_way::<Rest>()],
            "alternative 3 of $ is read as alternative 2, and loses $.name",
        ),
        ([complaint::<Flat>(), one_way::<Flat>()], "read as alternative 1, and loses $.b"),
        ([complaint::<Deep>(), one_way::<Deep>()], "read as alternative 1, and loses $.b"),
        ([complaint::<Exampled>(), one_way::<Exampled>()], "read as alternative 1, and loses $.b"),
        (
            [complaint::<BTreeMap<String, Fields>>(), one_way::<Vec<Option<Fields>>>()],
            "read as alternative 1, and loses $.b",
        ),
    ] {
        for complaint in complaints {
            let complaint = complaint.expect(lost);
            assert!(complaint.contains(lost), "{complaint}");
            assert!(complaint.contains("`#[serde(deny_unknown_fields)]`"), "{complaint}");
        }
    }
    let from_list = complaint::<FromList>().unwrap();
    assert!(from_list.contains("alternative 2 of $ is read as something else"), "{from_list}");
}

/// What each violation of `reply` is about; `None` if it is accepted.
fn violated<T: Extractable + extract::WithContext>(reply: &str) -> Option<Vec<(Code, String)>> {
    let error = T::from_reply(reply).err()?;
    let violations = error.violations().iter();
    Some(violations.map(|violation| (violation.code.clone(), violation.path.to_string())).collect())
}

#[test]
fn what_an_earlier_variant_would_lose_is_left_over() {
    let lost = |path: &str| Some(vec![(Code::LeftOver, path.to_owned())]);
    assert_eq!(violated::<Fields>(r#"{"a": 1, "b": 2}"#), lost("$.b"));
    assert_eq!(violated::<Held>(r#"{"digits": "4111", "name": "Ida"}"#), lost("$.name"));
    assert_eq!(violated::<Flat>(r#"{"id": 1, "a": 1, "b": 2}"#), lost("$.b"));
    let deep = r#"{"kind": "Second", "inner": null, "fields": [{"a": 1}, {"a": 1, "b": 2}]}"#;
    assert_eq!(violated::<Deep>(deep), lost("$.fields[1].b"));
    assert_eq!(violated::<Nested>(r#"{"holds": {"name": "Ida"}}"#), lost("$.holds.name"));
    for (reply, is_long) in [(r#"{"a": 1}"#, false), (r#"{"a": 1, "b": 2}"#, true)] {
        assert!(violated::<LongFirst>(reply).is_none());
        assert!(violated::<Closed>(reply).is_none());
        assert_eq!(violated::<Fields>(reply).is_some(), is_long);
    }
    assert_eq!(violated::<Nested>(r#"{"holds": {"digits": "4111"}}"#), None);
    assert_eq!(violated::<Tagged>(r#"{"kind": "Long", "a": 1, "b": 2}"#), None);
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum LongFirst {
    Long { a: u8, b: u8 },
    Short { a: u8 },
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged, deny_unknown_fields)]
enum Closed {
    Short { a: u8 },
    Long { a: u8, b: u8 },
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Scalars {
    Whole(i64),
    Fraction(f64),
    Yes(bool),
    Text(String),
    Texts(Vec<String>),
    Map(BTreeMap<String, u8>),
    None,
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Tagged {
    Short { a: u8 },
    Long { a: u8, b: u8 },
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(tag = "kind", content = "content")]
enum Adjacent {
    Unit,
    One(u8),
    Two(u8, String),
}

#[derive(Serialize, Deserialize, Extractable)]
enum Term {
    Sum(Box<Term>, Box<Term>),
    Product {
        factors: Vec<Term>,
    },
    Number(f64),
    Nothing,
    #[serde(alias = "nix")]
    Zero,
}

/// A field that is read and never written.
#[derive(Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Secret {
    Key {
        #[serde(skip_serializing, default)]
        key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    Other(Card),
}

#[derive(Serialize, Deserialize, Extractable)]
struct OptionalFlat {
    id: u8,
    #[serde(flatten)]
    fields: Option<LongFirst>,
    #[serde(flatten)]
    tagged: Tagged,
    first: Option<Adjacent>,
}

#[derive(Serialize, Deserialize, Extractable)]
#[extract(rule = only_short)]
struct Ruled {
    #[extract(example = Tagged::Short { a: 1 })]
    tagged: Tagged,
}

fn only_short(ruled: &Ruled) -> Result<(), &'static str> {
    if matches!(ruled.tagged, Tagged::Short { .. }) { Ok(()) } else { Err("only short ones") }
}

#[test]
fn sound_unions_pass() {
    fn passes<T: Extractable + Serialize>() {
        assert_eq!((complaint::<T>(), one_way::<T>()), (None, None));
    }
    passes::<LongFirst>();
    passes::<Closed>();
    passes::<Scalars>();
    passes::<Tagged>();
    passes::<Adjacent>();
    passes::<Term>();
    passes::<Secret>();
    passes::<OptionalFlat>();
    passes::<Ruled>();
    passes::<Vec<Option<Closed>>>();
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Refusing {
    Good { a: u8 },
    Bad { bad: NeverRead },
}

#[derive(Serialize, Extractable)]
struct NeverRead {
    b: u8,
}

impl<'de> Deserialize<'de> for NeverRead {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("never"))
    }
}

#[test]
fn an_alternative_that_serde_refuses_is_found() {
    fn is_read<T: DeserializeOwned>(json: &str) -> bool {
        serde_json::from_str::<T>(json).is_ok()
    }
    assert!(is_read::<Refusing>(r#"{"a": 1}"#) && !is_read::<Refusing>(r#"{"bad": {"b": 1}}"#));
    for complaint in [complaint::<Refusing>(), one_way::<Refusing>()] {
        let complaint = complaint.unwrap();
        assert!(complaint.contains("alternative 2 of $ is allowed, and serde refuses it"), "{complaint}");
    }
}
