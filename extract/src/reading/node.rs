//! A JSON value that remembers where in the reply each part stands.

use std::{ops::Range, sync::Arc};

use serde_json::{Map, Number, Value};

/// A value and the bytes it was read from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) data: Data,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Text(Arc<str>),
    List(Vec<Node>),
    Object(Vec<Entry>),
}

/// One entry of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// First byte of the key.
    pub(super) start: usize,
    pub(super) key: Arc<str>,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn new(span: Range<usize>, data: Data) -> Self {
        Self { span, data }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Whether both stand for the same value, wherever they stand.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::List(left), Data::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same(right))
            }
            (Data::Object(left), Data::Object(right)) => {
                let is_same = |(left, right): (&Entry, &Entry)| {
                    left.key == right.key && left.value.is_same(&right.value)
                };
                left.len() == right.len() && left.iter().zip(right).all(is_same)
            }
            (left, right) => left == right,
        }
    }

    /// As a plain value. Of two entries with the same key the later one stays.
    pub(super) fn into_value(self) -> Value {
        match self.data {
            Data::Null => Value::Null,
            Data::Bool(is_true) => Value::Bool(is_true),
            Data::Number(number) => Value::Number(number),
            Data::Text(text) => Value::from(&*text),
            Data::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Data::Object(entries) => {
                let mut object = Map::with_capacity(entries.len());
                for entry in entries {
                    object.insert((*entry.key).to_owned(), entry.value.into_value());
                }
                Value::Object(object)
            }
        }
    }

    /// `value` with the same span for all of its parts.
    pub(super) fn spread(&mut self, span: &Range<usize>) {
        self.span = span.clone();
        match &mut self.data {
            Data::List(items) => items.iter_mut().for_each(|item| item.spread(span)),
            Data::Object(entries) => entries.iter_mut().for_each(|entry| {
                entry.start = span.start;
                entry.value.spread(span);
            }),
            _ => {}
        }
    }
}
