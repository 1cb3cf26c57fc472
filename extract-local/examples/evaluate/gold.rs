//! Scores how much of an answer is right.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::documents::Document;

/// Fields of one answer. A field that the document does not state is null in the right answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Score {
    pub(crate) stated: usize,
    pub(crate) right_stated: usize,
    pub(crate) absent: usize,
    pub(crate) right_absent: usize,
}

impl Score {
    pub(crate) fn of(document: &Document, value: Option<&Value>) -> Self {
        let mut score = Self::default();
        for (key, gold) in &document.gold {
            let is_right = usize::from(is_right(document, key, value));
            let (all, right) = if gold.is_null() {
                (&mut score.absent, &mut score.right_absent)
            } else {
                (&mut score.stated, &mut score.right_stated)
            };
            *all += 1;
            *right += is_right;
        }
        score
    }

    pub(crate) fn is_exact(self) -> bool {
        self.right_stated == self.stated && self.right_absent == self.absent
    }
}

/// Whether the field `key` has the right value; an absent field counts as null.
fn is_right(document: &Document, key: &str, value: Option<&Value>) -> bool {
    let Some(value) = value else { return false };
    let given = value.get(key).unwrap_or(&Value::Null);
    let accepted = document.gold_any.get(key).and_then(Value::as_array);
    is_same(given, &document.gold[key]) || accepted.is_some_and(|all| is_accepted(given, all))
}

/// Whether `given` is one of `all`. An empty string in `all` means that the value may be absent,
/// and an object has such a list for each of its keys (as in the Berkeley function-calling
/// leaderboard).
fn is_accepted(given: &Value, all: &[Value]) -> bool {
    all.iter().any(|right| match (given, right) {
        (Value::Null, Value::String(nothing)) if nothing.is_empty() => true,
        (Value::Object(given), Value::Object(right)) => {
            let is_right = |(key, all): (&String, &Value)| {
                let all = all.as_array().map_or(std::slice::from_ref(all), Vec::as_slice);
                is_accepted(given.get(key).unwrap_or(&Value::Null), all)
            };
            given.keys().all(|key| right.contains_key(key)) && right.iter().all(is_right)
        }
        _ => is_same(given, right),
    })
}

/// Equal except for case and surrounding space of strings, and the notation of numbers.
fn is_same(given: &Value, right: &Value) -> bool {
    match (given, right) {
        (Value::String(given), Value::String(right)) => {
            given.trim().to_lowercase() == right.trim().to_lowercase()
        }
        (Value::Number(given), Value::Number(right)) => given.as_f64() == right.as_f64(),
        (Value::Array(given), Value::Array(right)) => {
            given.len() == right.len() && given.iter().zip(right).all(|(given, right)| is_same(given, right))
        }
        _ => given == right,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stated_and_absent_fields_are_counted_apart() {
        let document = json!({
            "id": "1", "text": "", "instruction": "", "json_schema": {},
            "gold": {"city": "Bern", "guests": 2, "note": null, "days": ["Mon", "Tue"]},
            "gold_any": {"guests": ["two", ""], "address": [{"zip": [1, 2], "street": ["", "A"]}]},
        });
        let document: Document = serde_json::from_value(document).unwrap();
        let score = Score::of(&document, Some(&json!({"city": " bern", "guests": "Two", "days": ["mon"]})));
        assert_eq!(score, Score { stated: 3, right_stated: 2, absent: 1, right_absent: 1 });
        let score = Score::of(
            &document,
            Some(&json!({"city": "Bern", "guests": 2.0, "note": "null", "days": ["Mon", "Tue"]})),
        );
        assert_eq!(score, Score { stated: 3, right_stated: 3, absent: 1, right_absent: 0 });
        assert!(!Score::of(&document, None).is_exact());
        let all = document.gold_any["address"].as_array().unwrap();
        assert!(is_accepted(&json!({"zip": 2}), all) && is_accepted(&json!({"zip": 1, "street": "a"}), all));
        assert!(
            !is_accepted(&json!({"street": "A"}), all) && !is_accepted(&json!({"zip": 1, "floor": 3}), all)
        );
        let all = document.gold_any["guests"].as_array().unwrap();
        assert!(is_accepted(&Value::Null, all) && !is_accepted(&json!("three"), all));
    }
}
