//! How often a validator that remembers no answers looks at one part of a value.

use super::{
    order::visit_targets_first,
    places::{Id, Part, Places},
};

/// Looks at one part that are no matter, even where the schema is small.
const FREE: u64 = 256;

/// Whether one part may be looked at more often than there are schemas.
pub(super) fn repeat(places: &Places<'_>) -> bool {
    let most = u64::try_from(places.len()).unwrap_or(u64::MAX).max(FREE);
    // A schema that leads back to itself counts once: the validator remembers its answers about recursive references.
    let mut ways = Ways { places, known: vec![1; places.len()] };
    let target = |id, nth| {
        let (same, parts) = (places.same_value(id), places.parts(id));
        same.get(nth).or_else(|| parts.get(nth - same.len()).map(|(_, target)| target)).copied()
    };
    let found = visit_targets_first(
        places.len(),
        target,
        |_, _| Ok(()),
        |id| {
            ways.known[id] = ways.count(id);
            if ways.known[id] > most { Err(Repeats) } else { Ok(()) }
        },
    );
    found.is_err()
}

/// Ends the search.
struct Repeats;

struct Ways<'p, 's> {
    places: &'p Places<'s>,
    known: Vec<u64>,
}

impl Ways<'_, '_> {
    /// The looks at the most visited part, where those of all targets are known.
    fn count(&self, id: Id) -> u64 {
        let parts = self.places.parts(id);
        let of = |wanted: Part| {
            parts.iter().filter(move |(part, _)| *part == wanted).map(|(_, id)| self.known[*id])
        };
        let entry = of(Part::Entry).max().unwrap_or(0).saturating_add(sum(of(Part::Entries)));
        let here = entry.max(sum(of(Part::Elements))).max(1);
        here.saturating_add(sum(self.places.same_value(id).iter().map(|target| self.known[*target])))
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
