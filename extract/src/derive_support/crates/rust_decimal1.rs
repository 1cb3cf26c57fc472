//! `rust_decimal` 1: 96 bits of digits, of which 28 may be after the point.

use rust_decimal1::Decimal;
use schemars::{Schema, json_schema};
use serde_json::{Value, json};

use crate::{
    derive_support::{
        DerivedType,
        scalars::{key, scalar},
    },
    schema::DECIMAL,
};

impl DerivedType for Decimal
where
    Self: serde::de::DeserializeOwned,
{
    scalar!("Decimal", schema(|value| serde_json::from_value::<Self>(value).is_ok()));
    key!(Some(key_schema()));
}

/// 2⁹⁶, the first number that is too large. A double has it exactly.
const END: f64 = 79_228_162_514_264_337_593_543_950_336.0;

/// The schema of what serde reads. That depends on features of `rust_decimal` that any crate of the
/// program may turn on: with `serde-str`, strings only; together with `serde-float`, numbers only.
fn schema(is_read: impl Fn(Value) -> bool) -> Schema {
    let mut schema = json_schema!({
        "type": ["string", "number"],
        "description": "a decimal number; as a string, it keeps every digit",
        "examples": ["19.90"],
        "exclusiveMinimum": -END,
        "exclusiveMaximum": END,
        "pattern": r"^-?[0-9]{1,29}(\.[0-9]{1,28})?$",
        DECIMAL: true,
    });
    match (is_read(json!("19.90")), is_read(json!(19.9))) {
        (true, true) => {}
        (true, false) => {
            schema.insert("type".to_owned(), json!("string"));
            for keyword in ["exclusiveMinimum", "exclusiveMaximum"] {
                schema.remove(keyword);
            }
        }
        (false, _) => {
            schema.insert("type".to_owned(), json!("number"));
            schema.insert("description".to_owned(), json!("a decimal number"));
            schema.insert("examples".to_owned(), json!([19.9]));
            for keyword in ["pattern", DECIMAL] {
                schema.remove(keyword);
            }
        }
    }
    schema
}

/// Keys in one spelling each: `1.5` and `1.50` are equal, so one of two entries would be lost.
fn key_schema() -> Schema {
    json_schema!({
        "type": "string",
        "description": "a decimal number without zeros at its end",
        "examples": ["19.9"],
        "pattern": r"^(0|-?([1-9][0-9]{0,28}(\.[0-9]{0,27}[1-9])?|0\.[0-9]{0,27}[1-9]))$",
        DECIMAL: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_allows_what_the_features_of_the_crate_let_serde_read() {
        let types = |is_read: fn(Value) -> bool| {
            let schema = schema(is_read).to_value();
            (schema["type"].clone(), schema.get(DECIMAL).is_some(), schema.get("pattern").is_some())
        };
        assert_eq!(types(|_| true), (json!(["string", "number"]), true, true));
        assert_eq!(types(|value| value.is_string()), (json!("string"), true, true));
        assert_eq!(types(|value| value.is_number()), (json!("number"), false, false));
    }

    #[test]
    fn equal_keys_have_one_spelling() {
        let validator = crate::schema::validator_options().build(key_schema().as_value()).unwrap();
        for (key, is_key) in [
            ("0", true),
            ("-1", true),
            ("19.9", true),
            ("-0.5", true),
            ("79228162514264337593543950335", true),
            ("79228162514264337593543950336", false),
            ("19.90", false),
            ("19.0", false),
            ("-0", false),
            ("0.0", false),
            ("01", false),
            ("1e3", false),
            (".5", false),
            ("", false),
        ] {
            assert_eq!(validator.is_valid(&key.into()), is_key, "{key}");
        }
    }
}
