//! Strict JSON, the fast path: `serde_json`, plus a check for repeated keys.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{
    doubt::may_be_placeholder,
    keys::{Keys, UnknownValues},
};

/// Depth limit of `serde_json`.
pub(super) const DEPTH: usize = 128;

/// Initial capacity of an object; a hash table of eight slots holds seven keys.
const TYPICAL_KEYS: usize = 7;

/// The nesting depth of brackets in `value`.
pub(crate) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Bytes of a reply from which values under unknown keys are counted. Fewer cannot cost much.
const LARGE: usize = 1 << 16;

/// Parses `text` if it is strict JSON without a repeated key, and not mostly values under keys other
/// than `keys`.
///
/// `serde_json` limits the depth to 128 levels.
pub(super) fn parse(text: &str, keys: &Keys) -> Option<Strict> {
    let are_counted = text.len() >= LARGE && keys.are_limited();
    let seen = Seen {
        keys,
        are_counted,
        unknown: RefCell::default(),
        is_repeated: Cell::default(),
        is_unclear: Cell::default(),
        may_be_echo: Cell::default(),
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Builder(&seen).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    let is_strict = !seen.is_repeated.get() && !seen.is_unclear.get();
    is_strict.then(|| Strict { value, may_be_echo: seen.may_be_echo.get() })
}

/// A value that was written as strict JSON.
#[derive(Debug)]
pub(super) struct Strict {
    pub(super) value: Value,
    /// Whether a string or a key in it may be a placeholder.
    pub(super) may_be_echo: bool,
}

/// Observations made while the value was built.
#[derive(Debug)]
struct Seen<'k> {
    keys: &'k Keys,
    /// Whether values under other keys are counted.
    are_counted: bool,
    unknown: RefCell<UnknownValues>,
    /// A repeated key.
    is_repeated: Cell<bool>,
    /// A string whose backslashes may not be escapes.
    is_unclear: Cell<bool>,
    /// A string or a key that may be a placeholder.
    may_be_echo: Cell<bool>,
}

/// Returns whether the escapes in the string `value` yield what is never meant: a backspace, a form
/// feed, a line break after the letter of a drive, or a part of a command of LaTeX.
pub(super) fn has_unclear_escape(value: &str) -> bool {
    // Counted rather than searched: without an early return, many bytes are compared at once.
    if value.bytes().filter(|byte| *byte < 0x20).count() == 0 {
        return false;
    }
    let is_drive = matches!(value.as_bytes(), [letter, b':', control, ..] if letter.is_ascii_alphabetic() && *control < 0x20);
    let is_unclear = |(at, byte): (usize, u8)| {
        byte < 0x20 && (matches!(byte, 0x08 | 0x0c) || splits_command(byte, &value[at + 1..]))
    };
    is_drive || value.bytes().enumerate().any(is_unclear)
}

/// Returns whether `after` goes on with the name of a command of LaTeX whose backslash and first letter
/// were read as the escape for `control`: a tab and `imes` of `\times`. A model that writes `\times` in
/// a string of JSON means the command.
pub(super) fn splits_command(control: u8, after: &str) -> bool {
    let (words, before_braces): (&[&str], &[&str]) = match control {
        b'\t' => (&["heta", "imes", "riangle"], &["ext", "extbf", "extit", "frac", "ilde"]),
        b'\n' => (&["abla", "eq", "otin"], &[]),
        b'\r' => (&["angle", "ho", "ight"], &[]),
        _ => return false,
    };
    let follows = |name: &&str, is_end: &dyn Fn(&str) -> bool| after.strip_prefix(*name).is_some_and(is_end);
    words.iter().any(|name| follows(name, &|rest| !rest.starts_with(char::is_alphanumeric)))
        || before_braces.iter().any(|name| follows(name, &|rest| rest.starts_with('{')))
}

#[derive(Clone, Copy)]
struct Builder<'f>(&'f Seen<'f>);

impl Builder<'_> {
    /// Updates the count of unknown values, and fails if there are too many.
    #[inline]
    fn count<E: Error>(self, update: impl FnOnce(&mut UnknownValues)) -> Result<(), E> {
        let mut unknown = self.0.unknown.borrow_mut();
        update(&mut unknown);
        if unknown.are_too_many() { Err(E::custom("too many unknown values")) } else { Ok(()) }
    }

    #[inline]
    fn look_at(self, text: &str) {
        if may_be_placeholder(text, self.0.keys) {
            self.0.may_be_echo.set(true);
        }
    }

    /// The value of `key`.
    #[inline]
    fn member<'de, A: MapAccess<'de>>(self, key: &str, entries: &mut A) -> Result<Value, A::Error> {
        self.look_at(key);
        if !self.0.are_counted {
            return entries.next_value_seed(self);
        }
        let was_inside = self.0.unknown.borrow_mut().enter(key, self.0.keys);
        let value = entries.next_value_seed(self)?;
        self.count(|unknown| unknown.leave(was_inside))?;
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Builder<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Builder<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    /// A string without escapes.
    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Value, E> {
        self.look_at(value);
        Ok(Value::String(value.to_owned()))
    }

    /// A string with escapes.
    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        if has_unclear_escape(value) {
            self.0.is_unclear.set(true);
        }
        self.look_at(value);
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
            if self.0.are_counted {
                self.count(UnknownValues::count_value)?;
            }
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let Some(first) = entries.next_key::<String>()? else { return Ok(Value::Object(Map::new())) };
        // Growing the map key by key would take longer than the rest of a small object.
        let mut object = Map::with_capacity(TYPICAL_KEYS);
        let value = self.member(&first, &mut entries)?;
        object.insert(first, value);
        while let Some(key) = entries.next_key::<String>()? {
            let value = self.member(&key, &mut entries)?;
            if object.insert(key, value).is_some() {
                self.0.is_repeated.set(true);
            }
        }
        Ok(Value::Object(object))
    }
}
