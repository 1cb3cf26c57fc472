//! The options of validators, and their keyword for decimals: numbers, or strings of digits, whose
//! digits a decimal of 96 bits holds.

use jsonschema::{EmailOptions, Keyword, PatternOptions, ValidationError, ValidationOptions};
use serde_json::Value;

use super::DECIMAL;
use crate::vocabulary::digits;

/// Maximum backtracking steps of one pattern on one string; beyond them it does not match. Patterns
/// without look-around and back-references take none.
const BACKTRACK_LIMIT: usize = 100_000;

/// The options that all validators share.
pub(crate) fn validator_options<'o>() -> ValidationOptions<'o> {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        // RFC 5321, section 4.1.2: a mailbox has no name before it.
        .with_email_options(EmailOptions::default().without_display_text())
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .with_keyword(DECIMAL, |_, mark, _| Ok(Box::new(DecimalKeyword { is_marked: *mark == true })))
}

/// Checks a value under the mark [`DECIMAL`](super::DECIMAL). Strings of another form are left to
/// the pattern beside it.
struct DecimalKeyword {
    is_marked: bool,
}

impl<'i> Keyword<'i> for DecimalKeyword {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("has more digits than a decimal of 96 bits"))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let does_fit = match instance {
            Value::String(text) => digits::fits_decimal(text),
            // More digits than can be written out do not fit either.
            Value::Number(number) => digits::written_out(&number.to_string())
                .map_or(Some(false), |text| digits::fits_decimal(&text)),
            _ => None,
        };
        !self.is_marked || does_fit != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::schema::validator_options;

    #[test]
    fn a_decimal_holds_96_bits_and_28_places() {
        let validator = validator_options().build(&json!({"x-decimal": true})).unwrap();
        for (value, is_valid) in [
            (json!("19.90"), true),
            (json!(19.9), true),
            (json!(u64::MAX), true),
            (json!(i64::MIN), true),
            (json!("79228162514264337593543950335"), true),
            (json!("79228162514264337593543950336"), false),
            (json!("0.00000000000000000000000000001"), false),
            (json!(7.9e28), true),
            (json!(8e28), false),
            (json!(1e-28), true),
            (json!(1e-29), false),
            (json!(1e300), false),
            (json!("free"), true),
            (json!(null), true),
        ] {
            assert_eq!(validator.is_valid(&value), is_valid, "{value}");
            assert_eq!(validator.validate(&value).is_ok(), is_valid, "{value}");
        }
        let unmarked = validator_options().build(&json!({"x-decimal": false})).unwrap();
        assert!(unmarked.is_valid(&json!(1e300)));
    }
}
