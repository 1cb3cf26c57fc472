//! Integers as keys of a map. They are strings, so the bounds of their type become a pattern of
//! digits.

use std::fmt::Write;

use schemars::{Schema, json_schema};

/// Number of digits from which a pattern of the exact bound costs more tokens than it saves. serde
/// still rejects keys out of range.
const MANY_DIGITS: usize = 11;

/// The schema of the integers from `min` to `max`.
pub(super) fn of(min: &str, max: &str) -> Schema {
    json_schema!({ "type": "string", "pattern": format!("^(0|{})$", pattern(min, max)) })
}

/// The schema of the integers from `min` to `max` without zero.
pub(super) fn without_zero(min: &str, max: &str) -> Schema {
    json_schema!({ "type": "string", "pattern": format!("^({})$", pattern(min, max)) })
}

fn pattern(min: &str, max: &str) -> String {
    let positive = from_one_to(max);
    match min.strip_prefix('-') {
        None => positive,
        Some(_) if max.len() >= MANY_DIGITS => format!("-?{positive}"),
        Some(_) => format!("-?({positive})|{min}"),
    }
}

/// Each way to stay below `max`: fewer digits, or a smaller first digit.
fn from_one_to(max: &str) -> String {
    let longest = max.len();
    if longest >= MANY_DIGITS {
        return format!("[1-9][0-9]{{0,{}}}", longest - 1);
    }
    let mut pattern = format!("[1-9][0-9]{{0,{}}}", longest - 2);
    for (at, digit) in max.bytes().enumerate() {
        let (least, rest) = (if at == 0 { b'1' } else { b'0' }, longest - at - 1);
        if digit > least {
            let (same, least, most) = (&max[..at], char::from(least), char::from(digit - 1));
            write!(pattern, "|{same}[{least}-{most}][0-9]{{{rest}}}").expect("a string can be written to");
        }
    }
    format!("{pattern}|{max}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(schema: &Schema, candidates: std::ops::Range<i64>) -> Vec<i64> {
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        candidates.filter(|number| validator.is_valid(&number.to_string().into())).collect()
    }

    #[test]
    fn the_bounds_are_exact() {
        assert_eq!(accepted(&of("0", "255"), -300..1200), (0..=255).collect::<Vec<_>>());
        assert_eq!(accepted(&of("-128", "127"), -1200..1200), (-128..=127).collect::<Vec<_>>());
        let without: Vec<i64> = (-128..=127).filter(|number| *number != 0).collect();
        assert_eq!(accepted(&without_zero("-128", "127"), -1200..1200), without);
        assert_eq!(
            accepted(&of("0", "4294967295"), 4_294_967_000..4_294_968_000).last(),
            Some(&4_294_967_295)
        );
    }

    #[test]
    fn there_is_one_spelling() {
        let validator =
            jsonschema::validator_for(of("-9223372036854775808", "9223372036854775807").as_value()).unwrap();
        for (text, is_key) in
            [("-1", true), ("9223372036854775807", true), ("-0", false), ("01", false), ("", false)]
        {
            assert_eq!(validator.is_valid(&text.into()), is_key, "{text}");
        }
    }
}
