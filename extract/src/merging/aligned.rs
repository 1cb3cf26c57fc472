//! Finds the rows of two lists that are about the same.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::{
    elements::key,
    place::MergePosition,
    plain::{QuoteComparison, plain},
};

/// Maximum pairs of rows that are compared member by member. Of more, rows at the same position
/// belong together.
const MAX_PAIRS: usize = 10_000;

/// Returns for each of `rows` the position of the row of `others` that is about the same: by key, by
/// equal content, and of those that are left without a key by the members that they share.
pub(super) fn aligned(element: &MergePosition<'_>, rows: &[&Value], others: &[&Value]) -> Vec<Option<usize>> {
    let ours: Vec<_> = rows.iter().map(|row| identity(element, row)).collect();
    let theirs: Vec<_> = others.iter().map(|row| identity(element, row)).collect();
    let mut free: HashMap<&RowIdentity, VecDeque<usize>> = HashMap::new();
    for (position, identity) in theirs.iter().enumerate() {
        free.entry(identity).or_default().push_back(position);
    }
    let mut found: Vec<Option<usize>> =
        ours.iter().map(|identity| free.get_mut(identity).and_then(VecDeque::pop_front)).collect();
    let mut left: Vec<usize> = free.into_values().flatten().filter(|row| theirs[*row].is_content()).collect();
    left.sort_unstable();
    let lost: Vec<usize> =
        (0..rows.len()).filter(|row| found[*row].is_none() && ours[*row].is_content()).collect();
    for (row, other) in alike(element, rows, others, &lost, left) {
        found[row] = Some(other);
    }
    found
}

/// The properties of a row that identify it.
#[derive(PartialEq, Eq, Hash)]
enum RowIdentity {
    Key(String),
    Content(String),
}

impl RowIdentity {
    fn is_content(&self) -> bool {
        matches!(self, Self::Content(_))
    }
}

fn identity(element: &MergePosition<'_>, row: &Value) -> RowIdentity {
    key(element, row)
        .map_or_else(|| RowIdentity::Content(plain(element, row, QuoteComparison::Words)), RowIdentity::Key)
}

/// Pairs the rows `lost` with those of `left` that share the most members with them.
fn alike(
    element: &MergePosition<'_>,
    rows: &[&Value],
    others: &[&Value],
    lost: &[usize],
    mut left: Vec<usize>,
) -> Vec<(usize, usize)> {
    let is_object = |row: &Value| row.is_object() && !element.is_whole();
    if lost.len().saturating_mul(left.len()) > MAX_PAIRS {
        let same = lost.iter().filter(|row| left.binary_search(row).is_ok());
        return same
            .filter(|row| is_object(rows[**row]) && is_object(others[**row]))
            .map(|row| (*row, *row))
            .collect();
    }
    let members: HashMap<usize, _> = left.iter().map(|row| (*row, members(element, others[*row]))).collect();
    let mut pairs = Vec::new();
    for row in lost.iter().copied().filter(|row| is_object(rows[*row])) {
        let own = self::members(element, rows[row]);
        let likeness = |other: usize| members.get(&other).map_or(0, |members| shared(&own, members));
        // Of rows that are as alike, the first: `max_by_key` returns the last.
        let best = left.iter().copied().rev().max_by_key(|other| likeness(*other));
        if let Some(best) = best.filter(|best| likeness(*best) > 0) {
            left.retain(|other| *other != best);
            pairs.push((row, best));
        }
    }
    pairs
}

/// The members of a row that say something, in the form in which values are compared.
fn members(element: &MergePosition<'_>, row: &Value) -> HashMap<String, String> {
    let members = row.as_object().into_iter().flatten().filter(|(_, member)| !member.is_null());
    members
        .map(|(key, member)| (key.clone(), plain(&element.key(key), member, QuoteComparison::Words)))
        .collect()
}

fn shared(one: &HashMap<String, String>, other: &HashMap<String, String>) -> usize {
    one.iter().filter(|(key, member)| other.get(*key) == Some(member)).count()
}
