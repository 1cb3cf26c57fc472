//! Finds the part of a schema that applies at a path.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::view::{SchemaView, reference};
use crate::vocabulary::path::{Path, Segment};

/// The part of `root` that applies at `path`, with references followed. `None` if nothing applies,
/// or if several alternatives disagree.
pub(crate) fn part_at<'s>(root: &'s Value, path: &Path) -> Option<&'s Value> {
    let view = SchemaView::of(root);
    let mut part = root;
    for segment in path.segments() {
        part = SchemaStep { view: &view, segment, seen: HashSet::new() }.from(part)?;
    }
    // Constraints beside a reference count, so such a part is returned unresolved. Names and
    // comments do not count.
    let is_bare = |part: &Value| {
        part.as_object().is_some_and(|part| {
            reference(part).is_some() && part.keys().all(|keyword| keyword.starts_with('$'))
        })
    };
    view.chain(part).find(|part| !is_bare(part))
}

struct SchemaStep<'v, 's> {
    view: &'v SchemaView<'s>,
    segment: &'v Segment,
    /// The schemas that were visited already.
    seen: HashSet<*const Value>,
}

impl<'s> SchemaStep<'_, 's> {
    fn from(&mut self, part: &'s Value) -> Option<&'s Value> {
        let object = part.as_object().filter(|_| self.seen.insert(std::ptr::from_ref(part)))?;
        if let Some(own) = own(object, self.segment) {
            return Some(own);
        }
        let branches = ["allOf", "anyOf", "oneOf"]
            .into_iter()
            .filter_map(|keyword| object.get(keyword)?.as_array())
            .flatten();
        let targets: Vec<_> = self.view.targets(object).collect();
        let mut found = targets.into_iter().chain(branches).filter_map(|branch| self.from(branch));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }
}

/// The schema that `object` itself has for the part under `segment`.
pub(super) fn own<'s>(object: &'s Map<String, Value>, segment: &Segment) -> Option<&'s Value> {
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
