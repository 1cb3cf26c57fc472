//! The JSON of an accepted value, and the parts of a value that the caller already has.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::vocabulary::{
    path::Path,
    violation::{Code, Severity, Violation},
};

/// Receives the JSON of an accepted value, with the spans of its quotes; see
/// [`Extraction::keep_json`](crate::Extraction::keep_json). Clones share it.
#[derive(Debug, Clone, Default)]
pub struct AcceptedJson(Arc<Mutex<Option<Value>>>);

impl AcceptedJson {
    /// Takes the value; `None` if none was accepted, or if it was taken before.
    pub fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn set(&self, value: Option<&Value>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = value.cloned();
    }
}

/// Parts of the value that were accepted before the value as a whole, such as the items of a list
/// that were delivered. No later attempt may change them.
pub(crate) trait AcceptedParts: Send + Sync {
    /// How `value` differs from them, as violations with [`Code::Changed`].
    fn changes_in(&self, value: &Value) -> Vec<Violation>;

    /// Returns whether `path` is one of them, or inside one.
    fn include(&self, path: &Path) -> bool;

    /// Returns whether one of them is inside `path`.
    fn are_within(&self, path: &Path) -> bool;
}

/// Makes violations inside accepted parts fatal: those parts can neither stay nor change.
pub(super) fn end_at_accepted(accepted: &dyn AcceptedParts, violations: &mut [Violation]) {
    if violations.iter().any(|violation| violation.code == Code::Changed) {
        // An accepted part was changed, and the agent can change it back.
        return;
    }
    for violation in violations.iter_mut().filter(|violation| !violation.is_warning()) {
        if accepted.include(&violation.path) {
            violation.severity = Severity::Fatal;
        }
    }
}
