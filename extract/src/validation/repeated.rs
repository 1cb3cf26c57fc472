//! Repeated elements of a list.

use std::collections::HashMap;

use serde_json::Value;

use super::{canonical::canonical, report::ViolationReport};
use crate::vocabulary::{
    path::Path,
    text::{counted, quoted},
    violation::{Code, Violation},
};

/// Maximum number of repetitions that are listed.
const MAX_LISTED: usize = 20;

/// Adds a violation for each repeated element of `list`, which is at `at`.
pub(super) fn push(at: &Path, list: &Value, report: &mut ViolationReport) {
    let mut first = HashMap::new();
    let mut repetitions = Vec::new();
    for (index, element) in list.as_array().into_iter().flatten().enumerate() {
        let form = canonical(element);
        match first.get(&form) {
            Some(before) => repetitions.push((index, *before, element)),
            None => drop(first.insert(form, index)),
        }
    }
    let expected = "elements that all differ";
    for (index, before, element) in repetitions.iter().take(MAX_LISTED) {
        let message = format!("the same element as [{before}] of the list");
        let violation = Violation::new(at.clone().index(*index), Code::InvalidValue, message);
        let violation = violation.keyword("uniqueItems");
        report.push(violation.expected(expected).actual(quoted(element)));
    }
    let omitted = repetitions.len().saturating_sub(MAX_LISTED);
    if omitted > 0 || repetitions.is_empty() {
        let violation = Violation::new(at.clone(), Code::InvalidValue, "repeated elements");
        let violation = violation.expected(expected).keyword("uniqueItems");
        report.push(match omitted {
            0 => violation.actual(quoted(list)),
            _ => violation.actual(format!("{} more", counted(omitted, "repeated element"))),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(list: &Value) -> Vec<String> {
        let mut report = ViolationReport::of(0, |_, _, _| {});
        push(&Path::root(), list, &mut report);
        report.into_violations().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_each_repetition_and_the_first_occurrence() {
        assert_eq!(
            said(&json!(["a", {"x": 1, "y": [2]}, "b", {"y": [2.0], "x": 1}, "a"])),
            [
                "[INVALID_VALUE] $[3]: the same element as [1] of the list (expected elements that all differ, got {\"y\":[2.0],\"x\":1})",
                "[INVALID_VALUE] $[4]: the same element as [0] of the list (expected elements that all differ, got \"a\")",
            ]
        );
        // A number differs from its string, and so do other values that only look alike.
        assert!(said(&json!([1, "1", [1], ["1"], {"1": 1}]))[0].contains("repeated elements"));
    }

    #[test]
    fn counts_the_repetitions_beyond_the_limit() {
        let said = said(&(0..50).map(|_| json!(0)).collect());
        assert_eq!(said.len(), MAX_LISTED + 1);
        assert!(said[MAX_LISTED].ends_with("got 29 repeated elements more)"), "{}", said[MAX_LISTED]);
    }
}
