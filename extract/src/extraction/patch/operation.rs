//! One operation of a JSON Patch, with the places that it names.

use json_patch::PatchOperation;
use serde_json::Value;

use crate::Path;

/// An operation whose pointers are read into the value as it stands before it.
pub(super) struct Operation {
    inner: PatchOperation,
    /// Where it changes something.
    pub(super) path: Path,
    /// Where it takes something away: `remove`, and the source of `move`.
    pub(super) taken: Option<Path>,
}

impl Operation {
    pub(super) fn parse(operation: &Value, value: &Value) -> Result<Self, String> {
        let inner: PatchOperation =
            serde_json::from_value(operation.clone()).map_err(|error| error.to_string())?;
        let read = |pointer: &str| Path::from_pointer_in(pointer, value).map_err(|error| error.to_string());
        let path = read(inner.path().as_str())?;
        let taken = match &inner {
            PatchOperation::Remove(_) => Some(path.clone()),
            PatchOperation::Move(operation) => Some(read(operation.from.as_str())?),
            _ => None,
        };
        Ok(Self { inner, path, taken })
    }

    /// What it puts at its path, if it can be compared with what stands there.
    pub(super) fn replacement(&self) -> Option<&Value> {
        match &self.inner {
            PatchOperation::Replace(operation) => Some(&operation.value),
            PatchOperation::Add(operation) => Some(&operation.value),
            _ => None,
        }
    }

    /// Whether it changes nothing.
    pub(super) fn is_test(&self) -> bool {
        matches!(self.inner, PatchOperation::Test(_))
    }

    /// Whether it makes room in a list for one more element.
    pub(super) fn inserts(&self) -> bool {
        matches!(self.inner, PatchOperation::Add(_) | PatchOperation::Move(_) | PatchOperation::Copy(_))
    }

    pub(super) fn apply(&self, value: &mut Value) -> Result<(), String> {
        json_patch::patch(value, std::slice::from_ref(&self.inner)).map_err(|error| error.to_string())
    }
}
