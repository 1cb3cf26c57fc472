//! Detects a loop in a text that is streaming in.

use super::{
    bounds::{LoopBounds, StatedString},
    run::RepeatedRun,
    steps,
};

/// Bytes that are searched for a loop, and the longest block. Longer blocks are only recognised in
/// a reply that was cut.
const WINDOW: usize = 4096;
const LONGEST_BLOCK: usize = 512;

/// Bytes between two searches: eight comparisons per byte.
const STEP: usize = 512;

/// Watches a text as it streams in, and reports when it repeats itself. Keeps at most the last 8
/// KiB.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoopWatch {
    tail: Vec<u8>,
    /// Bytes since the last search.
    fresh: usize,
    candidate: Option<LoopCandidate>,
    is_looping: bool,
}

/// A run that may become a loop.
#[derive(Debug, Clone, Copy)]
struct LoopCandidate {
    run: RepeatedRun,
    /// Bytes that make it a loop.
    enough: usize,
}

impl LoopWatch {
    /// Adds `bytes`. Returns whether the text repeats itself. `stated` counts occurrences in the
    /// conversation.
    pub(crate) fn push(&mut self, bytes: &[u8], stated: impl Fn(StatedString<'_>) -> usize) -> bool {
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

    fn push_byte(&mut self, byte: u8, stated: impl Fn(StatedString<'_>) -> usize) {
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

    /// The conversation is searched once per candidate.
    fn look(&self, stated: impl Fn(StatedString<'_>) -> usize) -> Option<LoopCandidate> {
        let window = &self.tail[self.tail.len().saturating_sub(WINDOW)..];
        let run = RepeatedRun::first(window, LONGEST_BLOCK, |run| 2 * run.len >= WINDOW)?;
        Some(LoopCandidate { run, enough: LoopBounds::EARLY.enough(run.block(window), stated) })
    }
}
