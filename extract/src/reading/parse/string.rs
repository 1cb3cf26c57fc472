//! Strings in quotes of any kind.

use std::borrow::Cow;

use super::{
    Context, Parser,
    by_key::KeyInside,
    look::{Quote, closer_at, past_space, quote_at},
    text::Text,
};
use crate::{
    change::{ChangeKind, Loss},
    reading::node::{Data, Node},
};

/// What has been read of a string.
struct Draft<'t> {
    text: Text<'t>,
    start: usize,
    /// The number of quotes inside.
    inner: usize,
    /// Where the last of them is, in the reply and in `text`.
    last_inner: Option<(usize, usize)>,
    escape: Option<usize>,
    control: Option<usize>,
}

impl<'t> Parser<'t> {
    /// Parses the string here as a value.
    pub(super) fn text(&mut self, context: Context) -> Option<Node<'t>> {
        let start = self.at;
        let text = self.string(context)?;
        Some(Node::new(start..self.at, Data::Text(text)))
    }

    /// Parses the string here, and all strings joined to it by `+`.
    pub(super) fn string(&mut self, context: Context) -> Option<Cow<'t, str>> {
        let mut text = self.quoted(context)?;
        while context != Context::Key && !self.is_cut {
            let plus = past_space(self.text, self.at);
            let next = past_space(self.text, plus + 1);
            if self.byte(plus) != Some(b'+') || quote_at(self.text, next).is_none() {
                break;
            }
            self.note(ChangeKind::Concatenation, Loss::Lossless, self.at..next, "");
            self.at = next;
            text.to_mut().push_str(&self.quoted(context)?);
        }
        Some(text)
    }

    fn quoted(&mut self, context: Context) -> Option<Cow<'t, str>> {
        let start = self.at;
        if self.starts_with("\"\"\"") {
            let after = self.byte(start + 3);
            if !matches!(after, None | Some(b',' | b'}' | b']' | b':' | b'"')) {
                return Some(self.triple(start));
            }
        }
        let (quote, length) = quote_at(self.text, start)?;
        if quote != Quote::Double {
            self.note(ChangeKind::Quote, Loss::Lossless, start..start + length, "\"");
        }
        self.at += length;
        let draft = Draft {
            text: Text::new(self.text),
            start,
            inner: 0,
            last_inner: None,
            escape: None,
            control: None,
        };
        Some(self.body(draft, quote, context))
    }

    fn body(&mut self, mut draft: Draft<'t>, quote: Quote, context: Context) -> Cow<'t, str> {
        loop {
            self.plain(&mut draft, quote);
            let Some(byte) = self.peek() else { return self.unclosed(draft, context) };
            if byte == b'\\' {
                self.escape(&mut draft);
                continue;
            }
            let Some(length) = closer_at(self.text, self.at, quote) else {
                self.control(&mut draft, byte);
                continue;
            };
            let after = self.at + length;
            if self.closes(after, context) {
                if draft.inner % 2 == 1 && context == Context::Item && ends_before_inner(&draft) {
                    return self.back(draft);
                }
                self.at = after;
                return self.close(draft);
            }
            if context == Context::Item
                && let Some(end) = self.end_before_key(after)
            {
                self.at = after;
                let text = self.close(draft);
                self.leave_out_words(end);
                return text;
            }
            if context == Context::Member && self.has_run_over(after, &draft) {
                return self.back(draft);
            }
            if draft.inner == 0 && self.has_run_over_object(self.at, draft.text.as_str()) {
                self.note(ChangeKind::Quote, Loss::Lossy, self.at..self.at, "\"");
            }
            draft.inner += 1;
            draft.last_inner = Some((self.at, draft.text.len()));
            draft.text.take(self.at..after);
            self.at = after;
        }
    }

    /// Consumes the bytes without special meaning.
    fn plain(&mut self, draft: &mut Draft<'t>, quote: Quote) {
        let plain = match quote {
            Quote::Double => const { &plain_bytes(b"\"") },
            Quote::Single => const { &plain_bytes(b"'") },
            Quote::SmartDouble => const { &plain_bytes(b"\"\xc2\xe2") },
            Quote::SmartSingle => const { &plain_bytes(b"'`\xc2\xe2") },
        };
        let start = self.at;
        let bytes = &self.text.as_bytes()[start..];
        self.at += bytes.iter().take_while(|byte| plain[usize::from(**byte)]).count();
        draft.text.take(start..self.at);
    }

    /// Consumes one character that may be a control character.
    fn control(&mut self, draft: &mut Draft<'t>, byte: u8) {
        if byte < 0x20 {
            draft.control.get_or_insert(self.at);
        }
        if let Some(c) = self.rest().chars().next() {
            let start = self.at;
            self.at += c.len_utf8();
            draft.text.take(start..self.at);
        }
    }

    fn close(&mut self, draft: Draft<'t>) -> Cow<'t, str> {
        if let Some(at) = draft.control {
            self.note(ChangeKind::ControlCharacter, Loss::Lossless, at..at + 1, "an escape");
        }
        if let Some(at) = draft.escape {
            self.note(ChangeKind::Escape, Loss::Lossless, at..at + 1, "\\\\");
        }
        if let Some((at, _)) = draft.last_inner {
            let after = if draft.inner == 1 {
                Cow::Borrowed("\\\"")
            } else {
                Cow::Owned(format!("\\\" ({} of them)", draft.inner))
            };
            let length = quote_at(self.text, at).map_or(0, |(_, length)| length);
            self.note(ChangeKind::Quote, Loss::Lossless, at..at + length, after);
        }
        draft.text.finish()
    }

    /// Whether a colon after this quote shows that it closes a key whose opening quote was taken as
    /// an inner one.
    fn has_run_over(&self, after: usize, draft: &Draft<'_>) -> bool {
        self.byte(past_space(self.text, after)) == Some(b':') && ends_before_inner(draft)
    }

    /// Ends the string before its last inner quote, where the next string starts.
    fn back(&mut self, mut draft: Draft<'t>) -> Cow<'t, str> {
        self.horizon.looked(draft.start, self.at);
        let Some((at, length)) = draft.last_inner.take() else { return draft.text.finish() };
        draft.text.truncate(length);
        let text = draft.text.as_str().trim_end();
        let text = text.strip_suffix(',').unwrap_or(text).trim_end();
        let end = text.len();
        draft.text.truncate(end);
        draft.inner -= 1;
        self.at = at;
        self.note(ChangeKind::Quote, Loss::Lossless, at..at, "\",");
        self.close(draft)
    }

    /// Handles a reply that ends inside a string. If it ends with the brackets that are still open,
    /// only the quote is missing; otherwise the string was cut.
    fn unclosed(&mut self, mut draft: Draft<'t>, context: Context) -> Cow<'t, str> {
        self.horizon.looked(draft.start, self.text.len());
        if draft.inner == 0 {
            self.horizon.grows(draft.start);
        }
        if !matches!(context, Context::Root | Context::Argument)
            && let Some(closers) = self.closers_at_end(draft.start + 1)
        {
            match self.key_behind(&draft, closers, context) {
                KeyInside::Behind(end) => return self.end_at(draft, end),
                KeyInside::Unclear => {
                    self.cut();
                    return self.close(draft);
                }
                KeyInside::None => {}
            }
            let left_out = self.text.len() - closers;
            let kept = draft.text.len().saturating_sub(left_out);
            if draft.text.as_str().is_char_boundary(kept) {
                draft.text.truncate(kept);
                let end = draft.text.as_str().trim_end().len();
                draft.text.truncate(end);
                self.at = closers;
                self.is_guessed = true;
                self.note(ChangeKind::Quote, Loss::Lossless, closers..closers, "\"");
                return self.close(draft);
            }
        }
        self.cut();
        self.close(draft)
    }

    /// The keys of the contract inside the string, up to the brackets at byte `closers`.
    fn key_behind(&self, draft: &Draft<'t>, closers: usize, context: Context) -> KeyInside {
        let (_, quote) = quote_at(self.text, draft.start).unwrap_or((Quote::Double, 1));
        if context != Context::Member {
            return KeyInside::None;
        }
        let start = draft.start + quote;
        let is_plain = draft.inner == 0 && draft.text.len() == self.text.len() - start;
        match self.key_inside(start, closers) {
            KeyInside::Behind(_) if !is_plain => KeyInside::Unclear,
            found => found,
        }
    }

    /// Ends a string without a closing quote at byte `end`. Whether the reply was cut there remains
    /// a guess.
    fn end_at(&mut self, mut draft: Draft<'t>, end: usize) -> Cow<'t, str> {
        let left_out = self.text.len() - end;
        draft.text.truncate(draft.text.len() - left_out);
        let kept = draft.text.as_str().trim_end().len();
        draft.text.truncate(kept);
        draft.control.take_if(|at| *at >= end);
        self.at = end;
        self.is_guessed = true;
        self.note(ChangeKind::Quote, Loss::Lossless, end..end, "\"");
        self.close(draft)
    }

    /// Where the final closing brackets start, if they close exactly the open ones and no bracket
    /// opens between `start` and them.
    fn closers_at_end(&self, start: usize) -> Option<usize> {
        let body = self.text.get(start..)?;
        let fenced = body.trim_end().trim_end_matches('`');
        let mut end = fenced.len();
        for bracket in &self.open {
            let before = fenced[..end].trim_end();
            let closer = match bracket {
                b'[' => ']',
                b'(' => ')',
                _ => '}',
            };
            end = before.strip_suffix(closer)?.len();
        }
        (!fenced[..end].contains(['{', '[', '}', ']'])).then_some(start + end)
    }

    fn escape(&mut self, draft: &mut Draft<'t>) {
        let start = self.at;
        let Some(next) = self.text[start + 1..].chars().next() else {
            // Cut inside an escape.
            self.at = self.text.len();
            return;
        };
        self.at += 1 + next.len_utf8();
        match next {
            '"' | '\\' | '/' => draft.text.push(next),
            'b' => draft.text.push('\u{8}'),
            'f' => draft.text.push('\u{c}'),
            'n' => draft.text.push('\n'),
            'r' => draft.text.push('\r'),
            't' => draft.text.push('\t'),
            'u' => self.unicode(draft, start),
            '\'' | '`' | '\n' | '\r' | '‘' | '’' | '“' | '”' | '´' => {
                draft.escape.get_or_insert(start);
                draft.text.push(next);
            }
            // `\d`, `\alpha`: the backslash is part of the text.
            _ => {
                draft.escape.get_or_insert(start);
                draft.text.take(start..self.at);
            }
        }
    }

    /// Reads the digits after `\u`. An invalid code point stays as it is written.
    fn unicode(&mut self, draft: &mut Draft<'t>, start: usize) {
        let unit = |at: usize| {
            let digits =
                self.text.get(at..at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
            digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
        };
        let (found, length) = match unit(self.at) {
            Some(high @ 0xd800..=0xdbff) if self.text[self.at + 4..].starts_with("\\u") => {
                let low = unit(self.at + 6).filter(|low| (0xdc00..=0xdfff).contains(low));
                let code = low.map(|low| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                (code.and_then(char::from_u32), 10)
            }
            Some(code) => (char::from_u32(code), 4),
            None => (None, 0),
        };
        if let Some(c) = found {
            draft.text.push(c);
            self.at += length;
            return;
        }
        // Cut inside an escape.
        let rest = self.rest();
        if rest.len() < 4 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            self.at = self.text.len();
            return;
        }
        draft.escape.get_or_insert(start);
        draft.text.take(start..start + 2);
    }
}

/// Whether a comma or a line break precedes the last inner quote.
fn ends_before_inner(draft: &Draft<'_>) -> bool {
    let Some((_, length)) = draft.last_inner else { return false };
    let before = draft.text.as_str()[..length].trim_end_matches([' ', '\t', '\r']);
    before.ends_with([',', '\n'])
}

/// The bytes of a string without special meaning: all except the `special` ones, backslashes and
/// control characters.
pub(in crate::reading) const fn plain_bytes(special: &[u8]) -> [bool; 256] {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'\\' as usize] = false;
    let mut index = 0;
    while index < special.len() {
        plain[special[index] as usize] = false;
        index += 1;
    }
    plain
}
