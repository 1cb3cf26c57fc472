//! Lookahead that does not move the parser, and the whitespace and comments between tokens.

use super::Parser;
use crate::{
    reading::slip::Edit,
    vocabulary::change::{ChangeKind, Loss},
};

/// A kind of quote, and what may close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `“` and `„`, closed by `”`, `“` or `"`.
    SmartDouble,
    /// `‘`, `` ` `` and `´`, closed by any single quote.
    SmartSingle,
}

/// The quote at byte `at` of `text`, and its length in bytes.
pub(super) fn quote_at(text: &str, at: usize) -> Option<(Quote, usize)> {
    match text.as_bytes().get(at)? {
        b'"' => Some((Quote::Double, 1)),
        b'\'' => Some((Quote::Single, 1)),
        b'`' if !text.as_bytes()[at..].starts_with(b"```") => Some((Quote::SmartSingle, 1)),
        0xc2 | 0xe2 => {
            let c = text[at..].chars().next()?;
            let quote = match c {
                '“' | '”' | '„' => Quote::SmartDouble,
                '‘' | '’' | '´' => Quote::SmartSingle,
                _ => return None,
            };
            Some((quote, c.len_utf8()))
        }
        _ => None,
    }
}

/// Length in bytes of the quote at byte `at`, if it may close a string that `quote` opened.
pub(super) fn closer_at(text: &str, at: usize, quote: Quote) -> Option<usize> {
    let (found, length) = quote_at(text, at)?;
    let c = text.as_bytes()[at];
    let does_close = match quote {
        Quote::Double => c == b'"',
        Quote::Single => c == b'\'',
        Quote::SmartDouble => matches!(found, Quote::SmartDouble | Quote::Double),
        Quote::SmartSingle => matches!(found, Quote::SmartSingle | Quote::Single),
    };
    does_close.then_some(length)
}

pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{180e}' | '\u{ad}')
}

/// Returns whether `at` is the start of a quote prefix (`> `), which e-mail and Markdown put before
/// each line.
fn is_quotation(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    bytes.get(at) == Some(&b'>')
        && bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'\n')
}

/// The first byte at or after `at` that is not whitespace.
pub(super) fn past_space(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at;
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) || is_quotation(text, at) {
        at += 1;
    }
    match bytes.get(at) {
        Some(0x0b | 0x0c | 0x80..) => {
            let rest = text.get(at..).unwrap_or_default();
            at + (rest.len() - rest.trim_start_matches(is_space).len())
        }
        _ => at,
    }
}

/// The sign of JSON that the character at byte `at` stands for in another script, and its length in
/// bytes. `|` parts elements where models list alternatives.
pub(super) fn foreign_sign(text: &str, at: usize) -> Option<(u8, usize)> {
    let sign = match text.as_bytes().get(at)? {
        b'|' => return Some((b',', 1)),
        0xd8 | 0xe3 | 0xef => match text.get(at..)?.chars().next()? {
            '，' | '、' | '،' | '；' | '؛' => b',',
            '：' => b':',
            '｛' => b'{',
            '｝' => b'}',
            '［' => b'[',
            '］' => b']',
            _ => return None,
        },
        _ => return None,
    };
    Some((sign, text[at..].chars().next()?.len_utf8()))
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.') || byte >= 0x80
}

/// The JSON of the constant `word`, in any language that models know.
pub(super) fn constant(word: &str) -> Option<&'static str> {
    const CONSTANTS: [(&str, &str); 6] = [
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ("none", "null"),
        ("nil", "null"),
        ("undefined", "null"),
    ];
    if !matches!(word.len(), 3..=9) || !word.as_bytes()[0].is_ascii_alphabetic() {
        return None;
    }
    let is_meant = |(name, _): &&(&str, &str)| word.eq_ignore_ascii_case(name);
    CONSTANTS.iter().find(is_meant).map(|(_, json)| *json)
}

impl Parser<'_> {
    /// Skips whitespace and comments.
    pub(super) fn space(&mut self) {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += 1;
            }
            let start = self.at;
            if self.slip.take_if(|slip| slip.at == start && slip.edit == Edit::Delete).is_some() {
                self.at += 1;
                continue;
            }
            match self.peek() {
                Some(b'/') if self.starts_with("//") => self.comment(start, self.line_end(start)),
                Some(b'/') if self.starts_with("/*") => self.block_comment(start),
                Some(b'#') => self.comment(start, self.line_end(start)),
                Some(b'>') if is_quotation(self.text, start) => {
                    self.at += 1;
                    self.note(ChangeKind::Space, Loss::Lossless, start..self.at, " ");
                }
                Some(0x0b | 0x0c | 0x80..) => {
                    self.at = past_space(self.text, start);
                    if self.at == start {
                        return;
                    }
                    self.note(ChangeKind::Space, Loss::Lossless, start..self.at, " ");
                }
                _ => return,
            }
        }
    }

    fn line_end(&self, start: usize) -> usize {
        self.text[start..].find('\n').map_or(self.text.len(), |length| start + length)
    }

    fn block_comment(&mut self, start: usize) {
        let end = self.text[start + 2..].find("*/").map_or(self.text.len(), |length| start + length + 4);
        self.comment(start, end);
    }

    fn comment(&mut self, start: usize, end: usize) {
        self.note(ChangeKind::Comment, Loss::Ignored, start..end, "");
        self.at = end;
    }
}
