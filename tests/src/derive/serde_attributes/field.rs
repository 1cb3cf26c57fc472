//! On a field.

use extract::Extractable;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{a_text, agrees, as_text, case};

macro_rules! structs {
    ($($(#[$attribute:meta])* $name:ident: $type:ty;)*) => {$(
        #[derive(Serialize, Deserialize, Extractable)]
        struct $name {
            $(#[$attribute])*
            field: $type,
            other: Option<bool>,
        }
    )*};
}

structs! {
    #[serde(rename = "key")] Rename: u8;
    #[serde(rename(serialize = "out", deserialize = "in"))] RenameSplit: u8;
    #[serde(alias = "old", alias = "older")] Alias: u8;
    #[serde(default)] Default_: u8;
    #[serde(default = "seven")] DefaultPath: u8;
    #[serde(flatten)] Flatten: Inner;
    #[serde(skip)] Skip: u8;
    #[serde(skip_deserializing)] SkipDeserializing: u8;
    #[serde(skip_serializing)] SkipSerializing: u8;
    #[serde(skip_serializing_if = "Vec::is_empty")] SkipSerializingIf: Vec<u8>;
    #[serde(default, skip_serializing_if = "Vec::is_empty")] SkipSerializingIfAndDefault: Vec<u8>;
    #[serde(serialize_with = "written")] SerializeWith: u8;
    #[serde(deserialize_with = "as_text")] #[extract(schema_with = a_text)] DeserializeWith: u8;
    #[serde(with = "texts")] #[extract(schema_with = a_text)] With: u8;
    #[serde(bound(deserialize = ""))] Bound: u8;
}

#[derive(Serialize, Deserialize, Extractable)]
struct Inner {
    inside: u8,
}

fn seven() -> u8 {
    7
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn written<S: serde::Serializer>(number: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("n{number}"))
}

mod texts {
    pub(super) use super::{as_text as deserialize, written as serialize};
}

#[test]
fn honoured() {
    let value = json!({ "field": 1, "other": true });
    let values = || [value.clone()];
    let lists = || [json!({ "field": [1], "other": true })];
    let texts = || [json!({ "field": "n1" }), json!({ "field": "1" })];
    let cases = [
        case::<Rename>("rename", [json!({ "key": 1 })]),
        case::<RenameSplit>("rename(deserialize)", [json!({ "in": 1 }), json!({ "out": 1 })]),
        case::<Alias>(
            "alias",
            [json!({ "field": 1 }), json!({ "older": 1 }), json!({ "field": 1, "old": 1 })],
        ),
        case::<Default_>("default", values()),
        case::<DefaultPath>("default = path", values()),
        case::<Flatten>("flatten", [json!({ "inside": 1, "other": true })]),
        case::<Skip>("skip", values()),
        case::<SkipDeserializing>("skip_deserializing", values()),
        case::<SkipSerializing>("skip_serializing", values()),
        case::<SkipSerializingIf>("skip_serializing_if", lists()),
        case::<SkipSerializingIfAndDefault>("skip_serializing_if beside default", lists()),
        case::<SerializeWith>("serialize_with", values()),
        case::<DeserializeWith>("deserialize_with", texts()),
        case::<With>("with", texts()),
        case::<Bound>("bound", values()),
    ];
    agrees("field", &cases);
    let default: DefaultPath = serde_json::from_str("{}").unwrap();
    let with: With = serde_json::from_str(r#"{"field": "n3"}"#).unwrap();
    assert_eq!((default.field, with.field), (7, 3));
}
