//! Aggregates the outcomes of a job.

use std::{collections::BTreeMap, time::Duration};

use extract::{Path, Violation, reading::Change};
use extract_bulk::{Failure, Outcome, Status};
use serde::Serialize;
use serde_json::Value;

use super::top::Top;

/// Maximum entries of a table of paths; further ones are counted.
const MAX_PLACES: usize = 1_000;

/// Maximum documents that are listed.
const MAX_LISTED: usize = 2_000;

/// Maximum failed documents that are shown.
const MAX_FAILED: usize = 200;

/// Maximum characters of a reply that are shown.
const MAX_REPLY: usize = 600;

/// How many documents are among the slowest and the largest.
pub(super) const TOP: usize = 20;

/// The sums over all outcomes, in bounded memory.
#[derive(Default)]
pub(super) struct OutcomeTally {
    /// Documents by their number of attempts.
    pub(super) attempts: BTreeMap<u32, u64>,
    /// Violations in the attempts at failed documents.
    pub(super) violations: FindingPlaces,
    /// Warnings about accepted values.
    pub(super) warnings: FindingPlaces,
    /// Repairs in reading accepted values.
    pub(super) repairs: FindingPlaces,
    pub(super) slowest: Top<DocumentCost, TOP>,
    pub(super) largest: Top<DocumentCost, TOP>,
    pub(super) failed: Vec<FailedOutcome>,
    /// Failed documents that are not shown.
    pub(super) more_failed: u64,
    /// The documents, in the order of the journal.
    pub(super) listed: Vec<DocumentCost>,
    /// Documents that are not listed.
    pub(super) more_listed: u64,
}

/// The cost of one document.
pub(super) struct DocumentCost {
    pub(super) key: String,
    pub(super) status: Status,
    pub(super) attempts: u32,
    pub(super) tokens: u64,
    pub(super) elapsed: Duration,
}

/// A document without an answer.
pub(super) struct FailedOutcome {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) message: String,
    /// The violations of the last attempt.
    pub(super) violations: Vec<String>,
    /// The last reply, cut.
    pub(super) reply: String,
}

/// How often each finding occurred at each path, ignoring indices in lists.
#[derive(Default)]
pub(super) struct FindingPlaces {
    all: BTreeMap<(String, String), FindingCount>,
    /// Findings at further paths.
    pub(super) beyond: u64,
}

/// How often a finding occurred, in how many documents, and one example.
pub(super) struct FindingCount {
    pub(super) count: u64,
    pub(super) documents: u64,
    pub(super) example: String,
    last: String,
}

impl OutcomeTally {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let metrics = &outcome.metrics;
        *self.attempts.entry(metrics.attempts).or_default() += 1;
        let spent = || DocumentCost {
            key: outcome.key.clone(),
            status: outcome.status,
            attempts: metrics.attempts,
            tokens: metrics.usage.total(),
            elapsed: metrics.elapsed,
        };
        if self.listed.len() < MAX_LISTED {
            self.listed.push(spent());
        } else {
            self.more_listed += 1;
        }
        self.slowest.add(metrics.elapsed.as_nanos(), spent);
        self.largest.add(u128::from(metrics.usage.total()), spent);
        metrics.warnings.iter().for_each(|warning| self.warnings.add_violation(&outcome.key, warning));
        metrics.changes.iter().for_each(|change| self.repairs.add_change(&outcome.key, change));
        if let Err(failure) = &outcome.result {
            self.add_failed(&outcome.key, failure);
        }
    }

    fn add_failed(&mut self, key: &str, failure: &Failure) {
        for violation in failure.history.iter().flat_map(|attempt| &attempt.violations) {
            self.violations.add_violation(key, violation);
        }
        if self.failed.len() == MAX_FAILED {
            self.more_failed += 1;
            return;
        }
        let last = failure.history.last();
        self.failed.push(FailedOutcome {
            key: key.to_owned(),
            name: failure.name.clone(),
            message: first_line(&failure.message),
            violations: last
                .map_or_else(Vec::new, |last| last.violations.iter().map(ToString::to_string).collect()),
            reply: last.map_or_else(String::new, |last| cut(&last.raw_output)),
        });
    }
}

impl FindingPlaces {
    fn add_violation(&mut self, key: &str, violation: &Violation) {
        // Path and kind have their own columns.
        let before = format!("[{}] {}: ", violation.code, violation.path);
        let shown = |text: String| text.strip_prefix(&before).map(str::to_owned).unwrap_or(text);
        self.add(key, &violation.path, violation.code.as_str(), || shown(violation.to_string()));
    }

    fn add_change(&mut self, key: &str, change: &Change) {
        let kind = format!("{}, {}", name(&change.kind), name(&change.loss));
        self.add(key, &change.path, &kind, || match &*change.after {
            "" => format!("{} left out", cut(&change.before)),
            after => format!("{} → {}", cut(&change.before), cut(after)),
        });
    }

    fn add(&mut self, key: &str, path: &Path, kind: &str, example: impl FnOnce() -> String) {
        let place = (everywhere(&path.to_string()), kind.to_owned());
        if self.all.len() == MAX_PLACES && !self.all.contains_key(&place) {
            self.beyond += 1;
            return;
        }
        let found = self.all.entry(place).or_insert_with(|| FindingCount {
            count: 0,
            documents: 0,
            example: example(),
            last: String::new(),
        });
        found.count += 1;
        // Outcomes are added one document at a time, so each document is counted once.
        if found.documents == 0 || found.last != key {
            found.documents += 1;
            key.clone_into(&mut found.last);
        }
    }

    /// Returns path, kind and count, the most frequent first.
    pub(super) fn sorted(&self) -> Vec<(&str, &str, &FindingCount)> {
        let mut all: Vec<_> =
            self.all.iter().map(|((path, kind), found)| (path.as_str(), kind.as_str(), found)).collect();
        all.sort_by_key(|(.., found)| std::cmp::Reverse(found.count));
        all
    }
}

/// A path with `[*]` for every index, so that the same mistake in two elements counts as one.
fn everywhere(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('[') {
        let (before, after) = rest.split_at(at + 1);
        text.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        rest = if digits > 0 && after[digits..].starts_with(']') {
            text.push('*');
            &after[digits..]
        } else {
            after
        };
    }
    text.push_str(rest);
    text
}

/// A message without the list that follows it.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_REPLY) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The stable name of a kind from its JSON, with spaces for underscores.
pub(crate) fn name(kind: &impl Serialize) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(name)) => name.replace('_', " "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_any_index() {
        assert_eq!(everywhere("$.lines[12].a[0][7]"), "$.lines[*].a[*][*]");
        assert_eq!(everywhere(r#"$["[1"].b["#), r#"$["[1"].b["#);
    }

    #[test]
    fn a_document_counts_once_at_a_place() {
        let mut places = FindingPlaces::default();
        let path = |index| Path::root().key("lines").index(index);
        for (key, index) in [("a", 0), ("a", 1), ("b", 0)] {
            places.add(key, &path(index), "X", String::new);
        }
        let all = places.sorted();
        assert_eq!((all.len(), all[0].0, all[0].2.count, all[0].2.documents), (1, "$.lines[*]", 3, 2));
    }

    #[test]
    fn places_are_bounded() {
        let mut places = FindingPlaces::default();
        for key in 0..MAX_PLACES + 5 {
            places.add("a", &Path::root().key(key.to_string()), "X", String::new);
        }
        assert_eq!((places.sorted().len(), places.beyond), (MAX_PLACES, 5));
    }
}
