//! The schema of the answer to one chunk of a document.

use serde_json::{Map, Value};

use super::SchemaView;

/// Keywords whose demands a single chunk may not meet.
const OF_OBJECTS: [&str; 3] = ["required", "minProperties", "dependentRequired"];

/// How deep conjunctions at the root are followed.
const MAX_DEPTH: usize = 16;

/// Relaxes `schema` for a chunk, which may state only a part of the value. Its object requires no
/// keys, and its list, or the lists directly in its object, may be shorter.
pub(crate) fn relaxed(schema: &Value) -> Value {
    let mut relaxed = schema.clone();
    if let Some(object) = relaxed.as_object_mut() {
        inline(object, &SchemaView::of(schema));
        relax(object, &SchemaView::of(schema), 0);
    }
    relaxed
}

fn relax(object: &mut Map<String, Value>, view: &SchemaView<'_>, depth: usize) {
    for keyword in OF_OBJECTS {
        object.shift_remove(keyword);
    }
    relax_list(object);
    let members = object.get_mut("properties").and_then(Value::as_object_mut);
    for member in members.into_iter().flatten().filter_map(|(_, member)| member.as_object_mut()) {
        if let Some(list) =
            member.get("$ref").and_then(|target| view.target(target.as_str()?)).filter(|list| is_list(list))
            && list.get("minItems").is_some()
        {
            inline(member, view);
        }
        relax_list(member);
        for branch in branches(member, &["anyOf", "oneOf"]) {
            relax_list(branch);
        }
    }
    if depth < MAX_DEPTH {
        for part in branches(object, &["allOf"]) {
            inline(part, view);
            relax(part, view, depth + 1);
        }
    }
}

fn branches<'o>(
    object: &'o mut Map<String, Value>,
    keywords: &[&str],
) -> impl Iterator<Item = &'o mut Map<String, Value>> {
    let lists = object.iter_mut().filter(|(keyword, _)| keywords.contains(&keyword.as_str()));
    lists.filter_map(|(_, list)| list.as_array_mut()).flatten().filter_map(Value::as_object_mut)
}

/// A tuple keeps its length in each chunk.
fn relax_list(list: &mut Map<String, Value>) {
    let is_fixed = list.contains_key("prefixItems") || list.get("minItems") == list.get("maxItems");
    if !is_fixed {
        list.shift_remove("minItems");
    }
}

fn is_list(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "array")
}

/// Replaces a reference by its target; other references still see the original. Keywords beside the
/// reference take precedence. If both constrain the same keyword, the reference stays.
fn inline(object: &mut Map<String, Value>, view: &SchemaView<'_>) {
    let Some(target) = object.get("$ref").and_then(|target| view.target(target.as_str()?)) else { return };
    let Some(mut target) = view.chain(target).last().and_then(Value::as_object).cloned() else { return };
    let is_said_twice = |(keyword, _): (&String, &Value)| {
        target.contains_key(keyword) && !super::view::keywords::is_annotation(keyword)
    };
    if target.contains_key("$ref") || object.iter().any(is_said_twice) {
        return;
    }
    object.shift_remove("$ref");
    target.extend(std::mem::take(object));
    *object = target;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_required_of_the_whole_and_everything_of_its_parts() {
        let part = json!({"type": "object", "properties": {"x": {"type": "array", "minItems": 1}}, "required": ["x"]});
        let schema = json!({
            "$ref": "#/$defs/Report",
            "title": "Report",
            "$defs": {
                "Report": {
                    "type": "object",
                    "properties": {
                        "list": {"type": "array", "items": {"$ref": "#/$defs/Part"}, "minItems": 2, "maxItems": 9},
                        "named": {"$ref": "#/$defs/Names", "description": "d"},
                        "other": {"anyOf": [{"type": "array", "minItems": 1}, {"type": "null"}]},
                        "pair": {"type": "array", "minItems": 2, "maxItems": 2},
                        "part": {"$ref": "#/$defs/Part"},
                    },
                    "allOf": [{"$ref": "#/$defs/Part"}],
                    "required": ["list"],
                },
                "Names": {"type": "array", "minItems": 3},
                "Part": part,
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "list": {"type": "array", "items": {"$ref": "#/$defs/Part"}, "maxItems": 9},
                "named": {"type": "array", "description": "d"},
                "other": {"anyOf": [{"type": "array"}, {"type": "null"}]},
                "pair": {"type": "array", "minItems": 2, "maxItems": 2},
                "part": {"$ref": "#/$defs/Part"},
            },
            "allOf": [{"type": "object", "properties": {"x": {"type": "array"}}}],
            "title": "Report",
            "$defs": schema["$defs"],
        });
        assert_eq!(relaxed(&schema), expected);
        assert_eq!(
            relaxed(&json!({"type": "array", "minItems": 1, "items": part})),
            json!({"type": "array", "items": part})
        );
    }
}
