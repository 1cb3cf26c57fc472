//! The schema in the form that structured output of every provider takes.
//!
//! Providers decode under a small part of JSON Schema and refuse a request that holds more of it
//! ([OpenAI](https://platform.openai.com/docs/guides/structured-outputs#supported-schemas),
//! [Anthropic](https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations)).
//! What rig sends is the same for all of them, so the projection keeps what all of them take: types, objects with named
//! properties, arrays, values to choose from, alternatives, references. Ranges, patterns, lengths and formats are left out;
//! they stand in the prompt, and the reply is judged by them as ever. rig makes every property required, so that an
//! optional one is given `null` to choose, which is read as absent.

use std::cell::Cell;

use serde_json::{Map, Value, json};

/// References that are followed; deeper ones are taken for a circle, which Anthropic refuses.
const DEEPEST: usize = 64;

/// Schemas within the schema, after what is referred to was put in its place: as many as OpenAI takes properties. A type that
/// is referred to often becomes longer by that, and would without a bound.
const MOST: usize = 5000;

/// `None` when the schema says what cannot be said so, or is not of an object: then the prompt has to do alone.
pub(super) fn projected(schema: &Value) -> Option<Value> {
    let projection = Projection { root: schema, left: Cell::new(MOST) };
    let at = projection.resolved(schema, 0)?;
    if at.get("type")? != "object" {
        return None;
    }
    projection.schema(at, 0).map(Value::Object)
}

struct Projection<'a> {
    root: &'a Value,
    /// How many schemas there may still be.
    left: Cell<usize>,
}

impl<'a> Projection<'a> {
    /// The object that `schema` is or refers to.
    fn resolved(&self, schema: &'a Value, depth: usize) -> Option<&'a Map<String, Value>> {
        let object = schema.as_object()?;
        match object.get("$ref") {
            None => Some(object),
            Some(_) if depth > DEEPEST => None,
            Some(reference) => {
                let pointer = reference.as_str()?.strip_prefix('#')?;
                self.resolved(self.root.pointer(pointer)?, depth + 1)
            }
        }
    }

    /// References are replaced by what they refer to: some providers take no siblings beside them.
    fn nested(&self, schema: &'a Value, depth: usize) -> Option<Map<String, Value>> {
        if depth > DEEPEST {
            return None;
        }
        self.left.set(self.left.get().checked_sub(1)?);
        let mut projected = self.schema(self.resolved(schema, depth)?, depth + 1)?;
        if let Some(description) = schema.get("description") {
            projected.insert("description".to_owned(), description.clone());
        }
        Some(projected)
    }

    fn schema(&self, schema: &'a Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
        // Without these the reply would have another shape, so they cannot be left out.
        const SHAPES: [&str; 7] = [
            "allOf",
            "patternProperties",
            "prefixItems",
            "if",
            "dependentSchemas",
            "unevaluatedProperties",
            "$dynamicRef",
        ];
        if SHAPES.iter().any(|keyword| schema.contains_key(*keyword)) {
            return None;
        }
        let mut projected = Map::new();
        if let Some(description) = schema.get("description") {
            projected.insert("description".to_owned(), description.clone());
        }
        if let Some(value) = schema.get("const") {
            projected.insert("enum".to_owned(), json!([value]));
        } else if let Some(values) = schema.get("enum") {
            projected.insert("enum".to_owned(), values.clone());
        } else if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            if schema.contains_key("properties") || schema.contains_key("items") {
                return None;
            }
            let branches = branches.as_array()?.iter();
            let branches: Option<Vec<_>> =
                branches.map(|branch| self.nested(branch, depth).map(Value::Object)).collect();
            projected.insert("anyOf".to_owned(), branches?.into());
            return Some(projected);
        }
        self.of_type(schema, projected, depth)
    }

    fn of_type(
        &self,
        schema: &'a Map<String, Value>,
        mut projected: Map<String, Value>,
        depth: usize,
    ) -> Option<Map<String, Value>> {
        let has_values = projected.contains_key("enum");
        let Some(types) = schema.get("type") else { return has_values.then_some(projected) };
        projected.insert("type".to_owned(), types.clone());
        let may_be =
            |name: &str| types == name || types.as_array().is_some_and(|all| all.contains(&name.into()));
        if has_values {
            return Some(projected);
        }
        if may_be("object") {
            projected.extend(self.object(schema, depth)?);
        }
        if may_be("array") {
            let items = self.nested(schema.get("items")?, depth)?;
            projected.insert("items".to_owned(), items.into());
        }
        Some(projected)
    }

    /// Of an object with named properties; one with names of its own choice cannot be said.
    fn object(&self, schema: &'a Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
        if schema.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false)) {
            return None;
        }
        let required = schema.get("required").and_then(Value::as_array);
        let properties = schema.get("properties")?.as_object()?.iter().map(|(name, property)| {
            let is_required = required.is_some_and(|names| names.iter().any(|other| other == name));
            let property = self.nested(property, depth)?;
            Some((name.clone(), if is_required { property } else { nullable(property) }.into()))
        });
        let properties: Map<String, Value> = properties.collect::<Option<_>>()?;
        let names: Vec<_> = properties.keys().cloned().collect();
        let object = json!({"properties": properties, "required": names, "additionalProperties": false});
        object.as_object().cloned()
    }
}

fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    let nothing = json!({"type": "null"});
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        if !branches.contains(&nothing) {
            branches.push(nothing);
        }
        return schema;
    }
    let takes_null = match (schema.get("enum"), schema.get("type")) {
        (Some(values), _) => values.as_array().is_some_and(|values| values.contains(&Value::Null)),
        (None, Some(types)) => {
            types == "null" || types.as_array().is_some_and(|types| types.contains(&"null".into()))
        }
        (None, None) => false,
    };
    if takes_null {
        return schema;
    }
    let mut wrapped = Map::new();
    wrapped.extend(schema.remove_entry("description"));
    wrapped.insert("anyOf".to_owned(), json!([schema, nothing]));
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_projection(schema: &Value, expected: Option<&Value>) {
        assert_eq!(projected(schema).as_ref(), expected, "{schema}");
    }

    #[test]
    fn keeps_the_shape_and_leaves_the_constraints_to_the_judge() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "An order",
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^A", "minLength": 1, "description": "The number.", "default": "A"},
                "legs": {"type": ["integer", "null"], "minimum": 0},
                "kind": {"const": "order"},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "minItems": 1},
            },
            "required": ["id", "legs", "kind", "lines"],
            "$defs": {"Line": {"oneOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "number"}]}},
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The number."},
                "legs": {"type": ["integer", "null"]},
                "kind": {"enum": ["order"]},
                "lines": {"type": "array", "items": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "number"}]}},
            },
            "required": ["id", "legs", "kind", "lines"],
            "additionalProperties": false,
        });
        assert_projection(&schema, Some(&expected));
    }

    #[test]
    fn an_optional_property_may_be_null_instead_of_absent() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "First."},
                "b": {"type": ["string", "null"]},
                "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "d": {"enum": ["x"]},
            },
        });
        let projection = projected(&schema).unwrap();
        let properties = json!({
            "a": {"description": "First.", "anyOf": [{"type": "string"}, {"type": "null"}]},
            "b": {"type": ["string", "null"]},
            "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "d": {"anyOf": [{"enum": ["x"]}, {"type": "null"}]},
        });
        assert_eq!(projection["properties"], properties);
        assert_eq!(projection["required"], json!(["a", "b", "c", "d"]));
    }

    #[test]
    fn what_becomes_too_long_is_not_said() {
        let twice = |of: usize| {
            json!({"type": "object", "properties": {
                "a": {"$ref": format!("#/$defs/{of}")},
                "b": {"$ref": format!("#/$defs/{of}")},
            }})
        };
        let mut definitions: Map<String, Value> = (0..40).map(|at| (at.to_string(), twice(at + 1))).collect();
        definitions.insert("40".to_owned(), json!({"type": "string"}));
        let schema = json!({"$ref": "#/$defs/0", "$defs": definitions});
        assert_projection(&schema, None);
    }

    #[test]
    fn what_cannot_be_said_is_not_said() {
        let list = json!({"type": "array", "items": {"type": "string"}});
        let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        let anything = json!({"type": "object", "properties": {"a": true}});
        let nested_map = json!({"type": "object", "properties": {"a": map}});
        let tuple = json!({"type": "object", "properties": {"a": {"type": "array", "prefixItems": []}}});
        let both = json!({"type": "object", "properties": {}, "allOf": [{"type": "object"}]});
        let circle = json!({
            "$ref": "#/$defs/Tree",
            "$defs": {"Tree": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Tree"}}}},
        });
        let endless = json!({"$ref": "#"});
        let nowhere = json!({"$ref": "#/$defs/Gone"});
        for schema in [list, map, anything, nested_map, tuple, both, circle, endless, nowhere, json!(true)] {
            assert_projection(&schema, None);
        }
    }
}
