//! Derived types of every shape in every dialect.

use std::collections::BTreeMap;

use extract::{Contract, Extractable, schema::dialect::Dialect};
use serde::{Deserialize, Serialize};

use super::judged::{Found, judged};

const VALUES: usize = 200;

/// Declares unions of the same variants for every tagging.
macro_rules! unions {
    ($($name:ident: $(#[$serde:meta])?),* $(,)?) => {$(
        #[derive(Debug, Serialize, Deserialize, Extractable)]
        $(#[$serde])?
        enum $name {
            Card { digits: String, holder: Option<String>, #[serde(default)] note: String },
            Transfer(Transfer),
            Empty {},
            Cash,
        }
    )*};
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Transfer {
    iban: String,
    #[serde(default, alias = "bank_code")]
    bic: Option<String>,
}

unions! {
    External: ,
    Internal: #[serde(tag = "by")],
    Adjacent: #[serde(tag = "by", content = "with")],
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Untagged {
    Number { number: i32 },
    Named { first: String, last: Option<String> },
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "status")]
enum Status {
    Open { since: String },
    Closed { at: u8, reason: Option<String> },
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
enum Mark {
    Good { points: u8 },
    Bad,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct Strict {
    line: u8,
    column: Option<u8>,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Page {
    #[serde(alias = "pg")]
    page: u8,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Empty {}

/// Declares a struct for each list of flattened fields.
macro_rules! flattened {
    ($($name:ident: $($field:ident $type:ty),* ;)*) => {
        $(
            #[derive(Debug, Serialize, Deserialize, Extractable)]
            struct $name {
                id: u8,
                #[serde(default)]
                remark: Option<String>,
                $(#[serde(flatten)] $field: $type,)*
            }
        )*

        fn all_flattened() -> Vec<(&'static str, Contract)> {
            vec![$((stringify!($name), Contract::of::<$name>().unwrap()),)*]
        }
    };
}

flattened! {
    OneStruct: a Page;
    TwoStructs: a Page, b Transfer;
    StrictStruct: a Strict;
    OptionStruct: a Option<Page>;
    OneExternal: a External;
    OneInternal: a Internal;
    OneAdjacent: a Adjacent;
    OneUntagged: a Untagged;
    OptionExternal: a Option<External>;
    OptionInternal: a Option<Internal>;
    OptionAdjacent: a Option<Adjacent>;
    OptionUntagged: a Option<Untagged>;
    StructAndExternal: a Page, b External;
    StructAndInternal: a Page, b Internal;
    ExternalAndInternal: a External, b Status;
    InternalTwice: a Internal, b Status;
    AdjacentAndInternal: a Adjacent, b Status;
    UntaggedAndInternal: a Untagged, b Status;
    UntaggedAndExternal: a Untagged, b Mark;
    ExternalTwice: a External, b Mark;
    AdjacentAndExternal: a Adjacent, b Mark;
    OptionTwice: a Option<Internal>, b Option<Status>;
    OptionAndExternal: a Option<Internal>, b External;
    Three: a Internal, b Status, c Untagged2;
    StructInternalStatus: a Page, b Internal, c Status;
    StrictAndInternal: a Strict, b Status;
    Map: a BTreeMap<String, String>;
    StructAndMap: a Page, b BTreeMap<String, String>;
    InternalAndMap: a Status, b BTreeMap<String, serde_json::Value>;
    Nested: a OneInternal2, b Mark;
    Json: a serde_json::Map<String, serde_json::Value>;
    OptionJson: a Option<serde_json::Map<String, serde_json::Value>>;
    AnyJson: a serde_json::Value;
    StructAndJson: a Page, b serde_json::Map<String, serde_json::Value>;
    InternalAndJson: a Status, b serde_json::Value;
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "size")]
enum Untagged2 {
    Small,
    Large { cm: u8 },
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct OneInternal2 {
    code: String,
    #[serde(flatten)]
    status: Status,
}

/// Types whose parts are not flattened.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Holder<T> {
    name: String,
    held: T,
    maybe: Option<T>,
    list: Vec<T>,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct StrictHolder<T> {
    held: T,
    #[serde(default)]
    other: Option<Box<Transfer>>,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Inside {
    Paid(OneInternal),
    Empty(Empty),
    Nothing,
    Two(InternalTwice),
}

fn all_held() -> Vec<(&'static str, Contract)> {
    macro_rules! held {
        ($($type:ty),* $(,)?) => {vec![
            $((stringify!($type), Contract::of::<$type>().unwrap()),)*
            $((concat!("Holder<", stringify!($type), ">"), Contract::of::<Holder<$type>>().unwrap()),)*
            $((concat!("StrictHolder<", stringify!($type), ">"), Contract::of::<StrictHolder<$type>>().unwrap()),)*
        ]};
    }
    held![
        External, Internal, Adjacent, Untagged, Status, Mark, Strict, Page, Transfer, Empty, Inside, (u8, String),
        Vec<Internal>, Option<Status>, InternalTwice, OptionTwice, ExternalAndInternal, StrictStruct,
        BTreeMap<String, Page>, bool, String,
    ]
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum JsonBesideTag {
    Map(serde_json::Map<String, serde_json::Value>),
    Any(serde_json::Value),
}

#[test]
fn free_keys_among_others_are_not_ruled_out() {
    let value = serde_json::json!({"id": 1, "by": "x", "kind": "Map", "page": 1, "status": "Closed", "at": 1, "free": [1]});
    let beside = ("JsonBesideTag", Contract::of::<JsonBesideTag>().unwrap());
    let all = all_flattened().into_iter().chain([beside]).filter(|(name, _)| name.contains("Json"));
    let mut count = 0;
    for (name, contract) in all {
        count += 1;
        assert!(contract.validate(&value).is_empty(), "{name}");
        assert!(contract.read(&value.to_string()).changes.is_empty(), "{name}");
        for dialect in Dialect::ALL {
            match dialect.offer(contract.schema()) {
                Ok(projection) => {
                    let validator = jsonschema::draft202012::new(&projection.schema).unwrap();
                    let mut value = value.clone();
                    // Some dialects want the optional fields as null.
                    value["remark"] = serde_json::Value::Null;
                    value["reason"] = serde_json::Value::Null;
                    assert!(validator.is_valid(&value), "{dialect} {name} {}", projection.schema);
                }
                Err(reason) => {
                    assert!(reason.to_string().contains("a map with free keys"), "{dialect} {reason}");
                }
            }
        }
    }
    assert_eq!(count, 6);
}

#[test]
fn a_projection_and_its_contract_accept_the_same_values() {
    let mut found = [Found::default(); 4];
    let mut wrong = Vec::new();
    for (name, contract) in all_flattened().into_iter().chain(all_held()) {
        wrong.extend(judged(name, &contract, VALUES, &mut found));
    }
    assert!(wrong.is_empty(), "{} counterexamples:\n{}", wrong.len(), wrong.join("\n"));
    for one in found {
        assert!(one.expressed >= 60 && one.conforming > 5_000 && one.projected > 5_000, "{found:?}");
    }
}
