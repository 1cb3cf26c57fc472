//! Chooses the answer among the values in a reply: the best fit, and on a tie the last one. If
//! neither of two tied values clearly replaces the other, neither is the answer.

use std::ops::Range;

use super::{
    align::Fitted,
    doubt::Doubt,
    locate::{Located, are_elements},
    node::Data,
    parse::Unreadable,
};
use crate::change::{ChangeKind, Loss};

/// The outcome of the search, with everything known about the reply.
#[derive(Debug)]
pub(super) struct Choice<'t> {
    pub(super) chosen: Option<Fitted<'t>>,
    /// Where the values that were not chosen stand.
    pub(super) others: Vec<Range<usize>>,
    /// How many values there were to choose from.
    pub(super) count: usize,
    /// Why some value could not be read.
    pub(super) unreadable: Option<Unreadable>,
    /// Whether there are more values than may be joined into one list.
    pub(super) is_too_many: bool,
    /// Whether the reply ends inside its reasoning.
    pub(super) thinks_on: bool,
    /// Whether a string was read as null.
    pub(super) has_read_null: bool,
}

/// The best value so far.
#[derive(Debug, Default)]
pub(super) struct Best<'t> {
    best: Option<(Rank, Fitted<'t>)>,
    /// Whether the value before it ranks the same and nothing tells the two apart.
    is_ambiguous: bool,
}

/// The rank of a value; lower is better.
///
/// In order: whether it may not be an answer at all, how badly it fits, how many lossy changes it
/// took, how often it was wrapped or unwrapped.
type Rank = (bool, usize, usize, usize);

impl<'t> Best<'t> {
    /// Whether no better value can follow: this one fits, or the end of the reply cut it.
    pub(super) fn is_settled(&self) -> bool {
        self.best.as_ref().is_some_and(|(rank, best)| (rank.0, rank.1) == (false, 0) || best.is_cut)
    }

    /// Chooses between the best value and `fitted`, which follows it in `reply`.
    pub(super) fn choose(&mut self, fitted: Fitted<'t>, reply: &str) {
        let rank = rank(&fitted);
        let counts = !fitted.is_doubtful || (rank.0, rank.1) == (false, 0);
        // A cut value behind the last whole one may have been the answer itself.
        if fitted.is_cut || counts && self.best.as_ref().is_none_or(|(best, _)| rank <= *best) {
            self.is_ambiguous = self.best.as_ref().is_some_and(|(before, best)| {
                rank == *before && (rank.0, rank.1) == (false, 0) && are_rivals(reply, best, &fitted)
            });
            self.best = Some((rank, fitted));
        }
    }

    /// The best value, and what is known of everything `located`.
    pub(super) fn into_choice(self, located: Located<'t>) -> Choice<'t> {
        let Located { unreadable, is_too_many, thinks_on, .. } = located;
        let mut chosen = self.best.map(|(_, chosen)| chosen);
        if let Some(chosen) = chosen.as_mut().filter(|_| self.is_ambiguous) {
            chosen.doubt = Some(Doubt::Ambiguous);
        }
        let (count, mut others) = located.into_places();
        if let Some(Fitted { span, .. }) = &chosen {
            others.retain(|other| other.end <= span.start || span.end <= other.start);
        }
        Choice { chosen, others, count, unreadable, is_too_many, thinks_on, has_read_null: false }
    }
}

/// Whether these are two objects and nothing names either as the answer.
fn are_rivals(reply: &str, one: &Fitted<'_>, other: &Fitted<'_>) -> bool {
    let is_object = |fitted: &Fitted<'_>| matches!(fitted.aligned.node.data, Data::Object(_));
    is_object(one)
        && is_object(other)
        && !one.aligned.node.is_same(&other.aligned.node)
        && are_elements(reply, &one.span, &other.span)
}

/// A cut value always ranks best: no value before it continues at the end of the reply.
fn rank(fitted: &Fitted<'_>) -> Rank {
    if fitted.is_cut {
        return (false, 0, 0, 0);
    }
    let notes = &fitted.aligned.notes;
    let lossy = notes.iter().filter(|note| note.loss == Loss::Lossy).count();
    let wrappers = notes.iter().filter(|note| note.kind == ChangeKind::Wrapper).count();
    (fitted.doubt.is_some(), fitted.aligned.misfit, lossy, wrappers)
}
