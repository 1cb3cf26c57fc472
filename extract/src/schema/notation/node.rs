//! A schema whose keywords are consumed one by one as they are written, and those that become
//! comments.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::type_text::TypeText;
use crate::schema::{
    DECIMAL, OTHER,
    constraint::{CONSTRAINTS, ConstraintArgument, ConstraintRow},
    shown::is_wide_bound,
    view::keywords::{implied_by_parts, types},
};

/// Keywords that describe the schema rather than a value.
const NOT_ABOUT_VALUES: [&str; 9] =
    ["$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "$dynamicAnchor", DECIMAL, OTHER];

pub(super) struct NotationNode<'s> {
    keywords: &'s Map<String, Value>,
    taken: HashSet<&'s str>,
}

impl<'s> NotationNode<'s> {
    pub(super) fn new(keywords: &'s Map<String, Value>) -> Self {
        Self { keywords, taken: HashSet::new() }
    }

    /// The value of a keyword, without consuming it.
    pub(super) fn peek(&self, keyword: &str) -> Option<&'s Value> {
        self.keywords.get(keyword)
    }

    /// Consumes the value of a keyword, which the caller writes; `None` if it was consumed before.
    pub(super) fn take(&mut self, keyword: &str) -> Option<&'s Value> {
        let (keyword, value) = self.keywords.get_key_value(keyword)?;
        self.taken.insert(keyword).then_some(value)
    }

    /// Consumes all keywords that `is_taken` accepts.
    pub(super) fn take_all(&mut self, is_taken: impl Fn(&str) -> bool) {
        self.taken.extend(self.keywords.keys().map(String::as_str).filter(|keyword| is_taken(keyword)));
    }

    /// Like [`take`](Self::take), for a keyword with a list.
    pub(super) fn list(&mut self, keyword: &str) -> Option<&'s [Value]> {
        self.peek(keyword)?.as_array()?;
        self.take(keyword)?.as_array().map(Vec::as_slice)
    }

    /// Like [`take`](Self::take), for a keyword with an object.
    pub(super) fn object(&mut self, keyword: &str) -> Option<&'s Map<String, Value>> {
        self.peek(keyword)?.as_object()?;
        self.take(keyword)?.as_object()
    }

    /// Like [`take`](Self::take), for a keyword with a string.
    pub(super) fn text(&mut self, keyword: &str) -> Option<&'s str> {
        self.peek(keyword)?.as_str()?;
        self.take(keyword)?.as_str()
    }

    /// The names under `type`.
    pub(super) fn types(&mut self) -> Vec<&'s str> {
        self.take("type").map(types).unwrap_or_default()
    }

    /// Returns the type implied by the keywords of objects and lists, if `type` is absent.
    pub(super) fn implied_types(&self) -> Vec<&'s str> {
        implied_by_parts(self.keywords).into_iter().collect()
    }

    /// The keywords that were not consumed.
    pub(super) fn rest(&self) -> Option<Value> {
        let is_left = |keyword: &str| !self.taken.contains(keyword) && !NOT_ABOUT_VALUES.contains(&keyword);
        let rest = self.keywords.iter().filter(|(keyword, _)| is_left(keyword));
        let rest: Map<_, _> = rest.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}

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
