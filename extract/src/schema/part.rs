//! The part of a schema that a place in the value has to satisfy.

use std::cell::Cell;

use serde_json::Value;

use crate::path::{Path, Segment};

/// Steps through references and alternatives that one place may take; more of them are a circle.
const MAX_STEPS: usize = 1_000;

/// The part of `root` that says what stands at `path`, with references followed; `None` where nothing says so, or where
/// several alternatives say different things.
pub(crate) fn part_at<'s>(root: &'s Value, path: &Path) -> Option<&'s Value> {
    let mut part = root;
    let left = Cell::new(MAX_STEPS);
    for segment in path.segments() {
        part = step(root, part, segment, &left)?;
    }
    resolved(root, part)
}

/// `part`, or what it refers to.
fn resolved<'s>(root: &'s Value, mut part: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_STEPS {
        // Keywords beside a reference count too; such a part is shown as it is.
        let reference =
            part.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("$ref"));
        let Some(reference) = reference else { return Some(part) };
        part = target(root, reference)?;
    }
    None
}

fn target<'s>(root: &'s Value, reference: &Value) -> Option<&'s Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

fn step<'s>(root: &'s Value, part: &'s Value, segment: &Segment, left: &Cell<usize>) -> Option<&'s Value> {
    let object = part.as_object()?;
    left.set(left.get().checked_sub(1)?);
    let own = match segment {
        Segment::Key(key) => object
            .get("properties")
            .and_then(|properties| properties.get(key.as_str()))
            .or_else(|| object.get("additionalProperties").filter(|rest| rest.is_object())),
        Segment::Index(index) => object
            .get("prefixItems")
            .and_then(|items| items.get(index))
            .or_else(|| object.get("items").filter(|rest| rest.is_object())),
    };
    if own.is_some() {
        return own;
    }
    let referred = object.get("$ref").and_then(|reference| target(root, reference)).into_iter();
    let branches = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter_map(|keyword| object.get(keyword)?.as_array())
        .flatten();
    let mut found = referred.chain(branches).filter_map(|branch| step(root, branch, segment, left));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
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
