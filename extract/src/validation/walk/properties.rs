//! `properties` of one subschema.

use serde_json::{Map, Value};

/// Maximum number of names that are compared one by one, which is faster than hashing the key.
const MAX_COMPARED: usize = 16;

/// The names and their schemas.
pub(super) enum WalkProperties<'a> {
    Few(Vec<(&'a str, &'a Value)>),
    Many(&'a Map<String, Value>),
}

impl<'a> WalkProperties<'a> {
    pub(super) fn of(named: Option<&'a Map<String, Value>>) -> Self {
        match named {
            Some(named) if named.len() > MAX_COMPARED => Self::Many(named),
            named => {
                Self::Few(named.into_iter().flatten().map(|(name, part)| (name.as_str(), part)).collect())
            }
        }
    }

    /// The schema of `key`. `position` is its position in the object; keys usually have the order
    /// of the schema.
    pub(super) fn get(&self, key: &str, position: usize) -> Option<&'a Value> {
        match self {
            Self::Few(named) => {
                let is_meant = |(name, _): &&(&str, &Value)| *name == key;
                let expected = named.get(position).filter(is_meant);
                expected.or_else(|| named.iter().find(is_meant)).map(|(_, schema)| *schema)
            }
            Self::Many(named) => named.get(key),
        }
    }
}
