//! Parses paths, and writes them: in full for programs, with a limit for people and models.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Path, PatternStep, Segment};
use crate::vocabulary::{
    json_pointer,
    text::{excerpt, quoted, visible},
};

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
        if !steps.split('~').skip(1).all(|rest| rest.starts_with(['0', '1'])) {
            return Err(PathError::new(pointer, "`~` must be followed by `0` or `1` in a JSON pointer"));
        }
        for step in steps.split('/') {
            let index = json_pointer::index(step).filter(|_| !value.is_some_and(Value::is_object));
            let segment = match index {
                Some(index) => Segment::Index(index),
                None => Segment::Key((&*json_pointer::key(step)).into()),
            };
            value = value.and_then(|value| segment.within(value));
            path = path.step(segment);
        }
        Ok(path)
    }
}

impl FromStr for Path {
    type Err = PathError;

    /// Parses `$.lines[2]["unit price"]`; a leading `$` or `$.` may be omitted.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut path = Self::root();
        each_step(text, |step| {
            let around = std::mem::take(&mut path);
            path = match step {
                PatternStep::Key(key) => around.step(Segment::Key(key)),
                PatternStep::Index(index) => around.index(index),
                PatternStep::Each => return Err(NO_INDEX),
            };
            Ok(())
        })?;
        Ok(path)
    }
}

const NO_INDEX: &str = "an index is a number without leading zeros";

/// Calls `take` with each step of the path in `text`; it may refuse one.
pub(super) fn each_step(
    text: &str,
    mut take: impl FnMut(PatternStep) -> Result<(), &'static str>,
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
fn step<'t>(name: Option<&'t str>, rest: &'t str) -> Result<(PatternStep, &'t str), &'static str> {
    if let Some(name) = name {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        if !is_identifier(&name[..end]) {
            return Err("a name after `.` has letters, digits and `_` only; write `[\"…\"]` for others");
        }
        return Ok((PatternStep::Key(name[..end].into()), &name[end..]));
    }
    let inside = rest.strip_prefix('[').ok_or("expected `.` or `[`")?;
    if inside.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let Some(Ok(key)) = strings.next() else { return Err("a quoted key must be a JSON string") };
        let after = &inside[strings.byte_offset()..];
        return Ok((PatternStep::Key(key.as_str().into()), after.strip_prefix(']').ok_or(UNCLOSED)?));
    }
    let (index, left) = inside.split_once(']').ok_or(UNCLOSED)?;
    let step = if index == "*" {
        PatternStep::Each
    } else {
        PatternStep::Index(json_pointer::index(index).ok_or(NO_INDEX)?)
    };
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

/// Maximum characters of a key: enough to recognise it, too few to flood a message.
const KEY_CHARS: usize = 120;

/// How many of those follow the gap.
const KEY_END_CHARS: usize = 39;

/// Approximate maximum characters of a path: half of them for its first steps, half for its last.
const PATH_CHARS: usize = 600;

/// `$.lines[2]["unit price"]`, with a limit. A key of more than 120 characters loses its middle,
/// and so does a path of more than about 600; `…` replaces it.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_shown(f, self.segments(), |index| format!("[{index}]"))
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

/// In full, so that it can be parsed again.
impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&FullPath(self))
    }
}

struct FullPath<'p>(&'p Path);

impl fmt::Display for FullPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('$')?;
        self.0.segments().iter().try_for_each(|segment| match segment {
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) if is_identifier(key) => write!(f, ".{}", key.as_str()),
            Segment::Key(key) => write!(f, "[{}]", visible(&Value::from(key.as_str()).to_string())),
        })
    }
}

impl Path {
    /// As displayed, with `[*]` for every index: the same for all elements of a list.
    pub(crate) fn without_positions(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_shown(&mut text, self.segments(), |_| "[*]".to_owned());
        text
    }
}

fn write_shown(
    f: &mut dyn fmt::Write,
    segments: &[Segment],
    position: impl Fn(usize) -> String,
) -> fmt::Result {
    write_steps(f, segments, |segment| match segment {
        Segment::Index(index) => position(*index),
        Segment::Key(key) => shown_key(key),
    })
}

pub(super) fn write_place(f: &mut fmt::Formatter<'_>, steps: &[PatternStep]) -> fmt::Result {
    write_steps(f, steps, |step| match step {
        PatternStep::Index(index) => format!("[{index}]"),
        PatternStep::Key(key) => shown_key(key),
        PatternStep::Each => "[*]".to_owned(),
    })
}

fn write_steps<S>(f: &mut dyn fmt::Write, segments: &[S], step: impl Fn(&S) -> String) -> fmt::Result {
    f.write_char('$')?;
    let mut first = Vec::new();
    let left = fill(&mut first, segments.iter().map(&step));
    first.iter().try_for_each(|step| f.write_str(step))?;
    if left == 0 {
        return Ok(());
    }
    let mut last = Vec::new();
    match fill(&mut last, segments[first.len()..].iter().rev().map(&step)) {
        0 => {}
        left => write!(f, "…({left} steps)…")?,
    }
    last.iter().rev().try_for_each(|step| f.write_str(step))
}

/// Writes the first of `steps`, at least one, up to half of the limit, and returns how many are
/// left.
fn fill(taken: &mut Vec<String>, mut steps: impl ExactSizeIterator<Item = String>) -> usize {
    let mut chars = 0;
    while chars < PATH_CHARS / 2
        && let Some(step) = steps.next()
    {
        chars += step.chars().count();
        taken.push(step);
    }
    steps.len()
}

fn shown_key(key: &str) -> String {
    let key = without_middle(key);
    if is_identifier(&key) { [".", &key].concat() } else { format!("[{}]", quoted(&*key)) }
}

/// `key`, or its start and its end.
fn without_middle(key: &str) -> Cow<'_, str> {
    if key.char_indices().nth(KEY_CHARS).is_none() {
        return Cow::Borrowed(key);
    }
    let start = key.char_indices().nth(KEY_CHARS - KEY_END_CHARS - 1).map_or(key.len(), |(at, _)| at);
    let end = key.char_indices().nth_back(KEY_END_CHARS - 1).map_or(0, |(at, _)| at);
    Cow::Owned([&key[..start], "…", &key[end..]].concat())
}

fn is_identifier(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_key_loses_its_middle() {
        let key = format!("start{}end", "x".repeat(1_000_000));
        let text = Path::root().key(&key).index(3).to_string();
        assert!(text.starts_with("$[\"startxxx") && text.ends_with("xxend\"][3]"), "{text}");
        assert_eq!(text.chars().count(), KEY_CHARS + "$[\"\"][3]".len());
        assert_eq!(
            Path::root().key("x".repeat(KEY_CHARS)).to_string(),
            format!("$.{}", "x".repeat(KEY_CHARS))
        );
    }

    #[test]
    fn a_long_path_loses_its_middle() {
        let path = (0..100_000).fold(Path::root(), Path::index);
        let text = path.to_string();
        assert!(text.starts_with("$[0][1][2]") && text.ends_with("[99998][99999]"), "{text}");
        assert!(text.contains("steps)…") && text.chars().count() < PATH_CHARS + 50, "{text}");
    }

    #[test]
    fn programs_get_all_of_it() {
        let path = (0..50).fold(Path::root(), |path, index| path.key("\u{1}".repeat(1_000)).index(index));
        assert!(path.to_string().chars().count() < 2_000);
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<Path>(&text).unwrap(), path);
        assert_eq!(path.to_pointer().len(), 50 * 1_001 + 10 * 2 + 40 * 3);
    }
}
