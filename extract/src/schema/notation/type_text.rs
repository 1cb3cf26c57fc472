//! A type with its comments, their layout, and names of types: one for each target of a reference.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
};

use serde_json::Value;

use crate::schema::{
    DistinctNames,
    view::{SchemaView, pointer::last_step},
};

/// Maximum characters of a line; longer ones are broken where possible.
const WIDTH: usize = 100;

/// A type and its comments.
#[derive(Debug, Default)]
pub(super) struct TypeText {
    text: String,
    /// Whether it needs parentheses inside another type.
    is_compound: bool,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) notes: Vec<String>,
}

impl TypeText {
    pub(super) fn type_(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Any of `parts`.
    pub(super) fn union(parts: Vec<Self>) -> Self {
        Self::joined(parts, " | ", "never")
    }

    /// All of `parts` at once.
    pub(super) fn all_of(parts: Vec<Self>) -> Self {
        Self::joined(parts, " & ", "unknown")
    }

    fn joined(mut parts: Vec<Self>, operator: &str, none: &str) -> Self {
        if parts.len() <= 1 {
            return parts.pop().unwrap_or_else(|| Self::type_(none));
        }
        let mut texts: Vec<String> = parts.into_iter().map(Self::operand).collect();
        // Equal branches become one.
        let mut seen = HashSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        let is_compound = texts.len() > 1;
        Self { text: texts.join(operator), is_compound, ..Self::default() }
    }

    /// Removes a title that only repeats `name`.
    pub(super) fn titled_unlike(mut self, name: &str) -> Self {
        let plain = |text: &str| identifier(text).replace('_', "").to_lowercase();
        self.title = self.title.filter(|title| plain(title) != plain(name));
        self
    }

    /// The comments of a schema without a type of its own; `None` for any other.
    pub(super) fn only_words(&self) -> Option<String> {
        let words = self.words();
        (self.text == "unknown" && !words.is_empty()).then(|| sentence(&words))
    }

    /// The type as a part of another one, with all its comments.
    pub(super) fn operand(self) -> String {
        let has_words = self.title.is_some() || self.description.is_some() || !self.notes.is_empty();
        let is_compound = self.is_compound || has_words;
        let text = self.inline();
        if is_compound { format!("({text})") } else { text }
    }

    /// The type, followed by its comments.
    pub(super) fn inline(self) -> String {
        let words = sentence(&self.words());
        if words.is_empty() { self.text } else { format!("{} /* {} */", self.text, in_comment(&words)) }
    }

    /// `head` and the type. The comments follow if they fit on the line, else they go above it.
    pub(super) fn line(self, head: &str) -> String {
        let words = self.words();
        let line = format!("{head}{}", self.text);
        if words.is_empty() {
            return line;
        }
        let behind = format!("{line} // {}", sentence(&words));
        if !behind.contains(['\n', '\r']) && behind.chars().count() <= WIDTH {
            return behind;
        }
        let above = words.iter().flat_map(|words| words.split(['\n', '\r'])).filter(|line| !line.is_empty());
        let mut text = String::new();
        for words in above {
            let _ = writeln!(text, "// {words}");
        }
        text + &line
    }

    fn words(&self) -> Vec<&str> {
        self.title.iter().chain(&self.description).chain(&self.notes).map(String::as_str).collect()
    }
}

/// Joins `parts`.
pub(super) fn sentence(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts {
        let separator = if text.ends_with(['.', '!', '?', ':']) { " " } else { "; " };
        text.push_str(if text.is_empty() { "" } else { separator });
        text.push_str(part);
    }
    text
}

/// Escapes `words` so that they cannot end the comment. In a pattern and in JSON, `\/` is a slash.
pub(super) fn in_comment(words: &str) -> String {
    words
        .split(['\n', '\r'])
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .replace("*/", r"*\/")
}

/// `parts` on one line if they are short and have no comments, else one per line.
pub(super) fn bracketed(open: char, parts: &[String], close: char) -> String {
    let is_short = parts.iter().map(|part| part.chars().count() + 2).sum::<usize>() <= WIDTH / 2;
    if is_short && !parts.iter().any(|part| part.contains("//") || part.contains('\n')) {
        let space = if open == '{' { " " } else { "" };
        return format!("{open}{space}{}{space}{close}", parts.join(", "));
    }
    let separator = if open == '{' { "" } else { "," };
    let mut text = format!("{open}\n");
    for part in parts {
        let _ = writeln!(text, "  {}{separator}", part.replace('\n', "\n  "));
    }
    text.push(close);
    text
}

/// Words that have another meaning in the notation.
const TAKEN: [&str; 10] =
    ["string", "number", "integer", "boolean", "null", "object", "unknown", "never", "true", "false"];

pub(super) struct NotationNames<'s> {
    view: &'s SchemaView<'s>,
    /// The root schema, then the others in the order in which they were named.
    definitions: Vec<(String, &'s Value)>,
    /// Indices by address, because several references may share one target.
    known: HashMap<*const Value, usize>,
    names: DistinctNames,
}

impl<'s> NotationNames<'s> {
    pub(super) fn new(view: &'s SchemaView<'s>) -> Self {
        let root = view.root();
        let mut names = Self {
            view,
            definitions: Vec::new(),
            known: HashMap::new(),
            names: DistinctNames::beside(TAKEN.map(str::to_owned)),
        };
        let title = root.get("title").and_then(Value::as_str).map(identifier);
        names.define(title.as_deref().unwrap_or_default(), root);
        names
    }

    /// The name of the target of `reference`; `None` if the target is not in the schema.
    pub(super) fn name(&mut self, reference: &str) -> Option<String> {
        let target = self.view.target(reference)?;
        if let Some(index) = self.known.get(&std::ptr::from_ref(target)) {
            return Some(self.of(*index).to_owned());
        }
        self.define(&identifier(&last_step(reference)), target);
        self.definitions.last().map(|(name, _)| name.clone())
    }

    pub(super) fn of(&self, index: usize) -> &str {
        &self.definitions[index].0
    }

    pub(super) fn target(&self, index: usize) -> Option<&'s Value> {
        self.definitions.get(index).map(|(_, target)| *target)
    }

    fn define(&mut self, wanted: &str, target: &'s Value) {
        let name = self.names.take(if wanted.is_empty() { "Answer" } else { wanted });
        self.known.insert(std::ptr::from_ref(target), self.definitions.len());
        self.definitions.push((name, target));
    }
}

/// `text` as a name: letters, digits and underscores, without a leading digit.
pub(super) fn identifier(text: &str) -> String {
    let name: String = text.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_numeric()) { format!("_{name}") } else { name }
}
