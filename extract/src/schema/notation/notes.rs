//! Writes constraints and descriptions as comments.

use serde_json::Value;

use super::{node::NotationNode, type_text::TypeText};
use crate::schema::{
    constraint::{CONSTRAINTS, ConstraintArgument, ConstraintRow},
    shown::is_wide_bound,
};

/// Adds everything about the value that is not part of its type.
pub(super) fn write(node: &mut NotationNode<'_>, text: &mut TypeText) {
    text.title = node.text("title").map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
    text.description =
        node.text("description").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let notes = &mut text.notes;
    notes.extend(excluded(node));
    drop_implied_bounds(node);
    for row in &CONSTRAINTS {
        notes.extend(note(node, row));
    }
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

/// Drops bounds that the type implies.
fn drop_implied_bounds(node: &mut NotationNode<'_>) {
    for keyword in ["minimum", "maximum"] {
        let is_implied = node
            .peek("type")
            .zip(node.peek(keyword))
            .is_some_and(|(type_, bound)| is_wide_bound(type_, keyword, bound));
        if is_implied {
            node.take(keyword);
        }
    }
}

/// `1 to 5 characters`, `a multiple of 3`
fn note(node: &mut NotationNode<'_>, row: &ConstraintRow) -> Option<String> {
    let (keyword, words) = (row.keyword, row.words);
    match row.argument {
        // They are written as types.
        ConstraintArgument::Values => None,
        ConstraintArgument::Text => node.text(keyword).map(|text| format!("{words} {}", one_line(text))),
        ConstraintArgument::Flag => (*node.take(keyword)? == true).then(|| words.to_owned()),
        argument => {
            let text = match row.upper {
                Some(upper) => range(node, keyword, upper)?,
                None => format!("{words} {}", node.take(keyword)?),
            };
            let Some(unit) = argument.unit() else { return Some(text) };
            let is_one = text.ends_with(" 1");
            Some(format!("{text} {unit}{}", if is_one { "" } else { "s" }))
        }
    }
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
