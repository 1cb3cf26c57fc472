//! Types whose schema lists values that serde refuses: refused when the contract is made.

use std::collections::BTreeMap;

use extract::{BySchemars, Contract, Extractable};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::json;

/// The output of `serde_repr`: numbers instead of names.
macro_rules! by_number {
    ($type:ident: $($number:literal => $variant:ident),+) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match u8::deserialize(deserializer)? {
                    $($number => Ok(Self::$variant),)+
                    other => Err(D::Error::custom(format_args!("invalid value: {other}"))),
                }
            }
        }
    };
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Extractable)]
#[repr(u8)]
enum Level {
    /// Not urgent.
    Low = 1,
    High = 2,
}
by_number!(Level: 1 => Low, 2 => High);

#[derive(Extractable)]
enum OneName {
    Only,
}
by_number!(OneName: 1 => Only);

// `Serialize` allows the attribute.
#[derive(Serialize, Extractable)]
#[allow(dead_code, reason = "in the schema only")]
enum WithOther {
    Known,
    #[serde(other)]
    Other,
}
by_number!(WithOther: 1 => Known);

/// Reads other names than those of the schema.
#[derive(Extractable)]
enum Shouted {
    Low,
    High,
}

impl<'de> Deserialize<'de> for Shouted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "Low" => Ok(Self::Low),
            "HIGH" => Ok(Self::High),
            other => Err(D::Error::unknown_variant(other, &["Low", "HIGH"])),
        }
    }
}

#[derive(JsonSchema)]
#[allow(dead_code, reason = "in the schema only")]
enum Theirs {
    /// Not urgent.
    Low,
    High,
}
by_number!(Theirs: 1 => Low, 2 => High);

/// A schema of the numbers, as `JsonSchema_repr` derives it.
struct Numbered;

impl JsonSchema for Numbered {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Numbered".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "enum": [1, 2] })
    }
}

impl<'de> Deserialize<'de> for Numbered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Level::deserialize(deserializer).map(|_| Self)
    }
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Holder<T> {
    name: String,
    deep: Vec<Option<T>>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "read by serde only")]
enum Tagged<T> {
    One { value: Box<T> },
}

fn mistakes<T: Extractable>() -> Vec<String> {
    let contracts = [
        Contract::of::<T>(),
        Contract::of::<Box<T>>(),
        Contract::of::<Option<T>>(),
        Contract::of::<BTreeMap<String, T>>(),
        Contract::of::<Holder<T>>(),
        Contract::of::<Tagged<T>>(),
        Contract::of::<(T, u8)>(),
    ];
    contracts.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect()
}

#[test]
fn names_that_serde_does_not_read_are_refused_when_the_contract_is_made() {
    for (mistakes, says) in [
        (mistakes::<Level>(), r#"the schema of `Level` allows "Low", and serde refuses it: invalid type"#),
        (mistakes::<OneName>(), r#"the schema of `OneName` allows "Only""#),
        (mistakes::<WithOther>(), r#"the schema of `WithOther` allows "Known""#),
        (mistakes::<Shouted>(), r#"the schema of `Shouted` allows "High""#),
        (mistakes::<BySchemars<Theirs>>(), r#"the schema of `Theirs` allows "High""#),
    ] {
        assert_eq!(mistakes.len(), 7, "{says} {mistakes:#?}");
        assert!(mistakes.iter().all(|mistake| mistake.contains(says)), "{says} {mistakes:#?}");
    }
    let cured = &mistakes::<Level>()[0];
    assert!(cured.contains("derive `serde::Deserialize` for `Level`"), "{cured}");
    assert!(Contract::of::<BTreeMap<Level, u8>>().is_err());
}

#[derive(Deserialize, Extractable)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code, reason = "read by serde only")]
enum Named {
    #[serde(alias = "tiny", alias = "small")]
    VeryLow,
    #[serde(rename = "HIGH")]
    High,
    #[serde(skip_deserializing)]
    Never,
    Loaded(u8),
    #[serde(untagged)]
    Text(String),
}

#[test]
fn names_and_numbers_that_serde_reads_are_not() {
    assert!(mistakes::<Named>().is_empty());
    assert!(mistakes::<BySchemars<Numbered>>().is_empty());
    let (read, _) =
        Holder::<BySchemars<Numbered>>::from_reply(json!({"name": "a", "deep": [2]}).to_string()).unwrap();
    assert_eq!(read.deep.len(), 1);
}
