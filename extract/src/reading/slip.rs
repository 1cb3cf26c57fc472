//! Slips: one bracket or comma too many, too few or of the wrong kind.
//!
//! A slip has one repair or none. [`region`] reads the signs of a value as tokens, as long as the
//! text is JSON apart from its structure. If they do not nest, [`repairs`] tries each edit of one
//! sign. The edits after which everything nests are compared by the value they yield for the
//! contract: if they agree, that is the repair, otherwise the text is not read.

use std::ops::Range;

use super::{keys::Keys, options::ReplyEnd, prose::first_bytes, receipt::Note};
use crate::vocabulary::{
    change::ChangeKind,
    tokens::{Bracket, Lexeme, Role, Token, Walk, is_of_word, lexemes},
};

/// Most tokens of a text in which a slip is repaired; in a longer one it is a violation. The time grows with
/// their square in the worst case, and [`MAX_STEPS`] bounds it.
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
        let (before, after) = self.change();
        [&text[before], after].iter().any(|sign| sign.starts_with(['{', '}', '[', ']']))
    }
}

/// The signs of JSON.
const SIGNS: &str = "{}[],:";

fn written(sign: u8) -> &'static str {
    SIGNS.find(char::from(sign)).map_or("", |at| &SIGNS[at..=at])
}

/// A token of a value, and where it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    at: usize,
    /// A number is a word. All that may be a key is a string, quoted or not.
    token: Token,
}

/// The text of one value, as long as it is JSON apart from its signs.
#[derive(Debug)]
struct Region {
    /// Its first tokens: one more than are searched, if there are so many.
    tokens: Vec<Part>,
    nesting: Nesting,
    /// The byte after the last token.
    end: usize,
}

/// How the tokens of a region nest.
#[derive(Debug, Default)]
struct Nesting {
    walk: Walk<()>,
    /// Whether the last token is a comma after a whole value.
    is_between: bool,
    /// Whether a value came after a whole one.
    has_several: bool,
    is_broken: bool,
}

impl Nesting {
    fn pass(&mut self, token: Token) {
        self.is_between = self.walk.is_complete();
        if self.is_between {
            (self.walk, self.has_several) = (Walk::default(), true);
            if token == Token::Sign(b',') {
                return;
            }
        }
        self.is_between = false;
        self.is_broken = self.is_broken || pass(&mut self.walk, token).is_none();
    }
}

/// Reads the tokens of `text` from the bracket at byte `start` on. `Err` with the byte where it stopped
/// if the text has quotes that are not clear.
fn region(text: &str, start: usize) -> Result<Region, usize> {
    let mut region = Region { tokens: Vec::new(), nesting: Nesting::default(), end: start };
    for Lexeme { token, start: at, end: until, has_control } in lexemes(text, start) {
        let until = match until {
            Some(until) if !has_control => until,
            _ if token == Token::String => return Err(at),
            _ => text.len(),
        };
        let word = &text[at..until];
        let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let token = match token {
            Token::Sign(b'{') if words_in_braces(word).is_some() => break,
            Token::Sign(_) | Token::String => token,
            Token::Word if is_number => token,
            Token::Word if is_in_value(word, &text[until..]) => Token::String,
            // The value continues, but not as JSON: `{url:https://…`.
            _ if at == region.end && text[..at].ends_with(':') && !starts_name(word) => return Err(at),
            _ => break,
        };
        if region.tokens.len() <= MAX_TOKENS {
            region.tokens.push(Part { at, token });
        }
        region.nesting.pass(token);
        region.end = until;
    }
    Ok(region)
}

/// Most bytes of words in braces.
const MAX_WORDS: usize = 64;

/// The bytes of the words in braces that `text` starts with, which prose has and no value: `{pid}`,
/// `{about travel}`, `{{ states("door") }}`, `{% if open %}`.
pub(super) fn words_in_braces(text: &str) -> Option<usize> {
    // A heading of DSPy: `[[ ## answer ## ]]`
    if let Some((name, _)) =
        text.strip_prefix("[[ ## ").and_then(|text| first_bytes(text, MAX_WORDS).split_once(" ## ]]"))
    {
        return Some(name.len() + 12);
    }
    if let Some((code, _)) =
        first_bytes(text, MAX_WORDS).split_once("%}").filter(|(code, _)| code.starts_with("{%"))
    {
        return Some(code.len() + 2);
    }
    if let Some((code, _)) =
        text.strip_prefix("{{ ").and_then(|text| first_bytes(text, MAX_WORDS).split_once("}}"))
    {
        let is_code =
            code.starts_with(char::is_alphabetic) && code.contains('(') && !code.contains([':', '{', '=']);
        return is_code.then_some(code.len() + 5);
    }
    let (words, _) = first_bytes(text.strip_prefix('{')?, MAX_WORDS).split_once('}')?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '-' | '.');
    (words.starts_with(char::is_alphabetic) && words.chars().all(is_part)).then_some(words.len() + 2)
}

/// Returns whether nothing at byte `end` of `text` continues the value that ends there. A value that
/// was read without any change and has no [stray quote](super::node::Node::has_stray_quote) has no
/// slip then, because its tokens nest.
pub(super) fn ends_at(text: &str, end: usize) -> bool {
    let rest = text[end..].trim_start_matches([' ', '\n', '\r', '\t']);
    let length = rest.bytes().position(|byte| !is_of_word(byte)).unwrap_or(rest.len());
    let (word, after) = rest.split_at(length);
    let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let is_sign = word.is_empty()
        && after.starts_with(['{', '}', '[', ']', ',', ':', '"'])
        && !starts_with_mark(after)
        && words_in_braces(after).is_none();
    !is_sign && !is_number && !is_in_value(word, after)
}

/// Returns whether `text` starts with a word in capitals and in brackets, which ends a reply: `[DONE]`, `[/INST]`.
fn starts_with_mark(text: &str) -> bool {
    let inside = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    let is_part = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '/' | ' ');
    inside.is_some_and(|(word, _)| word.len() > 1 && word.chars().all(is_part))
}

/// Returns whether `word` may occur in a value before the text `after`: a constant, or a key with its
/// colon.
fn is_in_value(word: &str, after: &str) -> bool {
    let is_constant = ["true", "false", "null", "none"].iter().any(|known| word.eq_ignore_ascii_case(known));
    is_constant || starts_name(word) && after.trim_start().starts_with(':')
}

fn starts_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

impl Region {
    /// Returns whether it is one value that nests, or several with at most a comma between two. A comma after
    /// the last one may belong to a sentence.
    fn is_whole(&self) -> bool {
        !self.nesting.is_broken && (self.nesting.is_between || self.nesting.walk.is_complete())
    }

    /// Returns whether the text ends inside it and nothing before shows a slip.
    fn is_start(&self) -> bool {
        let Nesting { walk, has_several, is_broken, .. } = &self.nesting;
        !is_broken && !has_several && !walk.is_complete()
    }

    /// Returns whether a closing bracket is the last token but `count`.
    fn ends_closed(&self, count: usize) -> bool {
        let last = self.tokens.len().checked_sub(count + 1).map(|index| self.tokens[index].token);
        matches!(last, Some(Token::Sign(b'}' | b']')))
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

    /// The edits of one sign after which all tokens of `text` are one value. `None` if there are too many to
    /// compare, or if the value starts again inside of itself.
    fn repairs(&self, text: &str) -> Option<Vec<Slip>> {
        if self.tokens.len() > MAX_TOKENS || self.starts_again(text) {
            return None;
        }
        let mut found = Vec::new();
        let mut steps = MAX_STEPS;
        let mut before = Walk::default();
        for index in 0..=self.tokens.len() {
            let token = self.tokens.get(index);
            let at = token.map_or(self.end, |token| token.at);
            let mut consider = |edit, first: Option<u8>, rest: &[Part]| {
                if Self::is_repaired(&before, first, rest, &mut steps) {
                    found.push(Slip { at, edit, keeps_end: self.keeps_end(at, edit) });
                }
            };
            for sign in SIGNS.bytes() {
                consider(Edit::Insert(sign), Some(sign), &self.tokens[index..]);
            }
            if let Some(Part { token: Token::Sign(here), .. }) = token {
                consider(Edit::Delete, None, &self.tokens[index + 1..]);
                // In a list, what stands before it would become an element.
                let is_in_list = matches!(before.open().last(), Some((Bracket::List, ())));
                let is_member = *here == b':' && (is_in_list || self.looks_like_member(index));
                for sign in SIGNS.bytes().filter(|sign| sign != here && !(is_member && *sign == b',')) {
                    consider(Edit::Replace(sign), Some(sign), &self.tokens[index + 1..]);
                }
            }
            if steps == 0 || found.len() > MAX_REPAIRS {
                return None;
            }
            if token.is_none_or(|token| pass(&mut before, token.token).is_none()) {
                break;
            }
        }
        Some(found)
    }

    /// Returns whether a bracket starts the list or object around it again: `[1, 2[1, 2, 3]`.
    fn starts_again(&self, text: &str) -> bool {
        let mut open = Vec::new();
        let repeats = |around: usize, at: usize| {
            let before = text[around..at].trim_end_matches([' ', '\t', '\r', '\n', ',']);
            // Members may nest: `{"a": {"a": 1}}`, also without their colons.
            let is_begun = before.starts_with('[') && before.len() > 1 || before.contains(':');
            is_begun && !before.ends_with(':') && text[at..].starts_with(before)
        };
        self.tokens.iter().any(|part| match part.token {
            Token::Sign(b'{' | b'[') => {
                let around = open.last().copied();
                open.push(part.at);
                around.is_some_and(|around| repeats(around, part.at))
            }
            Token::Sign(b'}' | b']') => {
                open.pop();
                false
            }
            _ => false,
        })
    }

    /// Returns whether the colon at `index` stands between a string and a value without brackets, as
    /// in a member. The comma of a list would make an element of the key.
    fn looks_like_member(&self, index: usize) -> bool {
        let token = |index: usize| self.tokens.get(index).map(|part| part.token);
        let is_value = matches!(token(index + 1), Some(Token::Word | Token::String));
        index > 0 && token(index - 1) == Some(Token::String) && is_value
    }

    /// Returns whether `first` and `rest` complete the value that the walk is in. Uses up `steps`.
    fn is_repaired(before: &Walk<()>, first: Option<u8>, rest: &[Part], steps: &mut usize) -> bool {
        let mut walk = before.clone();
        if first.is_some_and(|sign| pass(&mut walk, Token::Sign(sign)).is_none()) {
            return false;
        }
        for token in rest {
            *steps = steps.saturating_sub(1);
            if *steps == 0 || pass(&mut walk, token.token).is_none() {
                return false;
            }
        }
        walk.is_complete()
    }
}

/// Passes `token` in `walk`, where a comma before a closing bracket is accepted; `None` if it is not
/// allowed there, as no token is after the value.
fn pass(walk: &mut Walk<()>, token: Token) -> Option<()> {
    match walk.role(token)? {
        Role::Open(bracket) => walk.enter(bracket, ()),
        Role::Close { .. } => walk.leave()?,
        Role::Key if token == Token::Word => return None,
        role => walk.pass(role),
    }
    Some(())
}

/// The slips that a broken region may have.
#[derive(Debug, Clone)]
pub(super) struct Slips {
    /// The edits after which everything nests; `None` if they cannot be compared.
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
    let repairs = if end == ReplyEnd::Cut { Some(Vec::new()) } else { region.repairs(text) };
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

/// Returns whether commas are missing from `text` at one position and left over at another: one may have
/// moved, and what it separated is not known.
pub(super) fn has_moved_comma(text: &str, notes: &[Note], keys: &Keys) -> bool {
    let commas = || notes.iter().filter(|note| note.kind == ChangeKind::Comma);
    let is_missing = |note: &Note| note.span.is_empty() && !is_clear(text, note.span.start, keys);
    commas().any(is_missing) && commas().any(|note| note.after.is_empty())
}

/// Returns whether the first bracket of the value at byte `start` was missing although the text `before` it
/// opens one of that kind: the value is then only what could be read of it.
pub(super) fn is_open_before(before: &str, notes: &[Note], start: usize) -> bool {
    let is_first = |note: &&Note| note.kind == ChangeKind::Bracket && note.span == (start..start);
    let is_open = |open, close| before.matches(open).count() > before.matches(close).count();
    match notes.iter().find(is_first).map(|note| &*note.after) {
        Some("[") => is_open('[', ']'),
        Some("{") => is_open('{', '}'),
        _ => false,
    }
}

/// Most bytes of a key.
const MAX_KEY: usize = 128;

/// Returns whether a missing comma belongs at byte `at` of `text` and nowhere else: a line starts here, with
/// a key of the contract in quotes and a colon. Or the comma is there, and a string without its quote took it.
fn is_clear(text: &str, at: usize, keys: &Keys) -> bool {
    let (before, after) = text.split_at(at);
    let end = before.trim_end();
    let key = || first_bytes(after.strip_prefix('"')?, MAX_KEY).split_once('"');
    let is_member = |(key, rest): (&str, &str)| keys.has(key) && rest.trim_start().starts_with(':');
    end.ends_with(',') || before[end.len()..].contains('\n') && key().is_some_and(is_member)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{
        super::parse::{Parsed, bracketed},
        *,
    };

    #[test]
    fn nothing_continues_a_value_that_ends() {
        for (after, is_end) in [
            ("", true),
            (" and more", true),
            ("\n```\nDone.", true),
            ("+1", true),
            ("}", false),
            (" ,{\"a\": 2}", false),
            ("\n\"b\": 2", false),
            (" 12", false),
            (" -1", false),
            (" true", false),
            (" b: 2", false),
        ] {
            assert_eq!(ends_at(&format!("{{}}{after}"), 2), is_end, "{after:?}");
        }
    }

    /// What [`ends_at`] relies on.
    #[test]
    fn a_value_that_is_read_without_a_change_has_no_slip() {
        const SUITES: [&str; 2] = [
            include_str!("../../../tests/fixtures/field/replies.jsonl"),
            include_str!("../../../tests/fixtures/replies/jsonrepair_js.jsonl"),
        ];
        let mut found = 0;
        for row in SUITES.into_iter().flat_map(str::lines) {
            let fields: Value = serde_json::from_str(row).unwrap();
            let reply = fields["reply"].as_str().or(fields["raw"].as_str()).unwrap();
            for text in [row, reply] {
                found += text.match_indices(['{', '[']).filter(|(at, _)| has_no_slip(text, *at)).count();
            }
        }
        assert!(found > 100, "{found}");
    }

    /// The parser takes the quote after `2` for one of a pair, and notes nothing.
    #[test]
    fn a_stray_quote_is_no_value_without_a_change() {
        for text in ["[1, 2\"] more\"", "{\"a\": 2 \"} more\""] {
            assert!(!has_no_slip(text, 0), "{text}");
        }
        assert!(has_no_slip("[1, 2] more\"", 0));
    }

    /// Returns whether the value at byte `start` of `text` is read without a change and ends there.
    fn has_no_slip(text: &str, start: usize) -> bool {
        let Ok(Parsed { node, notes, is_cut: false, .. }) = bracketed(text, start, 64, false, None) else {
            return false;
        };
        let is_clean = notes.is_empty() && ends_at(text, node.span.end) && !node.has_stray_quote(text);
        let (slips, _) = slips(text, start, ReplyEnd::Unknown);
        assert!(!is_clean || slips.is_none(), "{}", &text[node.span]);
        is_clean
    }
}
