//! Where in a JSON value.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::text::visible;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// Into an object, by key.
    Key(String),
    /// Into an array, by position from 0.
    Index(usize),
}

/// A place in a JSON value, in the value's own names.
///
/// Prints as `$.lines[2].qty`, with keys that are no identifiers as `$["unit price"]` (the notation of
/// RFC 9535), and converts to and from JSON Pointers (RFC 6901).
///
/// ```
/// use extract::Path;
///
/// let path = Path::root().key("lines").index(2).key("unit price");
/// assert_eq!(path.to_string(), r#"$.lines[2]["unit price"]"#);
/// assert_eq!(path.to_pointer(), "/lines/2/unit price");
/// assert_eq!(r#"$.lines[2]["unit price"]"#.parse(), Ok(path));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    segments: Vec<Segment>,
}

impl From<Vec<Segment>> for Path {
    fn from(segments: Vec<Segment>) -> Self {
        Self { segments }
    }
}

impl Path {
    /// The whole value, `$`.
    pub fn root() -> Self {
        Self::default()
    }

    /// The value under `key` of this place.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.segments.push(Segment::Key(key.into()));
        self
    }

    /// The element at `index` of this place.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.segments.push(Segment::Index(index));
        self
    }

    /// The place that `relative` names when it starts here.
    #[must_use]
    pub fn join(mut self, relative: &Self) -> Self {
        self.segments.extend_from_slice(&relative.segments);
        self
    }

    /// The steps from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether this is the whole value.
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }

    /// The place around this one; `None` for the whole value.
    pub fn parent(&self) -> Option<Self> {
        let (_, around) = self.segments.split_last()?;
        Some(Self { segments: around.to_vec() })
    }

    /// Whether this place is `other` or inside it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.segments.starts_with(&other.segments)
    }

    /// The value at this place of `value`, if there is one.
    pub fn resolve<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.segments.iter().try_fold(value, |value, segment| match (segment, value) {
            (Segment::Key(key), Value::Object(map)) => map.get(key),
            (Segment::Index(index), Value::Array(list)) => list.get(*index),
            _ => None,
        })
    }

    /// This place as a JSON Pointer (RFC 6901): `/lines/2/qty`, and the empty string for the root.
    pub fn to_pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.segments {
            pointer.push('/');
            match segment {
                Segment::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Segment::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    /// Reads a JSON Pointer. A step that is written like an array index (`0`, `12`, but not `012`)
    /// becomes one; use [`from_pointer_in`](Self::from_pointer_in) where keys may look like that.
    ///
    /// # Errors
    ///
    /// When the text neither is empty nor starts with `/`, or has a `~` that is not `~0` or `~1`.
    pub fn from_pointer(pointer: &str) -> Result<Self, PathError> {
        Self::read_pointer(pointer, |_, step| array_index(step))
    }

    /// Reads a JSON Pointer into `value`, which decides whether a step is a key or an index.
    ///
    /// # Errors
    ///
    /// As [`from_pointer`](Self::from_pointer). A pointer to what is not there is no error.
    pub fn from_pointer_in(pointer: &str, value: &Value) -> Result<Self, PathError> {
        Self::read_pointer(pointer, |path, step| match path.resolve(value) {
            Some(Value::Object(_)) => None,
            _ => array_index(step),
        })
    }

    fn read_pointer(
        pointer: &str,
        as_index: impl Fn(&Self, &str) -> Option<usize>,
    ) -> Result<Self, PathError> {
        let mut path = Self::root();
        if pointer.is_empty() {
            return Ok(path);
        }
        let Some(steps) = pointer.strip_prefix('/') else {
            return Err(PathError::new(pointer, "a JSON pointer starts with `/`"));
        };
        for step in steps.split('/') {
            path = match as_index(&path, step) {
                Some(index) => path.index(index),
                None => path.key(unescape_pointer(step).ok_or_else(|| {
                    PathError::new(pointer, "`~` must be followed by `0` or `1` in a JSON pointer")
                })?),
            };
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

fn is_identifier(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for segment in &self.segments {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if is_identifier(key) => write!(f, ".{key}")?,
                Segment::Key(key) => write!(f, "[{}]", visible(&Value::from(key.as_str()).to_string()))?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

impl FromStr for Path {
    type Err = PathError;

    /// Reads `$.lines[2]["unit price"]`; a leading `$` or `$.` may be left out.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let error = |reason| PathError::new(text, reason);
        let mut path = Self::root();
        let mut rest = match text.strip_prefix('$') {
            Some(rest) => rest.to_owned(),
            None if text.is_empty() || text.starts_with('[') => text.to_owned(),
            None => format!(".{text}"),
        };
        while !rest.is_empty() {
            let (next, left) = if let Some(name) = rest.strip_prefix('.') {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                if !is_identifier(&name[..end]) {
                    return Err(error(
                        "a name after `.` has letters, digits and `_` only; write `[\"…\"]` for others",
                    ));
                }
                (path.key(&name[..end]), name[end..].to_owned())
            } else if rest.starts_with("[\"") {
                let mut strings = serde_json::Deserializer::from_str(&rest[1..]).into_iter::<String>();
                let Some(Ok(key)) = strings.next() else {
                    return Err(error("a quoted key must be a JSON string"));
                };
                let after = &rest[1 + strings.byte_offset()..];
                let left = after.strip_prefix(']').ok_or_else(|| error("`[` without `]`"))?;
                (path.key(key), left.to_owned())
            } else if let Some(inside) = rest.strip_prefix('[') {
                let (index, left) = inside.split_once(']').ok_or_else(|| error("`[` without `]`"))?;
                let index =
                    array_index(index).ok_or_else(|| error("an index is a number without leading zeros"))?;
                (path.index(index), left.to_owned())
            } else {
                return Err(error("expected `.` or `[`"));
            };
            (path, rest) = (next, left);
        }
        Ok(path)
    }
}

/// Reads the text as a path; text that is none is taken as one key, so that nothing is lost.
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

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A text that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a path: {reason}")]
pub struct PathError {
    text: String,
    reason: &'static str,
}

impl PathError {
    fn new(text: &str, reason: &'static str) -> Self {
        Self { text: text.to_owned(), reason }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Keys that attack each notation: quotes, escapes, separators, digits, nothing at all.
    const KEYS: [&str; 13] =
        ["a", "a b", "", "0", "01", "~", "~1", "/", "\"", "\\", "a.b]", "größe", "a\u{202e}\u{2028}"];

    #[test]
    fn prints_and_reads_back_every_key() {
        for first in KEYS {
            for second in KEYS {
                let path = Path::root().key(first).index(3).key(second);
                assert_eq!(path.to_string().parse(), Ok(path));
            }
        }
    }

    #[test]
    fn goes_through_a_pointer_and_back_when_the_value_is_known() {
        for key in KEYS {
            let value = json!({ key: [{ key: 1 }] });
            let path = Path::root().key(key).index(0).key(key);
            let pointer = path.to_pointer();
            assert_eq!(value.pointer(&pointer), Some(&json!(1)), "serde_json agrees on {pointer}");
            assert_eq!(Path::from_pointer_in(&pointer, &value), Ok(path.clone()));
            assert_eq!(path.resolve(&value), Some(&json!(1)));
        }
    }

    #[test]
    fn a_pointer_without_a_value_takes_numbers_for_indices() {
        let path = Path::from_pointer("/a/0/01").unwrap();
        assert_eq!(path, Path::root().key("a").index(0).key("01"));
    }

    #[test]
    fn refuses_what_is_no_path() {
        for text in ["$a", "$.", "$.a b", "$[", "$[x]", "$[01]", "$[\"a\"", "a..b"] {
            assert!(text.parse::<Path>().is_err(), "{text}");
        }
        for pointer in ["a", "/~", "/~2", "/a~"] {
            assert!(Path::from_pointer(pointer).is_err(), "{pointer}");
        }
    }

    #[test]
    fn a_relative_path_may_leave_out_the_root() {
        assert_eq!("lines[0].qty".parse(), Ok(Path::root().key("lines").index(0).key("qty")));
    }
}
