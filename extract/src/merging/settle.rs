//! Values that are merged whole.

use std::{cmp::Ordering, collections::HashMap};

use serde_json::Value;

use super::{
    candidate::{MergeCandidate, MergedValue},
    place::{MergePolicy, MergePosition},
    plain::{self, QuoteComparison, plain},
};
use crate::{
    document::Span,
    metrics::{Conflict, Mentions, Statement},
    vocabulary::path::Path,
};

/// Folds equal values, keeps the one that the policy selects, and records the rest.
pub(super) fn settle(
    place: &MergePosition<'_>,
    path: Path,
    candidates: &[MergeCandidate<'_>],
    merged: &mut MergedValue,
) -> Value {
    let groups = equal(place, candidates);
    let last = candidates.len() - 1;
    let kept = match place.policy() {
        Some(MergePolicy::Last) => groups.iter().position(|group| group.last() == Some(&last)),
        Some(MergePolicy::Most) => {
            // `max_by_key` returns the last of equals.
            groups.iter().enumerate().rev().max_by_key(|(_, group)| group.len()).map(|(index, _)| index)
        }
        Some(MergePolicy::Greatest(order)) => {
            let value = |group: usize| candidates[groups[group][0]].value;
            let is_greater = |one, other| order(value(one), value(other)) == Some(Ordering::Greater);
            (0..groups.len())
                .reduce(|greatest, other| if is_greater(other, greatest) { other } else { greatest })
        }
        Some(MergePolicy::First | MergePolicy::All) | None => None,
    };
    let kept = kept.unwrap_or_default();
    if let [_] = &groups[..] {
        let spans = spans(place, &groups[0], candidates);
        if spans.len() > self::spans(place, &groups[0][..1], candidates).len() {
            merged.mentions.push(Mentions::new(path, spans));
        }
    } else {
        let mut statements: Vec<_> = groups.iter().map(|group| statement(place, group, candidates)).collect();
        let kept = statements.remove(kept);
        merged.conflicts.push(Conflict::new(path, kept, statements));
    }
    let first = groups[kept][0];
    candidates[first].value.clone()
}

/// The positions of equal candidates, in the order of the first of each.
fn equal(place: &MergePosition<'_>, candidates: &[MergeCandidate<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (position, candidate) in candidates.iter().enumerate() {
        let group =
            *seen.entry(plain(place, candidate.value, QuoteComparison::Words)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(position),
            None => groups.push(vec![position]),
        }
    }
    groups
}

fn statement(place: &MergePosition<'_>, group: &[usize], candidates: &[MergeCandidate<'_>]) -> Statement {
    let first = candidates[group[0]];
    Statement::new(plain::stated(place, first.value), spans(place, group, candidates), first.chunk)
}

/// The spans of all quotes in the values of a group, in the order of the document.
fn spans(place: &MergePosition<'_>, group: &[usize], candidates: &[MergeCandidate<'_>]) -> Vec<Span> {
    let mut spans: Vec<_> =
        group.iter().flat_map(|position| spans_of(place, candidates[*position].value)).collect();
    spans.sort_unstable_by_key(|span| (span.start(), span.end()));
    spans.dedup();
    spans
}

fn spans_of(place: &MergePosition<'_>, value: &Value) -> Vec<Span> {
    let mut found = Vec::new();
    plain::spans(place, value, &mut found);
    found
}
