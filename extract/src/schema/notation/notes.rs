//! Writes constraints and descriptions as comments.

use serde_json::Value;

use super::{node::NotationNode, type_text::TypeText};
use crate::schema::shown::is_wide_bound;

/// Adds everything about the value that is not part of its type.
pub(super) fn write(node: &mut NotationNode<'_>, text: &mut TypeText) {
    text.title = node.text("title").map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
    text.description =
        node.text("description").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let notes = &mut text.notes;
    notes.extend(excluded(node));
    notes.extend(bounds(node, "minLength", "maxLength", "character"));
    notes.extend(node.text("pattern").map(|pattern| format!("matches {}", one_line(pattern))));
    notes.extend(node.text("format").map(|format| format!("format {}", one_line(format))));
    numbers(node, notes);
    notes.extend(bounds(node, "minItems", "maxItems", "item"));
    if node.take("uniqueItems") == Some(&Value::Bool(true)) {
        notes.push("no item twice".to_owned());
    }
    notes.extend(bounds(node, "minProperties", "maxProperties", "key"));
    notes.extend(node.take("default").map(|value| format!("default {value}")));
    if let Some(examples) = node.list("examples") {
        let examples: Vec<_> = examples.iter().map(ToString::to_string).collect();
        notes.push(format!("such as {}", examples.join(", ")));
    }
    if node.take("deprecated") == Some(&Value::Bool(true)) {
        notes.push("deprecated".to_owned());
    }
}

/// Values that are not allowed.
fn excluded(node: &mut NotationNode<'_>) -> Option<String> {
    let not = node.peek("not")?.as_object().filter(|not| not.len() == 1)?;
    let values: Vec<_> = not.get("enum")?.as_array()?.iter().map(ToString::to_string).collect();
    node.take("not")?;
    Some(format!("other than {}", values.join(", ")))
}

fn numbers(node: &mut NotationNode<'_>, notes: &mut Vec<String>) {
    // The type implies these bounds.
    for keyword in ["minimum", "maximum"] {
        let is_implied = node
            .peek("type")
            .zip(node.peek(keyword))
            .is_some_and(|(type_, bound)| is_wide_bound(type_, keyword, bound));
        if is_implied {
            node.take(keyword);
        }
    }
    notes.extend(range(node, "minimum", "maximum"));
    for (keyword, words) in [
        ("exclusiveMinimum", "more than"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "a multiple of"),
    ] {
        notes.extend(node.take(keyword).map(|bound| format!("{words} {bound}")));
    }
}

/// `1 to 5 characters`
fn bounds(node: &mut NotationNode<'_>, least: &str, most: &str, unit: &str) -> Option<String> {
    let text = range(node, least, most)?;
    let is_one = text.ends_with(" 1");
    Some(format!("{text} {unit}{}", if is_one { "" } else { "s" }))
}

fn range(node: &mut NotationNode<'_>, least: &str, most: &str) -> Option<String> {
    Some(match (node.take(least), node.take(most)) {
        (None, None) => return None,
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (Some(least), Some(most)) if least == most => format!("exactly {least}"),
        (Some(least), Some(most)) => format!("{least} to {most}"),
    })
}

/// `text` on one line.
fn one_line(text: &str) -> String {
    if text.contains(['\n', '\r']) { Value::from(text).to_string() } else { text.to_owned() }
}
