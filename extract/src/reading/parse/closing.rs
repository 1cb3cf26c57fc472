//! Where a string ends: whether a quote closes it or is part of it, strings in three quotes, and strings
//! without a closing quote, which end before a key of the contract.
//!
//! Models forget to escape quotes, and to write them. The text after a quote decides: only text
//! that may occur between values follows a closed string. Every lookahead stops after a constant
//! number of bytes, except the one after the last string of a reply.

use std::borrow::Cow;

use super::{
    Context, Parser,
    look::{LOOK, Quote, closer_at, foreign_sign, is_name, is_number_or_constant, past_space, quote_at},
    number::MINUS,
};
use crate::{
    reading::prose::{last_bytes, last_line},
    vocabulary::change::{ChangeKind, Loss},
};

/// Whether an unquoted key is likely here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BareKeys {
    Likely,
    Unlikely,
}

impl Parser<'_> {
    /// Returns whether a quote that ends before byte `after` closes its string.
    pub(super) fn closes(&self, after: usize, context: Context) -> bool {
        if context == Context::Key || self.has_clean_strings {
            return true;
        }
        let next = past_space(self.text, after);
        let Some(byte) = self.byte(next) else { return true };
        let is_on_new_line = || self.text[after..next].contains('\n');
        let bare_keys = || if is_on_new_line() { BareKeys::Likely } else { BareKeys::Unlikely };
        match (context, byte) {
            (_, b'/') => matches!(self.byte(next + 1), Some(b'/' | b'*')),
            (_, b'+') | (Context::Item, b';') => {
                quote_at(self.text, past_space(self.text, next + 1)).is_some()
            }
            (_, b'`') if self.text[next..].starts_with("```") => true,
            (Context::Root, _) => {
                self.text[next..].trim_matches([')', ';', ',', ' ', '\n', '\r', '\t']).is_empty()
            }
            (Context::Argument, _) => byte == b')',
            (Context::Member, b'}' | b']') | (Context::Item, b']') => self.closes_bracket(next + 1),
            (Context::Member, b')') if self.is_in_call() => true,
            (Context::Member, b',' | b';') => self.is_key(next + 1, bare_keys()),
            (Context::Member | Context::Item, b'|' | 0xd8 | 0xe3 | 0xef)
                if foreign_sign(self.text, next).is_some() =>
            {
                self.closes_before_sign(next, context)
            }
            (Context::Member, _) if next == after => self.is_known_key(next),
            (Context::Member, _) => self.is_key(next, bare_keys()),
            (Context::Item, b'}') => self.is_in(b'{'),
            (Context::Item, b')') if self.is_in_call() => self.closes_bracket(next + 1),
            (Context::Item, b',') => self.is_item(next + 1),
            (Context::Item, _) if quote_at(self.text, next).is_some() => {
                next > after || !self.is_end(next + 1)
            }
            (Context::Item, b'#') => next > after && self.is_comment_line(next),
            (Context::Item, b'{' | b'[') => is_on_new_line() || self.is_earnest(next),
            // A key closes right away, above.
            (Context::Item | Context::Key, _) => next > after && self.is_scalar(next),
        }
    }

    /// Returns whether the line from `at` on is a comment without quotes, and not the last one.
    fn is_comment_line(&self, at: usize) -> bool {
        let bytes = &self.text.as_bytes()[at..];
        let stop = bytes.iter().take(LOOK).find(|byte| matches!(byte, b'"' | b'\n'));
        stop.is_some_and(|byte| *byte == b'\n')
    }

    /// Returns whether the sign of another script at `next` follows a string that is closed.
    fn closes_before_sign(&self, next: usize, context: Context) -> bool {
        let Some((sign, length)) = foreign_sign(self.text, next) else { return false };
        let behind = past_space(self.text, next + length);
        match (context, sign) {
            (_, b'}' | b']') => true,
            (Context::Member, b',') => self.is_known_key(behind) || self.is_known_name(behind),
            (Context::Item, b',') => {
                quote_at(self.text, behind).is_some() || matches!(self.byte(behind), Some(b'{' | b'['))
            }
            _ => false,
        }
    }

    /// Returns whether the text at `after` may follow a bracket that closes more than one level.
    fn closes_bracket(&self, after: usize) -> bool {
        if self.open.len() < 2 {
            return true;
        }
        let next = past_space(self.text, after);
        match self.byte(next) {
            None | Some(b',' | b'}' | b']' | b'/' | b'#' | b'{' | b'[' | b'`') => true,
            Some(b')') if self.is_in(b'(') => true,
            Some(_) => next > after || quote_at(self.text, next).is_some(),
        }
    }

    /// Returns whether a string or a level may end before `at`.
    fn is_end(&self, at: usize) -> bool {
        matches!(self.byte(past_space(self.text, at)), None | Some(b',' | b'}' | b']'))
    }

    /// Returns whether a key, or the end of the object, is at `at`. An unquoted key counts if
    /// it is likely or the object has others.
    pub(super) fn is_key(&self, at: usize, bare_keys: BareKeys) -> bool {
        let at = past_space(self.text, at);
        match self.byte(at) {
            None | Some(b'}' | b']' | b',' | b'/' | b'#' | b'{') => true,
            Some(b')') if self.is_in_call() => true,
            Some(b'.') => self.text[at..].starts_with("..."),
            Some(_) if self.text[at..].starts_with("```") => true,
            Some(_) if quote_at(self.text, at).is_some() => self.is_quoted_key(at, bare_keys),
            Some(_) if self.has_bare_keys => self.is_bare_key(at, BareKeys::Likely),
            Some(_) => self.is_bare_key(at, bare_keys),
        }
    }

    fn is_quoted_key(&self, at: usize, bare_keys: BareKeys) -> bool {
        let Some((quote, length)) = quote_at(self.text, at) else { return false };
        let mut end = at + length;
        let closer = loop {
            match self.byte(end) {
                None => return bare_keys == BareKeys::Likely || self.is_known_name(at + length),
                _ if end - at > LOOK => return true,
                Some(b'\\') => end += 2,
                // The byte may be inside of a character, but not that of a quote.
                Some(_) => match closer_at(self.text, end, quote) {
                    Some(length) => break length,
                    None => end += 1,
                },
            }
        };
        let next = past_space(self.text, end + closer);
        match self.byte(next) {
            None | Some(b':' | b'=' | b'}' | b'{' | b'[') => true,
            Some(0xef) if foreign_sign(self.text, next).is_some_and(|(sign, _)| sign == b':') => true,
            // The colon is missing.
            _ => {
                quote_at(self.text, next).is_some() || self.is_scalar(next) || self.is_known_name(at + length)
            }
        }
    }

    /// Returns whether an unquoted key, or one without its opening quote, is at `at`, where a key
    /// may be.
    fn is_bare_key(&self, at: usize, bare_keys: BareKeys) -> bool {
        let bytes = &self.text.as_bytes()[at..];
        let length = bytes.iter().take(LOOK).take_while(|byte| is_name(**byte)).count();
        let end = self.boundary(at + length);
        let next = past_space(self.text, end);
        let ends = match self.byte(next) {
            Some(b':') => bare_keys == BareKeys::Likely || self.is_known_name(at),
            Some(b'=') => bare_keys == BareKeys::Likely && self.is_in_call(),
            Some(b'"') => next == end && self.byte(past_space(self.text, next + 1)) == Some(b':'),
            _ => false,
        };
        length > 0 && ends
    }

    /// The first character boundary from `at` on.
    fn boundary(&self, at: usize) -> usize {
        (at..self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.text.len())
    }

    /// Returns whether an element, or the end of the list, is at `at`.
    fn is_item(&self, at: usize) -> bool {
        let at = past_space(self.text, at);
        match self.byte(at) {
            None | Some(b'{' | b'[' | b']' | b'}' | b',' | b'/' | b'#' | b'.') => true,
            Some(b')') if self.is_in_call() => true,
            Some(b'(') if self.is_tuple(at) => true,
            Some(_) if quote_at(self.text, at).is_some() => true,
            Some(_) if self.is_scalar(at) => true,
            // Unquoted words, unless a quote shows that the text continues.
            Some(_) => {
                let bytes = &self.text.as_bytes()[at..];
                let stop = bytes.iter().take(LOOK).find(|byte| matches!(byte, b'"' | b']' | b'\n'));
                stop.is_some_and(|byte| *byte != b'"')
            }
        }
    }

    /// Returns whether a number or a constant, and nothing else, is at `at`.
    pub(super) fn is_scalar(&self, at: usize) -> bool {
        let sign = if self.text[at..].starts_with(MINUS) { MINUS.len_utf8() } else { 0 };
        let at = at + sign;
        let bytes = &self.text.as_bytes()[at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_');
        let length = bytes.iter().take(LOOK).take_while(|byte| is_part(byte)).count();
        let word = &self.text[at..at + length];
        if length == LOOK {
            // No word is that long, but a number may be.
            return word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E'));
        }
        let is_delimited = matches!(
            self.byte(at + length),
            None | Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t' | b'/' | b'{' | b'[')
        ) || foreign_sign(self.text, at + length).is_some();
        is_delimited && is_number_or_constant(word)
    }

    /// Returns whether the bracket at `at` starts a value rather than prose.
    fn is_earnest(&self, at: usize) -> bool {
        let next = past_space(self.text, at + 1);
        matches!(self.byte(next), Some(b'{' | b'[' | b'}' | b']')) || quote_at(self.text, next).is_some()
    }
}

impl<'t> Parser<'t> {
    /// `"""text"""`
    pub(super) fn triple(&mut self, start: usize) -> Cow<'t, str> {
        let body = start + 3;
        let (end, next) = match self.text[body..].find("\"\"\"") {
            Some(length) => (body + length, body + length + 3),
            None => (self.text.len(), self.text.len()),
        };
        self.at = next;
        self.note(ChangeKind::Quote, Loss::Lossless, start..body, "\"");
        let text = &self.text[body..end];
        if end == next {
            self.horizon.looked(start, next);
            self.cut();
            return Cow::Borrowed(text);
        }
        let Some(dedented) = dedented(text) else { return Cow::Borrowed(text) };
        self.note(
            ChangeKind::Space,
            Loss::Ignored,
            body..end,
            "the same without the indentation of its lines",
        );
        Cow::Owned(dedented)
    }
}

/// `text` without the indentation that all of its lines share. `None` if they share none, or if
/// text is on the line of the opening quotes.
///
/// It is the rule of Java's text blocks (JEP 378): the line of the closing quotes counts too, so a
/// string indented more than its quotes keeps the difference. The line break after the opening
/// quotes is dropped as well.
fn dedented(text: &str) -> Option<String> {
    let (first, lines) = text.split_once('\n')?;
    let last = last_line(lines);
    let counts = |line: &&str| !line.trim().is_empty();
    let shared = lines.split('\n').filter(counts).fold(indentation(last), shared_start);
    if !first.trim().is_empty() || shared.is_empty() {
        return None;
    }
    let dedented =
        |line| str::strip_prefix(line, shared).unwrap_or_else(|| line.trim_start_matches([' ', '\t']));
    Some(lines.split_inclusive('\n').map(dedented).collect())
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The common start of `shared` and the indentation of `line`.
fn shared_start<'l>(shared: &'l str, line: &str) -> &'l str {
    let length =
        shared.bytes().zip(indentation(line).bytes()).take_while(|(left, right)| left == right).count();
    &shared[..length]
}

/// Keys found in a string without a closing quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyInside {
    /// There are none.
    None,
    /// Exactly one required key, after the separator at this byte. If the string includes it, the
    /// value does not conform.
    Behind(usize),
    /// There may be one.
    Unclear,
}

impl Parser<'_> {
    /// Returns whether a key of the contract in double quotes, a colon and the start of a value are
    /// at `at`.
    pub(super) fn is_known_key(&self, at: usize) -> bool {
        let Some((_, quote)) = quote_at(self.text, at).filter(|(kind, _)| *kind != Quote::SmartSingle) else {
            return false;
        };
        let text = &self.text[at + quote..];
        let closers = ['"', '\'', '“', '”'];
        let end = text.char_indices().take(LOOK).find(|(_, c)| closers.contains(c));
        let Some((length, closer)) = end else { return false };
        let colon = past_space(self.text, at + quote + length + closer.len_utf8());
        let value = past_space(self.text, colon + 1);
        (self.byte(colon) == Some(b':')
            || foreign_sign(self.text, colon).is_some_and(|(sign, _)| sign == b':'))
            && self.keys.is_some_and(|keys| keys.has(&text[..length]))
            && (matches!(self.byte(value), Some(0x80..)) || self.starts_value(value))
    }

    /// Returns whether a value starts at `at`: a string, a bracket, a number or a constant.
    fn starts_value(&self, at: usize) -> bool {
        matches!(self.byte(at), Some(b'"' | b'{' | b'[')) || self.is_scalar(at.min(self.text.len()))
    }

    /// Returns whether the quote at `at` is followed by a colon and the start of a value, as the
    /// one that closes a key.
    pub(super) fn closes_key(&self, at: usize) -> bool {
        let colon = past_space(self.text, at + 1);
        self.byte(colon) == Some(b':') && self.starts_value(past_space(self.text, colon + 1))
    }

    /// Returns whether a key of the contract and a colon are at `at`.
    fn is_known_name(&self, at: usize) -> bool {
        let text = self.text.get(at..).unwrap_or_default();
        let length = text.bytes().take(LOOK).take_while(|byte| is_name(*byte)).count();
        let Some((name, rest)) = text.split_at_checked(length) else { return false };
        rest.trim_start().starts_with(':') && self.keys.is_some_and(|keys| keys.has(name))
    }

    /// Where the list with unquoted words at `at` ends, if a key of the contract comes next:
    /// `comment], "key": …`.
    pub(super) fn end_before_key(&self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(at..)?.iter().take(LOOK);
        let length = bytes
            .take_while(|byte| !matches!(byte, b'"' | b'\'' | b'[' | b']' | b'{' | b'}' | b',' | b'\n'))
            .count();
        let end = at + length;
        let comma = past_space(self.text, end + 1);
        let is_end = self.byte(end) == Some(b']') && self.byte(comma) == Some(b',');
        (is_end && length > 0 && self.is_known_key(past_space(self.text, comma + 1))).then_some(end)
    }

    /// Decides whether the string without a closing quote, from byte `start` to `end`, contains
    /// keys of the contract: unquoted, after a comma or on a new line, with a number, a constant or
    /// a quote after the colon.
    pub(super) fn key_inside(&self, start: usize, end: usize) -> KeyInside {
        let Some(keys) = self.keys else { return KeyInside::None };
        let (mut at, mut found) = (start, KeyInside::None);
        let separator = |text: &str| text.bytes().position(|byte| matches!(byte, b',' | b'\n'));
        while let Some(offset) = self.text.get(at..end).and_then(separator) {
            let separator = at + offset;
            // The bytes skipped here are not examined again.
            at = past_space(self.text, separator + 1);
            let Some(key) = self.member_name(at, end).filter(|key| keys.has(key)) else { continue };
            let is_sure = keys.requires(key) && matches!(found, KeyInside::None) && !self.has_twice(key);
            found = if is_sure { KeyInside::Behind(separator) } else { KeyInside::Unclear };
        }
        found
    }

    /// The name at `at`, if a colon and the start of a value follow it before byte `end`.
    fn member_name(&self, at: usize, end: usize) -> Option<&str> {
        let bytes = self.text.as_bytes().get(at..end)?;
        let length = bytes.iter().take(LOOK).take_while(|byte| is_name(**byte)).count();
        let colon = past_space(self.text, at + length);
        let value = past_space(self.text, colon + 1);
        let is_member = value < end
            && self.byte(colon) == Some(b':')
            && (quote_at(self.text, value).is_some() || self.is_scalar(value));
        self.text.get(at..at + length).filter(|_| is_member)
    }

    /// Returns whether `key` occurs in the text a second time, quoted or not: it may then belong to
    /// another object.
    fn has_twice(&self, key: &str) -> bool {
        let bytes = self.text.as_bytes();
        let is_key = |place: &usize| {
            let end = place + key.len();
            let is_inside = place.checked_sub(1).is_some_and(|before| is_name(bytes[before]));
            let rest = &bytes[end..];
            let space = rest.iter().take(LOOK).take_while(|byte| matches!(byte, b'"' | b'\'' | b' ')).count();
            !is_inside && matches!(rest.get(space), None | Some(b':' | b'='))
        };
        self.text.match_indices(key).map(|(place, _)| place).filter(is_key).nth(1).is_some()
    }
}

/// Returns whether `text`, which a quote ends, ends as the text `before` its opening quote does, with a bracket. Then
/// the value starts again in it: `Item { tags: ["Item { tags: ["a"] }`.
pub(super) fn ends_alike(before: &str, text: &str) -> bool {
    let pairs = before.bytes().rev().zip(text.bytes().rev());
    let alike = pairs.take_while(|(one, other)| one == other).count();
    // A text may end with a bracket.
    alike > 2 && before.as_bytes()[before.len() - alike..].iter().any(|byte| b"{[(".contains(byte))
}

/// Returns whether the string `text`, which has a quote after it, has run past the end of one object into the next:
/// `…}, {"key":` or `…}, {key: 1, other: "`.
pub(super) fn has_run_over_object(text: &str) -> bool {
    text.match_indices('{').any(|(open, _)| {
        text[..open].trim_end().strip_suffix(',').is_some_and(|before| before.trim_end().ends_with('}'))
    })
}

/// Most bytes of a key that is looked for in its own value.
const MAX_KEY: usize = 128;

/// Returns whether a string that is written as `text` after `before`, without its closing quote, has the start of
/// another value in it: its own key or its own start again, a bracket and a quote without a bracket after them, or
/// more opening quotes than closing ones.
pub(super) fn starts_again(before: &str, text: &str) -> bool {
    let line = last_bytes(before, MAX_KEY);
    let key = line.rsplit(['{', '[', '(', ',', '\n']).next().unwrap_or_default().trim_start();
    let quote = text.chars().next().map_or(0, char::len_utf8);
    let is_repeated = |inside: &str| {
        let mut starts = inside.match_indices(key);
        starts.any(|(at, _)| inside[at + key.len()..].starts_with(&text[..quote]))
    };
    let opens = |open: char, close: char| {
        let mut after = text.rsplit(close).next().unwrap_or_default().split(open).skip(1);
        after.any(|inside| inside.trim_start().starts_with(['"', '“']))
    };
    let opened = || text.matches('“').count();
    let is_doubled = || {
        let parts = text[quote..].split_once('"');
        parts.is_some_and(|(start, rest)| start.len() > 1 && rest.starts_with(start))
    };
    key.len() > 1 && is_repeated(&text[quote..])
        || is_doubled()
        || opens('[', ']')
        || opens('{', '}')
        || text.starts_with('“') && opened() > 1 + text.matches('”').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indentation_that_all_lines_and_the_closing_quotes_share_is_dropped() {
        for (text, expected) in [
            ("\n    def f():\n        return 1\n    ", "def f():\n    return 1\n"),
            ("\n  a\n\n  b\n  ", "a\n\nb\n"),
            ("\n    a\n  b", "  a\nb"),
            ("\n\ta\n\tb\n\t", "a\nb\n"),
            ("\r\n  a\r\n  b\r\n  ", "a\r\nb\r\n"),
            ("  \n    a\n  ", "  a\n"),
        ] {
            assert_eq!(dedented(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn without_shared_indentation_everything_stays() {
        for text in [
            "a",
            "a\n    b\n    ",
            "\na\n  b\n",
            "\n    a\n",
            "\n  a\n\tb\n  ",
            "",
            "\n",
            "  ",
            "\n    a\n    b\nc",
        ] {
            assert_eq!(dedented(text), None, "{text:?}");
        }
    }
}
