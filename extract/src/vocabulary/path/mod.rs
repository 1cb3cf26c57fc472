//! Paths in a JSON value.

mod parse;
mod pattern;
mod segment;

use std::{cmp::Ordering, sync::Arc};

use serde_json::Value;

pub(crate) use self::segment::all_values;
pub use self::{
    parse::PathError,
    pattern::{IntoPathPattern, PathPattern, TypedPath},
    segment::{PatternStep, Segment},
};
use super::json_pointer;

/// A path in a JSON value. Its keys are JSON names, not names of Rust fields.
///
/// Prints as `$.lines[2].qty`, with keys that are not identifiers as `$["unit price"]` (the
/// notation of RFC 9535), and converts to and from JSON Pointers (RFC 6901).
///
/// The printed form is for people and models, and its size is limited: a key of more than 120
/// characters loses its middle, as does a path of more than about 600.
/// [`to_pointer`](Self::to_pointer) and serde write everything, for programs. A clone is cheap and
/// shares its keys.
///
/// ```
/// use extract::Path;
///
/// let path = Path::root().key("lines").index(2).key("unit price");
/// assert_eq!(path.to_string(), r#"$.lines[2]["unit price"]"#);
/// assert_eq!(path.to_pointer(), "/lines/2/unit price");
/// assert_eq!(r#"$.lines[2]["unit price"]"#.parse(), Ok(path));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Path {
    /// `None` for the whole value, which allocates nothing.
    segments: Option<Arc<Vec<Segment>>>,
}

impl From<Vec<Segment>> for Path {
    fn from(segments: Vec<Segment>) -> Self {
        Self { segments: (!segments.is_empty()).then(|| Arc::new(segments)) }
    }
}

impl Path {
    /// Returns the path of the whole value, `$`.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns the path of the value under `key`.
    #[must_use]
    pub fn key(self, key: impl AsRef<str>) -> Self {
        self.step(Segment::Key(key.as_ref().into()))
    }

    /// Returns the path of the element at `index`.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.step(Segment::Index(index))
    }

    /// Returns the path one step further.
    pub(crate) fn step(mut self, segment: Segment) -> Self {
        if let Some(segments) = self.segments.as_mut().and_then(Arc::get_mut) {
            segments.push(segment);
            return self;
        }
        let mut segments = Vec::with_capacity(self.segments().len() + 1);
        segments.extend_from_slice(self.segments());
        segments.push(segment);
        Self::from(segments)
    }

    /// This path, continued by `relative`.
    #[must_use]
    pub fn join(self, relative: &Self) -> Self {
        Self::from([self.segments(), relative.segments()].concat())
    }

    /// Returns the steps from the root.
    pub fn segments(&self) -> &[Segment] {
        self.segments.as_ref().map_or(&[], |segments| segments)
    }

    /// Returns whether this is the whole value.
    pub fn is_root(&self) -> bool {
        self.segments.is_none()
    }

    /// Returns the parent; `None` for the whole value.
    pub fn parent(&self) -> Option<Self> {
        let (_, around) = self.segments().split_last()?;
        Some(Self::from(around.to_vec()))
    }

    /// The list that this path is an element of, and its position there.
    pub(crate) fn as_item(&self) -> Option<(Self, usize)> {
        match self.segments().last()? {
            Segment::Index(index) => Some((self.parent()?, *index)),
            Segment::Key(_) => None,
        }
    }

    /// Returns whether this path is `other` or inside it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.segments().starts_with(other.segments())
    }

    /// Returns the value at this path in `value`, if any.
    pub fn resolve<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.segments().iter().try_fold(value, |value, segment| segment.within(value))
    }

    /// The same, to change it.
    pub(crate) fn resolve_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.segments().iter().try_fold(value, |value, segment| segment.within_mut(value))
    }

    /// Returns the path as a JSON Pointer (RFC 6901): `/lines/2/qty`, and the empty string for the
    /// root.
    pub fn to_pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.segments() {
            match segment {
                Segment::Key(key) => json_pointer::push(&mut pointer, key),
                Segment::Index(index) => json_pointer::push(&mut pointer, &index.to_string()),
            }
        }
        pointer
    }

    /// Bytes of [`to_pointer`](Self::to_pointer), without writing it.
    pub(crate) fn pointer_bytes(&self) -> usize {
        let bytes = |segment: &Segment| match segment {
            Segment::Key(key) => {
                1 + key.len() + key.bytes().filter(|byte| matches!(byte, b'~' | b'/')).count()
            }
            Segment::Index(index) => 2 + index.checked_ilog10().unwrap_or(0) as usize,
        };
        self.segments().iter().map(bytes).sum()
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        // As for keys: identical ones need no comparison.
        if std::ptr::eq(self.segments(), other.segments()) {
            return Ordering::Equal;
        }
        self.segments().cmp(other.segments())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Keys that attack each notation: quotes, escapes, separators, digits, the empty key.
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
            assert_eq!(path.resolve_mut(&mut value.clone()), Some(&mut json!(1)));
            assert_eq!(path.pointer_bytes(), pointer.len());
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
