//! Aligns a candidate to the contract, and records why it may not be the answer.

use std::ops::Range;

use super::{Aligned, Aligner};
use crate::reading::{
    doubt::{Doubt, Found},
    locate::{Candidate, Standing},
    shape::ROOT,
};

/// A candidate after alignment.
#[derive(Debug)]
pub(in crate::reading) struct Fitted<'a> {
    pub(in crate::reading) aligned: Aligned<'a>,
    /// The bytes of the reply that it spans.
    pub(in crate::reading) span: Range<usize>,
    /// Whether the reply ends inside it.
    pub(in crate::reading) is_cut: bool,
    /// Whether its end was guessed: its last quote is missing.
    pub(in crate::reading) is_guessed: bool,
    /// Whether it counts only if it fits.
    pub(in crate::reading) is_doubtful: bool,
    /// Why it may not be the answer.
    pub(in crate::reading) doubt: Option<Doubt>,
}

impl<'a> Aligner<'a> {
    /// Aligns `candidate`. `None` if it was cut and was not meant as a value.
    pub(in crate::reading) fn candidate(&mut self, candidate: Candidate<'a>) -> Option<Fitted<'a>> {
        if candidate.is_cut {
            return candidate.is_meant(self.reply).then(|| self.fit(candidate, |_| None));
        }
        let (before, after) = candidate.around(self.reply);
        let found = Found { reply: self.reply, before, after, standing: Standing::of(before, after) };
        let doubt = found.doubt(&candidate.node, self.shapes);
        let shapes = self.shapes;
        Some(self.fit(candidate, |aligned| doubt.or_else(|| found.doubt_aligned(&aligned.node, shapes))))
    }

    /// The words for all allowed values, if the contract allows only listed strings or a boolean.
    pub(in crate::reading) fn root_options(&self) -> Option<Vec<&'a str>> {
        let mut options = self.shapes.options(ROOT)?;
        options.sort_unstable();
        options.dedup();
        Some(options)
    }

    fn fit(
        &mut self,
        candidate: Candidate<'a>,
        doubt: impl FnOnce(&Aligned<'a>) -> Option<Doubt>,
    ) -> Fitted<'a> {
        let Candidate { node, mut notes, span, is_cut, is_guessed, is_doubtful, .. } = candidate;
        let mut aligned = self.root(node);
        notes.append(&mut aligned.notes);
        aligned.notes = notes;
        let doubt = doubt(&aligned);
        Fitted { aligned, span, is_cut, is_guessed, is_doubtful, doubt }
    }
}
