//! Ends a string before a key of the contract.
//!
//! Every lookahead stops after a constant number of bytes, except the one after the last string of
//! a reply.

use super::{
    Parser,
    look::{Quote, foreign_sign, is_name, past_space, quote_at},
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// Most bytes of one lookahead, not counting whitespace.
const LOOK: usize = 128;

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
            && (matches!(self.byte(value), Some(b'"' | b'{' | b'[' | 0x80..))
                || self.is_scalar(value.min(self.text.len())))
    }

    /// Returns whether the quote at `at` is followed by a colon and the start of a value, as the
    /// one that closes a key.
    pub(super) fn closes_key(&self, at: usize) -> bool {
        let colon = past_space(self.text, at + 1);
        let value = past_space(self.text, colon + 1);
        self.byte(colon) == Some(b':')
            && (matches!(self.byte(value), Some(b'"' | b'{' | b'['))
                || self.is_scalar(value.min(self.text.len())))
    }

    /// Returns whether a key of the contract and a colon are at `at`.
    pub(super) fn is_known_name(&self, at: usize) -> bool {
        self.text.get(at..).is_some_and(|text| self.starts_with_known_name(text))
    }

    /// Returns whether the string `text`, with a quote at `at`, has run past the end of one object
    /// into a key of the next: `…}, {"key":` or `…}, {key: 1, other: "`.
    pub(super) fn has_run_over_object(&self, at: usize, text: &str) -> bool {
        let end = |text: &'_ str, sign| text.trim_end().strip_suffix(sign).map(str::len);
        let follows_object =
            |open: usize| end(&text[..open], ',').is_some_and(|length| end(&text[..length], '}').is_some());
        let is_key = |open: usize| {
            let inside = text[open + 1..].trim_start();
            inside.is_empty() && self.is_known_key(at) || self.starts_with_known_name(inside)
        };
        text.match_indices('{').any(|(open, _)| follows_object(open) && is_key(open))
    }

    /// Returns whether `text` starts with a key of the contract and a colon.
    fn starts_with_known_name(&self, text: &str) -> bool {
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

    /// Skips the words before the bracket at byte `end`. They may be part of the string before
    /// them.
    pub(super) fn leave_out_words(&mut self, end: usize) {
        self.note(ChangeKind::Comment, Loss::Lossy, self.at..end, "");
        self.at = end;
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
