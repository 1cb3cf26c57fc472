//! How much of a value the rest of its text cannot change, while the text goes on.
//!
//! What the parser makes of a place follows from the text before it and from a look ahead, which
//! passes a bounded number of bytes beside whitespace. So what ends [`LOOK`] bytes before the end
//! of the text is read in the same way whatever follows. Only what looks on to the end of the text
//! (a string without its last quote, words) or goes back from there says so itself.

/// Bytes beside whitespace that follow what is sure: more than twice what one look ahead passes,
/// because one may follow another.
const LOOK: usize = 320;

/// What a parser notes of a text that goes on.
#[derive(Debug)]
pub(super) struct Horizon {
    /// What was decided beyond this byte may be decided differently when there is more text.
    at: usize,
    pub(super) sure: usize,
    pub(super) growing: Option<usize>,
}

impl Default for Horizon {
    /// That of a text that does not go on.
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

    /// What starts at byte `start` depends on all bytes before `end`.
    pub(super) fn looked(&mut self, start: usize, end: usize) {
        if end > self.at {
            self.sure = self.sure.min(start);
        }
    }

    /// The string from byte `start` on has no end yet.
    pub(super) fn grows(&mut self, start: usize) {
        self.growing = Some(start).filter(|start| *start <= self.at.min(self.sure));
    }
}
