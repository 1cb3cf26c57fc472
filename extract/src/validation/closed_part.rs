//! A part of a value that is complete while the value around it is still being written.

use std::fmt;

use serde_json::Value;

use crate::path::{Path, Segment};

/// A complete part of a value, and what is known around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosedPart<'p> {
    /// Where it stands in the whole value.
    pub(crate) path: &'p Path,
    pub(crate) value: &'p Value,
    pub(crate) around: Around<'p>,
}

/// What is known of the objects around a part: their complete members without parts, such as the
/// tag of an enum.
#[derive(Clone, Copy)]
pub(crate) struct Around<'p>(Known<'p>);

/// What is known around `path` in a value that is whole.
pub(crate) fn scalar_around(whole: &Value, path: &Path, depth: usize, key: &str) -> Option<Value> {
    let mut steps = path.segments().iter().take(depth);
    let around = steps.try_fold(whole, |value, step| step.within(value))?;
    around.get(key).filter(|member| !member.is_object() && !member.is_array()).cloned()
}

/// From the number of steps to an object around the part, and a key, to the value under the key.
type Known<'p> = &'p dyn Fn(usize, &str) -> Option<Value>;

impl<'p> Around<'p> {
    /// `known` gets how many steps of the path lead to an object, and a key of it.
    pub(crate) fn new(known: Known<'p>) -> Self {
        Self(known)
    }

    /// The value under `key` of the object that `depth` steps lead to.
    pub(super) fn get(self, depth: usize, key: &str) -> Option<Value> {
        (self.0)(depth, key)
    }
}

impl fmt::Debug for Around<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Around")
    }
}

/// The way from a value around a part to the part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'p> {
    part: ClosedPart<'p>,
    /// The steps behind.
    depth: usize,
}

impl<'p> Way<'p> {
    pub(super) fn to(part: ClosedPart<'p>) -> Self {
        Self { part, depth: 0 }
    }

    pub(super) fn next(self) -> Option<&'p Segment> {
        self.part.path.segments().get(self.depth)
    }

    /// One step further.
    pub(super) fn step(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// The part, if this is its place.
    pub(super) fn arrived(self) -> Option<&'p Value> {
        self.next().is_none().then_some(self.part.value)
    }

    /// The value under `key` of the object here, if it is known.
    pub(super) fn known(self, key: &str) -> Option<Value> {
        self.part.around.get(self.depth, key)
    }
}
