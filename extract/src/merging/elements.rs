//! The inputs of merging and its result, and the elements of several lists that are the same.

use std::{collections::HashMap, hash::Hash};

use serde_json::Value;

use super::position::{MergePosition, QuoteComparison, plain};
use crate::{
    merging::position,
    metrics::{Conflict, Mentions},
};

/// The elements of the lists `candidates`, grouped into those that are the same, in order of first
/// occurrence.
pub(super) fn groups<'v>(
    element: &MergePosition<'_>,
    candidates: &[MergeCandidate<'v>],
) -> Vec<Vec<MergeCandidate<'v>>> {
    let mut groups = ElementGroups::default();
    for list in candidates {
        let elements = list.value.as_array().into_iter().flatten();
        let elements: Vec<_> =
            elements.map(|value| KeyedElement::new(element, MergeCandidate { value, ..*list })).collect();
        groups.add(list.answer, elements);
    }
    groups.all
}

/// An element, with the properties that identify it.
struct KeyedElement<'v> {
    candidate: MergeCandidate<'v>,
    /// The values of its key fields; `None` without a key, or if no key field has a value.
    key: Option<String>,
    value: String,
    /// The bytes of its quotes.
    places: Vec<(usize, usize)>,
}

impl<'v> KeyedElement<'v> {
    fn new(place: &MergePosition<'_>, candidate: MergeCandidate<'v>) -> Self {
        let key = key(place, candidate.value);
        if key.is_some() {
            return Self { candidate, key, value: String::new(), places: Vec::new() };
        }
        let mut spans = Vec::new();
        position::spans(place, candidate.value, &mut spans);
        let mut places: Vec<_> = spans.iter().map(|span| (span.start(), span.end())).collect();
        places.sort_unstable();
        Self { candidate, key, value: plain(place, candidate.value, QuoteComparison::Places), places }
    }
}

/// The values of the key fields of an element.
pub(super) fn key(place: &MergePosition<'_>, value: &Value) -> Option<String> {
    let object = value.as_object()?;
    let (mut key, mut is_known) = (String::new(), false);
    for name in place.keys() {
        if let Some(value) = object.get(*name).filter(|value| !value.is_null()) {
            key.push_str(&plain(&place.key(name), value, QuoteComparison::Words));
            is_known = true;
        }
        // No JSON value contains it, so it separates the fields.
        key.push('\u{1F}');
    }
    is_known.then_some(key)
}

/// The groups so far, with indices to find them.
#[derive(Default)]
struct ElementGroups<'v> {
    all: Vec<Vec<MergeCandidate<'v>>>,
    by_key: HashMap<String, usize>,
    by_value: HashMap<String, Vec<usize>>,
    by_places: HashMap<Vec<(usize, usize)>, Vec<usize>>,
}

impl<'v> ElementGroups<'v> {
    /// Adds the elements of one list. Elements without a key are compared by value first, then by
    /// the spans of their quotes, each time with the groups of earlier lists.
    fn add(&mut self, answer: usize, elements: Vec<KeyedElement<'v>>) {
        let mut found: Vec<Option<usize>> = vec![None; elements.len()];
        let mut by_value = GroupSearch::new(&self.by_value, answer);
        for (element, found) in elements.iter().zip(&mut found).filter(|(element, _)| element.key.is_none()) {
            *found = by_value.join(&element.value, element.candidate, &mut self.all);
        }
        let mut by_places = GroupSearch::new(&self.by_places, answer);
        for (element, found) in elements.iter().zip(&mut found) {
            if found.is_none() && !element.places.is_empty() {
                *found = by_places.join(&element.places, element.candidate, &mut self.all);
            }
        }
        for (element, found) in elements.into_iter().zip(found) {
            self.settle(element, found);
        }
    }

    /// Makes a group for an element without one, and indexes the element.
    fn settle(&mut self, element: KeyedElement<'v>, found: Option<usize>) {
        let KeyedElement { candidate, key, value, places } = element;
        if let Some(key) = key {
            let group = *self.by_key.entry(key).or_insert(self.all.len());
            match self.all.get_mut(group) {
                Some(group) => group.push(candidate),
                None => self.all.push(vec![candidate]),
            }
            return;
        }
        let group = found.unwrap_or_else(|| {
            self.all.push(vec![candidate]);
            self.all.len() - 1
        });
        remember(&mut self.by_value, value, group);
        if !places.is_empty() {
            remember(&mut self.by_places, places, group);
        }
    }
}

fn remember<K: Eq + Hash>(known: &mut HashMap<K, Vec<usize>>, key: K, group: usize) {
    let groups = known.entry(key).or_default();
    if let Err(position) = groups.binary_search(&group) {
        groups.insert(position, group);
    }
}

/// Finds groups for the elements of one list. Remembers how far the groups of each key were
/// searched, so that many equal elements cost no more than different ones.
struct GroupSearch<'k, K> {
    known: &'k HashMap<K, Vec<usize>>,
    looked_at: HashMap<&'k K, usize>,
    answer: usize,
}

impl<'k, K: Eq + Hash> GroupSearch<'k, K> {
    fn new(known: &'k HashMap<K, Vec<usize>>, answer: usize) -> Self {
        Self { known, looked_at: HashMap::new(), answer }
    }

    /// Adds `candidate` to the first group of `key` that has no element of the same answer yet.
    fn join<'v>(
        &mut self,
        key: &K,
        candidate: MergeCandidate<'v>,
        all: &mut [Vec<MergeCandidate<'v>>],
    ) -> Option<usize> {
        let (key, groups) = self.known.get_key_value(key)?;
        let looked_at = self.looked_at.entry(key).or_default();
        let is_free = |group: &usize| all[*group].last().is_none_or(|last| last.answer != self.answer);
        let position = *looked_at + groups[*looked_at..].iter().position(is_free)?;
        *looked_at = position + 1;
        all[groups[position]].push(candidate);
        Some(groups[position])
    }
}

/// One value from several answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MergedValue {
    pub(crate) value: Value,
    /// Where the answers differ, in the order of the value.
    pub(crate) conflicts: Vec<Conflict>,
    /// The spans of equal values, in the order of the value.
    pub(crate) mentions: Vec<Mentions>,
}

/// One answer's value at one position.
#[derive(Clone, Copy)]
pub(super) struct MergeCandidate<'v> {
    /// The chunk that the answer is from.
    pub(super) chunk: usize,
    /// The position of the answer among all.
    pub(super) answer: usize,
    pub(super) value: &'v Value,
}
