//! One operation of a patch, and where it leaves the parts of a value.

use json_patch::{AddOperation, PatchErrorKind, PatchOperation, ReplaceOperation};
use serde_json::Value;

use crate::vocabulary::path::{Path, Segment};

/// Maximum number of steps in a path that is written as in violations.
const MAX_STEPS: usize = 1_000;

/// An operation. Its pointers are resolved in the value as it is before the operation.
pub(super) struct BoundedOperation {
    inner: PatchOperation,
    /// The path that it changes.
    pub(super) path: Path,
    /// The path that it removes: the path of `remove`, or the source of `move`.
    pub(super) taken: Option<Path>,
    /// The source of `move` and `copy`.
    from: Option<Path>,
}

impl BoundedOperation {
    pub(super) fn parse(operation: &Value, value: &Value) -> Result<Self, String> {
        let mut inner: PatchOperation =
            serde_json::from_value(operation.clone()).map_err(|error| error.to_string())?;
        let read = |pointer: &str| Path::from_pointer_in(pointer, value).map_err(|error| error.to_string());
        let path = read(inner.path().as_str())?;
        let is_absent_key = || {
            let object = path.parent().filter(|_| path.resolve(value).is_none());
            object.is_some_and(|object| object.resolve(value).is_some_and(Value::is_object))
        };
        // RFC 6902, section 4.3, lets `replace` only existing keys; for a missing one, only `add`
        // can be meant.
        if let PatchOperation::Replace(ReplaceOperation { path: at, value }) = &inner
            && is_absent_key()
        {
            inner = PatchOperation::Add(AddOperation { path: at.clone(), value: value.clone() });
        }
        let from = match &inner {
            PatchOperation::Move(operation) => Some(read(operation.from.as_str())?),
            PatchOperation::Copy(operation) => Some(read(operation.from.as_str())?),
            _ => None,
        };
        // RFC 6902, section 4.4, forbids this for `move`. As a copy it repairs nothing and doubles
        // the value each time.
        if let Some(from) = from.as_ref().filter(|from| path.is_within(from) && path != **from) {
            return Err(format!("{from} cannot be put inside of itself"));
        }
        let taken = match &inner {
            PatchOperation::Remove(_) => Some(path.clone()),
            PatchOperation::Move(_) => from.clone(),
            _ => None,
        };
        Ok(Self { inner, path, taken, from })
    }

    /// The value that it puts at its path.
    pub(super) fn put<'v>(&'v self, value: &'v Value) -> Option<&'v Value> {
        match &self.from {
            Some(from) => from.resolve(value),
            None => self.replacement(),
        }
    }

    /// The value that it puts at its path, if that can be compared with the present one.
    pub(super) fn replacement(&self) -> Option<&Value> {
        match &self.inner {
            PatchOperation::Replace(operation) => Some(&operation.value),
            PatchOperation::Add(operation) => Some(&operation.value),
            _ => None,
        }
    }

    /// Returns whether it changes nothing.
    pub(super) fn is_test(&self) -> bool {
        matches!(self.inner, PatchOperation::Test(_))
    }

    /// Returns whether it inserts an element into a list.
    pub(super) fn inserts(&self) -> bool {
        matches!(self.inner, PatchOperation::Add(_) | PatchOperation::Move(_) | PatchOperation::Copy(_))
    }

    /// Returns whether it changes something at or inside `path`, and so may restore what was lost
    /// there.
    pub(super) fn changes_within(&self, path: &Path) -> bool {
        !self.is_test() && self.taken.iter().chain([&self.path]).any(|changed| changed.is_within(path))
    }

    /// Returns where the operation moves what `value` has at `path`; `None` if it does not keep that.
    pub(super) fn kept(&self, path: &Path, value: &Value) -> Option<Path> {
        if self.is_test() {
            return Some(path.clone());
        }
        let behind = |path: &Path, around: &Path| {
            path.is_within(around).then(|| Path::from(path.segments()[around.segments().len()..].to_vec()))
        };
        let mut kept = path.clone();
        if let Some(taken) = &self.taken {
            if let Some(inside) = behind(path, taken) {
                return self.is_move().then(|| self.path.clone().join(&inside));
            }
            kept = renumbered(kept, taken, |index, taken| if index > taken { index - 1 } else { index });
            if !self.is_move() {
                return Some(kept);
            }
        }
        if self.inserts() && self.path.as_item().is_some() {
            return Some(renumbered(
                kept,
                &self.path,
                |index, put| if index < put { index } else { index + 1 },
            ));
        }
        match behind(&kept, &self.path) {
            Some(inside) if inside.resolve(self.put(value)?) != path.resolve(value) => None,
            _ => Some(kept),
        }
    }

    pub(super) fn is_move(&self) -> bool {
        matches!(self.inner, PatchOperation::Move(_))
    }

    pub(super) fn apply(&self, value: &mut Value) -> Result<(), String> {
        json_patch::patch(value, std::slice::from_ref(&self.inner)).map_err(|error| match error.kind {
            PatchErrorKind::TestFailed => format!("{} is not what `test` says", self.path),
            _ => match &self.inner {
                PatchOperation::Move(operation) => {
                    format!("there is nothing at {:?}", operation.from.as_str())
                }
                PatchOperation::Copy(operation) => {
                    format!("there is nothing at {:?}", operation.from.as_str())
                }
                _ => format!("there is no place {}", self.path),
            },
        })
    }
}

/// `path` with another index, if it leads through the list of the element at `item`.
fn renumbered(path: Path, item: &Path, index: impl Fn(usize, usize) -> usize) -> Path {
    let Some((list, at)) = item.as_item().filter(|(list, _)| path.is_within(list)) else { return path };
    match path.segments()[list.segments().len()..].split_first() {
        Some((Segment::Index(old), inside)) => list.index(index(*old, at)).join(&Path::from(inside.to_vec())),
        _ => path,
    }
}

/// Rewrites paths of `operations` to the form of RFC 6901, if they are written as in violations
/// (`$.a[0].b`) or without the leading slash. A JSON Pointer is empty or starts with a slash, so
/// nothing else can be meant.
pub(super) fn with_pointers(operations: &mut Value) {
    let operations = operations.as_array_mut().into_iter().flatten();
    for operation in operations.filter_map(Value::as_object_mut) {
        for name in ["path", "from"] {
            let Some(Value::String(text)) = operation.get_mut(name) else { continue };
            if text.starts_with('$') {
                // Deeper than any value that is read. Parsing a path takes time quadratic in its
                // steps.
                let is_long = text.matches(['.', '[']).nth(MAX_STEPS).is_some();
                if !is_long && let Ok(path) = text.parse::<Path>() {
                    *text = path.to_pointer();
                }
            } else if !text.is_empty() && !text.starts_with('/') {
                text.insert(0, '/');
            }
        }
    }
}
