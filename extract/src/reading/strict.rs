//! Strict JSON, the fast path: `serde_json`, plus a check for repeated keys.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{
    gaps::may_be_placeholder,
    keys::{Keys, UnknownValues},
    parse::number::is_beyond_integers,
    prose::{first_bytes, last_bytes},
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
        may_be_rounded: Cell::default(),
        may_be_tiny: Cell::default(),
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Builder(&seen).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    let is_strict = !seen.is_repeated.get() && !seen.is_unclear.get();
    is_strict.then(|| Strict {
        value,
        may_be_echo: seen.may_be_echo.get(),
        may_be_rounded: seen.may_be_rounded.get() || seen.may_be_tiny.get() && has_tiny_number(text),
    })
}

/// Returns whether `text` may have a number so close to zero that a double is zero.
fn has_tiny_number(text: &str) -> bool {
    /// The smallest double is about 4.9e-324, which needs so many zeros without an exponent.
    const ZEROS: usize = 308;
    let has_exponent =
        |part: &[u8]| part[0].is_ascii_digit() && matches!(part[1], b'e' | b'E') && part[2] == b'-';
    text.as_bytes().windows(3).any(has_exponent) || text.len() > ZEROS && text.contains(&"0".repeat(ZEROS))
}

/// A value that was written as strict JSON.
#[derive(Debug)]
pub(super) struct Strict {
    pub(super) value: Value,
    /// Whether a string or a key in it may be a placeholder.
    pub(super) may_be_echo: bool,
    /// Whether a number in it may have been written with more digits.
    pub(super) may_be_rounded: bool,
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
    /// An integer beyond 64 bits.
    may_be_rounded: Cell<bool>,
    /// A double that is zero.
    may_be_tiny: Cell<bool>,
}

/// Returns whether the escapes in the string `value` yield what is never meant: a backspace, a form
/// feed, a line break after the letter of a drive, or a part of a word that began with a backslash.
pub(super) fn has_unclear_escape(value: &str) -> bool {
    // Counted rather than searched: without an early return, many bytes are compared at once.
    if value.bytes().filter(|byte| *byte < 0x20).count() == 0 {
        return false;
    }
    let is_unclear = |(at, byte): (usize, u8)| {
        let is_never_meant = || {
            let (before, after) = (&value[..at], &value[at + 1..]);
            matches!(byte, 0x08 | 0x0c) || splits_word(before, byte, after) || is_drive(before, after)
        };
        byte < 0x20 && is_never_meant()
    };
    value.bytes().enumerate().any(is_unclear)
}

/// Returns whether `before` is the letter of a drive of Windows, and `after` goes on with a name whose backslash and
/// first letter were read as an escape: `C:` and `ew` of `C:\new`. `Q:` and `A:` begin a question and an answer.
pub(super) fn is_drive(before: &str, after: &str) -> bool {
    let is_letter = |letter: u8| {
        letter.is_ascii_alphabetic() && !matches!(letter.to_ascii_lowercase(), b'a' | b'b' | b'q')
    };
    matches!(before.as_bytes(), [letter, b':'] if is_letter(*letter))
        && after.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
}

/// Returns whether `after` goes on with a word whose backslash and first letter were read as the escape for `control`,
/// which stands after `before`: a tab and `imes` of `\times`, or `emp` of `C:\temp`. A model that writes `\times` in a
/// string of JSON means the command.
pub(super) fn splits_word(before: &str, control: u8, after: &str) -> bool {
    // A carriage return without a line feed ends a line on no system of today.
    if control == b'\r' {
        return after.starts_with(char::is_alphabetic);
    }
    splits_command(before, control, after) || splits_path(before, control, after)
}

/// Bytes before and after a control character in which the signs of a formula are looked for.
const MAX_FORMULA: usize = 256;

/// Bytes before a control character in which a path is looked for.
const MAX_PATH: usize = 256;

/// The same for a command of LaTeX.
fn splits_command(before: &str, control: u8, after: &str) -> bool {
    // Those that are words, or the rest of a line, count where no text goes on: in a formula, or at the start.
    let (words, before_braces, in_formulas): (&[&str], &[&str], &[&str]) = match control {
        b'\t' => (
            &["heta", "imes", "riangle"],
            &["ext", "extbf", "extit", "extrm", "frac", "ilde"],
            &["an", "anh", "au", "frac", "o", "op"],
        ),
        b'\n' => (
            &["abla", "atural", "eq", "ewline", "otin"],
            &["ewcommand", "orm", "um"],
            &["e", "eg", "i", "mid", "ot", "u"],
        ),
        _ => return false,
    };
    let follows = |name: &&str, is_end: &dyn Fn(&str) -> bool| after.strip_prefix(*name).is_some_and(is_end);
    let ends_word = |rest: &str| !rest.starts_with(char::is_alphabetic);
    // An amount of dollars starts with a digit.
    let is_in_formula = || {
        let (before, after) = (last_bytes(before, MAX_FORMULA), first_bytes(after, MAX_FORMULA));
        let inside = before.rsplit_once('$').map(|(_, inside)| inside);
        before.matches('$').count() % 2 == 1
            && after.contains('$')
            && inside.is_some_and(|inside| !inside.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_apart =
        || before.is_empty() || control == b'\t' && before.ends_with([' ', '(', '{']) || is_in_formula();
    words.iter().any(|name| follows(name, &|rest| !rest.starts_with(char::is_alphanumeric)))
        || before_braces.iter().any(|name| follows(name, &|rest| rest.starts_with('{')))
        || in_formulas.iter().any(|name| follows(name, &ends_word)) && is_apart()
}

/// The same for a path of Windows: after the letter of a drive, or another backslash.
fn splits_path(before: &str, control: u8, after: &str) -> bool {
    let folders: &[&str] = match control {
        b'\t' => &["arget", "asks", "emp", "emplates", "est", "ests", "mp", "ools", "raining"],
        b'\n' => &["et", "etwork", "ew", "ode", "ode_modules", "otes"],
        _ => return false,
    };
    let ends_name = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    let drive =
        before.strip_suffix(':').and_then(|before| before.strip_suffix(|c: char| c.is_ascii_alphabetic()));
    let is_path = || {
        drive.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
            || last_bytes(before, MAX_PATH).contains('\\')
    };
    folders.iter().any(|name| after.strip_prefix(name).is_some_and(ends_name)) && is_path()
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
        // It may have been an integer with more digits.
        if is_beyond_integers(value) {
            self.0.may_be_rounded.set(true);
        }
        if value == 0.0 {
            self.0.may_be_tiny.set(true);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_character_inside_of_a_command_or_a_path_is_never_meant() {
        for text in [
            "a\times b",
            "\to 0",
            "let $x \to 0$",
            "$\tau$",
            "\natural",
            "where $a \ne b$",
            "A \rightarrow B",
            "C:\new",
            "dir C:\temp",
            "cd src\routes",
            "net use \\\\srv\temp",
            "\u{8}eta",
            "\u{c}rac",
        ] {
            assert!(has_unclear_escape(text), "{text:?}");
        }
    }

    #[test]
    fn tabs_and_line_breaks_of_a_text_are_meant() {
        for text in [
            "a\tb",
            "a\n\nnote that",
            "x\n- not yet\nu",
            "an\top",
            "Costs $5\nu and $6 more",
            "Q:\nis it?",
            "Option C:\nTwo",
            "line\r\nnext",
            "\tindented",
            "new\n",
            "ciao\ne poi",
        ] {
            assert!(!has_unclear_escape(text), "{text:?}");
        }
    }
}
