//! How much of a path a schema describes.

use serde_json::{Map, Value};

use crate::schema::is_deprecated;

/// Maximum keys that are kept for a message.
const MAX_KEYS: usize = 200;

/// Why a schema cannot be changed at a path.
#[derive(Debug)]
pub(crate) enum NarrowingFailure {
    /// The schema does not describe the path.
    Missing(ReachedSchemas),
    /// Definitions would have to be copied too often.
    TooLarge,
}

/// The schemas at the end of the longest part of a path that can be followed.
#[derive(Debug, Default)]
pub(crate) struct ReachedSchemas {
    /// The number of steps to it.
    pub(crate) steps: usize,
    /// The keys there.
    pub(crate) keys: Vec<String>,
    /// Whether entries under any key are allowed.
    pub(crate) is_map: bool,
    /// Whether the number of elements is open.
    pub(crate) is_list: bool,
    /// The number of elements of a tuple.
    pub(crate) positions: usize,
}

impl ReachedSchemas {
    /// Records the schema `object`, reached after `steps` steps.
    pub(super) fn look(&mut self, steps: usize, object: &Map<String, Value>) {
        if steps < self.steps {
            return;
        }
        if steps > self.steps {
            *self = Self { steps, ..Self::default() };
        }
        let is_schema = |keyword: &str| object.get(keyword).is_some_and(|part| *part != Value::Bool(false));
        self.is_map |= is_schema("additionalProperties") || object.contains_key("patternProperties");
        self.is_list |= is_schema("items");
        let positions = object.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        self.positions = self.positions.max(positions);
        for (key, part) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.keys.len() < MAX_KEYS && !is_deprecated(part) && !self.keys.contains(key) {
                self.keys.push(key.clone());
            }
        }
    }
}
