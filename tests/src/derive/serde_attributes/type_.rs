//! On a type.

use extract::Extractable;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{agrees, case};

macro_rules! structs {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        #[derive(Default, Deserialize, Extractable)]
        $(#[$attribute])*
        struct $name {
            two_words: u8,
            other: Option<bool>,
        }
    )*};
}

structs! {
    #[serde(rename = "NewName")] Rename;
    #[serde(rename_all = "camelCase")] RenameAll;
    #[serde(rename_all(serialize = "UPPERCASE", deserialize = "kebab-case"))] RenameAllSplit;
    #[serde(deny_unknown_fields)] DenyUnknownFields;
    #[serde(default)] Default_;
    #[serde(crate = "serde")] Crate;
    #[serde(expecting = "two fields")] Expecting;
    #[serde(tag = "kind")] TagOnAStruct;
    #[serde(from = "u8")] From_;
    #[serde(try_from = "bool")] TryFrom_;
}

// Outside of the macro, whose hygiene hides a name of serde's here.
#[derive(Deserialize, Extractable)]
#[serde(default = "sevens")]
struct DefaultPath {
    two_words: u8,
    other: Option<bool>,
}

fn sevens() -> DefaultPath {
    DefaultPath { two_words: 7, other: None }
}

impl From<u8> for From_ {
    fn from(two_words: u8) -> Self {
        Self { two_words, other: None }
    }
}

impl TryFrom<bool> for TryFrom_ {
    type Error = String;

    fn try_from(other: bool) -> Result<Self, String> {
        Ok(Self { two_words: 0, other: Some(other) })
    }
}

#[derive(Clone, Serialize, Deserialize, Extractable)]
#[serde(into = "u8")]
struct Into_ {
    two_words: u8,
}

impl From<Into_> for u8 {
    fn from(into: Into_) -> Self {
        into.two_words
    }
}

#[derive(Deserialize, Extractable)]
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned + Default"))]
struct Bound<T> {
    #[serde(default)]
    two_words: T,
}

#[derive(Deserialize, Extractable)]
#[serde(transparent)]
struct Transparent {
    two_words: u8,
}

macro_rules! enums {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        #[derive(Deserialize, Extractable)]
        $(#[$attribute])*
        enum $name {
            /// No content.
            Nothing,
            Fields { two_words: u8 },
        }
    )*};
}

enums! {
    #[serde(tag = "t")] Tag;
    #[serde(tag = "t", content = "c")] Content;
    #[serde(untagged)] Untagged;
    #[serde(rename_all = "snake_case")] RenameAllVariants;
    #[serde(rename_all_fields = "camelCase")] RenameAllFields;
}

#[test]
fn honoured() {
    let value = json!({ "two_words": 1, "other": true });
    let values = || [value.clone()];
    let cases = [
        case::<Rename>("rename", values()),
        case::<RenameAll>("rename_all", [json!({ "twoWords": 1 })]),
        case::<RenameAllSplit>("rename_all(deserialize)", [json!({ "two-words": 1 })]),
        case::<DenyUnknownFields>("deny_unknown_fields", values()),
        case::<Default_>("default", values()),
        case::<DefaultPath>("default = path", values()),
        case::<Crate>("crate", values()),
        case::<Expecting>("expecting", values()),
        case::<TagOnAStruct>("tag on a struct", values()),
        case::<From_>("from", [json!(1)]),
        case::<TryFrom_>("try_from", [json!(true)]),
        case::<Into_>("into", [json!({ "two_words": 1 })]),
        case::<Bound<u8>>("bound", [json!({ "two_words": 1 })]),
        case::<Transparent>("transparent", [json!(1)]),
        case::<Tag>("tag", [json!({ "t": "Nothing" }), json!({ "t": "Fields", "two_words": 1 })]),
        case::<Content>(
            "content",
            [json!({ "t": "Nothing" }), json!({ "t": "Fields", "c": { "two_words": 1 } })],
        ),
        case::<Untagged>("untagged", [json!(null), json!({ "two_words": 1 })]),
        case::<RenameAllVariants>(
            "rename_all on an enum",
            [json!("nothing"), json!({ "fields": { "two_words": 1 } })],
        ),
        case::<RenameAllFields>("rename_all_fields", [json!({ "Fields": { "twoWords": 1 } })]),
    ];
    agrees("type", &cases);
    let (default, default_path) = (Default_::default(), sevens());
    assert_eq!((default.two_words, default_path.two_words, default.other), (0, 7, default_path.other));
    let bound: Bound<u8> = serde_json::from_str("{}").unwrap();
    let transparent: Transparent = serde_json::from_str("3").unwrap();
    assert_eq!((bound.two_words, transparent.two_words), (0, 3));
}
