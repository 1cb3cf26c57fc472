//! Aligns a candidate to the contract, and records why it may not be the answer.

use std::ops::Range;

use super::{Aligned, Aligner};
use crate::{
    change::{ChangeKind, Loss},
    reading::{
        doubt::{Doubt, Found},
        locate::{Candidate, Standing},
        node::Node,
        note::Note,
        parse::{self, Parsed},
        shape::ROOT,
        slip,
    },
};

/// A candidate after alignment.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
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
    /// Whether it has a key of the contract.
    names_key: bool,
    /// Whether its bracket starts a value rather than prose.
    is_earnest: bool,
    /// Whether it is several values of the reply, as one list.
    pub(in crate::reading) is_joined: bool,
}

/// A way to repair a slip.
struct Repair<'a> {
    /// Whether it loses the bracket that ends the text, and how much else it changes.
    rank: (bool, usize),
    parsed: Parsed<'a>,
    /// The value it yields for the contract.
    value: Node<'a>,
}

impl Fitted<'_> {
    /// Returns whether it fits the contract.
    pub(in crate::reading) fn fits(&self) -> bool {
        let is_lossy = || self.aligned.notes.iter().any(|note| note.loss == Loss::Lossy);
        self.aligned.misfit == 0 && (self.is_earnest || !is_lossy())
    }

    /// Returns whether it may be meant as the answer: it fits, or has keys of the contract.
    pub(in crate::reading) fn is_about(&self) -> bool {
        match self.doubt {
            Some(Doubt::Reference | Doubt::NamesNothing) => false,
            Some(Doubt::Broken) => true,
            _ => self.fits() || !self.is_doubtful && (self.is_cut || self.names_key),
        }
    }
}

impl<'a> Aligner<'a> {
    /// Aligns `candidate`. `None` if it was cut and was not meant as a value.
    pub(in crate::reading) fn candidate(&mut self, candidate: Candidate<'a>) -> Option<Fitted<'a>> {
        let candidate = match self.repaired(&candidate) {
            Some(repaired) => repaired,
            None => candidate,
        };
        if candidate.is_cut {
            return candidate.is_meant(self.reply).then(|| self.fit(candidate, |_| None));
        }
        let (before, after) = candidate.around(self.reply);
        let found = Found { reply: self.reply, before, after, standing: Standing::of(before, after) };
        let is_broken = candidate.slips.as_ref().is_some_and(|slips| slips.are_unclear(&candidate.notes))
            || !candidate.is_joined && slip::has_moved_comma(&candidate.notes);
        let doubt = found.doubt(&candidate.node, self.shapes).or(is_broken.then_some(Doubt::Broken));
        let shapes = self.shapes;
        Some(
            self.fit(candidate, |aligned| {
                doubt.or_else(|| shapes.doubt_aligned(&aligned.node, found.standing))
            }),
        )
    }

    /// The candidate with its slip repaired, if there is one way to do so: of the repairs that leave
    /// nothing over, all yield the same value, and one keeps the bracket that ends the text. If none
    /// leaves nothing over, the only repair that nests.
    fn repaired(&mut self, candidate: &Candidate<'a>) -> Option<Candidate<'a>> {
        let slips = candidate.slips.as_ref()?;
        let repairs = slips.repairs.as_deref().unwrap_or_default();
        let mut best: Option<Repair<'a>> = None;
        let mut unfit = None;
        for slip in repairs {
            let keys = Some(self.shapes.keys());
            let start = candidate.span.start;
            let Some(parsed) = parse::repaired(self.reply, start, self.max_depth, *slip, keys) else {
                continue;
            };
            if !self.look(parsed.node.size()) {
                return None;
            }
            let aligned = self.root(parsed.node.clone());
            let leaves_over = |note: &Note| note.loss == Loss::Lossy || note.kind == ChangeKind::UnknownKey;
            if aligned.misfit > 0 || parsed.notes.iter().chain(&aligned.notes).any(leaves_over) {
                // A value that does not fit is reported with its violations; leftovers would not be
                // reported.
                let is_told = slip.keeps_end && aligned.misfit > 0 && !parsed.notes.iter().any(leaves_over);
                unfit = Some(parsed).filter(|_| is_told);
                continue;
            }
            // Of two ways to the same value, the one with fewer changes is what happened.
            let repair = Repair { rank: (!slip.keeps_end, aligned.notes.len()), parsed, value: aligned.node };
            match &best {
                Some(best) if !best.value.is_same(&repair.value) => return None,
                Some(best) if best.rank <= repair.rank => {}
                _ => best = Some(repair),
            }
        }
        let parsed = match best {
            Some(Repair { rank: (is_end_lost, _), parsed, .. }) => Some(parsed).filter(|_| !is_end_lost)?,
            None => unfit.filter(|_| repairs.len() == 1)?,
        };
        let span = candidate.span.clone();
        Some(Candidate { span, answer: candidate.answer, end: candidate.end, ..Candidate::of(parsed) })
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
        let Candidate {
            node, mut notes, span, is_cut, is_guessed, is_doubtful, is_earnest, is_joined, ..
        } = candidate;
        let mut aligned = self.root(node);
        notes.append(&mut aligned.notes);
        aligned.notes = notes;
        let doubt = doubt(&aligned);
        let names_key = self.shapes.names_key(&aligned.node);
        Fitted { aligned, span, is_cut, is_guessed, is_doubtful, doubt, names_key, is_earnest, is_joined }
    }
}
