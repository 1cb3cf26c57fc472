//! The form of a reply that continues a cut one: a schema of its own, made of the parts of the
//! contract's schema that are still missing.

use serde_json::{Map, Value, json};

use super::plan::OpenPart;
use crate::{
    schema::{PartialMembers, PartialSchema, replace_references},
    vocabulary::path::{Path, Segment},
};

/// The index of the first element of the rest.
pub(super) const FROM: &str = "from";

/// The rest of the list or string.
pub(super) const REST: &str = "rest";

/// The members that come after it.
pub(super) const AFTER: &str = "after";

/// The name of the whole schema among its own definitions.
const WHOLE: &str = "whole_answer";

/// Keywords of definitions, which references lead to.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Returns the schema of the reply that continues `part` at `place` of `value`, and adds the
/// members that the value at `top` lacks. It depends on the path, not on how much is there, because
/// providers compile each new schema, which may take seconds.
pub(super) fn form(root: &Value, value: &Value, (place, part): (&Path, OpenPart), top: &Path) -> Value {
    let written = PartialSchema::of(root);
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let OpenPart::List(_) = part {
        // The next element's schema is the schema of all others: a tuple is not continued.
        let items =
            written.part(&place.clone().index(usize::MAX), value).cloned().unwrap_or(Value::Bool(true));
        properties.insert(FROM.to_owned(), json!({"type": "integer", "minimum": 0}));
        properties.insert(REST.to_owned(), json!({"type": "array", "items": items}));
        required.extend([FROM, REST]);
    }
    if let OpenPart::Text(_) = part {
        properties.insert(REST.to_owned(), json!({"type": "string"}));
        required.push(REST);
    }
    let after = top.resolve(value).and_then(|object| {
        let steps = &place.segments()[top.segments().len()..];
        after(&written, written.part(top, value), object, steps)
    });
    if let Some(after) = after {
        if after.is_required || part == OpenPart::Members {
            required.push(AFTER);
        }
        properties.insert(AFTER.to_owned(), after.schema);
    }
    let form = json!({"type": "object", "properties": properties, "required": required});
    with_definitions(form, root)
}

/// `form`, with at least one element in the rest.
pub(super) fn with_an_element(mut form: Value) -> Value {
    form["properties"][REST]["minItems"] = json!(1);
    form
}

/// The members that an object lacks.
struct MissingMembers {
    schema: Value,
    /// Whether some of them are required.
    is_required: bool,
}

/// The members that `object` lacks, and those that the objects on the way to the open part lack.
/// `part` is the schema of `object`. `None` if nothing is missing, or if it is not an object.
fn after(
    written: &PartialSchema<'_>,
    part: Option<&Value>,
    object: &Value,
    steps: &[Segment],
) -> Option<MissingMembers> {
    let there = object.as_object()?;
    let anything = || MissingMembers { schema: json!({"type": "object"}), is_required: false };
    let Some(part) = part else { return Some(anything()) };
    // Several alternatives are possible, so anything may follow. The whole value is judged later.
    let Some(PartialMembers { named, required, others }) = written.members(part, object) else {
        return Some(anything());
    };
    let mut properties = Map::new();
    let mut is_needed = Vec::new();
    for (name, schema) in named {
        let is_on_the_way = matches!(steps.first(), Some(Segment::Key(key)) if key.as_str() == name);
        if let Some(inside) = there.get(name) {
            let inside = is_on_the_way.then(|| after(written, Some(schema), inside, &steps[1..])).flatten();
            if let Some(inside) = inside {
                is_needed.extend(inside.is_required.then_some(name));
                properties.insert(name.to_owned(), inside.schema);
            }
        } else {
            is_needed.extend(required.contains(&name).then_some(name));
            properties.insert(name.to_owned(), schema.clone());
        }
    }
    if properties.is_empty() && others.is_none() {
        return None;
    }
    let is_required = !is_needed.is_empty();
    let mut schema = json!({"type": "object", "properties": properties, "required": is_needed});
    if let (Some(others), Some(schema)) = (others, schema.as_object_mut()) {
        schema.insert("additionalProperties".to_owned(), others.clone());
    }
    Some(MissingMembers { schema, is_required })
}

/// `form` with everything that its references need: the definitions of `root`, and all of `root` if
/// a reference leads elsewhere, as in a recursive type.
pub(crate) fn with_definitions(mut form: Value, root: &Value) -> Value {
    if redirect(&mut form).is_none() {
        return form;
    }
    let mut whole = root.clone();
    for keyword in DEFINITIONS {
        if let Some(definitions) = whole.as_object_mut().and_then(|whole| whole.shift_remove(keyword)) {
            form[keyword] = definitions;
        }
    }
    // References in the definitions count, too.
    if redirect(&mut form) == Some(true) {
        redirect(&mut whole);
        if form.get("$defs").is_none() {
            form["$defs"] = json!({});
        }
        form["$defs"][WHOLE] = whole;
    }
    form
}

/// Redirects references outside the definitions to the whole schema, which becomes a definition of
/// the form. Returns whether a reference needs the whole schema; `None` without references.
fn redirect(schema: &mut Value) -> Option<bool> {
    let start = format!("#/$defs/{WHOLE}");
    let mut found = None;
    replace_references(schema, &mut |reference| {
        let rest = reference.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_elsewhere =
            |rest: &&str| DEFINITIONS.iter().all(|keyword| !rest.starts_with(&format!("/{keyword}/")));
        let new = rest.filter(is_elsewhere).map(|rest| format!("{start}{rest}"));
        found = Some(found == Some(true) || reference.starts_with(&start) || new.is_some());
        new
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_elements_and_the_members_that_are_missing() {
        let root = json!({
            "$defs": {"Line": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Line"}}}},
            "type": "object",
            "properties": {
                "number": {"type": "string"},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
                "total": {"type": "number"},
                "note": {"type": ["string", "null"]},
            },
            "required": ["number", "lines", "total"],
        });
        let value = json!({"number": "1", "lines": [{}]});
        let place: Path = "$.lines".parse().unwrap();
        assert_eq!(
            form(&root, &value, (&place, OpenPart::List(1)), &Path::root()),
            json!({
                "type": "object",
                "properties": {
                    "from": {"type": "integer", "minimum": 0},
                    "rest": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
                    "after": {
                        "type": "object",
                        "properties": {"total": {"type": "number"}, "note": {"type": ["string", "null"]}},
                        "required": ["total"],
                    },
                },
                "required": ["from", "rest", "after"],
                "$defs": root["$defs"],
            })
        );
        let all = json!({"number": "1", "lines": [{}], "total": 1, "note": null});
        let form = form(&root, &all, (&place, OpenPart::List(1)), &Path::root());
        assert_eq!(form["properties"].as_object().unwrap().len(), 2);
    }

    #[test]
    fn members_of_all_objects_on_the_way_are_asked_for() {
        let inner = json!({"type": "object", "properties": {"list": {"type": "array"}, "end": {}}, "required": ["end"]});
        let root = json!({"type": "object", "properties": {"inner": inner, "last": {}}});
        let place: Path = "$.inner.list".parse().unwrap();
        let form = form(&root, &json!({"inner": {"list": []}}), (&place, OpenPart::List(0)), &Path::root());
        assert_eq!(
            form["properties"]["after"],
            json!({
                "type": "object",
                "properties": {
                    "inner": {"type": "object", "properties": {"end": {}}, "required": ["end"]},
                    "last": {},
                },
                "required": ["inner"],
            })
        );
    }

    #[test]
    fn references_to_the_root_lead_to_all_of_it() {
        let root = json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        });
        let place: Path = "$.children".parse().unwrap();
        let form = form(&root, &json!({"children": [{}]}), (&place, OpenPart::List(1)), &Path::root());
        assert_eq!(form["properties"]["rest"]["items"], json!({"$ref": "#/$defs/whole_answer"}));
        let whole = &form["$defs"]["whole_answer"]["properties"];
        assert_eq!(whole["children"]["items"], json!({"$ref": "#/$defs/whole_answer"}));
        assert!(crate::contract::Contract::from_schema(form).is_ok());
    }
}
