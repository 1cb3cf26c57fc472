//! Complete parts of a value that is still being written.

use std::fmt;

use serde_json::Value;

use crate::vocabulary::path::{Path, Segment};

/// A complete part of a value, with the known values around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosedPart<'p> {
    /// Its path in the whole value.
    pub(crate) path: &'p Path,
    pub(crate) value: &'p Value,
    pub(crate) around: SurroundingValues<'p>,
}

/// The known members of the objects around a part: those that are complete and have no parts, such
/// as the tag of an enum.
#[derive(Clone, Copy)]
pub(crate) struct SurroundingValues<'p>(ScalarLookup<'p>);

/// The scalar under `key` of the object that `depth` steps of `path` lead to in a complete value.
pub(crate) fn scalar_around(whole: &Value, path: &Path, depth: usize, key: &str) -> Option<Value> {
    let mut steps = path.segments().iter().take(depth);
    let around = steps.try_fold(whole, |value, step| step.within(value))?;
    around.get(key).filter(|member| !member.is_object() && !member.is_array()).cloned()
}

/// Looks up a scalar by the number of steps to an object around the part, and a key of that object.
type ScalarLookup<'p> = &'p dyn Fn(usize, &str) -> Option<Value>;

impl<'p> SurroundingValues<'p> {
    /// `known` gets how many steps of the path lead to an object, and one of its keys.
    pub(crate) fn new(known: ScalarLookup<'p>) -> Self {
        Self(known)
    }

    /// The value under `key` of the object that `depth` steps lead to.
    pub(super) fn get(self, depth: usize, key: &str) -> Option<Value> {
        (self.0)(depth, key)
    }
}

impl fmt::Debug for SurroundingValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Around")
    }
}

/// The path from a value around a part to the part.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartPath<'p> {
    part: ClosedPart<'p>,
    /// The number of steps taken.
    depth: usize,
}

impl<'p> PartPath<'p> {
    pub(super) fn to(part: ClosedPart<'p>) -> Self {
        Self { part, depth: 0 }
    }

    pub(super) fn next(self) -> Option<&'p Segment> {
        self.part.path.segments().get(self.depth)
    }

    /// Takes one more step.
    pub(super) fn step(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Returns the part, if this is its path.
    pub(super) fn arrived(self) -> Option<&'p Value> {
        self.next().is_none().then_some(self.part.value)
    }

    /// The value under `key` of the object here, if it is known.
    pub(super) fn known(self, key: &str) -> Option<Value> {
        self.part.around.get(self.depth, key)
    }
}
