//! Finds the part of a schema that applies at a path, also in a value that is only partly written.

use serde_json::{Map, Value};

use super::{
    is_deprecated,
    view::{
        MAX_CHAIN, SchemaView,
        keywords::{list, named, required, type_of, types},
        reference,
    },
};
use crate::vocabulary::path::{Path, Segment};

/// A schema read beside an incomplete value. Of several alternatives, those count that the written
/// part does not rule out.
#[derive(Clone)]
pub(crate) struct PartialSchema<'s> {
    view: SchemaView<'s>,
}

/// The members of an object.
#[derive(Debug, Default)]
pub(crate) struct PartialMembers<'s> {
    /// The named members, in the order of the schema.
    pub(crate) named: Vec<(&'s str, &'s Value)>,
    pub(crate) required: Vec<&'s str>,
    /// The schema of other keys, if there is one.
    pub(crate) others: Option<&'s Value>,
}

impl<'s> PartialSchema<'s> {
    pub(crate) fn of(root: &'s Value) -> Self {
        Self { view: SchemaView::of(root) }
    }

    /// The schema of the part of `value` at `path`, where `value` is only partly written. `None` if
    /// the schema does not describe it, or if it depends on parts that are not written yet.
    pub(crate) fn part(&self, path: &Path, value: &Value) -> Option<&'s Value> {
        let mut part = self.view.root();
        let mut at = Some(value);
        for segment in path.segments() {
            part = self.step(part, segment, at, MAX_CHAIN)?;
            at = at.and_then(|value| segment.within(value));
        }
        Some(part)
    }

    fn step(
        &self,
        part: &'s Value,
        segment: &Segment,
        value: Option<&Value>,
        depth: usize,
    ) -> Option<&'s Value> {
        let object = part.as_object().filter(|_| depth > 0)?;
        if let Some(own) = own(object, segment) {
            return Some(own);
        }
        let branches = self.branches(object, value);
        let mut found = branches.filter_map(|branch| self.step(branch, segment, value, depth - 1));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    /// The targets of references and the alternatives that `value` may satisfy.
    fn branches(
        &self,
        object: &'s Map<String, Value>,
        value: Option<&Value>,
    ) -> impl Iterator<Item = &'s Value> {
        let alternatives = ["anyOf", "oneOf"].into_iter().flat_map(|keyword| list(object, keyword));
        let possible: Vec<_> = alternatives.filter(|branch| self.may_be(branch, value)).collect();
        let targets: Vec<_> = self.view.targets(object).collect();
        targets.into_iter().chain(list(object, "allOf")).chain(possible)
    }

    /// Returns whether the type and the tags of `value` allow `branch`.
    fn may_be(&self, branch: &'s Value, value: Option<&Value>) -> bool {
        let (Some(schema), Some(value)) = (self.view.meant(branch).as_object(), value) else { return true };
        let has_one_type = value.is_array() || value.is_object() || value.is_string();
        let fits_type = |names| !has_one_type || types(names).contains(&type_of(value));
        let fits_type = schema.get("type").is_none_or(fits_type);
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let fits_members = value.as_object().is_none_or(|members| {
            members.iter().all(|(key, member)| match properties.and_then(|properties| properties.get(key)) {
                Some(property) => is_allowed(self.view.meant(property), member),
                None => !is_closed,
            })
        });
        fits_type && fits_members
    }

    /// The members of the object `value` according to the schema `part`. `None` if several
    /// alternatives are possible.
    pub(crate) fn members(&self, part: &'s Value, value: &Value) -> Option<PartialMembers<'s>> {
        let mut members = PartialMembers::default();
        self.gather(part, value, MAX_CHAIN, &mut members)?;
        Some(members)
    }

    fn gather(
        &self,
        part: &'s Value,
        value: &Value,
        depth: usize,
        members: &mut PartialMembers<'s>,
    ) -> Option<()> {
        let Some(object) = part.as_object() else { return Some(()) };
        let depth = depth.checked_sub(1)?;
        for (name, schema) in named(object, "properties").filter(|(_, schema)| !is_deprecated(schema)) {
            if members.named.iter().all(|(known, _)| known != name) {
                members.named.push((name, schema));
            }
        }
        members.required.extend(required(object));
        let others = object.get("additionalProperties").filter(|others| **others != Value::Bool(false));
        members.others = members.others.or(others);
        for keyword in ["anyOf", "oneOf"] {
            if list(object, keyword).filter(|branch| self.may_be(branch, Some(value))).count() > 1 {
                return None;
            }
        }
        self.branches(object, Some(value)).try_for_each(|branch| self.gather(branch, value, depth, members))
    }

    /// Returns whether `part`, or any schema it refers to or is composed of, has one of `keywords`.
    pub(crate) fn has_any(&self, part: &'s Value, keywords: &[&str]) -> bool {
        self.finds(part, keywords, MAX_CHAIN)
    }

    fn finds(&self, part: &'s Value, keywords: &[&str], depth: usize) -> bool {
        let Some(object) = part.as_object().filter(|_| depth > 0) else { return false };
        keywords.iter().any(|keyword| object.contains_key(*keyword))
            || self.branches(object, None).any(|branch| self.finds(branch, keywords, depth - 1))
    }
}

/// Returns whether the `const` or `enum` of `schema` allows `value`.
fn is_allowed(schema: &Value, value: &Value) -> bool {
    let is_const = schema.get("const").is_none_or(|only| only == value);
    let is_listed = schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value));
    is_const && is_listed
}

/// The part of `root` that applies at `path`, with references followed. `None` if nothing applies,
/// or if several alternatives disagree.
pub(crate) fn part_at<'s>(root: &'s Value, path: &Path) -> Option<&'s Value> {
    let schema = PartialSchema::of(root);
    let mut steps = path.segments().iter();
    let part = steps.try_fold(root, |part, segment| schema.step(part, segment, None, MAX_CHAIN))?;
    // Constraints beside a reference count, so such a part is returned unresolved. Names and
    // comments do not count.
    let is_bare = |part: &Value| {
        part.as_object().is_some_and(|part| {
            reference(part).is_some() && part.keys().all(|keyword| keyword.starts_with('$'))
        })
    };
    schema.view.chain(part).find(|part| !is_bare(part))
}

/// The schema that `object` itself has for the part under `segment`.
fn own<'s>(object: &'s Map<String, Value>, segment: &Segment) -> Option<&'s Value> {
    match segment {
        Segment::Key(key) => object
            .get("properties")
            .and_then(|properties| properties.get(key.as_str()))
            .or_else(|| object.get("additionalProperties").filter(|rest| rest.is_object())),
        Segment::Index(index) => object
            .get("prefixItems")
            .and_then(|items| items.get(index))
            .or_else(|| object.get("items").filter(|rest| rest.is_object())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_tag_that_is_written_chooses_the_alternative() {
        let schema = json!({
            "oneOf": [
                {"properties": {"kind": {"const": "a"}, "list": {"items": {"type": "integer"}}, "end": {}}},
                {"properties": {"kind": {"const": "b"}, "list": {"items": {"type": "string"}}}},
                {"type": "null"},
            ],
        });
        let written = PartialSchema::of(&schema);
        let path: Path = "$.list[4]".parse().unwrap();
        let value = json!({"kind": "a", "list": [1]});
        assert_eq!(written.part(&path, &value), Some(&json!({"type": "integer"})));
        let members = written.members(&schema, &value).unwrap();
        assert_eq!(members.named.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["kind", "list", "end"]);
        let unknown = json!({"list": [1]});
        assert_eq!(written.part(&path, &unknown), None);
        assert!(written.members(&schema, &unknown).is_none());
    }

    #[test]
    fn parts_are_composed_of_references_and_all_of() {
        let schema = json!({
            "$defs": {
                "Base": {"properties": {"id": {}}, "required": ["id"]},
                "Loop": {"allOf": [{"$ref": "#/$defs/Loop"}]},
            },
            "allOf": [{"$ref": "#/$defs/Base"}],
            "properties": {"name": {"allOf": [{"pattern": "a"}]}, "old": {"deprecated": true}},
            "additionalProperties": {"type": "integer"},
        });
        let written = PartialSchema::of(&schema);
        let members = written.members(&schema, &json!({})).unwrap();
        assert_eq!(members.named.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["name", "id"]);
        assert_eq!((members.required, members.others), (vec!["id"], Some(&json!({"type": "integer"}))));
        assert!(written.has_any(&schema["properties"]["name"], &["pattern", "format"]));
        assert!(!written.has_any(&schema["properties"]["name"], &["enum"]));
        assert!(!written.has_any(&schema["$defs"]["Loop"], &["enum"]));
    }

    #[test]
    fn follows_keys_positions_references_and_alternatives() {
        let schema = json!({
            "$defs": {
                "Line": {"properties": {"qty": {"type": "integer"}, "next": {"$ref": "#/$defs/Line"}}},
                "Loop": {"$ref": "#/$defs/Loop"},
            },
            "properties": {
                "lines": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Line"}, {"type": "null"}]}},
                "pair": {"prefixItems": [{"type": "string"}, {"type": "number"}]},
                "loop": {"$ref": "#/$defs/Loop"},
                "either": {"oneOf": [{"properties": {"a": {"minimum": 1}}}, {"properties": {"a": {"minimum": 2}}}]},
            },
            "additionalProperties": {"type": "boolean"},
        });
        for (path, part) in [
            ("$.lines[3].qty", Some(json!({"type": "integer"}))),
            ("$.lines[3].next.next.qty", Some(json!({"type": "integer"}))),
            ("$.pair[1]", Some(json!({"type": "number"}))),
            ("$.other", Some(json!({"type": "boolean"}))),
            ("$.loop", None),
            ("$.loop.x", None),
            ("$.either.a", None),
            ("$.lines[3].price", None),
        ] {
            assert_eq!(part_at(&schema, &path.parse().unwrap()), part.as_ref(), "{path}");
        }
    }
}
