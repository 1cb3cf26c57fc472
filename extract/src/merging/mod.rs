//! Merges the answers to the chunks of a document into one value.
//!
//! [`merge`] is a plain function of the answers in the order of the document. The order in which
//! they arrive does not matter, and merging a merged value changes nothing.
//!
//! - Objects are merged key by key. A key that is absent or `null` in one answer gets the value of
//!   another.
//! - Lists are joined. Elements with the same key (`x-key`) become one, even within one answer.
//!   Elements without a key become one if they are equal or their quotes have the same spans. Each
//!   element of an answer matches at most one of another answer, so a list that holds an element
//!   twice still does.
//! - Everything else is merged as a whole: scalars, quotes, values with a quote, tuples, and values
//!   of a union. Equal ones are folded. Of different ones the policy (`x-merge`) keeps one, the
//!   first by default.
//!
//! Values that were not kept are in [`MergedValue::conflicts`], and the spans of folded values in
//! [`MergedValue::mentions`].

mod agreement;
mod elements;
mod position;

#[cfg(test)]
mod tests;

use std::{cmp::Ordering, rc::Rc};

use serde_json::Value;

pub(crate) use self::{
    agreement::{LeafVote, field_at, majority, votes},
    elements::MergedValue,
};
use self::{
    elements::{MergeCandidate, groups},
    position::{MergePolicy, MergePosition, QuoteComparison, plain},
};
use crate::{
    document::Span,
    metrics::{Conflict, Mentions, Statement},
    schema::{self, KEY, MERGE, ValueOrder, any_within},
    vocabulary::{
        grouped,
        path::{Path, Segment},
    },
};

/// Merges the answers to chunks, each with the number of its chunk, in the order of the document.
/// Their quotes must have spans. The marks of the schema are indices into `orders`. Returns `null`
/// without answers.
pub(crate) fn merge<'v>(
    schema: &Value,
    orders: &[ValueOrder],
    answers: impl IntoIterator<Item = (usize, &'v Value)>,
) -> MergedValue {
    let candidates: Vec<_> = answers
        .into_iter()
        .enumerate()
        .map(|(answer, (chunk, value))| MergeCandidate { chunk, answer, value })
        .collect();
    let mut merged = MergedValue { value: Value::Null, conflicts: Vec::new(), mentions: Vec::new() };
    merged.value = merged.merge(&MergePosition::root(schema, orders), Path::root(), candidates);
    merged
}

/// Returns the spans of the quotes in the part of `value` at `path`, or in the nearest enclosing
/// part that has any.
pub(crate) fn spans_around(schema: &Value, value: &Value, path: &Path) -> Vec<Span> {
    let mut place = MergePosition::root(schema, &[]);
    let mut parts = vec![(Rc::clone(&place), value)];
    for segment in path.segments() {
        let Some(part) = parts.last().and_then(|(_, value)| segment.within(value)) else { break };
        place = match segment {
            Segment::Key(key) => place.key(key.as_str()),
            Segment::Index(index) => place.index(*index),
        };
        parts.push((Rc::clone(&place), part));
    }
    let mut spans = Vec::new();
    while let (true, Some((place, part))) = (spans.is_empty(), parts.pop()) {
        position::spans(&place, part, &mut spans);
    }
    spans
}

/// Returns whether the schema has keys or policies of merging.
pub(crate) fn is_marked(schema: &Value) -> bool {
    let is_policy = |mark: &Value| mark.is_string() || mark.is_u64();
    any_within(schema, &|part| schema::is_marked(part, KEY) || part.get(MERGE).is_some_and(is_policy))
}

impl MergedValue {
    fn merge(
        &mut self,
        place: &MergePosition<'_>,
        path: Path,
        mut candidates: Vec<MergeCandidate<'_>>,
    ) -> Value {
        candidates.retain(|candidate| !candidate.value.is_null());
        let Some(first) = candidates.first() else { return Value::Null };
        let is_whole = place.is_whole() || !matches!(place.policy, None | Some(MergePolicy::All));
        let have_kind = |is_kind: fn(&Value) -> bool| candidates.iter().all(|one| is_kind(one.value));
        if is_whole && candidates.len() == 1 {
            first.value.clone()
        } else if !is_whole && have_kind(Value::is_object) {
            self.merge_objects(place, &path, &candidates)
        } else if !is_whole && have_kind(Value::is_array) {
            self.merge_lists(place, &path, &candidates)
        } else {
            settle(place, path, &candidates, self)
        }
    }

    fn merge_objects(
        &mut self,
        place: &MergePosition<'_>,
        path: &Path,
        candidates: &[MergeCandidate<'_>],
    ) -> Value {
        let members = candidates.iter().flat_map(|candidate| {
            let members = candidate.value.as_object().into_iter().flatten();
            members.map(|(key, value)| (key, (key, MergeCandidate { value, ..*candidate })))
        });
        let merged = grouped(members).into_iter().map(|same| {
            let key = same[0].0;
            let same = same.into_iter().map(|(_, candidate)| candidate).collect();
            (key.clone(), self.merge(&place.key(key), path.clone().key(key), same))
        });
        merged.collect()
    }

    fn merge_lists(
        &mut self,
        place: &MergePosition<'_>,
        path: &Path,
        candidates: &[MergeCandidate<'_>],
    ) -> Value {
        let groups = groups(&place.index(0), candidates).into_iter().enumerate();
        let merged =
            groups.map(|(index, same)| self.merge(&place.index(index), path.clone().index(index), same));
        Value::Array(merged.collect())
    }
}

/// Folds equal values, keeps the one that the policy selects, and records the rest.
fn settle(
    place: &MergePosition<'_>,
    path: Path,
    candidates: &[MergeCandidate<'_>],
    merged: &mut MergedValue,
) -> Value {
    let groups = equal(place, candidates);
    let last = candidates.len() - 1;
    let kept = match place.policy {
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
            merged.mentions.push(Mentions { path, spans });
        }
    } else {
        let mut statements: Vec<_> = groups.iter().map(|group| statement(place, group, candidates)).collect();
        let kept = statements.remove(kept);
        merged.conflicts.push(Conflict { path, kept, others: statements });
    }
    let first = groups[kept][0];
    candidates[first].value.clone()
}

/// The positions of equal candidates, in the order of the first of each.
fn equal(place: &MergePosition<'_>, candidates: &[MergeCandidate<'_>]) -> Vec<Vec<usize>> {
    let form = |value: &Value| plain(place, value, QuoteComparison::Words);
    grouped(candidates.iter().enumerate().map(|(position, one)| (form(one.value), position)))
}

fn statement(place: &MergePosition<'_>, group: &[usize], candidates: &[MergeCandidate<'_>]) -> Statement {
    let first = candidates[group[0]];
    let spans = spans(place, group, candidates);
    Statement { value: position::stated(place, first.value), spans, chunk: first.chunk }
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
    position::spans(place, value, &mut found);
    found
}
