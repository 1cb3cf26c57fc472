//! The scanner.

use std::sync::Arc;

use super::{
    grammar::{NotStrict, ScanState},
    places::Places,
    snapshot::{Sight, Snapshot},
    tape::{Mark, SharedTape},
};
use crate::vocabulary::tokens::is_plain;

/// Scans one value.
#[derive(Debug)]
pub(crate) struct Scanner {
    state: ScanState,
    tape: Arc<SharedTape>,
    mark: Mark,
    /// Bytes of all earlier deltas.
    bytes: usize,
    end: Option<ScanEnd>,
}

/// Where a scanner stopped, in bytes from the start of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanEnd {
    /// After the value; for a scalar, after the text.
    Complete(usize),
    /// At a byte that is not strict JSON.
    NotStrict(usize),
}

impl Scanner {
    /// A scanner of a value with at most `max_depth` levels of brackets.
    pub(crate) fn new(places: Places, max_depth: usize) -> Self {
        let state = ScanState::new(places, max_depth);
        Self { state, tape: Arc::default(), mark: Mark::default(), bytes: 0, end: None }
    }

    /// Reads the next part of the text. Anything after the end of the value is ignored.
    pub(crate) fn push(&mut self, delta: &str) {
        self.push_item(delta, usize::MAX);
    }

    /// Like [`push`](Self::push), but stops after the comma that follows an element of a list at
    /// `levels` open brackets, the list's own included. Returns how many bytes were read.
    pub(crate) fn push_item(&mut self, delta: &str, levels: usize) -> usize {
        if self.end.is_some() {
            return delta.len();
        }
        let mut tape = self.tape.write();
        let mut at = 0;
        // Most deltas are from the middle of a string.
        if let Some(node) = self.state.plain_string().filter(|_| is_plain(delta)) {
            tape.append(node, delta);
            at = delta.len();
        }
        while at < delta.len() {
            if self.state.step(delta, &mut at, &mut tape) == Err(NotStrict) {
                self.end = Some(ScanEnd::NotStrict(self.bytes + at));
                break;
            }
            if self.state.is_complete() {
                self.end = Some(ScanEnd::Complete(self.bytes + at));
                break;
            }
            if self.state.is_between_items(levels) {
                break;
            }
        }
        let read = if self.end.is_some() { delta.len() } else { at };
        self.bytes += read;
        self.mark = tape.mark();
        read
    }

    /// Forgets the elements before the last comma read, if that comma separates elements of a list
    /// at `levels` open brackets. Earlier snapshots must not be used again.
    pub(crate) fn forget_items(&mut self, levels: usize) {
        if self.state.is_between_items(levels)
            && let Some(list) = self.state.walk.innermost().and_then(|open| open.node)
        {
            let mut tape = self.tape.write();
            tape.forget_items(list);
            self.mark = tape.mark();
        }
    }

    /// Marks the end of the text. It completes only a scalar that is the whole value.
    pub(crate) fn finish(&mut self) {
        if self.end.is_some() {
            return;
        }
        let mut tape = self.tape.write();
        self.end = match self.state.finish(&mut tape) {
            Ok(()) if self.state.is_complete() => Some(ScanEnd::Complete(self.bytes)),
            Ok(()) => None,
            Err(NotStrict) => Some(ScanEnd::NotStrict(self.bytes)),
        };
        self.mark = tape.mark();
    }

    /// Where the scanner stopped; `None` if it waits for more.
    pub(crate) fn end(&self) -> Option<ScanEnd> {
        self.end
    }

    /// Returns whether it met something that is not strict JSON.
    pub(crate) fn is_stuck(&self) -> bool {
        matches!(self.end, Some(ScanEnd::NotStrict(_)))
    }

    /// The value so far; `None` before it starts.
    pub(crate) fn sight(&self) -> Option<Sight<'_>> {
        (self.mark != Mark::default()).then(|| Snapshot::new(&self.tape, self.mark))
    }

    /// The same, as an owned snapshot.
    #[cfg(test)]
    pub(super) fn snapshot(&self) -> Option<Snapshot> {
        self.sight().map(Sight::kept)
    }
}
