//! Wraps an answer that is not an object into one, for providers that take only schemas of objects.

use serde_json::Value;

use crate::schema::any_within;

/// The only key of the wrapper.
pub(super) const KEY: &str = "answer";

/// The tokens of the wrapper before the answer.
pub(crate) const TOKENS_BEFORE: [&str; 3] = ["{", "\"answer\"", ":"];

/// Returns whether a schema uses the wrapper's key, which would make a reply ambiguous.
pub(super) fn uses_key(schema: &Value) -> bool {
    any_within(schema, &|part| part.get(KEY).is_some())
}
