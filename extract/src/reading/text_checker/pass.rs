//! The bytes of a text, beside the nodes of the schema.
//!
//! It reads strict JSON itself: a general parser would look for strings and keys that are known here.
//! Numbers and strings with escapes, which are few, are read by `serde_json`.

use serde_json::Value;

use super::node::{CheckedNode, SmallNumber};
use crate::reading::{
    gaps::may_be_placeholder,
    shape::{NullReading, Shapes},
    strict::has_unclear_escape,
};

/// The position in a text. `None` from any of its steps means that the text needs a closer look: it is no strict
/// JSON, does not conform, or would be read otherwise.
pub(super) struct CheckPass<'c> {
    pub(super) nodes: &'c [CheckedNode],
    pub(super) shapes: &'c Shapes,
    null_reading: NullReading,
    text: &'c str,
    at: usize,
    /// The text of the last string with escapes. Its memory is reused.
    pub(super) string: String,
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

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Passes a string that `node` takes.
    pub(super) fn string(&mut self, node: usize) -> Option<Quoted<'c>> {
        let quoted = self.quoted()?;
        let text = quoted.text(&self.string);
        if may_be_placeholder(text, self.shapes.keys())
            || matches!(quoted, Quoted::Unescaped) && has_unclear_escape(text)
        {
            return None;
        }
        match &self.nodes[node] {
            CheckedNode::Scalar { texts, .. } if texts.take(text) => {}
            _ => self.scalar(node, &Value::from(text))?,
        }
        Some(quoted)
    }

    /// Passes `true`, `false` or `null`, which is `value`, if `node` takes it.
    pub(super) fn word(&mut self, word: &str, node: usize, value: &Value) -> Option<()> {
        self.rest().starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        self.scalar(node, value)
    }

    /// Passes a number that `node` takes.
    pub(super) fn number(&mut self, node: usize) -> Option<PassedNumber<'c>> {
        let (small, length) = small_number(self.rest()).map_or_else(
            || (None, self.rest().iter().take_while(|byte| is_of_number(**byte)).count()),
            |(number, length)| (Some(number), length),
        );
        let digits = self.text.get(self.at..self.at + length)?;
        self.at += length;
        let is_known = match &self.nodes[node] {
            CheckedNode::Scalar { numbers, .. } => small.is_some_and(|number| numbers.take(number)),
            _ => false,
        };
        if !is_known {
            let number = serde_json::from_str(digits).ok()?;
            self.scalar(node, &Value::Number(number))?;
        }
        Some(PassedNumber { digits, small })
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
    pub(super) fn quoted(&mut self) -> Option<Quoted<'c>> {
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

    /// Passes a bracket and the blanks after it. Returns whether it is closed at once.
    pub(super) fn opens(&mut self, open: u8, close: u8) -> Option<bool> {
        self.expect(open)?;
        self.skip_space();
        Some(self.takes(close))
    }

    /// Passes the closing bracket, or the comma and the blanks before the next item or member. Returns whether it is
    /// the bracket.
    pub(super) fn ends(&mut self, close: u8) -> Option<bool> {
        self.skip_space();
        if self.takes(close) {
            return Some(true);
        }
        self.expect(b',')?;
        self.skip_space();
        Some(false)
    }

    /// Passes the string `key`, which has nothing to escape, if it comes next.
    pub(super) fn takes_key(&mut self, key: &str) -> bool {
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

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }
}

/// A string of the text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quoted<'t> {
    /// As it is written.
    Plain(&'t str),
    /// It has escapes; its text is in the memory of the pass.
    Unescaped,
}

impl<'t> Quoted<'t> {
    pub(super) fn text<'a>(self, unescaped: &'a str) -> &'a str
    where
        't: 'a,
    {
        match self {
            Self::Plain(text) => text,
            Self::Unescaped => unescaped,
        }
    }
}

/// A number of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct PassedNumber<'t> {
    pub(super) digits: &'t str,
    pub(super) small: Option<SmallNumber>,
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

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Most digits of a small number.
const MOST: usize = 15;

/// Reads the number that `text` begins with, if it has at most 15 digits and no exponent, and returns its length.
/// A whole number of so many digits is exact as a double, and so is the power of ten, so their quotient is the
/// double nearest to the number.
fn small_number(text: &[u8]) -> Option<(SmallNumber, usize)> {
    let is_negative = text.first() == Some(&b'-');
    let start = usize::from(is_negative);
    let (mut mantissa, mut length) = (0_u64, start);
    let mut pass_digits = |from: usize| {
        length = from;
        while let Some(digit @ b'0'..=b'9') = text.get(length).filter(|_| length - from <= MOST) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            length += 1;
        }
        length - from
    };
    let whole = pass_digits(start);
    let has_point = text.get(start + whole) == Some(&b'.');
    let fraction = if has_point { pass_digits(start + whole + 1) } else { 0 };
    let is_small = whole + fraction <= MOST && whole > 0 && has_point == (fraction > 0);
    // `-0` is no integer for `serde_json`.
    if !is_small
        || whole > 1 && text[start] == b'0'
        || is_negative && mantissa == 0
        || text.get(length).is_some_and(|byte| is_of_number(*byte))
    {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "it has at most 15 digits")]
    let size = mantissa as f64 / POWERS[fraction];
    let whole = i64::try_from(mantissa).ok().filter(|_| !has_point);
    let signed = |positive: i64| if is_negative { -positive } else { positive };
    let number = SmallNumber { value: if is_negative { -size } else { size }, whole: whole.map(signed) };
    Some((number, length))
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
            let (number, length) = small_number(format!("{text}, 1").as_bytes()).unwrap();
            assert_eq!(length, text.len(), "{text}");
            let theirs: Number = serde_json::from_str(text).unwrap();
            assert_eq!(Some(number.value), theirs.as_f64(), "{text}");
            assert_eq!(number.whole, theirs.as_i64(), "{text}");
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
