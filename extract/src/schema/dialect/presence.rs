//! Alternatives about which keys of an object are present.

use serde_json::{Map, Value, json};

use super::{conjunction::is_about_names, node::SchemaProjector};
use crate::{schema::is_deprecated, vocabulary::path::Path};

impl SchemaProjector<'_> {
    /// Alternatives about which keys are present, such as for a field with aliases. Deprecated
    /// names are not offered, so the rest may be plain.
    pub(super) fn presence(
        &mut self,
        keywords: &mut Map<String, Value>,
        keyword: &str,
        branches: &[Value],
        path: &Path,
    ) {
        let is_offered = |name: &&Value| {
            let property = name.as_str().and_then(|name| keywords.get("properties")?.get(name));
            property.is_none_or(|property| !is_deprecated(property))
        };
        let sets = branches.iter().filter_map(|branch| branch.get("required")?.as_array());
        let mut offered: Vec<_> = sets.filter(|names| names.iter().all(|name| is_offered(&name))).collect();
        let may_be_absent = branches.iter().any(|branch| branch.get("required").is_none());
        match (offered.pop(), offered.is_empty(), may_be_absent) {
            (Some(names), true, false) => {
                let names = names.clone();
                let required = keywords.entry("required").or_insert_with(|| json!([]));
                if let Value::Array(required) = required {
                    required.extend(names);
                }
            }
            (Some(_), true, true) if branches.iter().all(is_about_names) => {}
            _ => self.record_unenforced(path, keyword, "is about which properties are there"),
        }
        let is_described = |name: &Value| {
            name.as_str()
                .is_some_and(|name| keywords.get("properties").is_some_and(|all| all.get(name).is_some()))
        };
        let names =
            |branch: &Value| branch.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        if !branches.iter().flat_map(names).all(|name| is_described(&name)) {
            // A closed object would rule the other names out.
            keywords.entry("unevaluatedProperties").or_insert(Value::Bool(true));
        }
    }
}
