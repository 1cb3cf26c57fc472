//! Divides a gold set.

use std::collections::BTreeMap;

use crate::{
    gold::{GoldDocument, GoldSet},
    nearest::normal,
};

/// The documents that settings are chosen on, and those that the result is reported on.
#[derive(Debug)]
pub(super) struct GoldHalves {
    pub(super) choosing: GoldSet,
    pub(super) reporting: GoldSet,
}

impl GoldHalves {
    /// Divides at random. Documents that say the same are in the same half, whatever their keys are.
    pub(super) fn of(gold: &GoldSet, seed: u64) -> Self {
        let mut groups: BTreeMap<String, Vec<&GoldDocument>> = BTreeMap::new();
        for document in gold.documents() {
            groups.entry(normal(&document.text)).or_default().push(document);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut groups);
        let (mut choosing, mut reporting) = (Vec::new(), Vec::new());
        for group in groups {
            let smaller = if reporting.len() < choosing.len() { &mut reporting } else { &mut choosing };
            smaller.extend(group.into_iter().cloned());
        }
        Self { choosing: GoldSet::from_documents(choosing), reporting: GoldSet::from_documents(reporting) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(gold: &GoldSet) -> Vec<&str> {
        gold.documents().iter().map(|document| document.text.as_str()).collect()
    }

    #[test]
    fn the_halves_are_as_large_and_the_same_for_a_seed() {
        let gold = GoldSet::from_documents((0..41).map(|n| GoldDocument::new(format!("text {n}"), n)));
        let halves = GoldHalves::of(&gold, 7);
        assert_eq!((halves.choosing.len(), halves.reporting.len()), (21, 20));
        let again = GoldHalves::of(&gold, 7);
        assert_eq!(texts(&halves.choosing), texts(&again.choosing));
        assert_ne!(texts(&halves.choosing), texts(&GoldHalves::of(&gold, 8).choosing));
    }

    #[test]
    fn the_same_text_is_never_in_both_halves() {
        let twice = (0..40).map(|n| {
            let text = if n % 2 == 0 { format!("TEXT  {}", n / 2) } else { format!("text {}", n / 2) };
            GoldDocument::new(text, n).with_key(n.to_string())
        });
        let halves = GoldHalves::of(&GoldSet::from_documents(twice), 1);
        let of = |gold: &GoldSet| -> Vec<String> { texts(gold).into_iter().map(normal).collect() };
        let (choosing, reporting) = (of(&halves.choosing), of(&halves.reporting));
        assert_eq!(choosing.len() + reporting.len(), 40);
        assert!(choosing.iter().all(|text| !reporting.contains(text)));
    }
}
