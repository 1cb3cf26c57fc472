//! How much of a value is certain while its text may continue.
//!
//! The parse at a position depends on the text before it and on a lookahead over a bounded number
//! of bytes, not counting whitespace. Anything that ends [`LOOK`] bytes before the end of the text
//! is therefore read the same whatever follows. Only reads that run to the end of the text (a
//! string without its closing quote, words) or backtrack from there report it themselves.

/// Bytes, not counting whitespace, that must follow a certain part: more than twice one lookahead,
/// because one may follow another.
const LOOK: usize = 320;

/// The state that a parser keeps for a text that may continue.
#[derive(Debug)]
pub(super) struct Horizon {
    /// Decisions made beyond this byte may change with more text.
    at: usize,
    pub(super) sure: usize,
    pub(super) growing: Option<usize>,
}

impl Default for Horizon {
    /// For a text that does not continue.
    fn default() -> Self {
        Self { at: usize::MAX, sure: usize::MAX, growing: None }
    }
}

impl Horizon {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.bytes().enumerate().rev().filter(|(_, byte)| !byte.is_ascii_whitespace());
        let at = bytes.take(LOOK).last().map_or(0, |(at, _)| at);
        Self { at, sure: at, growing: None }
    }

    /// The bytes from `start` on were parsed with a look at everything before `end`.
    pub(super) fn looked(&mut self, start: usize, end: usize) {
        if end > self.at {
            self.sure = self.sure.min(start);
        }
    }

    /// The string that starts at byte `start` has no end yet.
    pub(super) fn grows(&mut self, start: usize) {
        self.growing = Some(start).filter(|start| *start <= self.at.min(self.sure));
    }
}
