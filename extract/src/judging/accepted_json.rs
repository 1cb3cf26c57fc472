//! The JSON of an accepted value.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

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
