//! Limits the size of an example.

use serde_json::Value;

use crate::vocabulary::text::json_bytes;

/// Maximum bytes of JSON, and steps of the search. An example shows the form of an answer; one that
/// is longer than most answers shows it no better, and a schema of a few hundred bytes can ask for
/// gigabytes.
const MAX_BYTES: usize = 32 << 10;

/// The remaining budget.
#[derive(Debug)]
pub(super) struct ExampleBudget {
    left: usize,
    is_exhausted: bool,
}

impl ExampleBudget {
    pub(super) fn new() -> Self {
        Self { left: MAX_BYTES, is_exhausted: false }
    }

    /// Returns whether `value` is small enough, and the budget was not used up while it was built.
    pub(super) fn allows(&self, value: &Value) -> bool {
        !self.is_exhausted && json_bytes(value, MAX_BYTES).is_some()
    }

    /// Takes `count` from the budget. Once it is used up, every further call fails.
    pub(super) fn take(&mut self, count: usize) -> Option<()> {
        match self.left.checked_sub(count).filter(|_| !self.is_exhausted) {
            Some(left) => self.left = left,
            None => self.is_exhausted = true,
        }
        (!self.is_exhausted).then_some(())
    }

    /// Copies `value` and takes its size from the budget.
    pub(super) fn copy(&mut self, value: &Value) -> Option<Value> {
        // If the copy does not fit, this is more than is left.
        self.take(json_bytes(value, self.left).unwrap_or(self.left.saturating_add(1)))?;
        Some(value.clone())
    }
}
