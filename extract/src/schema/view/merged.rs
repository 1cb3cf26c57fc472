//! Merges embedded resources into one document.
//!
//! The meaning of a reference depends on the resource around it. Here references become pointers
//! from the root, and embedded resources lose their names, so a reference means the same wherever
//! it is resolved.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    REFERENCES,
    names::{ANCHORS, VALUES, is_named, push},
    pointer::encoded,
    resources::{BaseUri, ReferenceFailure, SchemaResources, own_base},
};
use crate::{schema::SchemaError, vocabulary::path::Path};

/// Merges the resources of `schema`. Without an `$id` it stays as it is.
///
/// # Errors
///
/// When a reference in an embedded resource has no target, or an `$id` or an anchor cannot be used.
pub(crate) fn merged(schema: &Value) -> Result<Cow<'_, Value>, SchemaError> {
    if !has_identifier(schema) {
        return Ok(Cow::Borrowed(schema));
    }
    let merge = || {
        let resources = SchemaResources::of(schema)?;
        SchemaMerge { resources: &resources, pointer: String::new() }.copy(schema, resources.root_base())
    };
    merge().map(Cow::Owned).map_err(|(pointer, message): ReferenceFailure| {
        SchemaError::new(Path::from_pointer_in(&pointer, schema).unwrap_or_default(), message)
    })
}

fn has_identifier(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            object.get("$id").is_some_and(Value::is_string) || object.values().any(has_identifier)
        }
        Value::Array(list) => list.iter().any(has_identifier),
        _ => false,
    }
}

struct SchemaMerge<'r, 's> {
    resources: &'r SchemaResources<'s>,
    pointer: String,
}

impl SchemaMerge<'_, '_> {
    fn copy(&mut self, schema: &Value, base: &BaseUri) -> Result<Value, ReferenceFailure> {
        match schema {
            Value::Object(object) => self.object(object, base).map(Value::Object),
            Value::Array(list) => {
                let each = list.iter().enumerate();
                each.map(|(index, inside)| self.below(&index.to_string(), |this| this.copy(inside, base)))
                    .collect()
            }
            other => Ok(other.clone()),
        }
    }

    fn object(
        &mut self,
        object: &Map<String, Value>,
        base: &BaseUri,
    ) -> Result<Map<String, Value>, ReferenceFailure> {
        // The root is relative to nothing; `base` is its own address already.
        let own = if self.pointer.is_empty() { Ok(None) } else { own_base(object, base) };
        let own = own.map_err(|reason| (self.pointer.clone(), reason))?;
        let base = own.as_ref().unwrap_or(base);
        let is_embedded = base != self.resources.root_base();
        let is_kept = |keyword: &str| {
            !is_embedded || !(matches!(keyword, "$id" | "$schema") || ANCHORS.contains(&keyword))
        };
        let entries = object.iter().filter(|(keyword, _)| is_kept(keyword));
        entries
            .map(|(keyword, value)| {
                let value = self.below(keyword, |this| this.value(keyword, value, base))?;
                Ok((keyword.clone(), value))
            })
            .collect()
    }

    fn value(&mut self, keyword: &str, value: &Value, base: &BaseUri) -> Result<Value, ReferenceFailure> {
        match value {
            Value::String(reference) if REFERENCES.contains(&keyword) => {
                self.reference(keyword, reference, base).map(Value::String)
            }
            Value::Object(named) if is_named(keyword) => {
                let copies = named.iter().map(|(name, inside)| {
                    Ok((name.clone(), self.below(name, |this| this.copy(inside, base))?))
                });
                copies.collect()
            }
            value if VALUES.contains(&keyword) => Ok(value.clone()),
            value => self.copy(value, base),
        }
    }

    /// The rewritten `reference`. One that starts at the root resource stays as it is.
    fn reference(&self, keyword: &str, reference: &str, base: &BaseUri) -> Result<String, ReferenceFailure> {
        let is_at_root = reference.starts_with('#') && base == self.resources.root_base();
        if is_at_root {
            return Ok(reference.to_owned());
        }
        match self.resources.pointer(keyword, reference, base) {
            Ok(pointer) => Ok(format!("#{}", encoded(&pointer))),
            Err(reason) => Err((self.pointer.clone(), reason)),
        }
    }

    fn below<T>(&mut self, step: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        push(&mut self.pointer, step);
        let found = look(self);
        self.pointer.truncate(length);
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A document with two resources. Returns it with the expected result: each reference and the
    /// schema it has to become.
    fn document(references: &[(&str, &str)]) -> (Value, Value) {
        let part = |references: Vec<Value>| {
            json!({
                "$id": "https://example.com/root",
                "$defs": {
                    "a/b c": {"$anchor": "a", "const": 1},
                    "100%": {"$dynamicAnchor": "percent", "const": 2},
                    "part": {
                        "$id": "part",
                        "$defs": {"x": {"$anchor": "x", "const": 3}, "a": {"$anchor": "a", "const": 4}},
                        "allOf": references,
                        "const": {"$ref": "#/$defs/x", "$id": "value"},
                        "properties": {"$id": {"const": 5}},
                    },
                },
            })
        };
        let refer = |reference: &&str| json!({"$ref": reference});
        let schema = part(references.iter().map(|(reference, _)| refer(reference)).collect());
        let mut expected = part(references.iter().map(|(_, pointer)| refer(pointer)).collect());
        let inner = expected["$defs"]["part"].as_object_mut().unwrap();
        inner.shift_remove("$id");
        for name in ["x", "a"] {
            inner["$defs"][name].as_object_mut().unwrap().shift_remove("$anchor");
        }
        (schema, expected)
    }

    #[test]
    fn references_start_at_the_resource_around_them() {
        let (schema, expected) = document(&[
            ("#", "#/$defs/part"),
            ("#/$defs/x", "#/$defs/part/$defs/x"),
            ("#/%24defs/x", "#/$defs/part/$defs/x"),
            ("#x", "#/$defs/part/$defs/x"),
            ("#a", "#/$defs/part/$defs/a"),
            ("part#x", "#/$defs/part/$defs/x"),
            ("root", "#"),
            ("root#a", "#/$defs/a~1b%20c"),
            ("/root#percent", "#/$defs/100%25"),
            ("https://example.com/root#/$defs/part", "#/$defs/part"),
            ("https://example.com/part#", "#/$defs/part"),
        ]);
        assert_eq!(merged(&schema).unwrap().into_owned(), expected);
    }

    #[test]
    fn a_reference_to_nothing_is_named_with_its_place() {
        for reference in
            ["#/$defs/100%25", "#percent", "other", "root#/$defs/none", "https://example.com/other"]
        {
            let (schema, _) = document(&[(reference, "")]);
            let error = merged(&schema).unwrap_err();
            assert_eq!(error.path().to_string(), r#"$["$defs"].part.allOf[0]["$ref"]"#, "{reference}");
            assert!(error.message().starts_with(&format!("`{reference}` is not in the schema")), "{error}");
        }
    }

    #[test]
    fn a_dynamic_reference_means_the_outermost_anchor() {
        let tree = json!({
            "$id": "tree",
            "$dynamicAnchor": "node",
            "items": {"$dynamicRef": "#node"},
        });
        let of_tree =
            |schema: &Value| merged(schema).unwrap()["$defs"]["tree"]["items"]["$dynamicRef"].clone();
        assert_eq!(of_tree(&json!({"$ref": "tree", "$defs": {"tree": tree}})), "#/$defs/tree");
        let strict = json!({"$dynamicAnchor": "node", "$ref": "tree", "$defs": {"tree": tree}});
        assert_eq!(of_tree(&strict), "#");
        let other = json!({"$id": "other", "$dynamicAnchor": "node"});
        let error = merged(&json!({"$ref": "tree", "$defs": {"tree": tree, "other": other}})).unwrap_err();
        assert!(error.message().contains("use `$ref` and `$anchor`"), "{error}");
    }

    #[test]
    fn identifiers_that_cannot_be_used_are_errors() {
        let key = "k".repeat(2_000);
        for (schema, message) in [
            (
                json!({"$ref": "x", "$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}),
                "several parts have the `$id`",
            ),
            (json!({"$defs": {"a": {"$id": ":"}}}), ":"),
            (json!({"$defs": {key: {"$id": "x"}}}), "more than 1024 bytes"),
        ] {
            let error = merged(&schema).unwrap_err();
            assert!(error.message().contains(message), "{error}");
        }
    }

    #[test]
    fn an_identifier_that_nobody_refers_to_may_be_given_twice() {
        let part = json!({"$id": "https://example.com/part", "type": "string"});
        let schema = json!({"$id": "https://example.com/root", "properties": {"a": part, "b": part}});
        let merged = merged(&schema).unwrap();
        assert_eq!(merged["properties"], json!({"a": {"type": "string"}, "b": {"type": "string"}}));
    }

    #[test]
    fn references_at_the_root_need_no_address() {
        for id in ["a/b.json", "../b.json", "b.json", "/a/b.json#", "https://example.com/a/b.json"] {
            let schema = json!({
                "$id": id,
                "properties": {"a": {"$ref": "#/$defs/S"}, "b": {"$ref": "b.json#/$defs/S"}},
                "$defs": {"S": {"type": "string"}},
            });
            let contract = crate::contract::Contract::from_schema(schema).unwrap();
            let is_valid = |value: &Value| contract.validate(value).is_empty();
            assert!(is_valid(&json!({"a": "a", "b": "b"})), "{id}");
            assert!(!is_valid(&json!({"a": 1})) && !is_valid(&json!({"b": 1})), "{id}");
        }
    }

    #[test]
    fn a_schema_without_identifiers_stays() {
        let schema = json!({"$ref": "#/$defs/none", "properties": {"$id": {"type": "string"}}});
        assert!(matches!(merged(&schema), Ok(Cow::Borrowed(_))));
    }
}
