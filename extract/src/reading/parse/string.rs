//! Strings in quotes of any kind. Their text is borrowed from the reply until it differs from it.

use std::{borrow::Cow, ops::Range};

use super::{
    Context, Parser,
    closing::{KeyInside, ends_alike, has_run_over_object, starts_again},
    look::{
        Quote, are_two_strings, closer_at, ends_with_quote, ends_with_stray_bracket, has_odd_quote,
        is_number_or_constant, is_quoted_twice, parts_elements, past_space, quote_at, without_curly,
    },
};
use crate::{
    reading::{
        node::{Data, Node},
        strict::{is_drive, splits_word},
    },
    vocabulary::{
        change::{ChangeKind, Loss},
        tokens::{plain_bytes, unescape},
    },
};

/// The part of a string that has been read.
#[derive(Default)]
struct Draft<'t> {
    text: Text<'t>,
    start: usize,
    /// The number of quotes inside.
    inner: usize,
    /// Where the last one is, in the reply and in `text`.
    last_inner: Option<(usize, usize)>,
    escapes: Escapes,
    control: Option<usize>,
}

impl Draft<'_> {
    /// Returns whether the string, which has no quote of its own at its end, may end before: at another quote,
    /// or in a list at what parts elements.
    fn may_end_before(&self, context: Context) -> bool {
        let text = self.text.as_str();
        self.inner > 0
            || self.escapes.has_own_quote
            || text.is_empty()
            || text.ends_with([',', ';', ':', '”', '“'])
            || context == Context::Item && text.contains(parts_elements)
            || ends_with_quote(text)
    }
}

/// The escapes of a string.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
struct Escapes {
    /// Where the first one is that JSON does not have, except for quotes of other languages.
    foreign: Option<usize>,
    /// Where the first one for a quote of other languages is.
    quote: Option<usize>,
    /// Whether there is a line break, a tab or a code point among them.
    has_text: bool,
    /// Whether there is a backspace or a form feed among them, or the start of a command of LaTeX,
    /// which is never meant.
    has_control: bool,
    /// Whether a quote, a backslash or half of a character is escaped.
    has_own: bool,
    /// Whether a double quote is escaped.
    has_own_quote: bool,
    /// Whether one is a code point or the end of a line in another language: `\x41`.
    is_code: bool,
    /// Whether all that JSON does not have are of Markdown: `snake\_case`.
    is_markdown: bool,
    /// Whether the first follows the letter of a drive.
    is_path: bool,
    count: usize,
}

impl Escapes {
    /// Returns whether the backslashes may stand for themselves.
    fn are_unclear(&self) -> bool {
        self.foreign.is_some() || self.is_code || self.has_control || self.is_path && self.has_text
    }

    /// Returns whether all backslashes certainly stand for themselves: one of them shows it, and
    /// none may be an escape that is meant.
    fn are_literal(&self) -> bool {
        (self.foreign.is_some() || self.is_path)
            && !self.has_own
            && !self.is_code
            && !self.is_markdown
            && self.quote.is_none()
            && (self.is_path || !self.has_text)
    }
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
        if quote == Quote::Token {
            return Some(Cow::Borrowed(self.up_to_token(&self.text[start..start + length])));
        }
        let draft = Draft { text: Text::new(self.text), start, ..Draft::default() };
        Some(self.body(draft, quote, context))
    }

    /// The text up to the next `token`, which has no escapes.
    fn up_to_token(&mut self, token: &str) -> &'t str {
        let start = self.at;
        let length = self.rest().find(token);
        self.at = length.map_or(self.text.len(), |length| start + length + token.len());
        if length.is_none() {
            self.horizon.looked(start, self.at);
            self.cut();
        }
        &self.text[start..length.map_or(self.at, |length| start + length)]
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
                    return self.back(draft, context);
                }
                let end = self.at;
                self.at = after;
                return self.close_at(draft, end, context);
            }
            if context == Context::Item
                && let Some(end) = self.end_before_key(after)
            {
                let quote = self.at;
                self.at = after;
                let text = self.close_at(draft, quote, context);
                // The words before the bracket may be part of the string.
                self.note(ChangeKind::Comment, Loss::Lossy, self.at..end, "");
                self.at = end;
                return text;
            }
            if context == Context::Member && self.has_run_over(after, &draft) {
                return self.back(draft, context);
            }
            if draft.inner == 0 && has_run_over_object(draft.text.as_str()) {
                self.note(ChangeKind::Quote, Loss::Lossy, self.at..self.at, "\"");
            }
            if quote != Quote::Double && self.may_part(self.at, after) {
                self.note(ChangeKind::Quote, Loss::Lossy, self.at..after, "");
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
            Quote::Token => const { &plain_bytes(b"<") },
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
        let start = self.at;
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        draft.text.take(start..self.at);
    }

    /// Closes a string at its quote, which is at byte `end`.
    fn close_at(&mut self, mut draft: Draft<'t>, end: usize, context: Context) -> Cow<'t, str> {
        let (kind, quote) = quote_at(self.text, draft.start).unwrap_or((Quote::Double, 1));
        let inside = draft.start + quote..end;
        if kind == Quote::Double && context == Context::Item && self.goes_on_quoting(&inside) {
            self.note(ChangeKind::Quote, Loss::Lossy, inside.start - quote..end, "");
        }
        // Lines with commas in a list are its elements.
        if context == Context::Item && draft.control.is_some() && self.text[inside.clone()].contains(",\n") {
            self.note(ChangeKind::Quote, Loss::Lossy, inside.clone(), "");
        }
        let is_clear = draft.inner == 0 && !draft.escapes.are_unclear() && kind == Quote::Double;
        let (before, written) = self.text[..end].split_at(draft.start);
        if ends_alike(before, &written[quote..]) || !is_clear && starts_again(before, written) {
            self.note(ChangeKind::Quote, Loss::Lossy, draft.start..end, "");
        }
        if is_clear {
            return self.close(draft);
        }
        let is_odd = has_odd_quote(&self.text[inside.clone()]);
        // A straight quote may close a curly one, too.
        let is_double = matches!(kind, Quote::Double | Quote::SmartDouble);
        if draft.escapes.are_unclear() && draft.escapes.are_literal() && draft.inner == 0 {
            let at = draft.escapes.foreign.unwrap_or(inside.start);
            self.note(ChangeKind::Escape, Loss::Lossless, at..at + 1, "\\\\");
            draft.text = Text::new(self.text);
            draft.text.take(inside);
            draft.escapes = Escapes::default();
        } else if context == Context::Key && draft.escapes.is_markdown && draft.inner == 0 {
            let at = draft.escapes.foreign.unwrap_or(inside.start);
            self.note(ChangeKind::Escape, Loss::Lossless, at..at + 1, "");
            draft.text.set(self.text[inside].replace("\\_", "_").replace("\\*", "*"));
            draft.escapes = Escapes::default();
        } else if is_double && (is_odd || is_quoted_twice(&self.text[inside.clone()]))
            || (is_odd || draft.inner > 0) && self.may_end_before(&inside, context)
        {
            self.note(ChangeKind::Quote, Loss::Lossy, inside.start - quote..end, "");
        }
        self.close(draft)
    }

    /// Returns whether a German quotation follows the comma after the string at `inside`:
    /// `"a „b", „c" d"`. It may go on in there.
    fn goes_on_quoting(&self, inside: &Range<usize>) -> bool {
        let next = past_space(self.text, inside.end + 1);
        self.byte(next) == Some(b',') && self.text[past_space(self.text, next + 1)..].starts_with('„')
    }

    /// Returns whether the string at `inside` may have swallowed text after its own end: a quote in
    /// it is next to a comma of a list, or a key of the contract is in it.
    fn may_end_before(&self, inside: &Range<usize>, context: Context) -> bool {
        if context != Context::Key && are_two_strings(&self.text[inside.clone()]) {
            return true;
        }
        match context {
            Context::Item => {
                let text = &self.text[inside.clone()];
                let is_next_to_comma = |(at, quote): (usize, &str)| {
                    let before = text[..at].trim_end();
                    let after = text[at + quote.len()..].trim_start();
                    before.ends_with(parts_elements) || after.starts_with(parts_elements)
                };
                text.match_indices('"').any(is_next_to_comma)
            }
            Context::Member => {
                let quotes = self.text[inside.clone()].match_indices('"').map(|(at, _)| inside.start + at);
                self.key_inside(inside.start, inside.end) != KeyInside::None
                    || quotes.into_iter().any(|at| self.is_known_key(at) || self.closes_key(at))
            }
            _ => false,
        }
    }

    fn close(&mut self, draft: Draft<'t>) -> Cow<'t, str> {
        if let Some(at) = draft.control {
            self.note(ChangeKind::ControlCharacter, Loss::Lossless, at..at + 1, "an escape");
        }
        if draft.escapes.are_unclear() {
            let at = draft.escapes.foreign.unwrap_or(draft.start);
            self.note(ChangeKind::Escape, Loss::Lossy, at..self.at.max(at), "");
        } else if let Some(at) = draft.escapes.quote {
            self.note(ChangeKind::Escape, Loss::Lossless, at..at + 1, "");
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

    /// Returns whether the single quote from `at` to `after` may end a string rather than be an
    /// apostrophe, which is inside of a word.
    fn may_part(&self, at: usize, after: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        let next = self.text[after..].chars().next();
        self.byte(at) == Some(b'\'') && ![before, next].iter().all(|c| c.is_some_and(char::is_alphanumeric))
    }

    /// Returns whether a colon after this quote shows that it closes a key whose opening quote was
    /// taken as an inner one.
    fn has_run_over(&self, after: usize, draft: &Draft<'_>) -> bool {
        self.byte(past_space(self.text, after)) == Some(b':') && ends_before_inner(draft)
    }

    /// Ends the string before its last inner quote, where the next string starts.
    fn back(&mut self, mut draft: Draft<'t>, context: Context) -> Cow<'t, str> {
        self.horizon.looked(draft.start, self.at);
        let Some((at, length)) = draft.last_inner.take() else { return draft.text.finish() };
        draft.text.truncate(length);
        let text = draft.text.as_str().trim_end();
        let text = text.strip_suffix(',').unwrap_or(text).trim_end();
        let end = without_curly(text).len();
        draft.text.truncate(end);
        draft.inner -= 1;
        self.at = at;
        let text = draft.text.as_str();
        let is_unclear = draft.may_end_before(context)
            || context == Context::Item && (text.contains('\n') || is_number_or_constant(text))
            || ends_with_stray_bracket(text)
            // The value may start again in it.
            || text.rfind(['{', '[', '(']) > text.rfind(['}', ']', ')']);
        let loss = if is_unclear { Loss::Lossy } else { Loss::Lossless };
        self.note(ChangeKind::Quote, loss, at..at, "\",");
        self.close(draft)
    }

    /// Handles a reply that ends inside a string. If it ends with the brackets that are still open,
    /// only the quote is missing; otherwise the string was cut.
    fn unclosed(&mut self, mut draft: Draft<'t>, context: Context) -> Cow<'t, str> {
        self.horizon.looked(draft.start, self.text.len());
        if draft.inner == 0 && !draft.escapes.are_unclear() {
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
                let text = draft.text.as_str().trim_end();
                let (end, whole) = (without_curly(text).len(), text.len());
                draft.text.truncate(end);
                self.at = closers;
                // A quote of another kind closes it.
                self.is_guessed = end == whole;
                // Any quote in it may be the one that closes it, too.
                let is_unclear = draft.may_end_before(context) || draft.text.as_str().contains('"');
                let loss = if is_unclear { Loss::Lossy } else { Loss::Lossless };
                self.note(ChangeKind::Quote, loss, closers..closers, "\"");
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
        let Some((meant, length)) = unescape(self.rest()) else {
            // Cut inside an escape.
            self.at = self.text.len();
            return;
        };
        self.at += length;
        let next = self.text[start + 1..].chars().next().unwrap_or_default();
        let Draft { text, escapes, .. } = draft;
        if escapes.count == 0 {
            let is_own = matches!(next, '"' | '\\');
            escapes.is_path = !is_own && is_drive(text.as_str(), &self.text[self.at..]);
        }
        escapes.count += 1;
        // Half of a character is an escape of JSON, and no text.
        escapes.has_own |= matches!(next, '"' | '\\') || meant.is_none() && next == 'u' && length == 6;
        escapes.has_own_quote |= next == '"';
        escapes.is_code |= meant.is_none() && !escapes.is_path && is_code(&self.text[start + 1..]);
        let control = meant.and_then(|meant| u8::try_from(meant).ok()).unwrap_or_default();
        escapes.has_control |= matches!(next, 'b' | 'f')
            || length == 2 && splits_word(text.as_str(), control, &self.text[self.at..]);
        escapes.has_text |= matches!(next, 'n' | 'r' | 't') || next == 'u' && meant.is_some();
        match (meant, next) {
            (Some(meant), _) => text.push(meant),
            (None, '\'' | '`' | '\n' | '\r' | '‘' | '’' | '“' | '”' | '´') => {
                escapes.quote.get_or_insert(start);
                text.push(next);
            }
            // `\d`, `\alpha`: the backslash is part of the text.
            _ => {
                let is_first = escapes.foreign.replace(escapes.foreign.unwrap_or(start)).is_none();
                escapes.is_markdown = matches!(next, '_' | '*') && (is_first || escapes.is_markdown);
                text.take(start..self.at);
            }
        }
    }
}

/// Returns whether `text`, after a backslash, spells a code point or joins two lines in another
/// language, or is in another script than any escape or path.
fn is_code(text: &str) -> bool {
    let mut chars = text.chars();
    let (first, second) = (chars.next().unwrap_or_default(), chars.next().unwrap_or_default());
    match first {
        'x' | 'u' | 'U' => second.is_ascii_hexdigit() || !second.is_lowercase(),
        'e' => second == '[',
        'N' => second == '{',
        '0'..='9' | '\n' | '\r' => true,
        _ => first.is_alphabetic() && !first.is_ascii(),
    }
}

/// Returns whether a comma or a line break precedes the last inner quote.
fn ends_before_inner(draft: &Draft<'_>) -> bool {
    let Some((_, length)) = draft.last_inner else { return false };
    let before = draft.text.as_str()[..length].trim_end_matches([' ', '\t', '\r']);
    before.ends_with([',', '\n'])
}

#[derive(Default)]
pub(super) struct Text<'t> {
    source: &'t str,
    /// The text so far, while it is a part of the source.
    part: Range<usize>,
    /// The text so far, once it differs from the source.
    own: Option<String>,
}

impl<'t> Text<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        Self { source, ..Self::default() }
    }

    pub(super) fn as_str(&self) -> &str {
        self.own.as_deref().unwrap_or(&self.source[self.part.clone()])
    }

    pub(super) fn len(&self) -> usize {
        self.own.as_ref().map_or(self.part.len(), String::len)
    }

    /// Appends a part of the source.
    pub(super) fn take(&mut self, part: Range<usize>) {
        match &self.own {
            None if self.part.is_empty() => self.part = part,
            None if self.part.end == part.start => self.part.end = part.end,
            _ => {
                let part = &self.source[part];
                self.own().push_str(part);
            }
        }
    }

    pub(super) fn push(&mut self, c: char) {
        self.own().push(c);
    }

    pub(super) fn set(&mut self, text: String) {
        self.own = Some(text);
    }

    pub(super) fn truncate(&mut self, length: usize) {
        match &mut self.own {
            Some(own) => own.truncate(length),
            None => self.part.end = self.part.start + length.min(self.part.len()),
        }
    }

    pub(super) fn finish(self) -> Cow<'t, str> {
        match self.own {
            Some(own) => Cow::Owned(own),
            None => Cow::Borrowed(&self.source[self.part]),
        }
    }

    fn own(&mut self) -> &mut String {
        let part = &self.source[self.part.clone()];
        self.own.get_or_insert_with(|| {
            let mut own = String::with_capacity(2 * part.len() + 16);
            own.push_str(part);
            own
        })
    }
}
