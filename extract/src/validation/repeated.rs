//! Which elements of a list are there twice.

use std::collections::HashMap;

use serde_json::{Number, Value};

use super::report::Report;
use crate::{
    path::Path,
    text::{counted, quoted},
    violation::{Code, Violation},
};

/// Repetitions that are told one by one.
const MAX_TOLD: usize = 20;

/// Appends what is repeated in `list`, which stands at `at`, each at its own place.
pub(super) fn push(at: &Path, list: &Value, report: &mut Report) {
    let mut first = HashMap::new();
    let mut repetitions = Vec::new();
    for (index, element) in list.as_array().into_iter().flatten().enumerate() {
        let mut form = String::new();
        write(element, &mut form);
        match first.get(&form) {
            Some(before) => repetitions.push((index, *before, element)),
            None => drop(first.insert(form, index)),
        }
    }
    let expected = "elements that all differ";
    for (index, before, element) in repetitions.iter().take(MAX_TOLD) {
        let message = format!("the same element as [{before}] of the list");
        let violation = Violation::new(at.clone().index(*index), Code::InvalidValue, message);
        let violation = violation.keyword("uniqueItems");
        report.push(violation.expected(expected).actual(quoted(element)));
    }
    let left_out = repetitions.len().saturating_sub(MAX_TOLD);
    if left_out > 0 || repetitions.is_empty() {
        let violation = Violation::new(at.clone(), Code::InvalidValue, "repeated elements");
        let violation = violation.expected(expected).keyword("uniqueItems");
        report.push(match left_out {
            0 => violation.actual(quoted(list)),
            _ => violation.actual(format!("{} more", counted(left_out, "repeated element"))),
        });
    }
}

/// Writes `value` in a form that is the same for values that JSON Schema counts as equal (2020-12 core, section 4.2.2):
/// without the order of keys, and `1.0` as `1`.
fn write(value: &Value, form: &mut String) {
    match value {
        Value::Number(number) => form.push_str(&plain(number)),
        Value::Array(list) => {
            form.push('[');
            for element in list {
                write(element, form);
                form.push(',');
            }
            form.push(']');
        }
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            form.push('{');
            for (key, value) in entries {
                form.push_str(&Value::from(key.as_str()).to_string());
                write(value, form);
                form.push(',');
            }
            form.push('}');
        }
        other => form.push_str(&other.to_string()),
    }
}

fn plain(number: &Number) -> String {
    match number.as_f64() {
        // Below 2^53 every whole number has a form of its own.
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => {
            format!("{float:.0}")
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(list: &Value) -> Vec<String> {
        let mut report = Report::of(0, |_, _, _| {});
        push(&Path::root(), list, &mut report);
        report.into_violations().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_each_repetition_and_what_it_repeats() {
        assert_eq!(
            said(&json!(["a", {"x": 1, "y": [2]}, "b", {"y": [2.0], "x": 1}, "a"])),
            [
                "[INVALID_VALUE] $[3]: the same element as [1] of the list (expected elements that all differ, got {\"y\":[2.0],\"x\":1})",
                "[INVALID_VALUE] $[4]: the same element as [0] of the list (expected elements that all differ, got \"a\")",
            ]
        );
        // Neither a number and its text nor what only looks alike is the same.
        assert!(said(&json!([1, "1", [1], ["1"], {"1": 1}]))[0].contains("repeated elements"));
    }

    #[test]
    fn counts_those_that_are_too_many_to_tell() {
        let said = said(&(0..50).map(|_| json!(0)).collect());
        assert_eq!(said.len(), MAX_TOLD + 1);
        assert!(said[MAX_TOLD].ends_with("got 29 repeated elements more)"), "{}", said[MAX_TOLD]);
    }
}
