//! Scans strict JSON that may end anywhere, and goes on with the text that follows.

/// Deepest nesting that is followed, as in a reply that was cut.
const MAX_LEVELS: usize = 256;

/// Maximum bytes of a number that is followed.
const MAX_WORD: usize = 1_024;

/// Where a scan of strict JSON is.
#[derive(Debug, Clone)]
pub(super) struct StrictText {
    /// The open brackets: whether each opens a list.
    levels: Vec<bool>,
    next: Next,
    /// The number or literal that is being written.
    word: String,
    /// Bytes of the string or word that is being written, without its opening quote.
    token: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
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
    Inside(Role),
    /// The character after a backslash.
    Escape(Role),
    /// So many more hexadecimal digits.
    Hex(Role, u8),
    /// More of a number or literal.
    Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    Value,
}

/// The effect of a text on the scanned value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scanned {
    /// The value is not complete.
    Open,
    /// The value ends before this byte of the text.
    Closed(usize),
    /// It is not strict JSON.
    Broken,
}

impl StrictText {
    pub(super) fn new() -> Self {
        Self { levels: Vec::new(), next: Next::Value, word: String::new(), token: 0 }
    }

    /// Returns whether a string is open.
    pub(super) fn is_in_string(&self) -> bool {
        matches!(self.next, Next::Inside(_) | Next::Escape(_) | Next::Hex(..))
    }

    /// Bytes of the open string or of the word that is being written; `None` if there is neither.
    pub(super) fn token(&self) -> Option<usize> {
        (self.is_in_string() || self.next == Next::Word).then_some(self.token)
    }

    /// Returns whether a bracket or string is open. A bare number or literal at the root is not:
    /// nothing shows where it ends.
    pub(super) fn is_open(&self) -> bool {
        !self.levels.is_empty() || self.is_in_string()
    }

    /// Scans `text`, which follows what was scanned before, up to the end of the value. Appends the
    /// text to `kept`, without the white space between tokens.
    pub(super) fn scan(&mut self, text: &str, kept: &mut Vec<u8>) -> Scanned {
        for (at, byte) in text.bytes().enumerate() {
            let is_between = !self.is_in_string() && byte.is_ascii_whitespace();
            if self.next == Next::Word && !is_of_word(byte) && !self.end_word() {
                return Scanned::Broken;
            }
            let Some(next) = self.step(byte) else { return Scanned::Broken };
            self.token =
                if matches!(self.next, Next::Inside(_) | Next::Escape(_) | Next::Hex(..) | Next::Word) {
                    self.token + 1
                } else {
                    usize::from(next == Next::Word)
                };
            self.next = next;
            if !is_between {
                kept.push(byte);
            }
            if self.next == Next::Comma && self.levels.is_empty() {
                return Scanned::Closed(at + 1);
            }
        }
        Scanned::Open
    }

    /// Returns the state after `byte`; `None` if it is not allowed here.
    fn step(&mut self, byte: u8) -> Option<Next> {
        Some(match (self.next, byte) {
            (Next::Inside(Role::Key), b'"') => Next::Colon,
            (Next::Inside(Role::Value), b'"') => Next::Comma,
            (Next::Inside(role), b'\\') => Next::Escape(role),
            (Next::Inside(_), 0..b' ') => return None,
            (Next::Inside(role), _) => Next::Inside(role),
            (Next::Escape(role), b'u') => Next::Hex(role, 4),
            (Next::Escape(role), b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                Next::Inside(role)
            }
            (Next::Hex(role, left), _) if byte.is_ascii_hexdigit() => match left {
                1 => Next::Inside(role),
                left => Next::Hex(role, left - 1),
            },
            (Next::Escape(_) | Next::Hex(..), _) => return None,
            (next, b' ' | b'\t' | b'\n' | b'\r') => next,
            (Next::Value | Next::FirstElement, b'{' | b'[') => self.open(byte == b'[')?,
            (Next::FirstElement | Next::Comma, b']') => self.close(true)?,
            (Next::FirstKey | Next::Comma, b'}') => self.close(false)?,
            (Next::Comma, b',') => {
                if *self.levels.last()? {
                    Next::Value
                } else {
                    Next::Key
                }
            }
            (Next::Colon, b':') => Next::Value,
            (Next::FirstKey | Next::Key, b'"') => Next::Inside(Role::Key),
            (Next::Value | Next::FirstElement, b'"') => Next::Inside(Role::Value),
            (Next::Value | Next::FirstElement | Next::Word, _) if is_of_word(byte) => {
                self.word.push(char::from(byte));
                (self.word.len() <= MAX_WORD).then_some(Next::Word)?
            }
            _ => return None,
        })
    }

    fn open(&mut self, is_list: bool) -> Option<Next> {
        self.levels.push(is_list);
        let first = if is_list { Next::FirstElement } else { Next::FirstKey };
        (self.levels.len() <= MAX_LEVELS).then_some(first)
    }

    fn close(&mut self, is_list: bool) -> Option<Next> {
        (self.levels.pop()? == is_list).then_some(Next::Comma)
    }

    /// Ends the word. Returns whether it is a number or a literal of JSON.
    fn end_word(&mut self) -> bool {
        self.next = Next::Comma;
        let word = std::mem::take(&mut self.word);
        serde_json::from_str::<serde_json::Value>(&word).is_ok()
    }
}

/// Returns whether `byte` can be part of a number or a literal.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}
