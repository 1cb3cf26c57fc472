//! Scans strict JSON that may end anywhere, and goes on with the text that follows.

use crate::vocabulary::tokens::Bracket;

/// Deepest nesting that is followed, as in a reply that was cut.
const MAX_LEVELS: usize = 256;

/// Maximum bytes of a number that is followed.
const MAX_WORD: usize = 1_024;

/// Where a scan of strict JSON is.
#[derive(Debug, Clone)]
pub(super) struct StrictText {
    /// The open brackets.
    levels: Vec<Bracket>,
    next: NextToken,
    /// The number or literal that is being written.
    word: String,
    /// Bytes of the string or word that is being written, without its opening quote.
    token: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextToken {
    Value,
    /// A value, or the end of the list.
    FirstElement,
    /// A key, or the end of the object.
    FirstKey,
    Key,
    Colon,
    /// A comma or a closing bracket.
    Comma,
    /// More of a string.
    Inside(StringRole),
    /// The character after a backslash.
    Escape(StringRole),
    /// So many more hexadecimal digits.
    Hex(StringRole, u8),
    /// More of a number or literal.
    Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringRole {
    Key,
    Value,
}

/// The effect of a text on the scanned value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanEffect {
    /// The value is not complete.
    Open,
    /// The value ends before this byte of the text.
    Closed(usize),
    /// It is not strict JSON.
    Broken,
}

impl StrictText {
    pub(super) fn new() -> Self {
        Self { levels: Vec::new(), next: NextToken::Value, word: String::new(), token: 0 }
    }

    /// Returns whether a string is open.
    pub(super) fn is_in_string(&self) -> bool {
        matches!(self.next, NextToken::Inside(_) | NextToken::Escape(_) | NextToken::Hex(..))
    }

    /// Bytes of the open string or of the word that is being written; `None` if there is neither.
    pub(super) fn token(&self) -> Option<usize> {
        (self.is_in_string() || self.next == NextToken::Word).then_some(self.token)
    }

    /// Returns whether a bracket or string is open. A bare number or literal at the root is not:
    /// nothing shows where it ends.
    pub(super) fn is_open(&self) -> bool {
        !self.levels.is_empty() || self.is_in_string()
    }

    /// Scans `text`, which follows what was scanned before, up to the end of the value. Appends the
    /// text to `kept`, without the white space between tokens.
    pub(super) fn scan(&mut self, text: &str, kept: &mut Vec<u8>) -> ScanEffect {
        for (at, byte) in text.bytes().enumerate() {
            let is_between = !self.is_in_string() && byte.is_ascii_whitespace();
            if self.next == NextToken::Word && !is_of_word(byte) && !self.end_word() {
                return ScanEffect::Broken;
            }
            let Some(next) = self.step(byte) else { return ScanEffect::Broken };
            self.token = if matches!(
                self.next,
                NextToken::Inside(_) | NextToken::Escape(_) | NextToken::Hex(..) | NextToken::Word
            ) {
                self.token + 1
            } else {
                usize::from(next == NextToken::Word)
            };
            self.next = next;
            if !is_between {
                kept.push(byte);
            }
            if self.next == NextToken::Comma && self.levels.is_empty() {
                return ScanEffect::Closed(at + 1);
            }
        }
        ScanEffect::Open
    }

    /// Returns the state after `byte`; `None` if it is not allowed here.
    fn step(&mut self, byte: u8) -> Option<NextToken> {
        Some(match (self.next, byte) {
            (NextToken::Inside(StringRole::Key), b'"') => NextToken::Colon,
            (NextToken::Inside(StringRole::Value), b'"') => NextToken::Comma,
            (NextToken::Inside(role), b'\\') => NextToken::Escape(role),
            (NextToken::Inside(_), 0..b' ') => return None,
            (NextToken::Inside(role), _) => NextToken::Inside(role),
            (NextToken::Escape(role), b'u') => NextToken::Hex(role, 4),
            (NextToken::Escape(role), b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                NextToken::Inside(role)
            }
            (NextToken::Hex(role, left), _) if byte.is_ascii_hexdigit() => match left {
                1 => NextToken::Inside(role),
                left => NextToken::Hex(role, left - 1),
            },
            (NextToken::Escape(_) | NextToken::Hex(..), _) => return None,
            (next, b' ' | b'\t' | b'\n' | b'\r') => next,
            (NextToken::Value | NextToken::FirstElement, b'{' | b'[') => {
                self.open(if byte == b'[' { Bracket::List } else { Bracket::Object })?
            }
            (NextToken::FirstElement | NextToken::Comma, b']') => self.close(Bracket::List)?,
            (NextToken::FirstKey | NextToken::Comma, b'}') => self.close(Bracket::Object)?,
            (NextToken::Comma, b',') => match self.levels.last()? {
                Bracket::List => NextToken::Value,
                Bracket::Object => NextToken::Key,
            },
            (NextToken::Colon, b':') => NextToken::Value,
            (NextToken::FirstKey | NextToken::Key, b'"') => NextToken::Inside(StringRole::Key),
            (NextToken::Value | NextToken::FirstElement, b'"') => NextToken::Inside(StringRole::Value),
            (NextToken::Value | NextToken::FirstElement | NextToken::Word, _) if is_of_word(byte) => {
                self.word.push(char::from(byte));
                (self.word.len() <= MAX_WORD).then_some(NextToken::Word)?
            }
            _ => return None,
        })
    }

    fn open(&mut self, bracket: Bracket) -> Option<NextToken> {
        self.levels.push(bracket);
        let first = match bracket {
            Bracket::List => NextToken::FirstElement,
            Bracket::Object => NextToken::FirstKey,
        };
        (self.levels.len() <= MAX_LEVELS).then_some(first)
    }

    fn close(&mut self, bracket: Bracket) -> Option<NextToken> {
        (self.levels.pop()? == bracket).then_some(NextToken::Comma)
    }

    /// Ends the word. Returns whether it is a number or a literal of JSON.
    fn end_word(&mut self) -> bool {
        self.next = NextToken::Comma;
        let word = std::mem::take(&mut self.word);
        serde_json::from_str::<serde_json::Value>(&word).is_ok()
    }
}

/// Returns whether `byte` can be part of a number or a literal.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}
