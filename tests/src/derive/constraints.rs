//! Constraints in the schema.

use extract::Extractable;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::oracle::{Stricter, check_but_for, validator};

const CURRENCIES: &[&str] = &["EUR", "USD"];
const LEAST: u32 = 1;

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Everything {
    #[extract(range(min = LEAST, max = 10))]
    whole: u32,
    #[extract(range(exclusive_min = 0.0, exclusive_max = 1.0), example = 0.5)]
    part: Option<f64>,
    #[extract(range(min = -5), multiple_of = 5)]
    fives: i64,
    #[extract(length(min = 2, max = 3))]
    text: String,
    #[extract(length(equal = 2), items(range(max = 9)))]
    digits: Option<Vec<u8>>,
    #[extract(length(max = 1), keys(pattern = "^[a-z]$"), values(length(min = 1)))]
    map: std::collections::BTreeMap<String, String>,
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    number: String,
    #[extract(one_of = CURRENCIES, description = "ISO 4217")]
    currency: Option<String>,
    #[extract(one_of = [1, 2, 3])]
    small: u8,
    #[extract(unique)]
    unique: Vec<u8>,
    #[extract(format = "date")]
    date: String,
    #[extract(length(min = 1), title = "The name")]
    name: Name,
}

/// A name.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Name(#[extract(pattern = "^[A-Z]")] String);

fn good() -> Value {
    json!({
        "whole": 1, "part": 0.5, "fives": -5, "text": "ab", "digits": [1, 2], "map": { "a": "x" },
        "number": "INV-0001", "currency": "EUR", "small": 3, "unique": [1, 2], "date": "2024-02-29", "name": "Ada",
    })
}

#[test]
fn every_constraint_is_enforced() {
    let validator = validator::<Everything>();
    assert!(validator.is_valid(&good()));
    let bad = [
        ("whole", json!(0)),
        ("whole", json!(11)),
        ("part", json!(0)),
        ("part", json!(1)),
        ("fives", json!(-10)),
        ("fives", json!(3)),
        ("text", json!("a")),
        ("text", json!("abcd")),
        ("digits", json!([1])),
        ("digits", json!([1, 2, 3])),
        ("digits", json!([1, 10])),
        ("map", json!({ "A": "x" })),
        ("map", json!({ "a": "" })),
        ("map", json!({ "a": "x", "b": "x" })),
        ("number", json!("INV-1")),
        ("currency", json!("GBP")),
        ("small", json!(4)),
        ("unique", json!([1, 1])),
        ("date", json!("2023-02-29")),
        ("name", json!("")),
        ("name", json!("ada")),
    ];
    for (field, value) in bad {
        let mut changed = good();
        changed[field] = value;
        let errors: Vec<String> =
            validator.iter_errors(&changed).map(|error| error.instance_path().to_string()).collect();
        assert!(!errors.is_empty(), "{field}: {changed}");
        assert!(errors.iter().all(|at| at.starts_with(&format!("/{field}"))), "{field}: {errors:?}");
    }
}

#[test]
fn null_stays_allowed_in_a_constrained_option() {
    let validator = validator::<Everything>();
    for field in ["part", "digits", "currency"] {
        let mut changed = good();
        changed[field] = Value::Null;
        assert!(validator.is_valid(&changed), "{field}");
    }
}

#[test]
fn descriptions_titles_and_examples_are_in_the_schema() {
    let schema = Everything::schema();
    let properties = &schema["properties"];
    assert_eq!(properties["currency"]["description"], "ISO 4217");
    assert_eq!(properties["number"]["examples"], json!(["INV-2041"]));
    assert_eq!(properties["part"]["examples"], json!([0.5]));
    assert_eq!(properties["name"], json!({ "$ref": "#/$defs/Name", "title": "The name", "minLength": 1 }));
    assert_eq!(
        schema["$defs"]["Name"],
        json!({ "type": "string", "pattern": "^[A-Z]", "description": "A name." })
    );
}

#[derive(Deserialize, Extractable)]
struct Documented {
    #[doc = concat!("com", "puted")]
    a: u8,
    /** Over
     * lines. */
    b: u8,
    /// Not this.
    #[extract(description = "but this")]
    c: u8,
}

#[test]
fn docs_of_every_form_become_descriptions() {
    let properties = &Documented::schema()["properties"];
    assert_eq!(properties["a"]["description"], "computed");
    assert_eq!(properties["b"]["description"], "Over\nlines.");
    assert_eq!(properties["c"]["description"], "but this");
}

#[derive(Debug, Deserialize, Extractable)]
struct Given {
    #[serde(deserialize_with = "from_text")]
    #[extract(schema_with = a_number_in_a_text, description = "in a text")]
    _value: u8,
}

fn from_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

fn a_number_in_a_text(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string", "pattern": "^[0-9]$" })
}

#[test]
fn a_schema_may_be_given() {
    let value = Given::schema()["properties"]["_value"].clone();
    assert_eq!(value, json!({ "type": "string", "pattern": "^[0-9]$", "description": "in a text" }));
    // The schema is meant to be stricter than the type.
    let checked = check_but_for::<Given>(&[Stricter::Spelling], [json!({ "_value": "1" })]);
    assert!(checked > 0);
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Large {
    #[extract(range(min = -5_000_000_000, max = 5_000_000_000))]
    signed: i64,
    #[extract(range(max = 18_446_744_073_709_551_615))]
    unsigned: u64,
    #[extract(range(max = 3_000_000_000))]
    half: u32,
    #[extract(multiple_of = 5_000_000_000)]
    float: f64,
    #[extract(one_of = [1, 5_000_000_000])]
    listed: u64,
}

#[test]
fn a_literal_is_as_large_as_the_type_of_its_field() {
    let properties = &Large::schema()["properties"];
    assert_eq!(
        (&properties["signed"]["minimum"], &properties["signed"]["maximum"]),
        (&json!(-5_000_000_000_i64), &json!(5_000_000_000_i64))
    );
    assert_eq!(properties["unsigned"]["maximum"], json!(u64::MAX));
    assert_eq!(properties["half"]["maximum"], json!(3_000_000_000_u32));
    assert_eq!(properties["float"]["multipleOf"], json!(5_000_000_000_i64));
    assert_eq!(properties["listed"]["enum"], json!([1, 5_000_000_000_i64]));
}
