//! Answers to the same question, merged leaf by leaf; rows of lists by what they are about.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::{
    elements::key,
    position::{MergeMethod, MergePosition, QuoteComparison, plain, stated},
};
use crate::{
    schema::ValueOrder,
    vocabulary::{
        grouped,
        path::{Path, Segment},
    },
};

/// A leaf of a value, and which samples agree with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeafVote {
    pub(crate) path: Path,
    /// The path without the numbers of rows, as `lines[].quantity`.
    pub(crate) field: String,
    /// The leaf, without its quote.
    pub(crate) value: Value,
    /// The number and the path of each sample that has it, in order.
    pub(crate) agreeing: Vec<(usize, Path)>,
    /// What other samples have instead, each once.
    pub(crate) others: Vec<Value>,
}

/// Returns what most of `samples` have. A row of a list is kept if more than half of the samples
/// with the list have it, and a key if at least half have it. Of a leaf the value with the most samples is kept; of
/// several with as many, the earliest sample's.
pub(crate) fn majority(schema: &Value, orders: &[ValueOrder], samples: &[&Value]) -> Value {
    most(&MergePosition::root(schema, orders), samples)
}

/// Returns the leaves of `value`, in its order, each with the samples that agree with it.
pub(crate) fn votes(
    schema: &Value,
    orders: &[ValueOrder],
    value: &Value,
    samples: &[&Value],
) -> Vec<LeafVote> {
    let given: Vec<_> = samples.iter().enumerate().map(|(n, value)| (n, Path::root(), *value)).collect();
    let mut votes = Vec::new();
    let place = LeafPosition { path: Path::root(), field: String::new() };
    vote(&MergePosition::root(schema, orders), place, value, &given, &mut votes);
    votes
}

fn most(place: &MergePosition<'_>, given: &[&Value]) -> Value {
    let count = |is_kind: fn(&Value) -> bool| given.iter().filter(|value| is_kind(value)).count();
    let (objects, lists) = (count(Value::is_object), count(Value::is_array));
    let scalars = given.len() - objects - lists;
    if place.is_whole() || scalars >= objects.max(lists) {
        most_frequent(place, given)
    } else if objects >= lists {
        most_members(place, given)
    } else {
        most_rows(place, given)
    }
}

fn most_frequent(place: &MergePosition<'_>, given: &[&Value]) -> Value {
    let kinds = grouped(given.iter().map(|value| (plain(place, value, QuoteComparison::Words), *value)));
    // The first of the largest: `max_by_key` returns the last.
    let most = kinds.iter().rev().max_by_key(|kind| kind.len());
    most.map_or(Value::Null, |kind| kind[0].clone())
}

fn most_members(place: &MergePosition<'_>, given: &[&Value]) -> Value {
    let objects: Vec<_> = given.iter().filter_map(|value| value.as_object()).collect();
    let members = grouped(objects.iter().copied().flatten().map(|(key, value)| (key, (key, value))));
    let kept = members.into_iter().filter(|same| 2 * same.len() >= objects.len());
    let merged = kept.map(|same| {
        let (key, values): (_, Vec<_>) = (same[0].0, same.iter().map(|(_, value)| *value).collect());
        (key.clone(), most(&place.key(key), &values))
    });
    merged.collect()
}

fn most_rows(place: &MergePosition<'_>, given: &[&Value]) -> Value {
    let lists: Vec<_> = given.iter().filter_map(|value| value.as_array()).collect();
    let element = place.index(0);
    let mut groups: Vec<Vec<&Value>> = Vec::new();
    for rows in &lists {
        let known: Vec<&Value> = groups.iter().filter_map(|group| group.first().copied()).collect();
        let rows: Vec<&Value> = rows.iter().collect();
        let found = aligned(&element, &rows, &known);
        for (row, group) in rows.into_iter().zip(found) {
            match group.and_then(|group| groups.get_mut(group)) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
    }
    let kept = groups.iter().filter(|group| 2 * group.len() > lists.len());
    Value::Array(kept.enumerate().map(|(index, group)| most(&place.index(index), group)).collect())
}

/// Where a leaf is in the value, and the name of its field.
struct LeafPosition {
    path: Path,
    field: String,
}

/// The name of the field at `path`: the path without the numbers of rows.
pub(crate) fn field_at(path: &Path) -> String {
    let start = LeafPosition { path: Path::root(), field: String::new() };
    let position = path.segments().iter().fold(start, |position, segment| match segment {
        Segment::Key(key) => position.key(key),
        Segment::Index(index) => position.index(*index),
    });
    position.field
}

impl LeafPosition {
    fn key(&self, key: &str) -> Self {
        let dot = if self.field.is_empty() { "" } else { "." };
        Self { path: self.path.clone().key(key), field: format!("{}{dot}{key}", self.field) }
    }

    fn index(&self, index: usize) -> Self {
        Self { path: self.path.clone().index(index), field: format!("{}[]", self.field) }
    }
}

/// Adds the votes of `value` and its parts. `given` are the numbers, paths and values of the samples
/// that have something here.
fn vote(
    place: &MergePosition<'_>,
    at: LeafPosition,
    value: &Value,
    given: &[(usize, Path, &Value)],
    votes: &mut Vec<LeafVote>,
) {
    match value {
        Value::Object(_) if matches!(place.what, MergeMethod::Grounded | MergeMethod::Quote) => {
            votes.push(leaf_vote(place, at, value, given));
        }
        Value::Object(members) => {
            for (key, member) in members {
                let there: Vec<_> = given
                    .iter()
                    .filter(|(_, _, other)| other.is_object())
                    .map(|(sample, path, other)| {
                        (*sample, path.clone().key(key), other.get(key).unwrap_or(&Value::Null))
                    })
                    .collect();
                vote(&place.key(key), at.key(key), member, &there, votes);
            }
        }
        Value::Array(rows) => vote_rows(place, &at, rows, given, votes),
        _ => votes.push(leaf_vote(place, at, value, given)),
    }
}

fn vote_rows(
    place: &MergePosition<'_>,
    at: &LeafPosition,
    rows: &[Value],
    given: &[(usize, Path, &Value)],
    votes: &mut Vec<LeafVote>,
) {
    let rows: Vec<&Value> = rows.iter().collect();
    let mut there: Vec<Vec<(usize, Path, &Value)>> = vec![Vec::new(); rows.len()];
    for (sample, path, other) in given {
        let others: Vec<&Value> = other.as_array().into_iter().flatten().collect();
        let found = if place.is_whole() {
            (0..rows.len()).map(|index| Some(index).filter(|index| *index < others.len())).collect()
        } else {
            aligned(&place.index(0), &rows, &others)
        };
        for (there, row) in there.iter_mut().zip(found) {
            if let Some(row) = row {
                there.push((*sample, path.clone().index(row), others[row]));
            }
        }
    }
    for (index, (row, there)) in rows.into_iter().zip(there).enumerate() {
        vote(&place.index(index), at.index(index), row, &there, votes);
    }
}

fn leaf_vote(
    place: &MergePosition<'_>,
    at: LeafPosition,
    value: &Value,
    given: &[(usize, Path, &Value)],
) -> LeafVote {
    let form = |value: &Value| plain(place, value, QuoteComparison::Words);
    let own = form(value);
    let (mut agreeing, mut others) = (Vec::new(), Vec::new());
    for (sample, path, other) in given {
        if form(other) == own {
            agreeing.push((*sample, path.clone()));
        } else {
            let other = stated(place, other);
            if !others.contains(&other) {
                others.push(other);
            }
        }
    }
    LeafVote { path: at.path, field: at.field, value: stated(place, value), agreeing, others }
}

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "lines": {"type": "array", "items": {"type": "object", "properties": {
                    "part": {"type": "string"}, "quantity": {"type": "integer"},
                }}},
            },
        })
    }

    fn merged(samples: &[Value]) -> Value {
        majority(&schema(), &[], &samples.iter().collect::<Vec<_>>())
    }

    fn line(part: &str, quantity: u32) -> Value {
        json!({"part": part, "quantity": quantity})
    }

    #[test]
    fn the_most_frequent_value_of_each_leaf_is_kept() {
        let samples = [
            json!({"name": "a", "lines": [line("x", 1), line("y", 2)]}),
            json!({"name": "b", "lines": [line("y", 2), line("x", 7)]}),
            json!({"name": "b", "lines": [line("x", 1), line("z", 2)]}),
        ];
        let value = merged(&samples);
        assert_eq!(value, json!({"name": "b", "lines": [line("x", 1), line("y", 2)]}));
        let votes = votes(&schema(), &[], &value, &samples.iter().collect::<Vec<_>>());
        let told: Vec<_> = votes.iter().map(|vote| (vote.field.as_str(), vote.agreeing.len())).collect();
        let (part, quantity) = ("lines[].part", "lines[].quantity");
        assert_eq!(told, [("name", 2), (part, 3), (quantity, 2), (part, 2), (quantity, 3)]);
        assert_eq!(votes[0].others, [json!("a")]);
        assert_eq!(votes[1].agreeing[1].1.to_string(), "$.lines[1].part");
    }

    #[test]
    fn lists_of_other_lengths_keep_what_most_have() {
        let of =
            |parts: &[&str]| json!({"lines": parts.iter().map(|part| line(part, 1)).collect::<Vec<_>>()});
        assert_eq!(merged(&[of(&["a"]), of(&["a", "b"]), of(&["a", "b", "c"])]), of(&["a", "b"]));
        assert_eq!(merged(&[of(&[]), of(&[]), of(&["a"])]), of(&[]));
        assert_eq!(merged(&[]), Value::Null);
    }

    #[test]
    fn a_key_that_most_lack_is_left_out() {
        assert_eq!(merged(&[json!({"name": "a"}), json!({}), json!({})]), json!({}));
        assert_eq!(merged(&[json!({"name": "a"}), json!({"name": null})]), json!({"name": "a"}));
    }
}
