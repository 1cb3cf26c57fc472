//! Objects.

use std::{borrow::Cow, collections::HashMap};

use super::{
    Context, Parser, Unreadable,
    list::{Commas, Next, fit, push},
    look::{foreign_sign, quote_at},
};
use crate::{
    reading::{
        node::{Data, Entry, Node},
        slip::Edit,
    },
    vocabulary::change::{ChangeKind, Loss},
};

impl<'t> Parser<'t> {
    /// Parses the object that starts with the bracket here.
    pub(super) fn object(&mut self) -> Result<Node<'t>, Unreadable> {
        let start = self.at;
        self.bump();
        self.members(start, b'{')
    }

    /// Parses the members of the object that starts at byte `start`, from its first key, which is
    /// here. A call with named arguments has another `bracket`.
    pub(super) fn members(&mut self, start: usize, bracket: u8) -> Result<Node<'t>, Unreadable> {
        self.enter(bracket)?;
        let had_bare_keys = std::mem::take(&mut self.has_bare_keys);
        let mut entries = Vec::new();
        if bracket == b'{' { self.entries(&mut entries) } else { self.arguments(&mut entries) }?;
        self.has_bare_keys = had_bare_keys;
        self.open.pop();
        fit(&mut entries);
        self.note_duplicates(&entries);
        Ok(Node::new(start..self.at, Data::Object(entries)))
    }

    fn entries(&mut self, entries: &mut Vec<Entry<'t>>) -> Result<(), Unreadable> {
        let mut doubled = 0;
        let mut commas = Commas::default();
        loop {
            let next = self.next(&mut commas, "}");
            let at = self.at;
            match next {
                Next::Ended => return Ok(()),
                Next::Closed => {
                    self.doubled(doubled);
                    return Ok(());
                }
                Next::Element(b'{') if entries.is_empty() && self.open.len() < self.max_depth => {
                    doubled += 1;
                    self.at += 1;
                    self.note(ChangeKind::Bracket, Loss::Lossless, at..at + 1, "");
                }
                Next::Element(b'{') if self.is_in(b'[') => {
                    self.note(ChangeKind::Bracket, Loss::Lossy, at..at, "}");
                    return Ok(());
                }
                Next::Element(_) => self.element(&mut commas, |parser| parser.member(entries))?,
            }
        }
    }

    /// Consumes the second half of doubled brackets.
    fn doubled(&mut self, count: usize) {
        for _ in 0..count {
            self.space();
            if self.peek() != Some(b'}') {
                return;
            }
            self.note(ChangeKind::Bracket, Loss::Lossless, self.at..self.at + 1, "");
            self.at += 1;
        }
    }

    pub(super) fn member(&mut self, entries: &mut Vec<Entry<'t>>) -> Result<(), Unreadable> {
        let start = self.at;
        let is_quoted = quote_at(self.text, start).is_some();
        let Some(mut key) = self.key() else { return Ok(()) };
        self.space();
        let at = self.at;
        let is_inserted = self.slip.is_some_and(|slip| slip.at == at && slip.edit == Edit::Insert(b':'));
        let has_colon = self.colon() || self.took_colon(&mut key);
        self.space();
        let value = match self.peek() {
            Some(b',' | b'}' | b']') => None,
            Some(b')') if self.is_in_call() => None,
            _ => self.value_of(&key)?,
        };
        if value.is_none() && self.is_cut {
            return Ok(());
        }
        // `{"name" "city"}` may be two keys.
        let is_other_key = || {
            let text = value.as_ref().and_then(Node::text);
            text.is_some_and(|text| self.keys.is_some_and(|keys| keys.has(text)))
        };
        if is_inserted && is_other_key() {
            self.note(ChangeKind::Colon, Loss::Lossy, at..at, ":");
        } else if value.is_some() && !has_colon {
            // Words between two values may be no key: `["a"] + ["b"]`. Nor may a string be one: Python joins
            // `"a" "b"`.
            let is_known = || self.keys.is_none_or(|keys| keys.has(&key));
            let is_key = is_quoted && !key.is_empty() && is_known() || entries.is_empty();
            let loss = if is_key && !is_other_key() { Loss::Lossless } else { Loss::Lossy };
            self.note(ChangeKind::Colon, loss, at..at, ":");
        }
        if value.as_ref().is_some_and(|value| self.is_variable(value, &key)) {
            self.note(ChangeKind::Quote, Loss::Lossy, at..self.at, "");
        }
        let value = value.unwrap_or_else(|| {
            self.note(ChangeKind::Missing, Loss::Lossy, start..self.at, "null");
            Node::new(self.at..self.at, Data::Null)
        });
        self.thin_out(entries);
        push(entries, Entry { start, key, value });
        Ok(())
    }

    /// Returns whether `value` is the name of a variable that has the value of `key`: `person.name`, or
    /// `name` alone.
    fn is_variable(&self, value: &Node<'t>, key: &str) -> bool {
        let Data::Text(text) = &value.data else { return false };
        text.rsplit('.').next() == Some(key) && quote_at(self.text, value.span.start).is_none()
    }

    /// Parses the value of `key`.
    fn value_of(&mut self, key: &str) -> Result<Option<Node<'t>>, Unreadable> {
        let Some(keys) = self.keys else { return self.value(Context::Member) };
        let was_inside = self.unknown.enter(key, keys);
        let value = self.value(Context::Member);
        self.unknown.leave(was_inside);
        value
    }

    /// Returns whether `key` of the contract lacked its closing quote, and so took the colon: `"a: "b"`. The
    /// colon is taken out again.
    fn took_colon(&mut self, key: &mut Cow<'t, str>) -> bool {
        let known = key.trim_end().strip_suffix(':').map(str::trim_end);
        let known = known.filter(|known| self.keys.is_some_and(|keys| keys.has(known)));
        let Some(length) = known.map(str::len) else { return false };
        key.to_mut().truncate(length);
        self.note(ChangeKind::Quote, Loss::Lossless, self.at..self.at, "\"");
        true
    }

    fn colon(&mut self) -> bool {
        let length = match self.peek() {
            Some(b':') => {
                self.bump();
                return true;
            }
            Some(0xef) if foreign_sign(self.text, self.at) == Some((b':', 3)) => 3,
            Some(b'=') if self.starts_with("=>") => 2,
            Some(b'=') => 1,
            _ => return false,
        };
        self.note(ChangeKind::Colon, Loss::Lossless, self.at..self.at + length, ":");
        self.at += length;
        true
    }

    /// Parses the key here; `None` if the text ends inside it.
    fn key(&mut self) -> Option<Cow<'t, str>> {
        if quote_at(self.text, self.at).is_some() {
            let key = self.string(Context::Key)?;
            return (!self.is_cut).then_some(key);
        }
        let start = self.at;
        while let Some(byte) = self.peek() {
            let is_end = matches!(byte, b':' | b'=' | b',' | b'{' | b'}' | b'[' | b']' | b'\n' | b'\'')
                || byte == b')' && self.is_in_call();
            let is_sign =
                || quote_at(self.text, self.at).is_some() || foreign_sign(self.text, self.at).is_some();
            if is_end || byte == b'"' || byte >= 0x80 && is_sign() {
                break;
            }
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        }
        let key = self.text[start..self.at].trim_end();
        let end = start + key.len();
        // The closing one of a pair of quotes.
        if self.peek() == Some(b'"') && !key.is_empty() && matches!(self.byte(self.at + 1), Some(b':' | b' '))
        {
            self.at += 1;
        }
        if self.peek().is_none() {
            self.cut();
            return None;
        }
        if key.is_empty() {
            self.note(ChangeKind::Missing, Loss::Lossy, start..start, "\"\"");
        } else {
            self.has_bare_keys = true;
            // `{None: 1}` may have another key than the string, and `{«a»: 1}` another sign than its quote.
            let is_null = matches!(key, "None" | "null" | "undefined");
            let is_start = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
            let is_name = key.trim_start_matches('-').starts_with(is_start) && !key.contains('(');
            let is_unclear = is_null || !is_name && !self.keys.is_some_and(|keys| keys.has(key));
            let loss = if is_unclear { Loss::Lossy } else { Loss::Lossless };
            self.note_with(ChangeKind::Quote, loss, start..end, || format!("\"{key}\""));
        }
        Some(Cow::Borrowed(key))
    }

    /// Records keys that are repeated. Nothing is lost if their values are the same.
    fn note_duplicates(&mut self, entries: &[Entry]) {
        if entries.len() <= 8 {
            for (index, later) in entries.iter().enumerate() {
                let before = entries[..index].iter().rev().find(|earlier| earlier.key == later.key);
                if let Some(earlier) = before {
                    self.note_duplicate(earlier, later);
                }
            }
            return;
        }
        let mut seen: HashMap<&str, &Entry> = HashMap::new();
        for later in entries {
            if let Some(earlier) = seen.insert(&later.key, later) {
                self.note_duplicate(earlier, later);
            }
        }
    }

    pub(super) fn note_duplicate(&mut self, earlier: &Entry, later: &Entry) {
        let is_same = earlier.value.is_same(&later.value);
        let loss = if is_same { Loss::Lossless } else { Loss::Lossy };
        self.note(ChangeKind::Duplicate, loss, earlier.start..earlier.value.span.end, "");
    }
}
