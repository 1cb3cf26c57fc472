//! What several answers to one question agree on.

use std::collections::HashMap;

use extract::Path;
use serde_json::{Map, Value};

use crate::{
    compare::{Place, ValueComparer, aligned},
    ratio::{float, share},
};

/// The value that most of several answers agree on, leaf by leaf.
///
/// Objects are merged member by member; rows of lists are matched as [`ValueComparer`] does, and a
/// row is kept if more than half of the answers have it. Of a leaf the value with the most answers
/// is kept; of several with as many, the earliest answer's. The merged value as a whole was given by
/// nobody, so check that it conforms.
///
/// ```
/// use extract_gold::{Agreement, ValueComparer};
/// use serde_json::json;
///
/// let answers = [json!({"city": "Lyon", "guests": 2}), json!({"city": "Lyon", "guests": 3}), json!({"city": "Lyons", "guests": 2})];
/// let agreement = Agreement::of(&ValueComparer::new(), &answers);
/// assert_eq!(agreement.value, json!({"city": "Lyon", "guests": 2}));
/// assert!((agreement.leaves[0].share - 2.0 / 3.0).abs() < 1e-9);
/// assert_eq!(agreement.leaves[0].others, [json!("Lyons")]);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Agreement {
    /// The value of the majority.
    pub value: Value,
    /// Its leaves, in its order.
    pub leaves: Vec<LeafAgreement>,
}

/// How many answers agree on one leaf.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LeafAgreement {
    /// Path in the value of the majority.
    pub path: Path,
    /// Name of the field: the path without the numbers of rows, as `lines[].quantity`.
    pub field: String,
    /// The leaf; `null` if most answers have none.
    pub value: Value,
    /// Share of the answers that have it, from 0 to 1. An answer without the row of the leaf does
    /// not have it.
    pub share: f64,
    /// What other answers have instead, each once; `null` for nothing.
    pub others: Vec<Value>,
}

impl Agreement {
    /// Merges answers to the same question. Without any, the value is `null`.
    pub fn of(comparer: &ValueComparer, answers: &[Value]) -> Self {
        let mut merger = Merger { comparer, all: answers.len(), leaves: Vec::new() };
        let given: Vec<_> = answers.iter().map(Some).collect();
        let value = merger.merge(&Place::root(), &given);
        Self { value, leaves: merger.leaves }
    }

    /// Takes one of the answers as it is, and counts how many of all have each of its leaves.
    pub(super) fn of_one(comparer: &ValueComparer, answer: &Value, answers: &[Value]) -> Self {
        let own = comparer.compare(answer, answer);
        let mut leaves: Vec<_> = own
            .into_iter()
            .map(|leaf| LeafAgreement {
                path: leaf.path,
                field: leaf.field,
                value: leaf.gold,
                share: 0.0,
                others: Vec::new(),
            })
            .collect();
        for other in answers {
            // What only the other answer has comes after the leaf with the same path.
            let mut by_path = HashMap::new();
            for pair in comparer.compare(answer, other) {
                by_path.entry(pair.path.clone()).or_insert(pair);
            }
            for leaf in &mut leaves {
                let Some(pair) = by_path.remove(&leaf.path) else { continue };
                if pair.outcome.is_right() {
                    leaf.share += 1.0 / float(answers.len());
                } else if !leaf.others.contains(&pair.extracted) {
                    leaf.others.push(pair.extracted);
                }
            }
        }
        Self { value: answer.clone(), leaves }
    }
}

struct Merger<'c> {
    comparer: &'c ValueComparer,
    all: usize,
    leaves: Vec<LeafAgreement>,
}

impl Merger<'_> {
    /// Merges what the answers have here; `None` for an answer without the row around it.
    fn merge(&mut self, place: &Place, given: &[Option<&Value>]) -> Value {
        let count =
            |is_kind: fn(&Value) -> bool| given.iter().flatten().filter(|value| is_kind(value)).count();
        let (objects, lists) = (count(Value::is_object), count(Value::is_array));
        let scalars = count(|value| !value.is_object() && !value.is_array());
        if objects > 0 && objects >= lists && objects >= scalars {
            self.merge_members(place, given)
        } else if lists > 0 && lists >= scalars {
            self.merge_rows(place, given)
        } else {
            self.merge_leaf(place, given)
        }
    }

    fn merge_members(&mut self, place: &Place, given: &[Option<&Value>]) -> Value {
        let mut merged = Map::new();
        for (key, _) in given.iter().flatten().filter_map(|value| value.as_object()).flatten() {
            if merged.contains_key(key) {
                continue;
            }
            let members: Vec<_> =
                given.iter().map(|value| value.map(|value| value.get(key).unwrap_or(&Value::Null))).collect();
            let member = self.merge(&place.member(key), &members);
            merged.insert(key.clone(), member);
        }
        Value::Object(merged)
    }

    fn merge_rows(&mut self, place: &Place, given: &[Option<&Value>]) -> Value {
        let mut merged = Vec::new();
        for group in self.groups(place, given) {
            if 2 * group.iter().flatten().count() > self.all {
                let row = self.merge(&place.row(merged.len()), &group);
                merged.push(row);
            }
        }
        Value::Array(merged)
    }

    /// Rows that belong together, each group with one row of each answer that has it.
    fn groups<'v>(&self, place: &Place, given: &[Option<&'v Value>]) -> Vec<Vec<Option<&'v Value>>> {
        let mut groups: Vec<Vec<Option<&Value>>> = Vec::new();
        for (answer, value) in given.iter().enumerate() {
            let rows = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let known: Vec<Value> =
                groups.iter().filter_map(|group| group.iter().flatten().next().copied().cloned()).collect();
            let keys = self.comparer.keys_of(place);
            let pairs =
                aligned(&known, rows, keys, |one, other| self.comparer.likeness(&place.row(0), one, other));
            for (group, row) in pairs {
                let row = row.and_then(|row| rows.get(row));
                if let Some(group) = group.and_then(|group| groups.get_mut(group)) {
                    group[answer] = row;
                } else {
                    let mut group = vec![None; given.len()];
                    group[answer] = row;
                    groups.push(group);
                }
            }
        }
        groups
    }

    fn merge_leaf(&mut self, place: &Place, given: &[Option<&Value>]) -> Value {
        let mut kinds: Vec<(&Value, usize)> = Vec::new();
        for value in given.iter().flatten() {
            match kinds.iter_mut().find(|(kind, _)| self.comparer.is_same(place, kind, value)) {
                Some((_, votes)) => *votes += 1,
                None => kinds.push((value, 1)),
            }
        }
        // The first of the largest: `max_by_key` returns the last.
        let most = kinds.iter().rev().max_by_key(|(_, votes)| *votes).copied();
        let (value, votes) = most.unwrap_or((&Value::Null, 0));
        self.leaves.push(LeafAgreement {
            path: place.path.clone(),
            field: place.field.clone(),
            value: value.clone(),
            share: share(votes, self.all),
            others: kinds.iter().map(|(other, _)| *other).filter(|other| *other != value).cloned().collect(),
        });
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Agreement;
    use crate::compare::ValueComparer;

    fn merged(answers: &[Value]) -> Agreement {
        Agreement::of(&ValueComparer::new(), answers)
    }

    #[test]
    fn one_answer_agrees_with_itself() {
        let answer = json!({"a": 1, "rows": [{"b": null}, {"b": "x"}], "none": null, "empty": []});
        let agreement = merged(std::slice::from_ref(&answer));
        assert_eq!(agreement.value, answer);
        assert!(agreement.leaves.iter().all(|leaf| (leaf.share - 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_row_that_few_have_is_not_kept() {
        let agreement = merged(&[json!(["a", "b"]), json!(["a", "c"]), json!(["b", "a"])]);
        assert_eq!(agreement.value, json!(["a", "b"]));
        assert!((agreement.leaves[1].share - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn rows_keep_the_order_of_the_first_answer() {
        let rows = |order: [u8; 3]| json!(order.map(|id| json!({"id": id, "n": 1})));
        assert_eq!(merged(&[rows([2, 1, 3]), rows([1, 2, 3]), rows([3, 2, 1])]).value, rows([2, 1, 3]));
    }

    #[test]
    fn nothing_wins_where_most_have_nothing() {
        let agreement = merged(&[json!({"a": 1}), json!({}), json!({"a": null})]);
        assert_eq!(agreement.value, json!({"a": null}));
        assert_eq!(agreement.leaves[0].others, [json!(1)]);
    }

    #[test]
    fn of_as_many_votes_the_earliest_answer_counts() {
        assert_eq!(merged(&[json!("x"), json!("y")]).value, json!("x"));
        assert_eq!(merged(&[json!("x"), json!("y"), json!("y"), json!("x")]).value, json!("x"));
        assert_eq!(merged(&[]).value, Value::Null);
    }
}
