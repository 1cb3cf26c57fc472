//! Aligns a candidate to the contract, and records why it may not be the answer.

use super::{Aligner, root::Aligned};
use crate::{
    reading::{
        doubt::{Doubt, Found},
        locate::{Candidate, Standing},
        node::Node,
        note::Note,
        parse::{self, Parsed},
        shape::ROOT,
        slip,
    },
    vocabulary::change::{ChangeKind, Loss},
};

/// A candidate after alignment.
#[derive(Debug)]
pub(crate) struct Fitted<'a> {
    /// The candidate, with its value aligned.
    pub(crate) candidate: Candidate<'a>,
    /// How badly it still fits; 0 is a perfect fit.
    pub(crate) misfit: usize,
    /// Why it may not be the answer.
    pub(crate) doubt: Option<Doubt>,
    /// Whether it has a key of the contract.
    names_key: bool,
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
    pub(crate) fn fits(&self) -> bool {
        let is_lossy = || self.candidate.notes.iter().any(|note| note.loss == Loss::Lossy);
        self.misfit == 0 && (self.candidate.is_earnest || !is_lossy())
    }

    /// Returns whether it may be meant as the answer: it fits, or has keys of the contract.
    pub(crate) fn is_about(&self) -> bool {
        match self.doubt {
            Some(Doubt::Reference | Doubt::NamesNothing) => false,
            Some(Doubt::Broken) => true,
            _ => {
                let Candidate { is_doubtful, is_cut, .. } = self.candidate;
                self.fits() || !is_doubtful && (is_cut || self.names_key)
            }
        }
    }
}

impl<'a> Aligner<'a> {
    /// Aligns `candidate`. `None` if it was cut and was not meant as a value.
    pub(crate) fn candidate(&mut self, mut candidate: Candidate<'a>) -> Option<Fitted<'a>> {
        if let Some(repaired) = self.repaired(&candidate) {
            candidate = repaired;
        }
        if candidate.is_cut {
            return candidate.is_meant(self.reply).then(|| self.fit(candidate));
        }
        let (before, after) = candidate.around(self.reply);
        let found = Found { reply: self.reply, before, after, standing: Standing::of(before, after) };
        let is_broken = candidate.slips.as_ref().is_some_and(|slips| slips.are_unclear(&candidate.notes))
            || !candidate.is_joined && slip::has_moved_comma(&candidate.notes);
        let doubt = found.doubt(&candidate.node, self.shapes).or(is_broken.then_some(Doubt::Broken));
        let fitted = self.fit(candidate);
        let doubt = doubt.or_else(|| self.shapes.doubt_aligned(&fitted.candidate.node, found.standing));
        Some(Fitted { doubt, ..fitted })
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
    pub(crate) fn root_options(&self) -> Option<Vec<&'a str>> {
        let mut options = self.shapes.options(ROOT)?;
        options.sort_unstable();
        options.dedup();
        Some(options)
    }

    fn fit(&mut self, mut candidate: Candidate<'a>) -> Fitted<'a> {
        let Aligned { node, mut notes, misfit } = self.root(candidate.node);
        candidate.notes.append(&mut notes);
        let names_key = self.shapes.names_key(&node);
        Fitted { candidate: Candidate { node, ..candidate }, misfit, doubt: None, names_key }
    }
}
