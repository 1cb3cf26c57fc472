//! One text for each value.

use serde_json::{Number, Value};

/// Integers up to here are exact as floating point numbers, 2⁵³.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The same text for values that mean the same: the order of keys and `2` or `2.0` make no
/// difference.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Number(number) => text.push_str(&number_text(number)),
        other => text.push_str(&other.to_string()),
    }
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= MAX_EXACT => {
            format!("{float:.0}")
        }
        _ => number.to_string(),
    }
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
}
