//! Counts how often a validator without a cache evaluates one part of a value.

use super::subschemas::{Id, Part, Subschemas};

/// Visits of one part that are always allowed, however small the schema is.
const ALWAYS_ALLOWED: u64 = 256;

/// Whether one part may be visited more often than there are schemas.
pub(super) fn repeat(subschemas: &Subschemas<'_>) -> bool {
    let most = u64::try_from(subschemas.len()).unwrap_or(u64::MAX).max(ALWAYS_ALLOWED);
    let mut visits =
        Visits { subschemas, known: vec![None; subschemas.len()], is_entered: vec![false; subschemas.len()] };
    (0..subschemas.len()).any(|id| visits.from(id) > most)
}

struct Visits<'p, 's> {
    subschemas: &'p Subschemas<'s>,
    known: Vec<Option<u64>>,
    is_entered: Vec<bool>,
}

impl Visits<'_, '_> {
    /// Works without recursion, because chains of references may be long.
    fn from(&mut self, start: Id) -> u64 {
        let mut way = vec![(start, 0)];
        while let Some((id, next)) = way.last_mut() {
            let (id, at) = (*id, *next);
            *next += 1;
            if at == 0 && (self.known[id].is_some() || self.is_entered[id]) {
                way.pop();
                continue;
            }
            self.is_entered[id] = true;
            let (same, parts) = (self.subschemas.same_value(id), self.subschemas.parts(id));
            if let Some(target) =
                same.get(at).or_else(|| parts.get(at - same.len()).map(|(_, target)| target))
            {
                way.push((*target, 0));
                continue;
            }
            self.known[id] = Some(self.count(id));
            self.is_entered[id] = false;
            way.pop();
        }
        self.of(start)
    }

    /// A schema that leads back to itself counts once: the validator caches the results of
    /// recursive references.
    fn of(&self, id: Id) -> u64 {
        self.known[id].unwrap_or(1)
    }

    /// The visits of the most visited part, once those of all targets are known.
    fn count(&self, id: Id) -> u64 {
        let parts = self.subschemas.parts(id);
        let of =
            |wanted: Part| parts.iter().filter(move |(part, _)| *part == wanted).map(|(_, id)| self.of(*id));
        let entry = of(Part::Entry).max().unwrap_or(0).saturating_add(sum(of(Part::Entries)));
        let here = entry.max(sum(of(Part::Elements))).max(1);
        here.saturating_add(sum(self.subschemas.same_value(id).iter().map(|target| self.of(*target))))
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
