//! Looking at a text without moving.

/// A kind of quote. What may close it stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `“` and `„`, closed by `”`, `“` or `"`.
    SmartDouble,
    /// `‘`, `` ` `` and `´`, closed by any single one.
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

/// Length in bytes of what at byte `at` may close a text that `quote` opened.
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

pub(in crate::reading) fn is_space(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{180e}' | '\u{ad}')
}

/// The first byte at or after `at` that is no whitespace.
pub(super) fn past_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_start_matches(is_space).len())
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.') || byte >= 0x80
}

/// The JSON of the constant that `word` is in one of the languages models have in their heads.
pub(super) fn constant(word: &str) -> Option<&'static str> {
    if word.len() > 9 {
        return None;
    }
    match word.to_ascii_lowercase().as_str() {
        "true" => Some("true"),
        "false" => Some("false"),
        "null" | "none" | "nil" | "undefined" => Some("null"),
        _ => None,
    }
}
