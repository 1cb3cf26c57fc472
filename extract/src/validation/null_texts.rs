//! Texts that stand where null was probably meant.

use serde_json::Value;

use super::nodes::{Nodes, constants};
use crate::{
    path::{Path, Segment},
    schema::View,
    text::{counted, quoted},
    violation::{Code, Severity, Violation},
};

/// What small models write for null where a text or null may stand.
///
/// In 1,028 different submissions of models of 0.5 and 1.5 billion parameters, for 360 documents whose values are known
/// (`docs/decisions.md`), these stood in 184 such places, and in none of them were they right. Others, such as `unknown` and
/// `not specified`, came up in one document each and may be a value; `N/A` in none.
const TEXTS: [&str; 3] = ["null", "None", "none"];

/// Warnings of one value; more of them tell nothing new.
const MAX_TOLD: usize = 20;

/// A warning for each text in `value`, which satisfies `schema`, that was probably meant to be null.
pub(super) fn warnings(schema: &Value, value: &Value) -> Vec<Violation> {
    let mut places = Vec::new();
    find(value, &mut Vec::new(), &mut places);
    if places.is_empty() {
        return Vec::new();
    }
    let view = View::of(schema);
    places.retain(|(path, text)| is_null_meant(&view, path, text));
    let left_out = places.len().saturating_sub(MAX_TOLD);
    let told = places.into_iter().take(MAX_TOLD).map(|(path, text)| {
        let violation = Violation::new(path, Code::InvalidValue, "a string where null was probably meant");
        violation.expected("null where nothing is stated").actual(quoted(text)).severity(Severity::Warning)
    });
    let more = (left_out > 0).then(|| {
        let message = format!("{} where null was probably meant", counted(left_out, "further string"));
        Violation::new(Path::root(), Code::More, message).severity(Severity::Warning)
    });
    told.chain(more).collect()
}

fn find<'v>(value: &'v Value, path: &mut Vec<Segment>, places: &mut Vec<(Path, &'v Value)>) {
    match value {
        Value::String(text) if TEXTS.contains(&text.as_str()) => {
            places.push((Path::from(path.clone()), value));
        }
        Value::Array(list) => {
            for (index, element) in list.iter().enumerate() {
                inside(Segment::Index(index), element, path, places);
            }
        }
        Value::Object(object) => {
            for (key, entry) in object.iter().filter(|(_, entry)| may_hold_text(entry)) {
                inside(Segment::Key(key.as_str().into()), entry, path, places);
            }
        }
        _ => {}
    }
}

/// Most entries are neither such a text nor hold one; their keys need not be copied.
fn may_hold_text(entry: &Value) -> bool {
    match entry {
        Value::String(text) => TEXTS.contains(&text.as_str()),
        _ => entry.is_array() || entry.is_object(),
    }
}

fn inside<'v>(
    segment: Segment,
    value: &'v Value,
    path: &mut Vec<Segment>,
    places: &mut Vec<(Path, &'v Value)>,
) {
    path.push(segment);
    find(value, path, places);
    path.pop();
}

/// Whether the schema allows null at `path`, and does not list `text`.
fn is_null_meant(view: &View<'_>, path: &Path, text: &Value) -> bool {
    let start = Nodes::new(view, [view.root()]);
    let nodes = path.segments().iter().fold(start, |nodes, segment| nodes.step(segment));
    let lists = |node: &Value, value: &Value| constants(node).any(|listed| listed == value);
    let takes_null = |node: &Value| match node.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(name) => name == "null",
        None => lists(node, &Value::Null),
    };
    nodes.all.iter().any(|node| takes_null(node)) && !nodes.all.iter().any(|node| lists(node, text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn warned(schema: &Value, value: &Value) -> Vec<String> {
        warnings(schema, value).iter().map(|warning| warning.path.to_string()).collect()
    }

    #[test]
    fn a_text_where_null_may_stand_is_warned_of() {
        let schema = json!({
            "$defs": {"Name": {"type": "string"}},
            "properties": {
                "a": {"type": ["string", "null"]},
                "b": {"anyOf": [{"$ref": "#/$defs/Name"}, {"type": "null"}]},
                "list": {"items": {"type": ["string", "null"]}},
                "plain": {"type": "string"},
                "listed": {"enum": ["null", "none", null]},
                "map": {"additionalProperties": {"type": ["string", "null"]}},
            },
        });
        let value = json!({
            "a": "null",
            "b": "None",
            "list": ["x", "none", null],
            "plain": "null",
            "listed": "null",
            "map": {"k": "null", "n": "Null", "u": "unknown", "t": "null and void"},
        });
        assert_eq!(warned(&schema, &value), ["$.a", "$.b", "$.list[1]", "$.map.k"]);
    }

    #[test]
    fn a_warning_reads_well_and_there_is_a_bound() {
        let schema = json!({"items": {"type": ["string", "null"]}});
        let list: Value = (0..30).map(|_| json!("null")).collect();
        let warnings = warnings(&schema, &list);
        assert_eq!(
            warnings[0].to_string(),
            r#"[INVALID_VALUE] $[0]: a string where null was probably meant (expected null where nothing is stated, got "null")"#
        );
        assert_eq!(warnings.len(), MAX_TOLD + 1);
        assert!(warnings.iter().all(Violation::is_warning));
        assert_eq!(warnings[MAX_TOLD].message, "10 further strings where null was probably meant");
    }
}
