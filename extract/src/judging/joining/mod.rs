//! Decides whether a text that an agent added to a cut reply continues it.
//!
//! An agent that should continue may write everything again, repeat the end of what is there, or
//! announce that it continues. In the middle of a string, each of these joins to a valid value, and
//! a wrong one. So a join is accepted only if it is strict JSON ([`StrictText`]), and if the addition
//! neither repeats the text (`repeated`) nor starts with words about continuing (`preamble`).
//! Otherwise the agent is asked for the rest, or for the whole again.
//!
//! Three bytes or less that are repeated inside a word or a number are not noticed: `ba` and `anana`
//! may be `banana`, or `baanana`.

mod signs;

use std::{borrow::Cow, mem};

use self::signs::{JoinSign, StringEnd, TextEnd};
use crate::vocabulary::tokens::Bracket;

/// How an addition relates to the text before it. The worst is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextJoin {
    Continues,
    /// So far it may continue the text, and may as well be something else.
    Undecided,
    /// It does not continue the text, or nobody can tell.
    Unclear,
}

/// The text of a value that was cut, and that an addition may continue.
#[derive(Clone)]
pub(crate) struct CutText {
    end: StrictText,
    /// The text without white space between tokens.
    kept: Vec<u8>,
}

/// Whether more may follow an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdditionEnd {
    Final,
    MayGrow,
}

impl CutText {
    /// `text` starts with the value. `None` if it is not strict JSON, or not cut inside a bracket or
    /// string.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let (mut end, mut kept) = (StrictText::new(), Vec::new());
        let scanned = end.scan(text, &mut kept);
        (scanned == ScanEffect::Open && end.is_open()).then_some(Self { end, kept })
    }

    /// How `addition` relates to the text. If it is final, it has to
    /// complete the value.
    pub(crate) fn join(&self, addition: &str, end: AdditionEnd) -> TextJoin {
        let mut kept = Vec::new();
        let scanned = self.end.clone().scan(addition, &mut kept);
        let is_complete = match scanned {
            ScanEffect::Broken => return TextJoin::Unclear,
            ScanEffect::Closed(end) if !is_prose(&addition[end..]) => return TextJoin::Unclear,
            ScanEffect::Closed(_) => true,
            ScanEffect::Open => false,
        };
        let signs = [self.preamble(addition), self.end().repeated_by(&kept)];
        if signs.contains(&JoinSign::Yes) {
            TextJoin::Unclear
        } else if is_complete {
            TextJoin::Continues
        } else if end == AdditionEnd::Final {
            TextJoin::Unclear
        } else if signs.contains(&JoinSign::Maybe) {
            TextJoin::Undecided
        } else {
            TextJoin::Continues
        }
    }

    /// Returns whether `addition` writes the whole value again, from the same start on. Other words
    /// may be around it, but no other value.
    pub(crate) fn is_restarted_by(&self, addition: &str) -> bool {
        let Some(start) = addition.find(['{', '[']) else { return false };
        let (before, text) = addition.split_at(start);
        if !is_prose(before) || before.trim_start().starts_with([',', ':']) {
            return false;
        }
        let mut kept = Vec::new();
        let ScanEffect::Closed(end) = StrictText::new().scan(text, &mut kept) else { return false };
        // A list in a list starts like the whole.
        let is_telling = self.kept.iter().any(|byte| *byte != b'[');
        is_telling && kept.starts_with(&self.kept) && is_prose(&text[end..])
    }

    fn end(&self) -> TextEnd<'_> {
        TextEnd { text: &self.kept, token: self.end.token(), is_in_string: self.end.is_in_string() }
    }

    fn preamble(&self, addition: &str) -> JoinSign {
        let Some(bytes) = self.end.token().filter(|_| self.end.is_in_string()) else { return JoinSign::No };
        let before = String::from_utf8_lossy(&self.kept[self.kept.len() - bytes.min(4)..]);
        let (inside, end) = match end_of_string(addition) {
            Some(end) => (&addition[..end], StringEnd::Closed),
            None => (addition, StringEnd::Open),
        };
        signs::sign(inside, end, before.chars().next_back())
    }
}

/// Returns whether `addition` starts with the end of `text`, a string that was cut: with its last word, or
/// with more than can be there twice by chance.
pub(crate) fn repeats_end(text: &str, addition: &str) -> bool {
    let end = TextEnd { text: text.as_bytes(), token: Some(text.len()), is_in_string: true };
    end.repeated_by(addition.as_bytes()) == JoinSign::Yes
}

/// Where the quote is that ends an open string.
fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// Returns whether `text` around a value is only prose.
fn is_prose(text: &str) -> bool {
    !text.contains(['{', '}', '[', ']', '"'])
}

/// Additions up to this length are checked with every delta. Longer ones are checked when they have
/// grown by a quarter, so that many small deltas take no longer than one.
const SHORT: usize = 64;

/// An addition that is being written.
#[derive(Clone)]
pub(crate) struct JoinWatch {
    /// The texts that it may continue, and where in `held` each ends.
    cuts: Vec<(CutText, usize)>,
    held: String,
    /// Bytes of `held` when it was last checked.
    checked: usize,
    is_unclear: bool,
}

impl JoinWatch {
    /// Watches what follows `held`. Each of `cuts` is a text that ends at this byte of `held`.
    pub(crate) fn new(cuts: Vec<(CutText, usize)>, held: String) -> Self {
        Self { cuts, held, checked: 0, is_unclear: false }
    }

    /// The text to show after `delta` was added. Nothing while it may still be something other than
    /// a continuation, and nothing at all once it is.
    pub(crate) fn push<'d>(&mut self, delta: &'d str) -> Cow<'d, str> {
        if self.is_unclear {
            return Cow::Borrowed("");
        }
        if self.cuts.is_empty() {
            let held = mem::take(&mut self.held);
            return if held.is_empty() { Cow::Borrowed(delta) } else { Cow::Owned(held + delta) };
        }
        self.held.push_str(delta);
        if self.held.len() > SHORT && self.held.len() < self.checked + self.checked / 4 {
            return Cow::Borrowed("");
        }
        self.checked = self.held.len();
        let joins = self.cuts.iter().map(|(cut, at)| cut.join(&self.held[*at..], AdditionEnd::MayGrow));
        match joins.max().unwrap_or(TextJoin::Continues) {
            TextJoin::Continues => {
                self.cuts.clear();
                Cow::Owned(mem::take(&mut self.held))
            }
            TextJoin::Undecided => Cow::Borrowed(""),
            TextJoin::Unclear => {
                (self.is_unclear, self.held) = (true, String::new());
                Cow::Borrowed("")
            }
        }
    }
}

/// Deepest nesting that is followed, as in a reply that was cut.
const MAX_LEVELS: usize = 256;

/// Maximum bytes of a number that is followed.
const MAX_WORD: usize = 1_024;

/// Where a scan of strict JSON is.
#[derive(Debug, Clone)]
struct StrictText {
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
enum ScanEffect {
    /// The value is not complete.
    Open,
    /// The value ends before this byte of the text.
    Closed(usize),
    /// It is not strict JSON.
    Broken,
}

impl StrictText {
    fn new() -> Self {
        Self { levels: Vec::new(), next: NextToken::Value, word: String::new(), token: 0 }
    }

    /// Returns whether a string is open.
    fn is_in_string(&self) -> bool {
        matches!(self.next, NextToken::Inside(_) | NextToken::Escape(_) | NextToken::Hex(..))
    }

    /// Bytes of the open string or of the word that is being written; `None` if there is neither.
    fn token(&self) -> Option<usize> {
        (self.is_in_string() || self.next == NextToken::Word).then_some(self.token)
    }

    /// Returns whether a bracket or string is open. A bare number or literal at the root is not:
    /// nothing shows where it ends.
    fn is_open(&self) -> bool {
        !self.levels.is_empty() || self.is_in_string()
    }

    /// Scans `text`, which follows what was scanned before, up to the end of the value. Appends the
    /// text to `kept`, without the white space between tokens.
    fn scan(&mut self, text: &str, kept: &mut Vec<u8>) -> ScanEffect {
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
        let word = mem::take(&mut self.word);
        serde_json::from_str::<serde_json::Value>(&word).is_ok()
    }
}

/// Returns whether `byte` can be part of a number or a literal.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}
