//! Which rows of two lists belong together.

use std::collections::HashMap;

use serde_json::Value;

/// Most pairs of rows that are compared with each other. Beyond it, rows without a key are
/// compared in their order, which takes time in proportion to their number.
const MAX_PAIRS: usize = 40_000;

/// A row of the right list, a row of the extracted one, or both.
pub(crate) type Pair = (Option<usize>, Option<usize>);

/// Returns each row of both lists once: pairs in the order of `gold`, then what is only in
/// `extracted`.
pub(crate) fn aligned(
    gold: &[Value],
    extracted: &[Value],
    keys: Option<&[String]>,
    likeness: impl Fn(&Value, &Value) -> f64,
) -> Vec<Pair> {
    let mut pairing = Pairing::new(gold.len(), extracted.len());
    if let Some(keys) = keys {
        pairing.by_key(gold, extracted, keys);
    }
    pairing.equal_rows(gold, extracted);
    if pairing.open_pairs() <= MAX_PAIRS {
        pairing.by_likeness(gold, extracted, likeness);
    } else {
        pairing.by_order();
    }
    pairing.into_pairs()
}

struct Pairing {
    /// The extracted row of each right one.
    partner: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Pairing {
    fn new(gold: usize, extracted: usize) -> Self {
        Self { partner: vec![None; gold], is_taken: vec![false; extracted] }
    }

    fn pair(&mut self, gold: usize, extracted: usize) {
        self.partner[gold] = Some(extracted);
        self.is_taken[extracted] = true;
    }

    /// Pairs rows whose marks are the same, the first with the first.
    fn by_mark(&mut self, gold: &[Value], extracted: &[Value], mark: impl Fn(&Value) -> Option<String>) {
        let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, row) in extracted.iter().enumerate().rev() {
            if let (false, Some(mark)) = (self.is_taken[index], mark(row)) {
                waiting.entry(mark).or_default().push(index);
            }
        }
        for (index, row) in gold.iter().enumerate() {
            if self.partner[index].is_some() {
                continue;
            }
            let other = mark(row).and_then(|mark| waiting.get_mut(&mark)?.pop());
            if let Some(other) = other {
                self.pair(index, other);
            }
        }
    }

    fn by_key(&mut self, gold: &[Value], extracted: &[Value], keys: &[String]) {
        self.by_mark(gold, extracted, |row| {
            let parts: Option<Vec<_>> = keys.iter().map(|key| row.get(key)).collect();
            parts.filter(|parts| !parts.iter().all(|part| part.is_null())).map(|parts| format!("{parts:?}"))
        });
    }

    fn equal_rows(&mut self, gold: &[Value], extracted: &[Value]) {
        self.by_mark(gold, extracted, |row| Some(row.to_string()));
    }

    fn open_pairs(&self) -> usize {
        let left = self.partner.iter().filter(|partner| partner.is_none()).count();
        left * self.is_taken.iter().filter(|taken| !**taken).count()
    }

    /// Pairs the rows that are most alike first. Rows that share nothing stay apart: one is missing,
    /// the other invented.
    fn by_likeness(&mut self, gold: &[Value], extracted: &[Value], likeness: impl Fn(&Value, &Value) -> f64) {
        let mut likely = Vec::new();
        for (left, row) in gold.iter().enumerate().filter(|(left, _)| self.partner[*left].is_none()) {
            for (right, other) in extracted.iter().enumerate().filter(|(right, _)| !self.is_taken[*right]) {
                let likeness = likeness(row, other);
                if likeness > 0.0 {
                    likely.push((likeness, left, right));
                }
            }
        }
        likely.sort_by(|one, other| {
            other.0.total_cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2)))
        });
        for (_, left, right) in likely {
            if self.partner[left].is_none() && !self.is_taken[right] {
                self.pair(left, right);
            }
        }
    }

    fn by_order(&mut self) {
        let mut free: Vec<_> =
            (0..self.is_taken.len()).rev().filter(|index| !self.is_taken[*index]).collect();
        for left in 0..self.partner.len() {
            if self.partner[left].is_none()
                && let Some(right) = free.pop()
            {
                self.pair(left, right);
            }
        }
    }

    fn into_pairs(self) -> Vec<Pair> {
        let paired = self.partner.into_iter().enumerate().map(|(left, right)| (Some(left), right));
        let alone = self.is_taken.into_iter().enumerate().filter(|(_, taken)| !taken);
        paired.chain(alone.map(|(right, _)| (None, Some(right)))).collect()
    }
}
