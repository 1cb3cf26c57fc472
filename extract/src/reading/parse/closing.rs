//! Decides whether a quote closes its string or is part of it.
//!
//! Models forget to escape quotes, and to write them. The text after a quote decides: only text
//! that may occur between values follows a closed string. Every lookahead stops after a constant
//! number of bytes.

use super::{
    Context, Parser,
    look::{closer_at, constant, foreign_sign, is_name, past_space, quote_at},
    number::{self, MINUS},
};

/// Most bytes of one lookahead, not counting whitespace.
const LOOK: usize = 128;

impl Parser<'_> {
    /// Returns whether a quote that ends before byte `after` closes its string.
    pub(super) fn closes(&self, after: usize, context: Context) -> bool {
        if context == Context::Key || self.has_clean_strings {
            return true;
        }
        let next = past_space(self.text, after);
        let Some(byte) = self.byte(next) else { return true };
        let is_on_new_line = || self.text[after..next].contains('\n');
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
            (Context::Member, b',' | b';') => self.is_key(next + 1, is_on_new_line()),
            (Context::Member | Context::Item, b'|' | 0xd8 | 0xe3 | 0xef)
                if foreign_sign(self.text, next).is_some() =>
            {
                self.closes_before_sign(next, context)
            }
            (Context::Member, _) if next == after => self.is_known_key(next),
            (Context::Member, _) => self.is_key(next, is_on_new_line()),
            (Context::Item, b'}') => self.is_in(b'{'),
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
            Some(_) => next > after || quote_at(self.text, next).is_some(),
        }
    }

    /// Returns whether a string or a level may end before `at`.
    fn is_end(&self, at: usize) -> bool {
        matches!(self.byte(past_space(self.text, at)), None | Some(b',' | b'}' | b']'))
    }

    /// Returns whether a key, or the end of the object, is at `at`. An unquoted key counts if
    /// `is_bare` is set or the object has other unquoted keys.
    pub(super) fn is_key(&self, at: usize, is_bare: bool) -> bool {
        let at = past_space(self.text, at);
        match self.byte(at) {
            None | Some(b'}' | b']' | b',' | b'/' | b'#' | b'{') => true,
            Some(b')') if self.is_in_call() => true,
            Some(b'.') => self.text[at..].starts_with("..."),
            Some(_) if self.text[at..].starts_with("```") => true,
            Some(_) if quote_at(self.text, at).is_some() => self.is_quoted_key(at, is_bare),
            Some(_) => self.is_bare_key(at, is_bare || self.has_bare_keys),
        }
    }

    fn is_quoted_key(&self, at: usize, if_cut: bool) -> bool {
        let Some((quote, length)) = quote_at(self.text, at) else { return false };
        let mut end = at + length;
        loop {
            match self.byte(end) {
                None => return if_cut || self.is_known_name(at + length),
                _ if end - at > LOOK => return true,
                Some(b'\\') => end += 2,
                Some(byte) if !may_quote(byte) => end += 1,
                Some(_) => {
                    match self.text.is_char_boundary(end).then(|| closer_at(self.text, end, quote)).flatten()
                    {
                        Some(length) => {
                            end += length;
                            break;
                        }
                        None => end += 1,
                    }
                }
            }
        }
        let next = past_space(self.text, end.min(self.text.len()));
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
    fn is_bare_key(&self, at: usize, is_bare: bool) -> bool {
        let bytes = &self.text.as_bytes()[at..];
        let length = bytes.iter().take(LOOK).take_while(|byte| is_name(**byte)).count();
        let end = self.boundary(at + length);
        let next = past_space(self.text, end);
        let ends = match self.byte(next) {
            Some(b':') => is_bare || self.is_known_name(at),
            Some(b'=') => is_bare && self.is_in_call(),
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
        is_delimited && (constant(word).is_some() || number::tolerant(word).is_some())
    }

    /// Returns whether the bracket at `at` starts a value rather than prose.
    fn is_earnest(&self, at: usize) -> bool {
        let next = past_space(self.text, at + 1);
        matches!(self.byte(next), Some(b'{' | b'[' | b'}' | b']')) || quote_at(self.text, next).is_some()
    }
}

/// Returns whether a quote of any kind may start with `byte`.
fn may_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | 0xc2 | 0xe2)
}
