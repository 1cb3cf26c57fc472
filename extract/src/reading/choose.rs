//! Chooses the answer among the values in a reply: the last one that is about what was asked for.
//!
//! How well it fits does not matter: a later answer that does not fit is not replaced by an earlier
//! draft that does. The role of each other value is recorded with it, for the account.

use std::ops::Range;

use super::{
    align::{Fitted, said_before},
    doubt::Doubt,
    locate::Located,
    prose::is_replaced,
    receipt::LIST_OF_IT,
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// The outcome of the search, with everything known about the reply.
#[derive(Debug)]
pub(super) struct Choice<'t> {
    pub(super) chosen: Option<Fitted<'t>>,
    /// The values that may be an answer and were not chosen.
    pub(super) others: Vec<Other>,
    /// Where the other values are, in the order of the reply.
    pub(super) unread: Vec<Range<usize>>,
    /// What else was found in the reply.
    pub(super) located: Located<'t>,
    /// Whether a string was read as null.
    pub(super) has_read_null: bool,
}

/// A value that may be an answer and was not chosen.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) span: Range<usize>,
    /// Whether it is the same value again, a draft or an example. Otherwise nothing withdraws it.
    pub(super) is_settled: bool,
}

/// Maximum values that are compared with the spans of all, which may be as many as the reply has
/// bytes.
const KEPT: usize = 64;

/// Chooses among the values `found`, in the order of `reply`.
pub(super) fn choose<'t>(mut found: Vec<Fitted<'t>>, mut located: Located<'t>, reply: &str) -> Choice<'t> {
    drop_parts(&mut found);
    let index = answer(&found);
    let chosen = index.map(|index| found.remove(index));
    let mut others = Vec::new();
    let mut unread = std::mem::take(&mut located.passed);
    if let Some(chosen) = &chosen {
        let is_apart = |span: &Range<usize>| {
            span.end <= chosen.candidate.span.start || chosen.candidate.span.end <= span.start
        };
        let counts = |other: &&Fitted<'_>| other.is_about() || is_echo(other);
        for other in found.iter().filter(counts).filter(|other| is_apart(&other.candidate.span)) {
            let is_settled = is_settled(reply, &found, other, chosen);
            others.push(Other { span: other.candidate.span.clone(), is_settled });
        }
        unread.retain(|span| is_apart(span) && others.iter().take(KEPT).all(|other| other.span != *span));
    }
    unread.sort_unstable_by_key(|span| span.start);
    Choice { chosen, others, unread, located, has_read_null: false }
}

/// Drops the elements of a list that fits as a whole, or the list if it does not. Values that are
/// each a list of their own are not elements.
fn drop_parts(found: &mut Vec<Fitted<'_>>) {
    let are_lists = found.iter().any(|one| !one.candidate.is_joined && one.fits() && !is_element(one));
    found.retain(|one| !one.candidate.is_joined || one.fits() && !are_lists);
    // It spans all values.
    if found.iter().any(|one| one.candidate.is_joined) {
        found.retain(|one| one.candidate.is_joined);
    }
}

/// The position of the answer: the last value that is meant, otherwise the last one that says why
/// not, otherwise the one that fits best.
fn answer(found: &[Fitted<'_>]) -> Option<usize> {
    if let Some(cut) = found.iter().position(|one| one.candidate.is_cut) {
        return Some(cut);
    }
    let last = |is_meant: &dyn Fn(&Fitted<'_>) -> bool| found.iter().rposition(is_meant);
    last(&|one| one.is_about() && !is_echo(one) && !is_aside(one))
        .or_else(|| last(&|one| one.is_about()))
        .or_else(|| {
            let known = found.iter().enumerate().filter(|(_, one)| !one.candidate.is_doubtful);
            known.min_by_key(|(index, one)| (rank(one), usize::MAX - index)).map(|(index, _)| index)
        })
}

/// Returns whether nothing has to be decided between `other`, one of `found`, and the answer `chosen`: it is
/// the same value, an aside, or a draft that the text replaces.
fn is_settled(reply: &str, found: &[Fitted<'_>], other: &Fitted<'_>, chosen: &Fitted<'_>) -> bool {
    let is_draft = || {
        let (one, another) = (&other.candidate.span, &chosen.candidate.span);
        let said = |span| said_before(reply, span, found);
        one.end <= another.start && is_replaced(&said(0..one.start), &said(one.end..another.start))
    };
    // Two objects for a list are two elements, also if they are equal, unless there are words between them.
    let are_apart = || {
        let (one, another) = (&other.candidate.span, &chosen.candidate.span);
        let between = &reply[one.end.min(another.end)..one.start.max(another.start)];
        between.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).take(2).count() > 1
    };
    let are_elements =
        is_element(chosen) && (is_element(other) || !other.candidate.node.is_list()) && !are_apart();
    let is_again = || is_echo(other) || other.candidate.node.is_part_of(&chosen.candidate.node);
    is_aside(other) || is_draft() || !are_elements && is_again()
}

/// Returns whether it became a list of its own, where a list is asked for.
fn is_element(one: &Fitted<'_>) -> bool {
    one.candidate.notes.iter().any(|note| note.after == LIST_OF_IT)
}

/// Returns whether it repeats what the question showed.
fn is_echo(one: &Fitted<'_>) -> bool {
    one.doubt.is_some_and(Doubt::is_echo)
}

/// Returns whether the text denies it or offers it.
fn is_aside(one: &Fitted<'_>) -> bool {
    one.doubt == Some(Doubt::Denied) || one.is_offered
}

/// The rank of a value that is not about the contract; lower is better.
///
/// In order: whether it may not be an answer at all, how badly it fits, how many lossy changes it
/// took, how often it was wrapped or unwrapped.
fn rank(fitted: &Fitted<'_>) -> (bool, usize, usize, usize) {
    let notes = &fitted.candidate.notes;
    let lossy = notes.iter().filter(|note| note.loss == Loss::Lossy).count();
    let wrappers = notes.iter().filter(|note| note.kind == ChangeKind::Wrapper).count();
    (fitted.doubt.is_some(), fitted.misfit, lossy, wrappers)
}
