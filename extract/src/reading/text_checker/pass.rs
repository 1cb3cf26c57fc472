//! One pass over the bytes of a text, beside the nodes of the schema.
//!
//! It reads strict JSON itself: a general parser would look for strings and keys that are known here.
//! Numbers and strings with escapes, which are few, are read by `serde_json`.

use serde_json::Value;

use super::node::{CheckedNode, SmallNumber};
use crate::reading::{
    doubt::may_be_placeholder,
    shape::{NullReading, Shapes},
    strict::has_unclear_escape,
};

/// The position in a text. `None` from any of its steps means that the text needs a closer look: it is no strict
/// JSON, does not conform, or would be read otherwise.
pub(super) struct CheckPass<'c> {
    nodes: &'c [CheckedNode],
    shapes: &'c Shapes,
    null_reading: NullReading,
    text: &'c str,
    at: usize,
    /// Its memory is reused for each string that has to be looked at as a value.
    string: String,
}

impl<'c> CheckPass<'c> {
    pub(super) fn new(
        nodes: &'c [CheckedNode],
        shapes: &'c Shapes,
        null_reading: NullReading,
        text: &'c str,
    ) -> Self {
        Self { nodes, shapes, null_reading, text, at: 0, string: String::new() }
    }

    /// Passes the whole text, whose brackets may have so many `levels`.
    pub(super) fn whole(mut self, levels: usize) -> Option<()> {
        self.skip_space();
        self.value(0, levels)?;
        self.skip_space();
        (self.at == self.text.len()).then_some(())
    }

    fn value(&mut self, node: usize, levels: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(node),
            b'{' => self.object(node, levels.checked_sub(1)?),
            b'[' => self.list(node, levels.checked_sub(1)?),
            b'n' => self.word("null", node, &Value::Null),
            b't' => self.word("true", node, &Value::Bool(true)),
            b'f' => self.word("false", node, &Value::Bool(false)),
            _ => self.number(node),
        }
    }

    fn object(&mut self, node: usize, levels: usize) -> Option<()> {
        let nodes = self.nodes;
        let CheckedNode::Object { shape, members, required, .. } = &nodes[node] else { return None };
        let shape = self.shapes.get(*shape);
        let (mut seen, mut next) = (0_u64, 0);
        self.at += 1;
        self.skip_space();
        if !self.takes(b'}') {
            loop {
                // Keys mostly come in the order of the schema.
                let index = match shape.properties.get(next) {
                    Some(property) if self.takes_key(&property.name) => next,
                    _ => {
                        let key = self.quoted()?;
                        shape.index_of(key.text(&self.string), next)?
                    }
                };
                let bit = 1 << index;
                if seen & bit != 0 {
                    return None;
                }
                (seen, next) = (seen | bit, index + 1);
                self.skip_space();
                self.expect(b':')?;
                self.skip_space();
                self.value(members[index], levels)?;
                self.skip_space();
                if self.takes(b'}') {
                    break;
                }
                self.expect(b',')?;
                self.skip_space();
            }
        }
        (required & !seen == 0).then_some(())
    }

    fn list(&mut self, node: usize, levels: usize) -> Option<()> {
        let nodes = self.nodes;
        let CheckedNode::List { items, min, max, .. } = &nodes[node] else { return None };
        let mut count = 0;
        self.at += 1;
        self.skip_space();
        if !self.takes(b']') {
            loop {
                self.value(*items, levels)?;
                count += 1;
                self.skip_space();
                if self.takes(b']') {
                    break;
                }
                self.expect(b',')?;
                self.skip_space();
            }
        }
        (*min..=*max).contains(&count).then_some(())
    }

    fn string(&mut self, node: usize) -> Option<()> {
        let quoted = self.quoted()?;
        let text = quoted.text(&self.string);
        if may_be_placeholder(text) || matches!(quoted, Quoted::Unescaped) && has_unclear_escape(text) {
            return None;
        }
        match &self.nodes[node] {
            CheckedNode::Scalar { texts, .. } if texts.take(text) => Some(()),
            _ => {
                if let Quoted::Plain(text) = quoted {
                    self.string.clear();
                    self.string.push_str(text);
                }
                let value = Value::String(std::mem::take(&mut self.string));
                self.scalar(node, &value)?;
                if let Value::String(string) = value {
                    self.string = string;
                }
                Some(())
            }
        }
    }

    fn word(&mut self, word: &str, node: usize, value: &Value) -> Option<()> {
        self.rest().starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        self.scalar(node, value)
    }

    fn number(&mut self, node: usize) -> Option<()> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = self.rest().iter().take_while(|byte| is_part(byte)).count();
        let digits = &self.rest()[..length];
        self.at += length;
        let is_known = match &self.nodes[node] {
            CheckedNode::Scalar { numbers, .. } => {
                small_number(digits).is_some_and(|number| numbers.take(number))
            }
            _ => false,
        };
        if is_known {
            return Some(());
        }
        let number = serde_json::from_slice(digits).ok()?;
        self.scalar(node, &Value::Number(number))
    }

    fn scalar(&self, node: usize, value: &Value) -> Option<()> {
        let is_allowed = match &self.nodes[node] {
            CheckedNode::Scalar { shape, bounds, .. } => {
                self.shapes.keep(*shape, value, self.null_reading)
                    && bounds.as_ref().is_none_or(|bounds| bounds.allow(value))
            }
            CheckedNode::List { allows_null, .. } | CheckedNode::Object { allows_null, .. } => {
                *allows_null && value.is_null()
            }
        };
        is_allowed.then_some(())
    }

    /// Passes a string. The text of one with escapes is put into `self.string`.
    fn quoted(&mut self) -> Option<Quoted<'c>> {
        self.expect(b'"')?;
        let start = self.at;
        let mut is_escaped = false;
        loop {
            self.at += plain_length(self.rest());
            match self.peek()? {
                b'"' => break,
                b'\\' => (self.at, is_escaped) = (self.at + 2, true),
                _ => return None,
            }
        }
        let text = self.text.get(start..self.at)?;
        self.at += 1;
        if !is_escaped {
            return Some(Quoted::Plain(text));
        }
        self.string = serde_json::from_str(self.text.get(start - 1..self.at)?).ok()?;
        Some(Quoted::Unescaped)
    }

    /// Passes the string `key`, which has nothing to escape, if it comes next.
    fn takes_key(&mut self, key: &str) -> bool {
        let quoted = self.rest().get(..key.len() + 2);
        let is_next = quoted
            .is_some_and(|quoted| matches!(quoted, [b'"', inside @ .., b'"'] if inside == key.as_bytes()));
        if is_next {
            self.at += key.len() + 2;
        }
        is_next
    }

    /// The bytes that were not passed, if any are left.
    fn rest(&self) -> &'c [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }
}

/// A string of the text.
#[derive(Debug, Clone, Copy)]
enum Quoted<'t> {
    /// As it is written.
    Plain(&'t str),
    /// It has escapes; its text is in the memory of the pass.
    Unescaped,
}

impl<'t> Quoted<'t> {
    fn text<'a>(self, unescaped: &'a str) -> &'a str
    where
        't: 'a,
    {
        match self {
            Self::Plain(text) => text,
            Self::Unescaped => unescaped,
        }
    }
}

/// The number of bytes before the first that ends a string, starts an escape, or has to be escaped.
fn plain_length(text: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let each = |byte: u8| ONES * u64::from(byte);
    // The highest bit of each byte that is zero (and of some after it).
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & each(0x80);
    let mut length = 0;
    for eight in text.chunks_exact(8) {
        let word = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        let below_space = word.wrapping_sub(each(0x20)) & !word & each(0x80);
        let ends = below_space | zeros(word ^ each(b'"')) | zeros(word ^ each(b'\\'));
        if ends != 0 {
            return length + ends.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let is_plain = |byte: &&u8| **byte >= 0x20 && !matches!(byte, b'"' | b'\\');
    length + text[length..].iter().take_while(is_plain).count()
}

/// Reads a number of at most 15 digits without an exponent. A whole number of so many digits is exact as a
/// double, and so is the power of ten, so their quotient is the double nearest to the number.
fn small_number(text: &[u8]) -> Option<SmallNumber> {
    const MOST: usize = 15;
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let point = digits.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = digits.split_at(point.unwrap_or(digits.len()));
    let is_whole = matches!(whole, [b'0'] | [b'1'..=b'9', ..]);
    if !is_whole || digits.len() - usize::from(point.is_some()) > MOST || fraction.len() == 1 {
        return None;
    }
    let mut mantissa = 0_u64;
    for byte in whole.iter().chain(fraction.get(1..).unwrap_or_default()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        mantissa = 10 * mantissa + u64::from(byte - b'0');
    }
    // `-0` is no integer for `serde_json`.
    let is_negative = digits.len() < text.len();
    if is_negative && mantissa == 0 {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "it has at most 15 digits")]
    let size = mantissa as f64 / POWERS[fraction.len().saturating_sub(1)];
    Some(SmallNumber { value: if is_negative { -size } else { size }, has_fraction: point.is_some() })
}

/// The powers of ten.
const POWERS: [f64; 15] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14];

#[cfg(test)]
mod tests {
    use serde_json::Number;

    use super::*;

    #[test]
    fn a_small_number_is_the_double_that_serde_json_reads() {
        for text in [
            "0",
            "7",
            "-7",
            "2.5",
            "-0.1",
            "0.10",
            "123456789.012345",
            "999999999999999",
            "0.00000000000001",
            "1.0",
        ] {
            let number = small_number(text.as_bytes()).unwrap();
            let theirs: Number = serde_json::from_str(text).unwrap();
            assert_eq!(Some(number.value), theirs.as_f64(), "{text}");
            assert_eq!(number.has_fraction, theirs.is_f64(), "{text}");
        }
        for text in [
            "",
            "-",
            "01",
            "1.",
            ".5",
            "-0",
            "-0.0",
            "1e3",
            "1.5.2",
            "+1",
            "1-2",
            "1234567890123456",
            "1.2.3",
        ] {
            assert_eq!(small_number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_string_ends_at_its_first_quote_escape_or_control_character() {
        for lead in 0..20 {
            for (byte, is_end) in
                (0..=u8::MAX).map(|byte| (byte, byte < 0x20 || matches!(byte, b'"' | b'\\')))
            {
                for rest in [&b""[..], b"abcdefghijkl", b"\"\"\"\"\"\"\"\"\"\""] {
                    let text = [&b"x\xc3\xa9xxxxxxxxxxxxxxxxxxxxxxx"[..lead], &[byte], rest].concat();
                    let after = rest.iter().position(|byte| *byte == b'"').unwrap_or(rest.len());
                    let expected = if is_end { lead } else { lead + 1 + after };
                    assert_eq!(plain_length(&text), expected, "{text:?}");
                }
            }
        }
    }
}
