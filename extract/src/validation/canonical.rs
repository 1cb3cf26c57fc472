//! Equal values, and equal strings for them.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::schema::view::keywords::whole;

/// `value` as JSON, which is the same for all values that JSON Schema counts as equal (2020-12 core,
/// section 4.2.2): the order of keys and `2` or `2.0` make no difference.
pub(crate) fn canonical(value: &Value) -> String {
    let mut json = Vec::new();
    write(value, &mut json);
    String::from_utf8(json).expect("serde_json writes UTF-8")
}

fn write(value: &Value, json: &mut Vec<u8>) {
    match value {
        Value::Object(object) => {
            json.push(b'{');
            for (index, (key, member)) in sorted(object).into_iter().enumerate() {
                json.extend_from_slice(if index > 0 { b"," } else { b"" });
                write_plain(key, json);
                json.push(b':');
                write(member, json);
            }
            json.push(b'}');
        }
        Value::Array(items) => {
            json.push(b'[');
            for (index, item) in items.iter().enumerate() {
                json.extend_from_slice(if index > 0 { b"," } else { b"" });
                write(item, json);
            }
            json.push(b']');
        }
        Value::Number(number) => match whole(number) {
            Some(whole) => write_plain(&whole, json),
            None => write_plain(number, json),
        },
        other => write_plain(other, json),
    }
}

fn write_plain(value: &(impl Serialize + ?Sized), json: &mut Vec<u8>) {
    serde_json::to_writer(json, value).expect("a vector takes what is written");
}

/// The members of `object` in the order of their keys.
pub(crate) fn sorted(object: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut members: Vec<_> = object.iter().map(|(key, member)| (key.as_str(), member)).collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
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
}
