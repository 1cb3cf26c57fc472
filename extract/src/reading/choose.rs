//! Which of several values in a reply is the answer: the one that fits best, the last one on a tie.

use std::ops::Range;

use super::{align::Fitted, locate::Located, parse::Unreadable};
use crate::change::{ChangeKind, Loss};

/// Everything known about a reply after the search.
#[derive(Debug)]
pub(super) struct Choice<'t> {
    pub(super) chosen: Option<Fitted<'t>>,
    /// Where the values stand that were not chosen.
    pub(super) others: Vec<Range<usize>>,
    /// How many values there were to choose from.
    pub(super) count: usize,
    /// Why there is a value that was not read.
    pub(super) unreadable: Option<Unreadable>,
    /// Whether there are more values than one list may be made of.
    pub(super) is_too_many: bool,
    /// Whether the reply ends inside of reasoning.
    pub(super) thinks_on: bool,
    /// Whether a string was read as null.
    pub(super) has_read_null: bool,
}

/// The best value until now.
#[derive(Debug, Default)]
pub(super) struct Best<'t>(Option<(Rank, Fitted<'t>)>);

/// The lower, the better.
///
/// Whether it may not be an answer at all, how badly it fits, how much it lost, how often it had to
/// be taken out of or put into something.
type Rank = (bool, usize, usize, usize);

impl<'t> Best<'t> {
    /// Whether there is nothing better to find: a value that fits, or one that the end of the reply
    /// cut.
    pub(super) fn is_settled(&self) -> bool {
        self.0.as_ref().is_some_and(|(rank, best)| (rank.0, rank.1) == (false, 0) || best.is_cut)
    }

    /// Chooses between the best one and `fitted`, which follows it.
    pub(super) fn choose(&mut self, fitted: Fitted<'t>) {
        let rank = rank(&fitted);
        let counts = !fitted.is_doubtful || (rank.0, rank.1) == (false, 0);
        // What follows the last whole value was cut, and may have been the answer itself.
        if fitted.is_cut || counts && self.0.as_ref().is_none_or(|(best, _)| rank <= *best) {
            self.0 = Some((rank, fitted));
        }
    }

    /// The best one, and what is known of all that were `located`.
    pub(super) fn into_choice(self, located: Located<'t>) -> Choice<'t> {
        let Located { unreadable, is_too_many, thinks_on, .. } = located;
        let chosen = self.0.map(|(_, chosen)| chosen);
        let (count, mut others) = located.into_places();
        if let Some(Fitted { span, .. }) = &chosen {
            others.retain(|other| other.end <= span.start || span.end <= other.start);
        }
        Choice { chosen, others, count, unreadable, is_too_many, thinks_on, has_read_null: false }
    }
}

/// One that was cut is as good as can be: nothing that came before it goes on where the reply ends.
fn rank(fitted: &Fitted<'_>) -> Rank {
    if fitted.is_cut {
        return (false, 0, 0, 0);
    }
    let notes = &fitted.aligned.notes;
    let lossy = notes.iter().filter(|note| note.loss == Loss::Lossy).count();
    let wrappers = notes.iter().filter(|note| note.kind == ChangeKind::Wrapper).count();
    (fitted.doubt.is_some(), fitted.aligned.misfit, lossy, wrappers)
}
