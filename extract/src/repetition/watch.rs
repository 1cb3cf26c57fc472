//! A loop in a text that is being written.

use super::{
    bounds::{Bounds, Stated},
    run::Run,
    steps,
};

/// Bytes in which a loop is looked for, and the longest block. Longer blocks are recognised when the
/// reply was cut.
const WINDOW: usize = 4096;
const LONGEST_BLOCK: usize = 512;

/// Bytes after which it is looked for again: eight comparisons for each byte.
const STEP: usize = 512;

/// Sees a text as it is written, and says when it repeats itself. It keeps the last 8 KiB at most.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    tail: Vec<u8>,
    /// Bytes since the last look.
    fresh: usize,
    candidate: Option<Candidate>,
    is_looping: bool,
}

/// What may become a loop.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    run: Run,
    /// Bytes that are enough.
    enough: usize,
}

impl Watch {
    /// Adds `bytes`; whether the text repeats itself. `stated` counts in the conversation.
    pub(crate) fn push(&mut self, bytes: &[u8], stated: impl Fn(Stated<'_>) -> usize) -> bool {
        for byte in bytes {
            if self.is_looping {
                break;
            }
            self.push_byte(*byte, &stated);
        }
        self.is_looping
    }

    pub(crate) fn is_looping(&self) -> bool {
        self.is_looping
    }

    fn push_byte(&mut self, byte: u8, stated: impl Fn(Stated<'_>) -> usize) {
        steps::count(1);
        if let Some(candidate) = &mut self.candidate {
            candidate.run.len += 1;
            if self.tail[self.tail.len() - candidate.run.period] != byte {
                self.candidate = None;
            }
        }
        if self.tail.len() == 2 * WINDOW {
            self.tail.drain(..WINDOW);
        }
        self.tail.push(byte);
        self.fresh += 1;
        if self.candidate.is_none() && self.fresh >= STEP {
            self.fresh = 0;
            self.candidate = self.look(stated);
        }
        self.is_looping = self.candidate.is_some_and(|candidate| candidate.run.len >= candidate.enough);
    }

    /// The text of the conversation is searched once for each candidate.
    fn look(&self, stated: impl Fn(Stated<'_>) -> usize) -> Option<Candidate> {
        let window = &self.tail[self.tail.len().saturating_sub(WINDOW)..];
        let run = Run::first(window, LONGEST_BLOCK, |run| 2 * run.len >= WINDOW)?;
        Some(Candidate { run, enough: Bounds::EARLY.enough(run.block(window), stated) })
    }
}
