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
mod aligned;
mod candidate;
mod elements;
mod place;
mod plain;
mod settle;

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value};

pub(crate) use self::{
    agreement::{LeafVote, majority, votes},
    candidate::MergedValue,
};
use self::{
    candidate::MergeCandidate,
    elements::groups,
    place::{MergePolicy, MergePosition},
    settle::settle,
};
use crate::{
    document::Span,
    schema::{self, KEY, MERGE, ValueOrder, any_within},
    vocabulary::path::{Path, Segment},
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
        plain::spans(&place, part, &mut spans);
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
        let is_whole = place.is_whole() || !matches!(place.policy(), None | Some(MergePolicy::All));
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
        let mut members: Map<String, Value> = Map::new();
        let mut by_key: HashMap<&str, Vec<MergeCandidate<'_>>> = HashMap::new();
        let mut keys: Vec<&str> = Vec::new();
        for candidate in candidates {
            for (key, value) in candidate.value.as_object().into_iter().flatten() {
                let same = by_key.entry(key).or_default();
                if same.is_empty() {
                    keys.push(key);
                }
                same.push(MergeCandidate { value, ..*candidate });
            }
        }
        for key in keys {
            let same = by_key.remove(key).unwrap_or_default();
            let value = self.merge(&place.key(key), path.clone().key(key), same);
            members.insert(key.to_owned(), value);
        }
        Value::Object(members)
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

#[cfg(test)]
mod tests;
