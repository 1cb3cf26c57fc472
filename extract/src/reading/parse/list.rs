//! Lists, and the elements of lists and objects: the commas between them, how they end, and how they
//! grow while using little more memory than they hold.

use std::collections::HashMap;

use super::{Context, MAX_GAPS, Parser, Unreadable, is_space, look::foreign_sign, number};
use crate::{
    reading::{
        node::{Data, Entry, Node},
        prose::{NOTHING, words},
    },
    vocabulary::change::{ChangeKind, Loss},
};

impl<'t> Parser<'t> {
    /// Parses the list that starts with the bracket here.
    pub(super) fn list(&mut self) -> Result<Node<'t>, Unreadable> {
        self.elements(b'[', "]")
    }

    /// Parses the tuple of Python that starts with the bracket here: `("a", 1)`.
    pub(super) fn tuple(&mut self) -> Result<Node<'t>, Unreadable> {
        let start = self.at;
        let node = self.elements(b'(', ")")?;
        // `(1)` is a number in brackets, and `(1,234)` is one below zero in accounts.
        let inside = self.text[start + 1..self.at].strip_suffix(')');
        let has_comma =
            |inside: &str| node.items().len() > 1 || inside.trim_end_matches(is_space).ends_with(',');
        let is_tuple = inside.is_some_and(|inside| has_comma(inside) && number::ungrouped(inside).is_none());
        let loss = if is_tuple { Loss::Lossless } else { Loss::Lossy };
        // A tuple lacks no bracket.
        self.gaps = self.gaps.saturating_sub(1);
        self.note(ChangeKind::Bracket, loss, start..start + 1, "[");
        Ok(node)
    }

    /// Parses the elements between the `bracket` here and its `closer`.
    fn elements(&mut self, bracket: u8, closer: &'static str) -> Result<Node<'t>, Unreadable> {
        let start = self.at;
        self.enter(bracket)?;
        self.bump();
        let mut items = Vec::new();
        let mut commas = Commas::default();
        let (mut missing, mut is_folded) = (0, false);
        while let Next::Element(byte) = self.next(&mut commas, closer) {
            if commas.are_needed {
                missing += 1;
                let is_word = |item: &Node<'_>| {
                    matches!(item.data, Data::Text(_))
                        && self.byte(item.span.start).is_some_and(|byte| byte.is_ascii_alphanumeric())
                };
                is_folded |= byte.is_ascii_alphanumeric() && items.last().is_some_and(is_word);
            }
            self.element(&mut commas, |parser| {
                if let Some(item) = parser.value(Context::Item)? {
                    push(&mut items, item);
                    parser.unknown.count_value();
                }
                Ok(())
            })?;
        }
        self.open.pop();
        // Words on two lines are one element in YAML, if commas are between others.
        if is_folded && missing + 1 < items.len() {
            self.note(ChangeKind::Comma, Loss::Lossy, start..self.at, "");
        }
        if items.is_empty() {
            self.note_elements_in_comments(start);
        }
        fit(&mut items);
        Ok(Node::new(start..self.at, Data::List(items)))
    }

    /// Records that the list from byte `start` on has elements in comments alone. A sentence is none.
    fn note_elements_in_comments(&mut self, start: usize) {
        for note in self.notes.iter_mut().rev().take_while(|note| note.span.start >= start) {
            let text = &self.text[note.span.clone()];
            let is_element = words(text).count() < 3 && !NOTHING.any_in(text);
            if note.kind == ChangeKind::Comment && is_element {
                note.loss = Loss::Lossy;
            }
        }
    }
}

/// The commas of one list or object.
#[derive(Debug, Default)]
pub(super) struct Commas {
    /// The comma after the last element.
    last: Option<usize>,
    /// Whether the next element needs a comma before it.
    are_needed: bool,
}

/// The next part of a list or object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// An element that starts with this byte, which is not consumed.
    Element(u8),
    /// The matching closing bracket, which was consumed.
    Closed,
    /// Any other end.
    Ended,
}

impl Parser<'_> {
    /// Skips everything up to the next element or the end that `closer` marks.
    pub(super) fn next(&mut self, commas: &mut Commas, closer: &'static str) -> Next {
        loop {
            self.space();
            let at = self.at;
            match self.peek() {
                None => {
                    self.cut();
                    return Next::Ended;
                }
                Some(byte) if byte == closer.as_bytes()[0] => {
                    self.bump();
                    self.trailing(commas);
                    return Next::Closed;
                }
                Some(byte @ (b'}' | b']')) => {
                    self.trailing(commas);
                    self.wrong_bracket(byte, closer);
                    return Next::Ended;
                }
                Some(b',') => self.comma(commas),
                Some(b'|' | 0xd8 | 0xe3 | 0xef) if self.is_foreign(commas, closer) => {
                    let (sign, length) = foreign_sign(self.text, at).unwrap_or((b',', 1));
                    let kind = if sign == b',' { ChangeKind::Comma } else { ChangeKind::Bracket };
                    self.note_with(kind, Loss::Lossless, at..at + length, || char::from(sign).to_string());
                    self.at += length;
                    if sign != b',' {
                        self.trailing(commas);
                        return Next::Closed;
                    }
                    *commas = Commas { last: Some(at), are_needed: false };
                }
                Some(b';') if commas.are_needed => {
                    self.note(ChangeKind::Comma, Loss::Lossless, at..at + 1, ",");
                    self.comma(commas);
                }
                Some(b'`') if self.starts_with("```") => {
                    self.unclosed_level(closer);
                    return Next::Ended;
                }
                Some(b'.' | 0xe2) if self.ellipsis() => commas.are_needed = false,
                Some(byte) => return Next::Element(byte),
            }
        }
    }

    /// Records that the innermost level ends here without its bracket. Elements of a list that is in another
    /// level may belong there.
    fn unclosed_level(&mut self, closer: &'static str) {
        let is_nested_list = self.open.len() > 1 && self.open.last() == Some(&b'[');
        // Inside of a line, a fence is a part of a text.
        let starts_line = self.text[..self.at].trim_end_matches([' ', '\t']).ends_with('\n');
        // After a comma, more was to follow.
        let is_between = self.text[..self.at].trim_end_matches(is_space).ends_with(',');
        let loss = if is_nested_list || !starts_line || is_between { Loss::Lossy } else { Loss::Lossless };
        self.note(ChangeKind::Bracket, loss, self.at..self.at, closer);
    }

    /// Reads the element here. The comma before it may be missing.
    pub(super) fn element(
        &mut self,
        commas: &mut Commas,
        read: impl FnOnce(&mut Self) -> Result<(), Unreadable>,
    ) -> Result<(), Unreadable> {
        if commas.are_needed {
            let loss = if self.may_be_one_string() { Loss::Lossy } else { Loss::Lossless };
            self.note(ChangeKind::Comma, loss, self.at..self.at, ",");
        }
        if self.gaps > MAX_GAPS {
            return Err(Unreadable::TooBroken);
        }
        if self.unknown.are_too_many() {
            return Err(Unreadable::MostlyUnknown);
        }
        *commas = Commas { last: None, are_needed: true };
        read(self)
    }

    /// Returns whether the string here and the one before it may be one: Python joins `"a " "b"`, and any two in its
    /// brackets, and an empty one may be two quotes too many.
    fn may_be_one_string(&self) -> bool {
        let (before, rest) = (self.text[..self.at].trim_end(), self.rest());
        let is_in_tuple = self.is_in_call() && rest.starts_with(['"', '\'']);
        is_in_tuple
            || ['"', '\'', '`'].into_iter().any(|quote| {
                before.strip_suffix(quote).is_some_and(|text| text.ends_with([' ', quote]))
                    || rest.strip_prefix(quote).is_some_and(|text| text.starts_with([' ', quote]))
            })
    }

    /// Returns whether a comma of another script is here, after an element, or the bracket of
    /// another script that closes the level.
    fn is_foreign(&self, commas: &Commas, closer: &str) -> bool {
        foreign_sign(self.text, self.at)
            .is_some_and(|(sign, _)| sign == b',' && commas.are_needed || sign == closer.as_bytes()[0])
    }

    fn comma(&mut self, commas: &mut Commas) {
        let at = self.at;
        self.bump();
        if commas.are_needed {
            commas.last = Some(at);
        } else {
            self.note(ChangeKind::Comma, Loss::Lossless, at..at + 1, "");
        }
        commas.are_needed = false;
    }

    /// Notes a comma before a closing bracket.
    fn trailing(&mut self, commas: &Commas) {
        if let Some(at) = commas.last {
            self.note(ChangeKind::Comma, Loss::Lossless, at..at + 1, "");
        }
    }

    /// Handles a closing bracket of the other kind: it belongs to an outer level, or is a slip.
    fn wrong_bracket(&mut self, bracket: u8, expected: &'static str) {
        let belongs_outside = self.is_in(if bracket == b'}' { b'{' } else { b'[' });
        let length = usize::from(!belongs_outside);
        self.note(ChangeKind::Bracket, Loss::Lossy, self.at..self.at + length, expected);
        self.at += length;
    }
}

/// Number of entries from which duplicates are removed before the object grows.
const MANY: usize = 64;

/// Adds `item`. Grows by half rather than doubling, because every other byte may be a value.
pub(super) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 2 + 2);
    }
    items.push(item);
}

/// Frees the spare room of a list of one or two, because there may be as many lists as bytes.
pub(super) fn fit<T>(items: &mut Vec<T>) {
    if items.len() < 3 {
        items.shrink_to_fit();
    }
}

impl Parser<'_> {
    /// Drops entries whose keys are repeated later, if most are, before `entries` grows.
    pub(super) fn thin_out(&mut self, entries: &mut Vec<Entry<'_>>) {
        if entries.len() < MANY || entries.len() < entries.capacity() {
            return;
        }
        let mut last: HashMap<&str, usize> = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            last.insert(&entry.key, index);
        }
        if last.len() > entries.len() / 2 {
            return;
        }
        let is_last: Vec<bool> =
            entries.iter().enumerate().map(|(index, entry)| last[&*entry.key] == index).collect();
        for (entry, is_last) in entries.iter().zip(&is_last) {
            if !is_last {
                self.note_duplicate(entry, &entries[last[&*entry.key]]);
            }
        }
        let mut kept = is_last.into_iter();
        entries.retain(|_| kept.next().unwrap_or(true));
    }
}
