//! One step of a path or a place, whose key is shared by all paths that contain it, and the values that
//! steps lead to.

use std::{cmp::Ordering, fmt, hash, iter::from_fn, ops::Deref, sync::Arc};

use serde_json::Value;

/// One step of a [`Path`](super::Path).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// Into an object, by key.
    Key(Key),
    /// Into an array, by position from 0.
    Index(usize),
}

/// One step of a [`PathPattern`](super::PathPattern).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternStep {
    /// Into an object, by key.
    Key(Key),
    /// Into a tuple, by position from 0.
    Index(usize),
    /// Into every element of a list, or the value of every entry of a map.
    Each,
}

impl Segment {
    /// The parts of a list or an object, each with the step to it.
    pub(crate) fn parts(value: &Value) -> impl Iterator<Item = (Self, &Value)> {
        let list = value.as_array().into_iter().flatten().enumerate();
        let map = value.as_object().into_iter().flatten();
        list.map(|(index, part)| (Self::Index(index), part))
            .chain(map.map(|(key, part)| (Self::Key(key.as_str().into()), part)))
    }

    /// The same, to change them.
    pub(crate) fn parts_mut(value: &mut Value) -> impl Iterator<Item = (Self, &mut Value)> {
        let (list, map) = match value {
            Value::Array(list) => (Some(list), None),
            Value::Object(map) => (None, Some(map)),
            _ => (None, None),
        };
        let list = list.into_iter().flatten().enumerate();
        list.map(|(index, part)| (Self::Index(index), part))
            .chain(map.into_iter().flatten().map(|(key, part)| (Self::Key(key.as_str().into()), part)))
    }

    /// The part of `value` under this step.
    pub(crate) fn within<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match (self, value) {
            (Self::Key(key), Value::Object(map)) => map.get(key.as_str()),
            (Self::Index(index), Value::Array(list)) => list.get(*index),
            _ => None,
        }
    }

    /// The same, to change it.
    pub(crate) fn within_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match (self, value) {
            (Self::Key(key), Value::Object(map)) => map.get_mut(key.as_str()),
            (Self::Index(index), Value::Array(list)) => list.get_mut(*index),
            _ => None,
        }
    }
}

/// Returns `value` and all values inside it, in no certain order.
pub(crate) fn all_values(value: &Value) -> impl Iterator<Item = &Value> {
    let mut left = vec![value];
    from_fn(move || {
        let value = left.pop()?;
        match value {
            Value::Array(list) => left.extend(list),
            Value::Object(object) => left.extend(object.values()),
            _ => {}
        }
        Some(value)
    })
}

/// The key of an object.
///
/// Thousands of violations may share the same keys, and a reply may have keys of megabytes. So a
/// key is shared and not copied, and an identical one is equal without a comparison of bytes.
#[derive(Clone)]
pub struct Key(Arc<str>);

impl Key {
    /// Returns the key itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Key {
    fn from(key: &str) -> Self {
        Self(Arc::from(key))
    }
}

impl Deref for Key {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Key {}

impl hash::Hash for Key {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}
