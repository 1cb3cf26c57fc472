//! What a reading may do and how much it may look at.

use super::reply_end::ReplyEnd;

/// Depth beyond which no reply is read, whatever the setting says: reading, validating and deserializing recurse.
pub(super) const DEEPEST: usize = 256;

/// Which changes are accepted in reading a reply.
///
/// A change that is not accepted is a violation at its path, so the agent hears of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leniency {
    /// None: a reply is one strict JSON value that conforms, and nothing else.
    Strict,
    /// Those that lose nothing that was asked for: [lossless](crate::Loss::Lossless) and
    /// [ignored](crate::Loss::Ignored) ones.
    #[default]
    Faithful,
    /// All, also those that drop or make up a part of what was asked for. A reply that was cut is still no whole one.
    Lossy,
}

/// The knobs of a reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) leniency: Leniency,
    pub(crate) max_bytes: usize,
    pub(crate) max_depth: usize,
    pub(crate) max_candidates: usize,
    pub(crate) reply_end: ReplyEnd,
}

impl Options {
    /// Bytes of a reply that are read by default; a longer one is a violation. The longest answers that
    /// current models can give are 128,000 tokens, about half a megabyte of English.
    pub(crate) const MAX_BYTES: usize = 8 << 20;

    /// With no more levels of brackets than `levels`.
    pub(super) fn at_most_deep(mut self, levels: usize) -> Self {
        self.max_depth = self.max_depth.min(levels);
        self
    }

    /// Levels of brackets that are read.
    pub(crate) fn depth(&self) -> usize {
        self.max_depth.min(DEEPEST)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            leniency: Leniency::default(),
            max_bytes: Self::MAX_BYTES,
            max_depth: 128,
            max_candidates: 32,
            reply_end: ReplyEnd::default(),
        }
    }
}
