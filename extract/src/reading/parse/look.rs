//! Lookahead that does not move the parser, the whitespace and comments between tokens, and what the text of
//! a string shows.

use std::ops::Range;

use super::{Parser, number};
use crate::{
    reading::{
        node::{Data, Node},
        receipt::Note,
        slip::Edit,
    },
    vocabulary::change::{ChangeKind, Loss},
};

/// Most bytes of one lookahead, not counting whitespace.
pub(super) const LOOK: usize = 128;

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
    /// A token of [`TOKENS`], closed by the same.
    Token,
}

/// The tokens that the templates of Gemma 4 and FunctionGemma write around strings.
const TOKENS: [&str; 2] = ["<|\"|>", "<escape>"];

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
        b'<' => {
            let token = TOKENS.iter().find(|token| text.as_bytes()[at..].starts_with(token.as_bytes()))?;
            Some((Quote::Token, token.len()))
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
        Quote::Token => found == Quote::Token,
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

/// The end of the escapes from byte `at` on that stand for white space between two signs, as in a reply whose line
/// breaks were escaped: the backslash and the `n` of `{\n"a": 1}`. `None` if there are none.
pub(super) fn past_escaped_space(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let most = bytes.len().min(at + LOOK);
    let mut end = at;
    while end < most {
        end += match bytes[end..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b' ' | b'\n' | b'\r' | b'\t', ..] => 1,
            _ => break,
        };
    }
    let is_sign =
        matches!(bytes.get(end), Some(b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'-' | b'0'..=b'9'));
    (end > at && is_sign).then_some(end)
}

/// The first byte at or after `at` that is not whitespace.
pub(super) fn past_space(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            Some(b'>') if is_quotation(text, at) => at += 1,
            Some(b'\\') => match past_escaped_space(text, at) {
                Some(end) => at = end,
                None => break,
            },
            _ => break,
        }
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
    const NAMES: [&str; 7] = ["true", "false", "null", "none", "nil", "undef", "undefined"];
    let name = NAMES.into_iter().find(|name| word.eq_ignore_ascii_case(name))?;
    Some(if matches!(name, "true" | "false") { name } else { "null" })
}

/// Returns whether `word` is a number or a constant.
pub(super) fn is_number_or_constant(word: &str) -> bool {
    constant(word).is_some() || number::tolerant(word).is_some()
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
                Some(b'\\') => {
                    let Some(end) = past_escaped_space(self.text, start) else { return };
                    self.at = end;
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

/// Returns whether `c` parts two elements of a list, in any script.
pub(super) fn parts_elements(c: char) -> bool {
    matches!(c, ',' | ';' | '|' | '，' | '、' | '،' | '；' | '؛')
}

/// Returns whether `text` ends with a bracket without its other one: it may be of what the string is in,
/// or of what is in the string.
pub(super) fn ends_with_stray_bracket(text: &str) -> bool {
    [('{', '}'), ('[', ']')].iter().any(|(open, close)| {
        text.ends_with(*close) && text.matches(*close).count() > text.matches(*open).count()
            || text.ends_with(*open)
    })
}

/// Returns whether a quote right before `rest` may close or open a string: a sign of the structure follows,
/// or a word right after it.
fn may_quote(rest: &str) -> bool {
    let next = rest.trim_start_matches(' ').chars().next();
    next.is_none_or(|next| ",:;]}\"\n".contains(next)) || rest.starts_with(char::is_alphanumeric)
}

/// Returns whether `c` is a letter of Hebrew, whose abbreviations have a quote before their last letter: `דו"ח`.
fn is_hebrew(c: char) -> bool {
    ('א'..='ת').contains(&c)
}

/// Returns whether a double quote in `text` has no other one that it belongs to. One between a number and a
/// word may be the sign for inches. A German quotation starts with `„`.
pub(super) fn has_odd_quote(text: &str) -> bool {
    let (mut is_odd, mut before) = (false, ' ');
    let mut opened = 0_usize;
    let mut is_number = false;
    for (at, c) in text.char_indices() {
        let is_inches = c == '"' && is_number && before.is_ascii_digit() && !may_quote(&text[at + 1..]);
        is_number =
            (is_number || !before.is_alphanumeric()) && (c.is_ascii_digit() || matches!(c, '.' | ',' | '/'));
        match c {
            '„' => opened += 1,
            '“' | '”' => opened = opened.saturating_sub(1),
            '"' if before != '\\' && opened > 0 => opened -= 1,
            '"' if is_hebrew(before) && text[at + 1..].starts_with(is_hebrew) => {}
            '"' => is_odd ^= before != '\\' && !is_inches,
            _ => {}
        }
        before = c;
    }
    is_odd
}

/// Returns whether `text`, in double quotes, has another pair of them around it and none in it.
pub(super) fn is_quoted_twice(text: &str) -> bool {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.is_some_and(|inside| !inside.is_empty() && !inside.contains('"'))
}

/// Returns whether `text` ends with a quote of another kind than the one that opened it, which may
/// close it.
pub(super) fn ends_with_quote(text: &str) -> bool {
    text.ends_with(['\'', '`', '´', '″', '＂']) || text.ends_with("&quot;")
}

/// `text` without the closing curly quote at its end, if nothing in it opens one.
pub(super) fn without_curly(text: &str) -> &str {
    match text.strip_suffix(['”', '“']) {
        Some(inside) if !inside.contains(['“', '„', '”']) => inside,
        _ => text,
    }
}

/// Returns whether a quote in `text` closes what no other one opened, and a later one opens
/// something, or closes as little: `a" or "b`, `a"."`.
pub(super) fn are_two_strings(text: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (mut open, mut has_end, mut unopened) = (0_usize, false, 0);
    text.match_indices('"').any(|(at, quote)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + quote.len()..].chars().next());
        let starts_text = |c: char| !c.is_whitespace() && !matches!(c, ',' | '.' | ':' | ';' | ')' | '"');
        let opens = !is_word(before) && (is_word(after) || is_space(before) && after.is_none_or(starts_text));
        // The first one closes an empty string: `"" or "b"`.
        let closes = (at == 0 || !is_space(before)) && !is_word(after);
        let closes_nothing = closes && !opens && open == 0;
        has_end |= closes_nothing;
        unopened += usize::from(closes_nothing && !is_digit(before));
        open = if opens { open + 1 } else { open.saturating_sub(1) };
        opens && has_end || unopened > 1
    })
}

/// Where the string or key in `node` is that starts or ends with a sign that is missing by the `notes` on
/// `text`: `{"a"": 1"}`, `["a]"`. It may have been meant either way.
pub(super) fn sign_in_string(text: &str, node: &Node<'_>, notes: &[Note]) -> Option<Range<usize>> {
    let missing: Vec<char> = notes.iter().filter_map(|note| missing(text, note)).collect();
    // One that is missing more than once is never written, and both halves of a pair are left over together.
    let is_once = |sign: &char| missing.iter().filter(|other| *other == sign).nth(1).is_none();
    let is_pair = |sign: &char| other_half(*sign).is_some_and(|half| missing.contains(&half));
    let signs: Vec<char> = missing.iter().copied().filter(|sign| is_once(sign) && !is_pair(sign)).collect();
    let held = if signs.is_empty() { None } else { holder(node, &signs) };
    held.or_else(|| notes.iter().find_map(|note| is_beside(text, note).then(|| note.span.clone())))
}

/// Returns whether the sign that is missing by `note` is at the edge of the string beside that position: `"x," "b"`.
fn is_beside(text: &str, note: &Note) -> bool {
    let Some(sign) = missing(text, note).filter(|sign| matches!(sign, ',' | ':')) else { return false };
    let (before, after) = (text[..note.span.start].trim_end(), text[note.span.end..].trim_start());
    before.strip_suffix('"').is_some_and(|string| string.ends_with(sign))
        || after.strip_prefix('"').is_some_and(|string| string.starts_with(sign))
}

/// The sign that is missing by `note`. One half of a pair of brackets is missing if the other is left over.
fn missing(text: &str, note: &Note) -> Option<char> {
    let is_sign = matches!(note.kind, ChangeKind::Bracket | ChangeKind::Comma | ChangeKind::Colon);
    match (text.get(note.span.clone())?, &*note.after) {
        ("", after) if is_sign => after.chars().next(),
        (before, "") if is_sign => other_half(before.chars().next()?),
        _ => None,
    }
}

fn other_half(bracket: char) -> Option<char> {
    Some(match bracket {
        '{' => '}',
        '}' => '{',
        '[' => ']',
        ']' => '[',
        _ => return None,
    })
}

fn holder(node: &Node<'_>, signs: &[char]) -> Option<Range<usize>> {
    match &node.data {
        Data::Text(text) => holds(text, signs).then(|| node.span.clone()),
        Data::List(items) => items.iter().find_map(|item| holder(item, signs)),
        Data::Object(entries) => entries.iter().find_map(|entry| {
            let key = holds(&entry.key, signs).then_some(entry.start..entry.value.span.start);
            key.or_else(|| holder(&entry.value, signs))
        }),
        _ => None,
    }
}

/// Returns whether `text` starts or ends with one of `signs`. A bracket with its other one is of the text.
fn holds(text: &str, signs: &[char]) -> bool {
    let text = text.trim();
    let is_more = |sign: char, other: char| text.matches(sign).count() > text.matches(other).count();
    let is_unpaired = |sign| other_half(sign).is_none_or(|other| is_more(sign, other));
    signs.iter().any(|sign| (text.starts_with(*sign) || text.ends_with(*sign)) && is_unpaired(*sign))
}
