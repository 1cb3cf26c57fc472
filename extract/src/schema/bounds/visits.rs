//! Counts how often a validator without a cache evaluates one part of a value.

use super::{
    order::visit_targets_first,
    subschemas::{SubschemaIndex, SubschemaScope, Subschemas},
};

/// Visits of one part that are always allowed, however small the schema is.
const ALWAYS_ALLOWED: u64 = 256;

/// Returns whether one part may be visited more often than there are schemas.
pub(super) fn repeat(subschemas: &Subschemas<'_>) -> bool {
    let most = u64::try_from(subschemas.len()).unwrap_or(u64::MAX).max(ALWAYS_ALLOWED);
    // A schema that leads back to itself counts once: the validator caches the results of recursive
    // references.
    let mut visits = SchemaVisits { subschemas, known: vec![1; subschemas.len()] };
    let target = |id, nth| {
        let (same, parts) = (subschemas.same_value(id), subschemas.parts(id));
        same.get(nth).or_else(|| parts.get(nth - same.len()).map(|(_, target)| target)).copied()
    };
    let visit = |id| {
        visits.known[id] = visits.count(id);
        if visits.known[id] > most { Err(TooMany) } else { Ok(()) }
    };
    visit_targets_first(subschemas.len(), target, |_, _| Ok(()), visit).is_err()
}

/// Ends the search.
struct TooMany;

struct SchemaVisits<'p, 's> {
    subschemas: &'p Subschemas<'s>,
    known: Vec<u64>,
}

impl SchemaVisits<'_, '_> {
    /// Returns the visits of the most visited part, given the counts of all targets.
    fn count(&self, id: SubschemaIndex) -> u64 {
        let parts = self.subschemas.parts(id);
        let of = |wanted: SubschemaScope| {
            parts.iter().filter(move |(part, _)| *part == wanted).map(|(_, id)| self.known[*id])
        };
        let entry =
            of(SubschemaScope::Entry).max().unwrap_or(0).saturating_add(sum(of(SubschemaScope::Entries)));
        let here = entry.max(sum(of(SubschemaScope::Elements))).max(1);
        here.saturating_add(sum(self.subschemas.same_value(id).iter().map(|target| self.known[*target])))
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
