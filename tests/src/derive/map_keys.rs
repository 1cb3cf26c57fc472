//! Maps with keys that are never strings: refused when the contract is made, and all others read.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use extract::{BySchemars, Contract, Extractable};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Extractable)]
struct Point {
    x: u8,
    y: u8,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
struct Newtype<T>(T);

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
enum Loaded {
    One(u8),
    Two { x: u8 },
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Tagged {
    One,
    Two,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
#[serde(untagged)]
enum Neither {
    One((u8, u8)),
    Two(Option<Point>),
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
struct Unit;

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
#[serde(from = "(u8, u8)")]
struct FromPair(u8);

impl From<(u8, u8)> for FromPair {
    fn from((one, _): (u8, u8)) -> Self {
        Self(one)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Extractable)]
#[serde(from = "u8")]
struct FromNumber(u8);

impl From<u8> for FromNumber {
    fn from(number: u8) -> Self {
        Self(number)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
enum Mixed {
    Plain,
    Loaded(u8),
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
struct Theirs {
    x: u8,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Flat<K: Ord> {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<K, u8>,
}

/// A definition that contains itself through a map.
#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Tree<K: Ord> {
    children: BTreeMap<K, Vec<Tree<K>>>,
}

fn mistake<T: Extractable>() -> Option<String> {
    assert!(!T::schema().to_string().contains("x-key-type"), "{}", T::schema());
    Contract::of::<T>().err().map(|error| error.to_string())
}

fn mistakes<K: Extractable + Ord>() -> Vec<String> {
    let all = [
        mistake::<BTreeMap<K, u8>>(),
        mistake::<Vec<Option<BTreeMap<K, String>>>>(),
        mistake::<BTreeMap<String, BTreeMap<K, u8>>>(),
        mistake::<Flat<K>>(),
        mistake::<Tree<K>>(),
    ];
    all.into_iter().flatten().collect()
}

#[test]
fn keys_that_are_never_strings_are_refused_when_the_contract_is_made() {
    for (mistakes, type_) in [
        (mistakes::<(u8, u8)>(), "(u8, u8)"),
        (mistakes::<Vec<String>>(), "Vec<String>"),
        (mistakes::<[u8; 2]>(), "[u8; 2]"),
        (mistakes::<Point>(), "Point"),
        (mistakes::<Box<Point>>(), "Box<Point>"),
        (mistakes::<Newtype<(u8, u8)>>(), "Newtype<(u8, u8)>"),
        (mistakes::<Newtype<Point>>(), "Newtype<Point>"),
        (mistakes::<Option<Point>>(), "Option<Point>"),
        (mistakes::<Loaded>(), "Loaded"),
        (mistakes::<Tagged>(), "Tagged"),
        (mistakes::<Neither>(), "Neither"),
        (mistakes::<Unit>(), "Unit"),
        (mistakes::<()>(), "()"),
        (mistakes::<Duration>(), "Duration"),
        (mistakes::<BTreeMap<String, u8>>(), "BTreeMap<String, u8>"),
        (mistakes::<FromPair>(), "FromPair"),
        (mistakes::<BySchemars<Theirs>>(), "BySchemars<Theirs>"),
    ] {
        assert_eq!(mistakes.len(), 5, "{type_} {mistakes:#?}");
        let says =
            |mistake: &String| mistake.contains(&format!("keys of the type `{type_}` has no JSON form"));
        assert!(mistakes.iter().all(says), "{type_} {mistakes:#?}");
    }
    let hashed = mistake::<HashMap<Point, u8>>().unwrap();
    assert!(hashed.contains("use keys of the type `String`, or a list of structs"), "{hashed}");
    assert!(hashed.contains(" at $.propertyNames: "), "{hashed}");
}

#[test]
fn keys_that_are_strings_in_json_are_read() {
    assert!(mistakes::<String>().is_empty());
    assert!(mistakes::<char>().is_empty());
    assert!(mistakes::<Mixed>().is_empty());
    assert!(mistakes::<Option<String>>().is_empty());
    assert!(mistakes::<Newtype<Newtype<String>>>().is_empty());
    for (key, is_read) in [("7", true), ("300", false), ("a", false)] {
        let reply = json!({ key: 1 }).to_string();
        assert_eq!(BTreeMap::<u8, u8>::from_reply(reply.as_str()).is_ok(), is_read, "{key}");
        assert_eq!(BTreeMap::<Option<u8>, u8>::from_reply(reply.as_str()).is_ok(), is_read, "{key}");
        assert_eq!(BTreeMap::<Newtype<u8>, u8>::from_reply(reply.as_str()).is_ok(), is_read, "{key}");
        let proxied = BTreeMap::<FromNumber, u8>::from_reply(reply.as_str());
        assert_eq!(proxied.is_ok(), is_read, "{key}");
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
struct FromA(#[extract(pattern = "^a")] String);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
struct FromAToZ(#[extract(pattern = "z$")] FromA);

#[test]
fn a_key_satisfies_the_constraints_of_each_newtype_around_it() {
    let contract = Contract::of::<BTreeMap<FromAToZ, u8>>().unwrap();
    let allows = |key: &str| contract.validate(&json!({ key: 1 })).is_empty();
    assert!(allows("abz") && !allows("bz") && !allows("ab"));
    assert!(contract.validate(contract.example().expect("an example")).is_empty());
}
