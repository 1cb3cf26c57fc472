//! Merges embedded resources into one document.
//!
//! A part of a schema with an `$id` is a resource of its own (JSON Schema 2020-12 core, section 9.3): inside it
//! `#/…` and `#name` start at the part and not at the root, and other references are relative to
//! its `$id`. Here references become pointers from the root, and embedded resources lose their names, so a
//! reference means the same wherever it is resolved.

use std::collections::{HashMap, HashSet};

use jsonschema::{Uri, uri};
use serde_json::{Map, Value};

use super::{
    REFERENCES,
    pointer::{ANCHORS, VALUES, decoded, each_inside, encoded, is_named, resolve},
};
use crate::{
    schema::{SchemaError, marks::any_within},
    vocabulary::{json_pointer, path::Path},
};

/// Merges the resources of `schema`. `None` without an `$id`, because it stays as it is.
///
/// # Errors
///
/// When a reference in an embedded resource has no target, or an `$id` or an anchor cannot be used.
pub(crate) fn merged(schema: &Value) -> Result<Option<Value>, SchemaError> {
    if !any_within(schema, &|part| part.get("$id").is_some_and(Value::is_string)) {
        return Ok(None);
    }
    let merge = || {
        let resources = SchemaResources::of(schema)?;
        SchemaMerge { resources: &resources, pointer: String::new() }.copy(schema, resources.root_base())
    };
    merge().map(Some).map_err(|(pointer, message): ReferenceFailure| {
        SchemaError::new(Path::from_pointer_in(&pointer, schema).unwrap_or_default(), message)
    })
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
        json_pointer::push(&mut self.pointer, step);
        let found = look(self);
        self.pointer.truncate(length);
        found
    }
}

/// Maximum bytes of a pointer to a resource or an anchor. Each reference to it grows to this
/// length.
const MAX_POINTER: usize = 1_024;

/// The base that references in a resource are relative to.
pub(super) type BaseUri = Uri<String>;

/// The pointer to a keyword that cannot be followed, and why.
pub(super) type ReferenceFailure = (String, String);

/// The resources of a schema, the root among them.
pub(super) struct SchemaResources<'s> {
    root: &'s Value,
    root_base: BaseUri,
    by_base: HashMap<BaseUri, SchemaResource>,
    /// Those that several parts are called.
    ambiguous: HashSet<BaseUri>,
}

#[derive(Default)]
struct SchemaResource {
    pointer: String,
    anchors: HashMap<String, SchemaAnchor>,
}

struct SchemaAnchor {
    pointer: String,
    is_dynamic: bool,
}

impl<'s> SchemaResources<'s> {
    pub(super) fn of(root: &'s Value) -> Result<Self, ReferenceFailure> {
        let at_root = |reason| (String::new(), reason);
        let outside = uri::from_str("").map_err(|error| at_root(error.to_string()))?;
        let own = root.as_object().map(|object| own_base(object, &outside)).transpose().map_err(at_root)?;
        let root_base = own.flatten().unwrap_or(outside);
        let by_base = HashMap::from([(root_base.clone(), SchemaResource::default())]);
        let ambiguous = HashSet::new();
        let mut resources = Self { root, root_base: root_base.clone(), by_base, ambiguous };
        resources.collect(root, &mut String::new(), &root_base)?;
        Ok(resources)
    }

    fn root_base(&self) -> &BaseUri {
        &self.root_base
    }

    /// Collects the anchors and resources inside `schema`, which is at `pointer` in the resource
    /// `base`.
    fn collect(
        &mut self,
        schema: &Value,
        pointer: &mut String,
        base: &BaseUri,
    ) -> Result<(), ReferenceFailure> {
        if let Value::Object(object) = schema {
            self.collect_anchors(object, pointer, base)?;
        }
        each_inside(schema, pointer, &mut |inside, pointer| {
            let own = inside.as_object().map(|object| own_base(object, base)).transpose();
            match own.map_err(|reason| (pointer.clone(), reason))?.flatten() {
                None => self.collect(inside, pointer, base),
                Some(own) => {
                    self.insert(&own, pointer)?;
                    self.collect(inside, pointer, &own)
                }
            }
        })
    }

    fn insert(&mut self, base: &BaseUri, pointer: &str) -> Result<(), ReferenceFailure> {
        let resource = SchemaResource { pointer: short(pointer)?, anchors: HashMap::new() };
        if self.by_base.insert(base.clone(), resource).is_some() {
            self.ambiguous.insert(base.clone());
        }
        Ok(())
    }

    fn collect_anchors(
        &mut self,
        object: &Map<String, Value>,
        pointer: &str,
        base: &BaseUri,
    ) -> Result<(), ReferenceFailure> {
        for keyword in ANCHORS {
            let Some(name) = object.get(keyword).and_then(Value::as_str) else { continue };
            let anchor = SchemaAnchor { pointer: short(pointer)?, is_dynamic: keyword == "$dynamicAnchor" };
            if let Some(resource) = self.by_base.get_mut(base) {
                resource.anchors.insert(name.to_owned(), anchor);
            }
        }
        Ok(())
    }

    /// The pointer to the target of `reference`, the value of `keyword` in the resource `base`.
    ///
    /// # Errors
    ///
    /// If there is no target, with the reason.
    pub(super) fn pointer(&self, keyword: &str, reference: &str, base: &BaseUri) -> Result<String, String> {
        let missing = || format!("`{reference}` is not in the schema; move it into `$defs`");
        let (relative, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let target = uri::resolve_against(&base.borrow(), relative).map_err(|error| error.to_string())?;
        if self.ambiguous.contains(&target) {
            return Err(format!("several parts have the `$id` `{target}`, so `{reference}` may mean each"));
        }
        let resource = self.by_base.get(&target).ok_or_else(missing)?;
        let fragment = decoded(fragment);
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{}{fragment}", resource.pointer);
            return resolve(&pointer, self.root).map(|_| pointer).ok_or_else(missing);
        }
        let anchor = resource.anchors.get(&*fragment).ok_or_else(missing)?;
        if keyword == "$dynamicRef" && anchor.is_dynamic {
            return self.dynamic(&fragment);
        }
        Ok(anchor.pointer.clone())
    }

    /// The outermost schema with the `$dynamicAnchor` `name`: the root resource's, or the only one.
    fn dynamic(&self, name: &str) -> Result<String, String> {
        let dynamic = |resource: &'_ SchemaResource| Some(&resource.anchors.get(name)?.pointer).cloned();
        if let Some(pointer) = self.by_base.get(&self.root_base).and_then(dynamic) {
            return Ok(pointer);
        }
        let mut found = self.by_base.values().filter_map(dynamic);
        match (found.next(), found.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(format!(
                "`#{name}` may stand for several schemas with this `$dynamicAnchor`; use `$ref` and `$anchor`"
            )),
        }
    }
}

/// The base of the schema `object` if it is a resource; its `$id` is relative to `base`.
fn own_base(object: &Map<String, Value>, base: &BaseUri) -> Result<Option<BaseUri>, String> {
    let Some(id) = object.get("$id").and_then(Value::as_str) else { return Ok(None) };
    let resolved = uri::resolve_against(&base.borrow(), id.trim_end_matches('#'));
    resolved.map(Some).map_err(|error| error.to_string())
}

fn short(pointer: &str) -> Result<String, ReferenceFailure> {
    if pointer.len() > MAX_POINTER {
        let message = format!("the pointer to this `$id` or anchor has more than {MAX_POINTER} bytes");
        return Err((pointer.to_owned(), message));
    }
    Ok(pointer.to_owned())
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
        assert_eq!(merged(&schema).unwrap(), Some(expected));
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
        let of_tree = |schema: &Value| {
            merged(schema).unwrap().unwrap()["$defs"]["tree"]["items"]["$dynamicRef"].clone()
        };
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
        let merged = merged(&schema).unwrap().unwrap();
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
        assert_eq!(merged(&schema).unwrap(), None);
    }
}
