//! Equal values, and equal strings for them.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// `value` as JSON, which is the same for all values that JSON Schema counts as equal (2020-12 core,
/// section 4.2.2): the order of keys and `2` or `2.0` make no difference.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => {
            text.push('{');
            for (index, (key, member)) in sorted(object).into_iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                let _ = write!(text, "{}:", Value::from(key));
                write(member, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write(item, text);
            }
            text.push(']');
        }
        Value::Number(number) => write_number(number, text),
        other => drop(write!(text, "{other}")),
    }
}

/// The members of `object` in the order of their keys.
pub(crate) fn sorted(object: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut members: Vec<_> = object.iter().map(|(key, member)| (key.as_str(), member)).collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

/// Writes `2.0` as `2`.
pub(crate) fn write_number(number: &Number, text: &mut String) {
    let _ = match whole(number) {
        Some(whole) => write!(text, "{whole}"),
        None => write!(text, "{number}"),
    };
}

/// A value as JSON Schema compares it: 1 and 1.0 are one number (2020-12 core, section 4.2.2).
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum ComparedValue<'v> {
    Whole(i128),
    Fraction(u64),
    Other(&'v Value),
}

impl<'v> ComparedValue<'v> {
    pub(crate) fn of(value: &'v Value) -> Self {
        match value {
            Value::Number(number) => match (whole(number), number.as_f64()) {
                (Some(whole), _) => Self::Whole(whole),
                (None, Some(float)) => Self::Fraction(float.to_bits()),
                (None, None) => Self::Other(value),
            },
            value => Self::Other(value),
        }
    }
}

/// The integer that `number` is, if it is one, however it is written.
pub(super) fn whole(number: &Number) -> Option<i128> {
    number.as_i128().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30)?;
        #[allow(clippy::cast_possible_truncation, reason = "it has no fraction and is in range")]
        let whole = float as i128;
        Some(whole)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_means_the_same_has_the_same_text() {
        assert_eq!(canonical(&json!({"b": [2.0, "x\"y"], "a": null})), r#"{"a":null,"b":[2,"x\"y"]}"#);
        assert_eq!(canonical(&json!({"a": -3.0e2})), canonical(&json!({"a": -300})));
        for (one, other) in [(json!(1), json!("1")), (json!(0.1), json!(0.2)), (json!([]), json!({}))] {
            assert_ne!(canonical(&one), canonical(&other));
        }
        assert_eq!(canonical(&json!(u64::MAX)), u64::MAX.to_string());
    }

    #[test]
    fn a_value_reads_back_from_its_text_as_an_equal_one() {
        for value in [json!(1e20), json!(-0.0), json!(1e300), json!(9_007_199_254_740_993_u64), json!(0.1)] {
            let text = canonical(&value);
            let again: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(canonical(&again), text);
        }
    }

    #[test]
    fn whole_numbers_are_equal_however_they_are_written_and_large_ones_are_not_rounded() {
        let same = |one: &Value, other: &Value| ComparedValue::of(one) == ComparedValue::of(other);
        assert!(same(&json!(1), &json!(1.0)) && same(&json!(0), &json!(-0.0)));
        assert!(same(&json!("a"), &json!("a")) && same(&json!(0.5), &json!(0.5)));
        assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
        assert!(!same(&json!(u64::MAX), &json!(u64::MAX - 1)));
        assert!(!same(&json!(1), &json!("1")) && !same(&json!(null), &json!(false)));
    }
}
