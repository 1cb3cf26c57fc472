//! Slips: one bracket or comma too many, too few or of the wrong kind.
//!
//! A slip has one repair or none. [`region`] reads the signs of a value as tokens, as long as the
//! text is JSON apart from its structure. If they do not nest, [`repairs`] tries each edit of one
//! sign. The edits after which everything nests are compared by the value they yield for the
//! contract: if they agree, that is the repair, otherwise the text is not read.

use std::ops::Range;

use super::{note::Note, reply_end::ReplyEnd};
use crate::change::ChangeKind;

/// Most tokens of a text in which a slip is repaired. The time grows with their square in the worst
/// case, and [`MAX_STEPS`] bounds it.
const MAX_TOKENS: usize = 1 << 15;

/// Most steps of the search.
const MAX_STEPS: usize = 1 << 21;

/// Most repairs that are compared.
const MAX_REPAIRS: usize = 64;

/// The change of one sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slip {
    /// The byte of the sign, or the byte before which it is missing.
    pub(super) at: usize,
    pub(super) edit: Edit,
    /// Whether the bracket that closes the value is one of the text.
    pub(super) keeps_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    Insert(u8),
    Delete,
    Replace(u8),
}

impl Slip {
    /// The bytes that it concerns, and the text that is read instead.
    pub(super) fn change(self) -> (Range<usize>, &'static str) {
        match self.edit {
            Edit::Insert(sign) => (self.at..self.at, written(sign)),
            Edit::Delete => (self.at..self.at + 1, ""),
            Edit::Replace(sign) => (self.at..self.at + 1, written(sign)),
        }
    }

    /// Returns whether it changes a bracket of `text`, rather than a comma or colon.
    pub(super) fn is_bracket(self, text: &str) -> bool {
        let is_bracket = |byte: u8| matches!(byte, b'{' | b'}' | b'[' | b']');
        match self.edit {
            Edit::Insert(sign) => is_bracket(sign),
            Edit::Delete => is_bracket(text.as_bytes()[self.at]),
            Edit::Replace(sign) => is_bracket(sign) || is_bracket(text.as_bytes()[self.at]),
        }
    }
}

fn written(sign: u8) -> &'static str {
    match sign {
        b'{' => "{",
        b'}' => "}",
        b'[' => "[",
        b']' => "]",
        b':' => ":",
        _ => ",",
    }
}

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token {
    at: usize,
    kind: TokenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Sign(u8),
    /// A string or a word, which may be a key.
    Name,
    /// A number.
    Number,
}

/// The text of one value, as long as it is JSON apart from its signs.
#[derive(Debug)]
struct Region {
    tokens: Vec<Token>,
    /// The byte after the last token.
    end: usize,
}

/// Reads the tokens of `text` from the bracket at byte `start` on. `Err` with the byte where it stopped
/// if the text has quotes that are not clear, or too many tokens.
fn region(text: &str, start: usize) -> Result<Region, usize> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut end) = (Vec::new(), start, start);
    while let Some(byte) = bytes.get(at).copied() {
        let kind = match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => TokenKind::Sign(byte),
            b'"' => TokenKind::Name,
            b'-' | b'0'..=b'9' => TokenKind::Number,
            _ if byte.is_ascii_alphabetic() || byte == b'_' => TokenKind::Name,
            // The value continues, but not as JSON: `{url:https://…`.
            _ if at == end && at > start && bytes[at - 1] == b':' => return Err(at),
            _ => break,
        };
        let length = match kind {
            TokenKind::Sign(_) => 1,
            _ if byte == b'"' => match string_length(&bytes[at..]) {
                Some(length) => length,
                None => return Err(at),
            },
            _ => word_length(&bytes[at..]),
        };
        if kind == TokenKind::Name && byte != b'"' && !is_in_value(text, at, length) {
            break;
        }
        if tokens.len() == MAX_TOKENS {
            return Err(at);
        }
        tokens.push(Token { at, kind });
        at += length;
        end = at;
    }
    Ok(Region { tokens, end })
}

/// Returns whether the word of `length` bytes at `at` may occur in a value: a constant, or a key
/// with its colon.
fn is_in_value(text: &str, at: usize, length: usize) -> bool {
    let word = &text[at..at + length];
    let is_constant = ["true", "false", "null", "none"].iter().any(|known| word.eq_ignore_ascii_case(known));
    is_constant || text[at + length..].trim_start().starts_with(':')
}

/// The length of the string at the start of `bytes`, if it ends on its line.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

fn word_length(bytes: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
    bytes.iter().take_while(is_part).count().max(1)
}

impl Region {
    /// Returns whether it is one value that nests, or several with at most a comma between two.
    fn is_whole(&self) -> bool {
        let mut walk = Walk::default();
        let mut is_between = false;
        for token in &self.tokens {
            is_between = walk.is_complete();
            if is_between {
                walk = Walk::default();
                if token.kind == TokenKind::Sign(b',') {
                    continue;
                }
            }
            is_between = false;
            if walk.step(token.kind).is_none() {
                return false;
            }
        }
        // A comma after the last value may belong to a sentence.
        is_between || walk.is_complete()
    }

    /// Returns whether the text ends inside it and nothing before shows a slip.
    fn is_start(&self) -> bool {
        let mut walk = Walk::default();
        self.tokens.iter().all(|token| !walk.is_complete() && walk.step(token.kind).is_some())
            && !walk.is_complete()
    }

    /// Returns whether a closing bracket is the last token but `count`.
    fn ends_closed(&self, count: usize) -> bool {
        let last = self.tokens.len().checked_sub(count + 1).map(|index| self.tokens[index].kind);
        matches!(last, Some(TokenKind::Sign(b'}' | b']')))
    }

    /// Returns whether `edit` keeps the bracket that closes the value. A text without it may have
    /// been cut.
    fn keeps_end(&self, at: usize, edit: Edit) -> bool {
        let is_last = self.tokens.last().is_some_and(|token| at >= token.at);
        match edit {
            Edit::Delete => self.ends_closed(usize::from(is_last)),
            Edit::Insert(_) => self.ends_closed(0) && at < self.end,
            Edit::Replace(_) => self.ends_closed(0) && !is_last,
        }
    }

    /// The edits of one sign after which all tokens are one value. `None` if there are too many to
    /// compare.
    fn repairs(&self) -> Option<Vec<Slip>> {
        const SIGNS: [u8; 6] = [b'{', b'}', b'[', b']', b',', b':'];
        let mut found = Vec::new();
        let mut steps = MAX_STEPS;
        let mut before = Walk::default();
        for index in 0..=self.tokens.len() {
            let token = self.tokens.get(index);
            let at = token.map_or(self.end, |token| token.at);
            let mut consider = |edit, first: Option<u8>, rest: &[Token]| {
                if Self::is_repaired(&before, first, rest, &mut steps) {
                    found.push(Slip { at, edit, keeps_end: self.keeps_end(at, edit) });
                }
            };
            for sign in SIGNS {
                consider(Edit::Insert(sign), Some(sign), &self.tokens[index..]);
            }
            if let Some(Token { kind: TokenKind::Sign(here), .. }) = token {
                consider(Edit::Delete, None, &self.tokens[index + 1..]);
                for sign in SIGNS.into_iter().filter(|sign| sign != here) {
                    consider(Edit::Replace(sign), Some(sign), &self.tokens[index + 1..]);
                }
            }
            if steps == 0 || found.len() > MAX_REPAIRS {
                return None;
            }
            let goes_on =
                token.is_some_and(|token| !before.is_complete() && before.step(token.kind).is_some());
            if !goes_on {
                break;
            }
        }
        Some(found)
    }

    /// Returns whether `first` and `rest` complete the value that the walk is in. Uses up `steps`.
    fn is_repaired(before: &Walk, first: Option<u8>, rest: &[Token], steps: &mut usize) -> bool {
        if first.is_none() && before.is_complete() {
            return rest.is_empty();
        }
        let mut walk = before.clone();
        if first.is_some_and(|sign| walk.is_complete() || walk.step(TokenKind::Sign(sign)).is_none()) {
            return false;
        }
        for token in rest {
            *steps = steps.saturating_sub(1);
            if walk.is_complete() || *steps == 0 || walk.step(token.kind).is_none() {
                return false;
            }
        }
        walk.is_complete()
    }
}

/// Walks through the tokens of one value. A comma before a closing bracket is accepted.
#[derive(Debug, Clone, Default)]
struct Walk {
    open: Vec<u8>,
    expected: Expected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expected {
    #[default]
    Value,
    /// An element or the end of the list.
    Item,
    /// A key or the end of the object.
    Key,
    Colon,
    /// A comma or the end.
    Comma,
    Nothing,
}

impl Walk {
    fn is_complete(&self) -> bool {
        self.expected == Expected::Nothing
    }

    /// Passes one token; `None` if it is not allowed here.
    fn step(&mut self, token: TokenKind) -> Option<()> {
        self.expected = match (self.expected, token) {
            (Expected::Value | Expected::Item, TokenKind::Sign(b'{')) => self.enter(b'}', Expected::Key),
            (Expected::Value | Expected::Item, TokenKind::Sign(b'[')) => self.enter(b']', Expected::Item),
            (Expected::Value | Expected::Item, TokenKind::Name | TokenKind::Number) => self.ended(),
            (Expected::Item | Expected::Comma, TokenKind::Sign(b']')) => self.leave(b']')?,
            (Expected::Key | Expected::Comma, TokenKind::Sign(b'}')) => self.leave(b'}')?,
            (Expected::Key, TokenKind::Name) => Expected::Colon,
            (Expected::Colon, TokenKind::Sign(b':')) => Expected::Value,
            (Expected::Comma, TokenKind::Sign(b',')) => match self.open.last()? {
                b']' => Expected::Item,
                _ => Expected::Key,
            },
            _ => return None,
        };
        Some(())
    }

    fn enter(&mut self, closer: u8, expected: Expected) -> Expected {
        self.open.push(closer);
        expected
    }

    fn leave(&mut self, closer: u8) -> Option<Expected> {
        (self.open.pop()? == closer).then(|| self.ended())
    }

    fn ended(&self) -> Expected {
        if self.open.is_empty() { Expected::Nothing } else { Expected::Comma }
    }
}

/// The slips that a broken region may have.
#[derive(Debug, Clone)]
pub(super) struct Slips {
    /// The edits after which everything nests; `None` if there are too many to compare.
    pub(super) repairs: Option<Vec<Slip>>,
    /// The byte after the region.
    pub(super) end: usize,
}

/// The slips that may explain the value that starts with the bracket at byte `start`, and the byte up
/// to which the text was looked at. There are none if it nests or is only cut.
pub(super) fn slips(text: &str, start: usize, end: ReplyEnd) -> (Option<Slips>, usize) {
    let region = match region(text, start) {
        Ok(region) => region,
        Err(at) => return (None, at),
    };
    // What is only cut must not be closed by an edit, however the agent says that it ended.
    if region.is_whole() || region.is_start() {
        return (None, region.end);
    }
    let repairs = if end == ReplyEnd::Cut { Some(Vec::new()) } else { region.repairs() };
    (Some(Slips { repairs, end: region.end }), region.end)
}

impl Slips {
    /// Returns whether there may be a repair.
    pub(super) fn is_one(&self) -> bool {
        self.repairs.as_ref().is_none_or(|repairs| !repairs.is_empty())
    }

    /// Returns whether the value of the tolerant reader is unclear: there may be one repair, or a
    /// string took signs into itself. Signs that are missing, or doubled, at several positions are
    /// clear.
    pub(super) fn are_unclear(&self, notes: &[Note]) -> bool {
        let has_taken = |note: &Note| {
            note.kind == ChangeKind::Quote
                && note.after.starts_with(['\\', '"'])
                && !note.after.ends_with('"')
        };
        self.is_one() || notes.iter().any(has_taken)
    }
}

/// Returns whether commas are missing at one position and left over at another: one may have moved,
/// and what it separated is not known.
pub(super) fn has_moved_comma(notes: &[Note]) -> bool {
    let commas = || notes.iter().filter(|note| note.kind == ChangeKind::Comma);
    commas().any(|note| note.span.is_empty()) && commas().any(|note| note.after.is_empty())
}
