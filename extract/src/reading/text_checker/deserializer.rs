//! Values of serde from a text that is checked on the way.

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer as _, MapAccess, SeqAccess,
    Visitor, value::BorrowedStrDeserializer,
};
use serde_json::{Value, de::StrRead};

use super::{
    node::{CheckedNode, SmallNumber},
    pass::{CheckPass, PassedNumber, Quoted},
};
use crate::reading::shape::Shape;

/// Reads the whole text of `pass`, whose brackets may have so many `levels`. `None` if the text needs a closer
/// look, or is no `T`.
pub(super) fn read_checked<T: DeserializeOwned>(mut pass: CheckPass<'_>, levels: usize) -> Option<T> {
    pass.skip_space();
    let value = T::deserialize(CheckedPart { pass: &mut pass, node: 0, levels }).ok()?;
    pass.skip_space();
    pass.is_at_end().then_some(value)
}

/// The part of a text that comes next, and the node of the schema that it has to be.
///
/// It gives visitors what `serde_json` gives them. It does not read what `serde_json` reads for few types: bytes,
/// enum variants with data, and a list for a struct. Such a value is read by the way that all others take.
struct CheckedPart<'p, 'c> {
    pass: &'p mut CheckPass<'c>,
    node: usize,
    levels: usize,
}

/// The text needs a closer look, which also finds out why.
#[derive(Debug)]
struct Unread;

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text needs a closer look")
    }
}

impl std::error::Error for Unread {}

impl Error for Unread {
    fn custom<M: fmt::Display>(_: M) -> Self {
        Self
    }
}

impl<'c> CheckedPart<'_, 'c> {
    fn peek(&self) -> Result<u8, Unread> {
        self.pass.peek().ok_or(Unread)
    }

    fn null(&mut self) -> Result<(), Unread> {
        self.pass.word("null", self.node, &Value::Null).ok_or(Unread)
    }

    fn bool(&mut self) -> Result<bool, Unread> {
        let is_true = self.peek()? == b't';
        let word = if is_true { "true" } else { "false" };
        self.pass.word(word, self.node, &Value::Bool(is_true)).ok_or(Unread)?;
        Ok(is_true)
    }

    fn text<V: Visitor<'c>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self.pass.string(self.node).ok_or(Unread)? {
            Quoted::Plain(text) => visitor.visit_borrowed_str(text),
            Quoted::Unescaped => visitor.visit_str(&self.pass.string),
        }
    }

    #[inline]
    fn number(self) -> Result<PassedNumber<'c>, Unread> {
        self.pass.number(self.node).ok_or(Unread)
    }

    fn list<V: Visitor<'c>>(self, visitor: V) -> Result<V::Value, Unread> {
        let Self { pass, node, levels } = self;
        let nodes = pass.nodes;
        let CheckedNode::List { items, min, max, .. } = &nodes[node] else { return Err(Unread) };
        let levels = levels.checked_sub(1).ok_or(Unread)?;
        let brackets = Brackets::open(pass, b'[', b']')?;
        let mut list = CheckedItems { pass, node: *items, levels, count: 0, brackets };
        let value = visitor.visit_seq(&mut list)?;
        // A tuple asks for nothing after its last item.
        let is_ended = !list.brackets.has_next(list.pass)?;
        (is_ended && (*min..=*max).contains(&list.count)).then_some(value).ok_or(Unread)
    }

    fn object<V: Visitor<'c>>(self, visitor: V) -> Result<V::Value, Unread> {
        let Self { pass, node, levels } = self;
        let nodes = pass.nodes;
        let CheckedNode::Object { shape, members, required, .. } = &nodes[node] else { return Err(Unread) };
        let levels = levels.checked_sub(1).ok_or(Unread)?;
        let shape = pass.shapes.get(*shape);
        let brackets = Brackets::open(pass, b'{', b'}')?;
        let mut object =
            CheckedMembers { pass, shape, members, levels, value: 0, seen: 0, next: 0, brackets };
        let value = visitor.visit_map(&mut object)?;
        (object.brackets.is_ended && required & !object.seen == 0).then_some(value).ok_or(Unread)
    }
}

type ReadNumber<'c, V> =
    fn(&mut serde_json::Deserializer<StrRead<'c>>, V) -> serde_json::Result<<V as Visitor<'c>>::Value>;

/// Gives `number` to `visitor`. One that is not small and whole is read by `other`.
fn visit_number<'c, V: Visitor<'c>>(
    number: PassedNumber<'c>,
    visitor: V,
    other: ReadNumber<'c, V>,
) -> Result<V::Value, Unread> {
    match number.small.and_then(|number| number.whole) {
        Some(whole) => match u64::try_from(whole) {
            Ok(whole) => visitor.visit_u64(whole),
            Err(_) => visitor.visit_i64(whole),
        },
        None => other(&mut serde_json::Deserializer::from_str(number.digits), visitor).map_err(|_| Unread),
    }
}

/// Methods that take numbers as `serde_json` does.
macro_rules! deserialize_numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'c>>(self, visitor: V) -> Result<V::Value, Unread> {
            visit_number(self.number()?, visitor, |other, visitor| other.$method(visitor))
        }
    )*};
}

/// Methods that read what comes next in one way, whatever else the type says of it.
macro_rules! deserialize_as {
    ($($method:ident($($hint:ty),*) => $read:ident)*) => {$(
        fn $method<V: Visitor<'c>>(self, $(_: $hint,)* visitor: V) -> Result<V::Value, Unread> {
            self.$read(visitor)
        }
    )*};
}

impl<'c> Deserializer<'c> for CheckedPart<'_, 'c> {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'c>>(mut self, visitor: V) -> Result<V::Value, Unread> {
        match self.peek()? {
            b'"' => self.text(visitor),
            b'{' => self.object(visitor),
            b'[' => self.list(visitor),
            b'n' => {
                self.null()?;
                visitor.visit_unit()
            }
            b't' | b'f' => visitor.visit_bool(self.bool()?),
            _ => visit_number(self.number()?, visitor, |other, visitor| other.deserialize_any(visitor)),
        }
    }

    deserialize_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32
    }

    fn deserialize_f64<V: Visitor<'c>>(self, visitor: V) -> Result<V::Value, Unread> {
        let number = self.number()?;
        match number.small {
            Some(SmallNumber { whole: None, value }) => visitor.visit_f64(value),
            _ => visit_number(number, visitor, |other, visitor| other.deserialize_f64(visitor)),
        }
    }

    fn deserialize_bool<V: Visitor<'c>>(mut self, visitor: V) -> Result<V::Value, Unread> {
        visitor.visit_bool(self.bool()?)
    }

    fn deserialize_unit<V: Visitor<'c>>(mut self, visitor: V) -> Result<V::Value, Unread> {
        self.null()?;
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'c>>(mut self, visitor: V) -> Result<V::Value, Unread> {
        if self.peek()? == b'n' {
            self.null()?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'c>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unread> {
        visitor.visit_newtype_struct(self)
    }

    /// An enum variant without data.
    fn deserialize_enum<V: Visitor<'c>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        let text = self.pass.string(self.node).ok_or(Unread)?;
        visitor.visit_enum(text.text(&self.pass.string).into_deserializer())
    }

    fn deserialize_bytes<V: Visitor<'c>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    fn deserialize_byte_buf<V: Visitor<'c>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    deserialize_as! {
        deserialize_str() => text
        deserialize_string() => text
        deserialize_char() => text
        deserialize_identifier() => text
        deserialize_seq() => list
        deserialize_tuple(usize) => list
        deserialize_tuple_struct(&'static str, usize) => list
        deserialize_map() => object
        deserialize_struct(&'static str, &'static [&'static str]) => object
        deserialize_unit_struct(&'static str) => deserialize_unit
        // A member that the type does not read is checked all the same.
        deserialize_ignored_any() => deserialize_any
    }
}

/// The brackets around items or members.
struct Brackets {
    close: u8,
    is_first: bool,
    is_ended: bool,
}

impl Brackets {
    /// Passes the opening bracket, and the closing one if that is next.
    #[inline]
    fn open(pass: &mut CheckPass<'_>, open: u8, close: u8) -> Result<Self, Unread> {
        let is_ended = pass.opens(open, close).ok_or(Unread)?;
        Ok(Self { close, is_first: true, is_ended })
    }

    /// Passes the comma before the next item or member, or the closing bracket. Returns whether one follows.
    #[inline]
    fn has_next(&mut self, pass: &mut CheckPass<'_>) -> Result<bool, Unread> {
        if !self.is_ended && !self.is_first {
            self.is_ended = pass.ends(self.close).ok_or(Unread)?;
        }
        self.is_first = false;
        Ok(!self.is_ended)
    }
}

/// The items of a list.
struct CheckedItems<'p, 'c> {
    pass: &'p mut CheckPass<'c>,
    node: usize,
    levels: usize,
    count: usize,
    brackets: Brackets,
}

impl<'c> SeqAccess<'c> for CheckedItems<'_, 'c> {
    type Error = Unread;

    fn next_element_seed<S: DeserializeSeed<'c>>(&mut self, seed: S) -> Result<Option<S::Value>, Unread> {
        if !self.brackets.has_next(self.pass)? {
            return Ok(None);
        }
        self.count += 1;
        let item = CheckedPart { pass: &mut *self.pass, node: self.node, levels: self.levels };
        seed.deserialize(item).map(Some)
    }
}

/// The members of an object.
struct CheckedMembers<'p, 'c> {
    pass: &'p mut CheckPass<'c>,
    shape: &'c Shape,
    members: &'c [usize],
    levels: usize,
    /// The node of the next value.
    value: usize,
    /// A bit for each key that was passed.
    seen: u64,
    /// The key after the last one. Keys mostly come in the order of the schema.
    next: usize,
    brackets: Brackets,
}

impl CheckedMembers<'_, '_> {
    /// Passes the next key and its colon. Returns the index of the property, if that is the first value of it.
    fn key(&mut self) -> Option<usize> {
        let index = match self.shape.properties.get(self.next) {
            Some(property) if self.pass.takes_key(&property.name) => self.next,
            _ => {
                let key = self.pass.quoted()?;
                self.shape.index_of(key.text(&self.pass.string), self.next)?
            }
        };
        self.pass.skip_space();
        self.pass.expect(b':')?;
        self.pass.skip_space();
        let bit = 1 << index;
        let is_new = self.seen & bit == 0;
        (self.seen, self.next, self.value) = (self.seen | bit, index + 1, self.members[index]);
        is_new.then_some(index)
    }
}

impl<'c> MapAccess<'c> for CheckedMembers<'_, 'c> {
    type Error = Unread;

    fn next_key_seed<S: DeserializeSeed<'c>>(&mut self, seed: S) -> Result<Option<S::Value>, Unread> {
        if !self.brackets.has_next(self.pass)? {
            return Ok(None);
        }
        let index = self.key().ok_or(Unread)?;
        let key: &'c str = &self.shape.properties[index].name;
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'c>>(&mut self, seed: S) -> Result<S::Value, Unread> {
        seed.deserialize(CheckedPart { pass: &mut *self.pass, node: self.value, levels: self.levels })
    }
}
