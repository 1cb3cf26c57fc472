//! The tokens of strict JSON that a delta may split: strings, numbers and words.

use serde_json::{Number, Value};

use crate::reading::parse::plain_bytes;

/// Not strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotStrict;

/// The inside of a string, after its opening quote.
#[derive(Debug, Default)]
pub(super) struct StringToken {
    escape: Escape,
    /// The first half of a surrogate pair; the second half has to follow at once.
    high: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    None,
    Backslash,
    /// Behind `\u` and this many digits.
    Hex(u8, u16),
}

/// The bytes that stand for themselves in a string.
const PLAIN: [bool; 256] = plain_bytes(b"\"");

fn is_special(byte: u8) -> bool {
    !PLAIN[usize::from(byte)]
}

/// Returns whether all of `text` stands for itself in a string.
pub(super) fn is_plain(text: &str) -> bool {
    !text.bytes().any(is_special)
}

impl StringToken {
    /// Returns whether it is not inside an escape.
    pub(super) fn is_plain(&self) -> bool {
        self.escape == Escape::None && self.high.is_none()
    }

    /// Appends to `out` the part of the string that is in `delta` from byte `at` on. Returns
    /// whether the string ends there.
    pub(super) fn read(&mut self, delta: &str, at: &mut usize, out: &mut String) -> Result<bool, NotStrict> {
        loop {
            if self.is_plain() {
                let rest = &delta[*at..];
                let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
                out.push_str(&rest[..plain]);
                *at += plain;
            }
            let Some(byte) = delta.as_bytes().get(*at).copied() else { return Ok(false) };
            match self.escape {
                Escape::None => match byte {
                    b'\\' => self.escape = Escape::Backslash,
                    b'"' if self.high.is_none() => {
                        *at += 1;
                        return Ok(true);
                    }
                    // A control character, or no second half after the first.
                    _ => return Err(NotStrict),
                },
                Escape::Backslash => self.escaped(byte, out)?,
                Escape::Hex(count, code) => self.hex(byte, count, code, out)?,
            }
            *at += 1;
        }
    }

    fn escaped(&mut self, byte: u8, out: &mut String) -> Result<(), NotStrict> {
        if byte == b'u' {
            self.escape = Escape::Hex(0, 0);
            return Ok(());
        }
        if self.high.is_some() {
            return Err(NotStrict);
        }
        self.escape = Escape::None;
        out.push(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            // Also a backspace and a form feed, which are never meant; see `strict::has_unclear_escape`.
            _ => return Err(NotStrict),
        });
        Ok(())
    }

    fn hex(&mut self, byte: u8, count: u8, code: u16, out: &mut String) -> Result<(), NotStrict> {
        let digit = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
        let code = code << 4 | digit.ok_or(NotStrict)?;
        if count < 3 {
            self.escape = Escape::Hex(count + 1, code);
            return Ok(());
        }
        self.escape = Escape::None;
        let units = [self.high.take(), Some(code)];
        let mut chars = char::decode_utf16(units.into_iter().flatten());
        match (chars.next(), chars.next()) {
            (Some(Ok(char)), None) => out.push(char),
            (Some(Err(_)), None) if (0xD800..0xDC00).contains(&code) => self.high = Some(code),
            _ => return Err(NotStrict),
        }
        Ok(())
    }
}

/// How far a number has been read (RFC 8259, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberToken {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    ESign,
    Exponent,
}

impl NumberToken {
    /// The number that starts with `byte`.
    pub(super) fn of(byte: u8) -> Option<Self> {
        match byte {
            b'-' => Some(Self::Minus),
            b'0' => Some(Self::Zero),
            b'1'..=b'9' => Some(Self::Integer),
            _ => None,
        }
    }

    /// The state after `byte`; `None` if the byte does not belong to the number.
    pub(super) fn with(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Some(Self::Integer),
            (Self::Zero | Self::Integer, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Some(Self::E),
            (Self::E, b'+' | b'-') => Some(Self::ESign),
            (Self::E | Self::ESign | Self::Exponent, b'0'..=b'9') => Some(Self::Exponent),
            _ => None,
        }
    }

    /// The number written as `digits`, if it may end here and can be represented.
    pub(super) fn end(self, digits: &str) -> Result<Number, NotStrict> {
        match self {
            // Every integer of this few digits fits; `-0` is a double.
            Self::Integer if digits.len() <= 18 => {
                digits.parse::<i64>().map(Number::from).map_err(|_| NotStrict)
            }
            Self::Zero | Self::Integer | Self::Fraction | Self::Exponent => {
                match serde_json::from_str(digits) {
                    Ok(Value::Number(number)) => Ok(number),
                    _ => Err(NotStrict),
                }
            }
            Self::Minus | Self::Point | Self::E | Self::ESign => Err(NotStrict),
        }
    }
}

/// `true`, `false` or `null`, and how many of its bytes have been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    word: &'static str,
    seen: usize,
}

impl Word {
    /// The word that starts with `byte`.
    pub(super) fn of(byte: u8) -> Option<Self> {
        let word = ["true", "false", "null"].into_iter().find(|word| word.as_bytes()[0] == byte)?;
        Some(Self { word, seen: 1 })
    }

    /// Reads `byte`. Returns whether it completes the word.
    pub(super) fn read(&mut self, byte: u8) -> Result<bool, NotStrict> {
        if self.word.as_bytes().get(self.seen) != Some(&byte) {
            return Err(NotStrict);
        }
        self.seen += 1;
        Ok(self.seen == self.word.len())
    }

    /// The boolean that the word stands for; `None` for null.
    pub(super) fn meaning(self) -> Option<bool> {
        match self.word {
            "null" => None,
            word => Some(word == "true"),
        }
    }
}
