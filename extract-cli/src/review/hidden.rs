//! Values that `run --redact` left out of the journal.

use extract::{Code, Contract, Path, Violation};
use serde_json::Value;

/// What stands for a value that was left out.
const HIDDEN: &str = "(hidden)";

/// Returns a violation for each sensitive leaf of `value` that is still hidden. A gold set with it would say
/// that it is right.
pub(super) fn violations(contract: &Contract, value: &Value) -> Vec<Violation> {
    let mut hidden = Vec::new();
    collect(value, Path::root(), &mut hidden);
    if hidden.is_empty() {
        return Vec::new();
    }
    let mut other = value.clone();
    for (number, path) in hidden.iter().enumerate() {
        if let Some(leaf) = other.pointer_mut(&path.to_pointer()) {
            // All different, because a sensitive text is redacted wherever it is.
            *leaf = Value::from(format!("text {number} of several"));
        }
    }
    contract.redact(&mut other);
    // Elsewhere it is a text like any other.
    hidden.retain(|path| other.pointer(&path.to_pointer()).is_some_and(|leaf| leaf == HIDDEN));
    let violation = |path| {
        Violation::new(path, Code::from("HIDDEN"), "the job left this value out")
            .expected("the value as the document has it")
    };
    hidden.into_iter().map(violation).collect()
}

fn collect(value: &Value, path: Path, hidden: &mut Vec<Path>) {
    match value {
        Value::String(text) if text == HIDDEN => hidden.push(path),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, path.clone().index(index), hidden);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                collect(member, path.clone().key(key), hidden);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_sensitive_leaves_are_hidden() {
        let schema = json!({"type": "object", "properties": {
            "name": {"type": "string"},
            "ibans": {"type": "array", "items": {"type": "string", "x-sensitive": true}},
        }});
        let contract = Contract::from_schema(schema).unwrap();
        let paths = |value: Value| -> Vec<String> {
            violations(&contract, &value).iter().map(|violation| violation.path.to_string()).collect()
        };
        assert_eq!(paths(json!({"name": HIDDEN, "ibans": ["DE1", HIDDEN]})), ["$.ibans[1]"]);
        assert!(paths(json!({"name": HIDDEN, "ibans": []})).is_empty());
    }
}
