//! On a variant.

use extract::Extractable;
use serde::Deserialize;
use serde_json::json;

use super::{agrees, case};

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
    ];
    agrees("variant", &cases);
}
