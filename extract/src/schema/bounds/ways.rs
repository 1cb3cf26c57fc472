//! How often a validator that remembers no answers looks at one part of a value.

use super::places::{Id, Part, Places};

/// Looks at one part that are no matter, even where the schema is small.
const FREE: u64 = 256;

/// Whether one part may be looked at more often than there are schemas.
pub(super) fn repeat(places: &Places<'_>) -> bool {
    let most = u64::try_from(places.len()).unwrap_or(u64::MAX).max(FREE);
    let mut ways = Ways { places, known: vec![None; places.len()], is_on_way: vec![false; places.len()] };
    (0..places.len()).any(|id| ways.from(id) > most)
}

struct Ways<'p, 's> {
    places: &'p Places<'s>,
    known: Vec<Option<u64>>,
    is_on_way: Vec<bool>,
}

impl Ways<'_, '_> {
    /// Goes down without recursion, as references may be followed far.
    fn from(&mut self, start: Id) -> u64 {
        let mut way = vec![(start, 0)];
        while let Some((id, next)) = way.last_mut() {
            let (id, at) = (*id, *next);
            *next += 1;
            if at == 0 && (self.known[id].is_some() || self.is_on_way[id]) {
                way.pop();
                continue;
            }
            self.is_on_way[id] = true;
            let (same, parts) = (self.places.same_value(id), self.places.parts(id));
            if let Some(target) =
                same.get(at).or_else(|| parts.get(at - same.len()).map(|(_, target)| target))
            {
                way.push((*target, 0));
                continue;
            }
            self.known[id] = Some(self.count(id));
            self.is_on_way[id] = false;
            way.pop();
        }
        self.of(start)
    }

    /// A schema that leads back to itself counts once: of recursive references, the validator remembers the answers.
    fn of(&self, id: Id) -> u64 {
        self.known[id].unwrap_or(1)
    }

    /// The looks at the most visited part, where those of all targets are known.
    fn count(&self, id: Id) -> u64 {
        let parts = self.places.parts(id);
        let of =
            |wanted: Part| parts.iter().filter(move |(part, _)| *part == wanted).map(|(_, id)| self.of(*id));
        let entry = of(Part::Entry).max().unwrap_or(0).saturating_add(sum(of(Part::Entries)));
        let here = entry.max(sum(of(Part::Elements))).max(1);
        here.saturating_add(sum(self.places.same_value(id).iter().map(|target| self.of(*target))))
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
