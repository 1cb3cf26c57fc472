//! Which properties may be absent.
//!
//! serde lets a field be absent when its type says so (`Option`), also through an alias of that type, which a
//! macro cannot see. So the type marks its schema, and when the schema is complete the marks are turned into
//! the absence of the name in `required`, wherever the property ended up (flattened, in a variant).

use schemars::{
    Schema,
    transform::{Transform, transform_subschemas},
};
use serde_json::Value;

const MARK: &str = "x-extract-optional";

pub(super) fn mark(schema: &mut Schema) {
    schema.insert(MARK.to_owned(), Value::Bool(true));
}

/// Takes marked properties out of `required`, and the marks out of the schema.
#[derive(Debug, Clone)]
pub(super) struct Resolve;

impl Transform for Resolve {
    fn transform(&mut self, schema: &mut Schema) {
        let marked: Vec<String> = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter(|(_, property)| property.get(MARK).is_some())
            .map(|(name, _)| name.clone())
            .collect();
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| !marked.iter().any(|marked| name == marked));
            if required.is_empty() {
                schema.remove("required");
            }
        }
        schema.remove(MARK);
        transform_subschemas(self, schema);
    }
}
