//! On a variant.

use extract::Extractable;
use serde::Deserialize;
use serde_json::json;

use super::{a_text, agrees, as_text, case};

macro_rules! enums {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        #[derive(Deserialize, Extractable)]
        enum $name {
            Other(bool),
            $(#[$attribute])*
            Fields { two_words: u8 },
        }
    )*};
}

enums! {
    #[serde(rename = "fields")] Rename;
    #[serde(rename(serialize = "out", deserialize = "in"))] RenameSplit;
    #[serde(rename_all = "camelCase")] RenameAll;
    #[serde(alias = "Old", alias = "Older")] Alias;
    #[serde(skip)] Skip;
    #[serde(skip_deserializing)] SkipDeserializing;
    #[serde(untagged)] Untagged;
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum Other {
    Fields {
        two_words: u8,
    },
    #[serde(other)]
    Rest,
}

macro_rules! with_a_function {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        #[derive(Deserialize, Extractable)]
        $(#[$attribute])*
        enum $name {
            #[serde(deserialize_with = "as_text")]
            #[extract(schema_with = a_text)]
            Text(u8),
            #[serde(with = "pair")]
            #[extract(schema_with = pair::schema)]
            Pair { a: NotExtractable, b: u8 },
            #[serde(deserialize_with = "nothing")]
            #[extract(schema_with = an_empty_object)]
            Unit,
        }
    )*};
}

with_a_function! {
    With;
    #[serde(tag = "t", content = "c")] WithAdjacent;
    #[serde(untagged)] WithUntagged;
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "t")]
enum WithInternal {
    #[serde(with = "pair")]
    #[extract(schema_with = pair::schema)]
    Pair { a: NotExtractable, b: u8 },
    #[serde(deserialize_with = "nothing")]
    #[extract(schema_with = an_empty_object)]
    Unit,
}

struct NotExtractable;

mod pair {
    use super::NotExtractable;

    #[derive(serde::Deserialize)]
    struct Wire {
        sum: u8,
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(NotExtractable, u8), D::Error> {
        let wire: Wire = serde::Deserialize::deserialize(deserializer)?;
        Ok((NotExtractable, wire.sum))
    }

    pub(super) fn schema(generator: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
        let sum = generator.subschema_for::<u8>();
        extract::schema::json_schema!({ "type": "object", "properties": { "sum": sum }, "required": ["sum"] })
    }
}

fn nothing<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    serde_json::Map::deserialize(deserializer).map(drop)
}

fn an_empty_object(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "object" })
}

#[test]
fn honoured() {
    let fields = json!({ "two_words": 1 });
    let other = json!({ "Other": true });
    let cases = [
        case::<Rename>("rename", [json!({ "fields": fields }), other.clone()]),
        case::<RenameSplit>("rename(deserialize)", [json!({ "in": fields }), json!({ "out": fields })]),
        case::<RenameAll>("rename_all", [json!({ "Fields": { "twoWords": 1 } })]),
        case::<Alias>("alias", [json!({ "Fields": fields }), json!({ "Older": fields })]),
        case::<Skip>("skip", [json!({ "Fields": fields }), other.clone()]),
        case::<SkipDeserializing>("skip_deserializing", [json!({ "Fields": fields }), other.clone()]),
        case::<Untagged>("untagged", [fields.clone(), json!({ "Fields": fields }), other]),
        case::<Other>("other", [json!({ "t": "Fields", "two_words": 1 }), json!({ "t": "?" })]),
        case::<With>(
            "with and deserialize_with",
            [json!({ "Text": "n1" }), json!({ "Pair": { "sum": 1 } }), json!({ "Unit": {} }), json!("Unit")],
        ),
        case::<WithAdjacent>(
            "with beside a tag and content",
            [
                json!({ "t": "Text", "c": "n1" }),
                json!({ "t": "Pair", "c": { "sum": 1 } }),
                json!({ "t": "Unit" }),
            ],
        ),
        case::<WithInternal>("with beside a tag", [json!({ "t": "Pair", "sum": 1 }), json!({ "t": "Unit" })]),
        case::<WithUntagged>("with without a tag", [json!("n1"), json!({ "sum": 1 }), json!({})]),
    ];
    agrees("variant", &cases);
}
