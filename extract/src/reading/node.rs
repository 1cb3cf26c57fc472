//! A JSON value that remembers where each of its parts is in the reply.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use serde_json::{Map, Number, Value};

/// A value and the bytes it was read from. Strings that appear verbatim in the reply are borrowed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node<'t> {
    pub(super) span: Range<usize>,
    pub(super) data: Data<'t>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data<'t> {
    Null,
    Bool(bool),
    Number(Number),
    /// A number that no longer points at its own bytes in the reply, with its spelling.
    Numeral(Box<Numeral>),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Object(Vec<Entry<'t>>),
}

/// A number and how it was spelled.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numeral {
    pub(super) number: Number,
    pub(super) source: String,
}

impl Data<'_> {
    pub(super) fn number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            Self::Numeral(numeral) => Some(&numeral.number),
            _ => None,
        }
    }
}

/// One entry of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry<'t> {
    /// First byte of the key.
    pub(super) start: usize,
    pub(super) key: Cow<'t, str>,
    pub(super) value: Node<'t>,
}

impl<'t> Node<'t> {
    pub(super) fn new(span: Range<usize>, data: Data<'t>) -> Self {
        Self { span, data }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Its number and how `reply`, which it was read from, spells that.
    pub(super) fn spelled<'n>(&'n self, reply: &'n str) -> Option<(&'n Number, &'n str)> {
        match &self.data {
            Data::Number(number) => Some((number, reply.get(self.span.clone()).unwrap_or_default())),
            Data::Numeral(numeral) => Some((&numeral.number, &numeral.source)),
            _ => None,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.data, Data::List(_))
    }

    /// Its text, if it is a string.
    pub(super) fn text(&self) -> Option<&str> {
        if let Data::Text(text) = &self.data { Some(text) } else { None }
    }

    /// Its elements; none if it is not a list.
    pub(super) fn items(&self) -> &[Self] {
        if let Data::List(items) = &self.data { items } else { &[] }
    }

    /// Its members; none if it is not an object.
    pub(super) fn entries(&self) -> &[Entry<'t>] {
        if let Data::Object(entries) = &self.data { entries } else { &[] }
    }

    /// The value of its first member under `key`.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The values in it, without those in them.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Self> {
        self.items().iter().chain(self.entries().iter().map(|entry| &entry.value))
    }

    /// It and all values in it, in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Self> {
        let inside: Box<dyn Iterator<Item = &Self>> = Box::new(self.parts().flat_map(Self::all));
        std::iter::once(self).chain(inside)
    }

    /// The texts in it.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.all().filter_map(Self::text)
    }

    /// Returns whether it or any value in it `is_meant`.
    pub(super) fn any(&self, is_meant: &impl Fn(&Self) -> bool) -> bool {
        is_meant(self) || self.parts().any(|part| part.any(is_meant))
    }

    /// Returns whether a quote in `source` follows a number or a constant. The parser takes it for the
    /// second one of a pair, without a note.
    pub(super) fn has_stray_quote(&self, source: &str) -> bool {
        self.any(&|node| {
            !matches!(node.data, Data::Text(_) | Data::List(_) | Data::Object(_))
                && source[node.span.end..].trim_start().starts_with('"')
        })
    }

    /// The number of values in it, itself included.
    pub(super) fn size(&self) -> usize {
        1 + self.parts().map(Self::size).sum::<usize>()
    }

    /// Returns whether both are the same value, regardless of their positions.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::List(left), Data::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same(right))
            }
            (Data::Object(left), Data::Object(right)) => {
                let is_same = |(left, right): (&Entry, &Entry)| {
                    left.key == right.key && left.value.is_same(&right.value)
                };
                left.len() == right.len() && by_key(left).into_iter().zip(by_key(right)).all(is_same)
            }
            (left, right) => match (left.number(), right.number()) {
                (Some(left), Some(right)) => left == right,
                _ => left == right,
            },
        }
    }

    /// Returns whether it repeats parts of `whole`, and says nothing else: each member is one of `whole`.
    pub(super) fn is_part_of(&self, whole: &Self) -> bool {
        match (&self.data, &whole.data) {
            (Data::Object(part), Data::Object(whole)) => {
                let values: HashMap<&str, &Node<'_>> =
                    whole.iter().map(|entry| (&*entry.key, &entry.value)).collect();
                let is_in = |entry: &Entry<'t>| {
                    values.get(&*entry.key).is_some_and(|value| entry.value.is_part_of(value))
                };
                !part.is_empty() && part.iter().all(is_in)
            }
            _ => self.is_same(whole),
        }
    }

    /// Returns whether it equals `value`. Of two entries with the same key, the later one counts.
    pub(super) fn is_value(&self, value: &Value) -> bool {
        match (&self.data, value) {
            (Data::Null, Value::Null) => true,
            (Data::Bool(left), Value::Bool(right)) => left == right,
            (data, Value::Number(right)) => data.number() == Some(right),
            (Data::Text(left), Value::String(right)) => left == right,
            (Data::List(_), Value::Array(_)) | (Data::Object(_), Value::Object(_)) => {
                self.clone().into_value() == *value
            }
            _ => false,
        }
    }

    /// The node of a plain value, which has no bytes of its own.
    pub(super) fn of(value: &'t Value) -> Self {
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(is_true) => Data::Bool(*is_true),
            Value::Number(number) => Data::Number(number.clone()),
            Value::String(text) => Data::Text(Cow::Borrowed(text)),
            Value::Array(items) => Data::List(items.iter().map(Self::of).collect()),
            Value::Object(members) => {
                let entry = |(key, value): (&'t String, &'t Value)| Entry {
                    start: 0,
                    key: Cow::Borrowed(key),
                    value: Self::of(value),
                };
                Data::Object(members.iter().map(entry).collect())
            }
        };
        Self::new(0..0, data)
    }

    /// Converts it into a plain value. Of two entries with the same key, the later one stays.
    pub(super) fn into_value(self) -> Value {
        match self.data {
            Data::Null => Value::Null,
            Data::Bool(is_true) => Value::Bool(is_true),
            Data::Number(number) => Value::Number(number),
            Data::Numeral(numeral) => Value::Number(numeral.number),
            Data::Text(text) => Value::String(text.into_owned()),
            Data::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Data::Object(entries) => {
                let mut object = Map::with_capacity(entries.len());
                for entry in entries {
                    object.insert(entry.key.into_owned(), entry.value.into_value());
                }
                Value::Object(object)
            }
        }
    }

    /// The same value with `span` for all of its parts, and without borrows from `source`, the text
    /// it was read from.
    pub(super) fn moved_to<'n>(self, span: &Range<usize>, source: &str) -> Node<'n> {
        let data = match self.data {
            Data::Null => Data::Null,
            Data::Bool(is_true) => Data::Bool(is_true),
            Data::Number(number) => numeral(number, source.get(self.span).unwrap_or_default()),
            Data::Numeral(numeral) => Data::Numeral(numeral),
            Data::Text(text) => Data::Text(Cow::Owned(text.into_owned())),
            Data::List(items) => {
                Data::List(items.into_iter().map(|item| item.moved_to(span, source)).collect())
            }
            Data::Object(entries) => {
                let moved = |entry: Entry<'t>| Entry {
                    start: span.start,
                    key: Cow::Owned(entry.key.into_owned()),
                    value: entry.value.moved_to(span, source),
                };
                Data::Object(entries.into_iter().map(moved).collect())
            }
        };
        Node { span: span.clone(), data }
    }
}

fn by_key<'n, 't>(entries: &'n [Entry<'t>]) -> Vec<&'n Entry<'t>> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_by(|one, next| one.key.cmp(&next.key));
    entries
}

/// `number`, with its spelling if that differs from the number's own.
fn numeral<'n>(number: Number, source: &str) -> Data<'n> {
    if number.to_string() == source {
        return Data::Number(number);
    }
    Data::Numeral(Box::new(Numeral { number, source: source.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object<'t>(entries: &[(&'t str, bool)]) -> Node<'t> {
        let entry = |(key, value): &(&'t str, bool)| Entry {
            start: 0,
            key: Cow::Borrowed(*key),
            value: Node::new(0..0, Data::Bool(*value)),
        };
        Node::new(0..0, Data::Object(entries.iter().map(entry).collect()))
    }

    #[test]
    fn an_object_is_the_same_in_any_order_but_not_with_a_key_twice() {
        let both = object(&[("a", true), ("b", false)]);
        let turned = object(&[("b", false), ("a", true)]);
        let twice = object(&[("a", true), ("a", true)]);
        assert!(both.is_same(&turned) && turned.is_same(&both));
        assert!(!twice.is_same(&both) && !both.is_same(&twice));
        assert!(object(&[("b", false)]).is_part_of(&both) && !both.is_part_of(&object(&[("b", false)])));
    }
}
