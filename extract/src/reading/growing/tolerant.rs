//! Shows an answer that is not strict JSON while it streams in.
//!
//! The text so far is read again whenever it has grown by [half](GROWTH). The part of the result
//! that later text cannot change is written as strict JSON and scanned. The written text only
//! grows, so nothing shown is taken back. If a later reading disagrees, nothing more is shown until
//! the whole reply is read.

use std::{fmt::Write as _, sync::Arc};

use crate::reading::{
    Shapes,
    node::{Data, Node},
    parse::{Prefix, number, prefix},
    scan::{Scanner, Sight, written},
};

/// Growth of the text between two readings, as a fraction. With one half, all readings together
/// cover at most three times the bytes of the reply.
const GROWTH: (usize, usize) = (1, 2);

/// Minimum number of bytes between two readings.
const STEP: usize = 64;

/// Characters at the end of a growing string that may belong to an unfinished escape; a surrogate
/// pair has twelve.
const UNSURE: usize = 16;

#[derive(Debug)]
pub(super) struct Tolerant {
    shapes: Arc<Shapes>,
    max_depth: usize,
    scanner: Scanner,
    /// The JSON given to the scanner so far.
    written: String,
    /// Length of the text that triggers the next reading; `None` if there will be none.
    next: Option<usize>,
    /// Whether it shows everything that was shown before it.
    has_caught_up: bool,
    /// Bytes read by all readings together.
    #[cfg(test)]
    pub(super) passed: usize,
}

impl Tolerant {
    /// For an answer that starts with a bracket and stops being strict JSON at byte `at`.
    pub(super) fn new(shapes: Arc<Shapes>, max_depth: usize, scanner: Scanner, at: usize) -> Self {
        Self {
            shapes,
            max_depth,
            scanner,
            written: String::new(),
            next: Some(at + STEP),
            has_caught_up: false,
            #[cfg(test)]
            passed: 0,
        }
    }

    /// Reads `text`, the whole answer so far, if it has grown enough. The view from `before` stays
    /// until this one shows at least as much.
    pub(super) fn read(&mut self, text: &str, before: &Scanner) {
        if self.next.is_none_or(|next| text.len() < next) {
            return;
        }
        #[cfg(test)]
        {
            self.passed += text.len();
        }
        let (part, whole) = GROWTH;
        let shapes = Arc::clone(&self.shapes);
        self.next = match prefix(text, self.max_depth, shapes.keys()) {
            Ok(prefix) => {
                let goes_on = self.write(&prefix, text);
                goes_on.then(|| text.len() + (text.len() / whole * part).max(STEP))
            }
            // More text cannot make it readable.
            Err(_) => None,
        };
        self.has_caught_up = self.has_caught_up
            || before
                .sight()
                .is_none_or(|before| self.scanner.sight().is_some_and(|shown| shown.has_all_of(&before)));
    }

    /// Scans the certain part of `prefix`, which was read from `text`. Returns whether there may be more.
    fn write(&mut self, prefix: &Prefix<'_>, text: &str) -> bool {
        let mut written = String::with_capacity(self.written.len() + self.written.len() / 2);
        let is_whole = Writer { prefix, text, out: &mut written }.value(&prefix.node);
        if let Some(more) = written.strip_prefix(&*self.written) {
            self.scanner.push(more);
            self.written = written;
            !is_whole && !self.scanner.is_stuck()
        } else {
            // A shorter result adds nothing. A different one is left to the reader of the whole
            // reply.
            self.written.starts_with(&written)
        }
    }

    /// The part of the answer that can be shown; `None` while it shows less than before.
    pub(super) fn sight(&self) -> Option<Sight<'_>> {
        self.scanner.sight().filter(|_| self.has_caught_up)
    }
}

/// Writes the certain part of a value.
struct Writer<'w, 't> {
    prefix: &'w Prefix<'t>,
    text: &'w str,
    out: &'w mut String,
}

impl Writer<'_, '_> {
    /// Writes `node` or its start. Returns whether it is complete.
    fn value(&mut self, node: &Node<'_>) -> bool {
        match &node.data {
            Data::List(items) => {
                self.out.push('[');
                self.parts(items.iter().map(|item| (None, item))) && self.close(node, ']')
            }
            Data::Object(entries) => {
                self.out.push('{');
                let parts = entries.iter().map(|entry| (Some(&*entry.key), &entry.value));
                self.parts(parts) && self.close(node, '}')
            }
            Data::Text(text) if self.is_sure(node) => self.string(text),
            Data::Text(text) => {
                let end = text.char_indices().rev().nth(UNSURE - 1).map_or(0, |(end, _)| end);
                self.string(&text[..end]);
                self.out.pop();
                false
            }
            Data::Null => self.scalar("null"),
            Data::Bool(is_true) => self.scalar(is_true),
            Data::Number(_) | Data::Numeral(_) => {
                let json = node.spelled(self.text).map(|(number, source)| number::in_json(number, source));
                self.scalar(json.unwrap_or_default())
            }
        }
    }

    /// Writes the parts of a list or an object, up to the first that is uncertain.
    fn parts<'n>(&mut self, parts: impl Iterator<Item = (Option<&'n str>, &'n Node<'n>)>) -> bool {
        for (index, (key, node)) in parts.enumerate() {
            if !self.is_begun(node) {
                return false;
            }
            if index > 0 {
                self.out.push(',');
            }
            if let Some(key) = key {
                self.string(key);
                self.out.push(':');
            }
            if !self.value(node) {
                return false;
            }
        }
        true
    }

    /// Writes the last bracket of `node` if it is certain.
    fn close(&mut self, node: &Node<'_>, bracket: char) -> bool {
        let is_sure = self.is_sure(node);
        if is_sure {
            self.out.push(bracket);
        }
        is_sure
    }

    fn is_sure(&self, node: &Node<'_>) -> bool {
        node.span.end <= self.prefix.sure
    }

    /// Returns whether any part of `node` can be written.
    fn is_begun(&self, node: &Node<'_>) -> bool {
        match node.data {
            Data::List(_) | Data::Object(_) => node.span.start < self.prefix.sure,
            Data::Text(_) => self.is_sure(node) || self.prefix.growing == Some(node.span.start),
            _ => self.is_sure(node),
        }
    }

    fn string(&mut self, text: &str) -> bool {
        self.out.push_str(&written(&text));
        true
    }

    fn scalar(&mut self, value: impl std::fmt::Display) -> bool {
        write!(self.out, "{value}").is_ok()
    }
}
