//! The contract of an answer that has only some leaves of a value.

use serde_json::{Map, Value, json};

use super::continuation::with_definitions;
use crate::{
    contract::Contract,
    schema::{DistinctNames, PartialSchema},
    vocabulary::path::Path,
};

/// The contract of an object whose members are leaves of a value.
pub(crate) struct LeafContract {
    pub(crate) contract: Contract,
    /// The keys of the object, and the paths of the leaves in the value.
    pub(crate) leaves: Vec<(String, Path)>,
}

impl LeafContract {
    /// The contract for the leaves of `value` at `paths`. Leaves whose schema depends on others are
    /// left out; `None` if that leaves none.
    pub(crate) fn of(whole: &Contract, value: &Value, paths: &[Path]) -> Option<Self> {
        let written = PartialSchema::of(whole.schema());
        let (mut leaves, mut properties, mut used) = (Vec::new(), Map::new(), DistinctNames::default());
        for path in paths {
            let Some(part) = written.part(path, value).filter(|_| path.resolve(value).is_some()) else {
                continue;
            };
            let key = key_of(path, &mut used);
            properties.insert(key.clone(), described(part, path));
            leaves.push((key, path.clone()));
        }
        if leaves.is_empty() {
            return None;
        }
        let required: Vec<_> = leaves.iter().map(|(key, _)| key).collect();
        let form = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let contract = Contract::from_schema(with_definitions(form, whole.schema())).ok()?;
        Some(Self { contract: contract.without_example().with_source_of(whole), leaves })
    }

    /// Returns `value` with the leaves of `answer`.
    pub(crate) fn merged(&self, value: &Value, answer: &Value) -> Value {
        let mut merged = value.clone();
        for (key, path) in &self.leaves {
            if let (Some(new), Some(leaf)) = (answer.get(key), path.resolve_mut(&mut merged)) {
                leaf.clone_from(new);
            }
        }
        merged
    }
}

/// A key that every provider accepts: `lines_2_quantity` for `$.lines[2].quantity`.
fn key_of(path: &Path, used: &mut DistinctNames) -> String {
    let mut key = String::new();
    for character in path.to_string().chars().take(56) {
        if character.is_ascii_alphanumeric() {
            key.push(character);
        } else if !key.is_empty() && !key.ends_with('_') {
            key.push('_');
        }
    }
    let key = key.trim_end_matches('_');
    used.take(if key.is_empty() { "value" } else { key })
}

/// The schema of a leaf, with its path in the description.
fn described(part: &Value, path: &Path) -> Value {
    let mut part = part.clone();
    if let Some(object) = part.as_object_mut() {
        let own = object.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("The value at `{path}`. {own}");
        object.insert("description".to_owned(), description.trim_end().into());
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain_and_differ() {
        let mut used = DistinctNames::default();
        let mut key = |path: &str| key_of(&path.parse().unwrap(), &mut used);
        assert_eq!(key("$.lines[2].quantity"), "lines_2_quantity");
        assert_eq!(key("$.lines_2.quantity"), "lines_2_quantity_2");
        assert_eq!(key("$"), "value");
    }

    #[test]
    fn a_leaf_keeps_its_schema_and_its_definitions() {
        let schema = json!({
            "$defs": {"Mood": {"enum": ["good", "bad"]}},
            "type": "object",
            "properties": {"days": {"type": "array", "items": {"$ref": "#/$defs/Mood"}}, "n": {"type": "integer"}},
        });
        let whole = Contract::from_schema(schema).unwrap();
        let value = json!({"days": ["good", "bad"], "n": 1});
        let paths = ["$.days[1]".parse().unwrap(), "$.none".parse().unwrap()];
        let leaves = LeafContract::of(&whole, &value, &paths).unwrap();
        assert!(leaves.contract.validate(&json!({"days_1": "good"})).is_empty());
        assert!(!leaves.contract.validate(&json!({"days_1": "fine"})).is_empty());
        let merged = leaves.merged(&value, &json!({"days_1": "good"}));
        assert_eq!(merged, json!({"days": ["good", "good"], "n": 1}));
        assert!(LeafContract::of(&whole, &value, &[]).is_none());
    }
}
