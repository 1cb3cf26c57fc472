//! Restricts the changes of a patch, and how much it may write.

use std::collections::HashMap;

use serde_json::Value;

use super::operation::BoundedOperation;
use crate::{
    reading::{self, ReadingOptions},
    vocabulary::{
        path::{Path, Segment},
        suggest,
        text::json_bytes,
        violation::Violation,
    },
};

/// Restricts operations to the paths with violations.
///
/// These paths and everything inside them may change. A value around them may be replaced if it
/// differs only at these paths, and a missing key may be added beside them.
pub(super) struct PatchGuard {
    open: Vec<Path>,
    /// Lists whose elements moved, with the first position that moved.
    moved: HashMap<Path, usize>,
}

impl PatchGuard {
    pub(super) fn new(violations: &[Violation]) -> Self {
        let errors = violations.iter().filter(|violation| !violation.is_warning());
        Self { open: errors.map(|violation| violation.path.clone()).collect(), moved: HashMap::new() }
    }

    /// Why `operation` may not be applied to `value`.
    pub(super) fn check(&mut self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
        if operation.is_test() {
            return Ok(());
        }
        for path in operation.taken.iter().chain([&operation.path]) {
            self.check_position(path)?;
        }
        if let Some(taken) = operation.taken.as_ref().filter(|taken| !self.is_open(taken)) {
            if self.open.iter().any(|open| open.is_within(taken)) {
                return Err(format!("not all of {taken} was wrong, so it may not be removed"));
            }
            if !(operation.is_move() && self.is_renaming(taken, &operation.path, value)) {
                return Err(format!("{taken} was right and may not be removed"));
            }
        }
        self.check_target(operation, value)?;
        if let Some(taken) = &operation.taken {
            self.shift(taken, value);
        }
        if operation.inserts() {
            self.shift(&operation.path, value);
        }
        Ok(())
    }

    /// Returns whether an unexpected key of an object is moved to a similar missing key of the same
    /// object.
    fn is_renaming(&self, from: &Path, to: &Path, value: &Value) -> bool {
        let (Some(Segment::Key(given)), Some(Segment::Key(absent))) =
            (from.segments().last(), to.segments().last())
        else {
            return false;
        };
        let is_absent = self.open.contains(to) && to.resolve(value).is_none();
        is_absent && from.parent() == to.parent() && suggest::nearest(absent, [given.as_str()]).is_some()
    }

    fn check_target(&self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
        let path = &operation.path;
        if self.is_open(path) {
            return Ok(());
        }
        let may_not = || format!("{path} was right and may not change");
        match (path.resolve(value), operation.replacement()) {
            (None, _) if operation.inserts() && self.is_key_beside_open(path, value) => Ok(()),
            (Some(_), Some(_)) if operation.inserts() && in_list(path).is_some() => Err(may_not()),
            (Some(old), Some(new)) => match self.closed_difference(path.clone(), old, new) {
                None => Ok(()),
                Some(changed) => Err(format!("{changed} was right and may not change")),
            },
            _ => Err(may_not()),
        }
    }

    fn is_open(&self, path: &Path) -> bool {
        self.open.iter().any(|open| path.is_within(open))
    }

    /// Returns whether the object to which `path` adds a key has a violation inside.
    fn is_key_beside_open(&self, path: &Path, value: &Value) -> bool {
        let object = path.parent().filter(|around| around.resolve(value).is_some_and(Value::is_object));
        object.is_some_and(|object| self.open.iter().any(|open| open.is_within(&object)))
    }

    /// Returns the first path outside the open ones where `old` and `new` differ.
    fn closed_difference(&self, path: Path, old: &Value, new: &Value) -> Option<Path> {
        if old == new || self.is_open(&path) {
            return None;
        }
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                // As with `add`: a missing key may be added beside one that was wrong.
                let is_beside_open = self.open.iter().any(|open| open.is_within(&path));
                let added = new.keys().filter(|key| !is_beside_open && !old.contains_key(*key));
                old.keys().chain(added).find_map(|key| {
                    let (old, new) = (old.get(key), new.get(key));
                    self.closed_entry(path.clone().key(key), old, new)
                })
            }
            (Value::Array(old), Value::Array(new)) => (0..old.len().max(new.len())).find_map(|index| {
                self.closed_entry(path.clone().index(index), old.get(index), new.get(index))
            }),
            _ => Some(path),
        }
    }

    fn closed_entry(&self, path: Path, old: Option<&Value>, new: Option<&Value>) -> Option<Path> {
        match (old, new) {
            (Some(old), Some(new)) => self.closed_difference(path, old, new),
            _ if self.is_open(&path) => None,
            _ => Some(path),
        }
    }

    /// Refuses positions after an insertion or a removal: they may mean the old or the new element,
    /// and we do not guess.
    fn check_position(&self, path: &Path) -> Result<(), String> {
        let mut inside = path.clone();
        while let Some(around) = inside.parent().filter(|_| !self.moved.is_empty()) {
            if let (Some(Segment::Index(index)), Some(first)) =
                (inside.segments().last(), self.moved.get(&around))
                && index >= first
            {
                return Err(format!(
                    "the elements of {around} have moved by then; start with the last element and go to the first"
                ));
            }
            inside = around;
        }
        Ok(())
    }

    fn shift(&mut self, path: &Path, value: &Value) {
        let Some((list, index)) = in_list(path) else { return };
        // A key of an object can look like a position; `Path` tells them apart.
        let elements = list.resolve(value).and_then(Value::as_array).map_or(0, Vec::len);
        if index < elements {
            let first = self.moved.entry(list).or_insert(index);
            *first = index.min(*first);
        }
    }
}

/// The list and the position at the end of `path`.
fn in_list(path: &Path) -> Option<(Path, usize)> {
    match path.segments().last()? {
        Segment::Index(index) => Some((path.parent()?, *index)),
        Segment::Key(_) => None,
    }
}

/// How many bytes of JSON the operations of a patch may still write.
///
/// A `copy` of a few bytes can double the value, and the next one can double it again. So every
/// value that an operation writes counts, and so does each list element that it moves up or down.
/// That bounds the work of a patch as well as the size of the value.
pub(super) struct WriteBudget {
    bytes: usize,
    max_bytes: usize,
    max_depth: usize,
}

impl WriteBudget {
    /// A patch may write as much as a reply may contain, and nest as deep.
    pub(super) fn new(options: &ReadingOptions) -> Self {
        Self { bytes: options.max_bytes, max_bytes: options.max_bytes, max_depth: options.depth() }
    }

    /// Charges `operation` on `value` to the budget, or returns why it may not be applied.
    pub(super) fn take(&mut self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
        let changed = operation.taken.iter().chain(operation.inserts().then_some(&operation.path));
        let moved = changed.map(|path| elements_behind(path, value)).sum();
        let put = operation.put(value);
        let bytes = put.map(|put| json_bytes(put, self.bytes));
        let left =
            bytes.unwrap_or(Some(0)).and_then(|bytes| self.bytes.checked_sub(bytes)?.checked_sub(moved));
        self.bytes =
            left.ok_or_else(|| format!("the patch would write more than {} bytes", self.max_bytes))?;
        let levels = put.map_or(0, |put| operation.path.segments().len() + reading::depth(put));
        if levels > self.max_depth {
            return Err(format!("the value would nest more than {} levels deep", self.max_depth));
        }
        Ok(())
    }
}

/// The number of list elements from `path` on.
fn elements_behind(path: &Path, value: &Value) -> usize {
    let Some(Segment::Index(index)) = path.segments().last() else { return 0 };
    let list = path.parent().and_then(|list| list.resolve(value)?.as_array());
    list.map_or(0, |list| list.len().saturating_sub(*index))
}
