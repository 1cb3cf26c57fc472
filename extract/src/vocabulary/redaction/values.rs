//! Sensitive values: the values at the sensitive paths of a reply.

use std::{borrow::Cow, fmt};

use serde_json::Value;

use super::{
    VALUE_MARKER,
    known::{KnownStrings, ShortString},
};
use crate::vocabulary::redaction::known;

/// Minimum letters and digits of a part of a long value that is found.
const WINDOW: usize = 24;

/// Sensitive values, which are replaced by `(hidden)` wherever a text quotes them.
#[derive(Clone)]
pub(crate) struct SensitiveValues {
    known: KnownStrings,
}

impl Default for SensitiveValues {
    fn default() -> Self {
        Self { known: KnownStrings::new(WINDOW) }
    }
}

impl SensitiveValues {
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds a scalar. The caller walks lists and objects, because it knows which keys are names.
    pub(crate) fn insert(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.insert_string(text),
            Value::Number(number) => {
                for way in known::renderings(number) {
                    self.known.insert_as_it_is(&way, ShortString::Words);
                }
            }
            // Either word would reveal the value.
            Value::Bool(_) => ["true", "false"].into_iter().for_each(|word| self.known.insert_word(word)),
            Value::Null | Value::Array(_) | Value::Object(_) => {}
        }
    }

    pub(crate) fn insert_string(&mut self, text: &str) {
        // It would be replaced by a marker that contains it.
        if VALUE_MARKER.contains(text) {
            return;
        }
        self.known.insert(text, ShortString::Words);
        for way in known::renderings_of_text(text) {
            self.known.insert_as_it_is(&way, ShortString::Words);
        }
    }

    /// `text` with `(hidden)` for every value in it.
    pub(crate) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() { Cow::Borrowed(text) } else { self.known.find(text).replaced(text, VALUE_MARKER) }
    }

    /// As [`redact`](Self::redact), for the user's own messages, which may contain a value in the
    /// middle of a word. If a short value may be in one, `instead` replaces the whole message:
    /// cutting it out of a word that contains it by chance would reveal it.
    pub(crate) fn redact_message(&self, text: &mut String, instead: &str) {
        if self.is_empty() {
            return;
        }
        let found = self.known.find(text);
        if found.is_entangled {
            instead.clone_into(text);
        } else if !found.is_empty() {
            *text = found.replaced(text, VALUE_MARKER).into_owned();
        }
    }

    /// Returns whether `text` quotes a value.
    pub(crate) fn is_quoted_in(&self, text: &str) -> bool {
        !self.is_empty() && !self.known.find(text).is_empty()
    }

    /// `value` with `(hidden)` for every value in its strings, and for every number and boolean
    /// that is one. The caller redacts keys, because it knows which are names.
    pub(crate) fn redact_scalar(&self, value: &mut Value) {
        let redacted = match value {
            Value::String(text) => match self.redact(text) {
                Cow::Owned(redacted) => redacted,
                Cow::Borrowed(_) => return,
            },
            // A boolean elsewhere is a different value.
            Value::Number(number) if !self.is_quoted_in(&number.to_string()) => return,
            Value::Number(_) => VALUE_MARKER.to_owned(),
            _ => return,
        };
        *value = Value::String(redacted);
    }
}

/// Shows no values.
impl fmt::Debug for SensitiveValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Values")
    }
}
