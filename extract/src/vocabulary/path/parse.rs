//! Parses paths.

use std::{borrow::Cow, str::FromStr};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Path, Segment, shown::is_identifier};
use crate::vocabulary::text::excerpt;

impl Path {
    /// Parses a JSON Pointer. A step that looks like an array index (`0`, `12`, but not `012`)
    /// becomes one; use [`from_pointer_in`](Self::from_pointer_in) if keys may look like that.
    ///
    /// # Errors
    ///
    /// If the string is neither empty nor starts with `/`, or has a `~` that is not `~0` or `~1`.
    pub fn from_pointer(pointer: &str) -> Result<Self, PathError> {
        Self::read_pointer(pointer, None)
    }

    /// Parses a JSON Pointer into `value`, which decides whether a step is a key or an index.
    ///
    /// # Errors
    ///
    /// As [`from_pointer`](Self::from_pointer). A pointer to a missing value is not an error.
    pub fn from_pointer_in(pointer: &str, value: &Value) -> Result<Self, PathError> {
        Self::read_pointer(pointer, Some(value))
    }

    /// Steps inside `value` are looked up in it; those beyond it are parsed by their form.
    fn read_pointer(pointer: &str, mut value: Option<&Value>) -> Result<Self, PathError> {
        let mut path = Self::root();
        if pointer.is_empty() {
            return Ok(path);
        }
        let Some(steps) = pointer.strip_prefix('/') else {
            return Err(PathError::new(pointer, "a JSON pointer starts with `/`"));
        };
        for step in steps.split('/') {
            let index = array_index(step).filter(|_| !value.is_some_and(Value::is_object));
            let segment = match index {
                Some(index) => Segment::Index(index),
                None => Segment::Key(
                    (&*unescape_pointer(step).ok_or_else(|| {
                        PathError::new(pointer, "`~` must be followed by `0` or `1` in a JSON pointer")
                    })?)
                        .into(),
                ),
            };
            value = value.and_then(|value| segment.within(value));
            path = path.step(segment);
        }
        Ok(path)
    }
}

fn array_index(step: &str) -> Option<usize> {
    let is_canonical = step == "0" || !step.starts_with('0');
    (is_canonical && step.bytes().all(|b| b.is_ascii_digit())).then(|| step.parse().ok()).flatten()
}

fn unescape_pointer(step: &str) -> Option<String> {
    let mut parts = step.split('~');
    let mut key = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (escape, rest) = part.split_at_checked(1)?;
        key.push(match escape {
            "0" => '~',
            "1" => '/',
            _ => return None,
        });
        key.push_str(rest);
    }
    Some(key)
}

impl FromStr for Path {
    type Err = PathError;

    /// Parses `$.lines[2]["unit price"]`; a leading `$` or `$.` may be omitted.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut path = Self::root();
        each_step(text, |step| {
            let around = std::mem::take(&mut path);
            path = match step {
                ParsedStep::Key(key) => around.key(key),
                ParsedStep::Index(index) => around.index(index),
                ParsedStep::Each => return Err(NO_INDEX),
            };
            Ok(())
        })?;
        Ok(path)
    }
}

/// One step, as it is written.
pub(super) enum ParsedStep<'t> {
    Key(Cow<'t, str>),
    Index(usize),
    /// `[*]`
    Each,
}

const NO_INDEX: &str = "an index is a number without leading zeros";

/// Calls `take` with each step of the path in `text`; it may refuse one.
pub(super) fn each_step<'t>(
    text: &'t str,
    mut take: impl FnMut(ParsedStep<'t>) -> Result<(), &'static str>,
) -> Result<(), PathError> {
    let error = |reason| PathError::new(text, reason);
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let is_relative = rest.len() == text.len() && !rest.is_empty() && !rest.starts_with('[');
    // A name at the start needs no dot without a `$`.
    let mut is_name = is_relative;
    while !rest.is_empty() {
        let name = if std::mem::take(&mut is_name) { Some(rest) } else { rest.strip_prefix('.') };
        let (step, left) = step(name, rest).map_err(error)?;
        take(step).map_err(error)?;
        rest = left;
    }
    Ok(())
}

/// The first step of `rest`, and the remaining text. `name` is set if a name follows.
fn step<'t>(name: Option<&'t str>, rest: &'t str) -> Result<(ParsedStep<'t>, &'t str), &'static str> {
    if let Some(name) = name {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        if !is_identifier(&name[..end]) {
            return Err("a name after `.` has letters, digits and `_` only; write `[\"…\"]` for others");
        }
        return Ok((ParsedStep::Key(Cow::Borrowed(&name[..end])), &name[end..]));
    }
    let inside = rest.strip_prefix('[').ok_or("expected `.` or `[`")?;
    if inside.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let Some(Ok(key)) = strings.next() else { return Err("a quoted key must be a JSON string") };
        let after = &inside[strings.byte_offset()..];
        return Ok((ParsedStep::Key(Cow::Owned(key)), after.strip_prefix(']').ok_or(UNCLOSED)?));
    }
    let (index, left) = inside.split_once(']').ok_or(UNCLOSED)?;
    let step =
        if index == "*" { ParsedStep::Each } else { ParsedStep::Index(array_index(index).ok_or(NO_INDEX)?) };
    Ok((step, left))
}

const UNCLOSED: &str = "`[` without `]`";

/// Parses a path. Any other string becomes a single key, so that nothing is lost.
impl From<&str> for Path {
    fn from(text: &str) -> Self {
        text.parse().unwrap_or_else(|_| Self::root().key(text))
    }
}

impl From<String> for Path {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A string that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a path: {reason}", excerpt(text))]
pub struct PathError {
    text: String,
    reason: &'static str,
}

impl PathError {
    fn new(text: &str, reason: &'static str) -> Self {
        Self { text: text.to_owned(), reason }
    }
}
