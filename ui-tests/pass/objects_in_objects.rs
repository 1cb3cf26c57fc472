//! What can be flattened, and stand beside a tag.

use std::collections::{BTreeMap, HashMap};

use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Named {
    _a: u8,
}

#[derive(Deserialize, Extractable)]
struct Unit;

#[derive(Deserialize, Extractable)]
struct Newtype(Box<Named>);

#[derive(Deserialize, Extractable)]
#[serde(from = "Named")]
struct Converted(Vec<u8>);

impl From<Named> for Converted {
    fn from(_: Named) -> Self {
        Self(Vec::new())
    }
}

#[derive(Deserialize, Extractable)]
enum External {
    A(Named),
    B { _c: u8 },
}

#[derive(Deserialize, Extractable)]
struct Generic<T> {
    #[serde(flatten)]
    _inside: T,
}

#[derive(Deserialize, Extractable)]
struct GenericNewtype<T>(T);

#[derive(Deserialize, Extractable)]
struct Flat {
    #[serde(flatten)]
    _named: Option<Named>,
    #[serde(flatten)]
    _newtype: Newtype,
    #[serde(flatten)]
    _converted: Converted,
    #[serde(flatten)]
    _external: External,
    #[serde(flatten)]
    _generic: Generic<GenericNewtype<Named>>,
    #[serde(flatten)]
    _foreign: extract::BySchemars<serde_json::Value>,
    #[serde(flatten)]
    _map: HashMap<String, u8>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum Tagged {
    Named(Named),
    Optional(Option<Box<Named>>),
    Unit(Unit),
    Nothing(()),
    Map(BTreeMap<String, u8>),
    Any(serde_json::Value),
    External(External),
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum GenericTagged<T> {
    A(T),
    B(GenericNewtype<T>),
}

fn main() {
    let _ = (Flat::schema(), Tagged::schema(), GenericTagged::<Named>::schema());
    let _ = |converted: Converted, newtype: Newtype| (converted.0, newtype.0);
}
