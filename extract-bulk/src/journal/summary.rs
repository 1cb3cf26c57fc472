//! A summary of a journal.

use std::{collections::BTreeMap, fmt};

use extract::{TokenUsage, metrics::ModelUsage};
use serde::Serialize;

use super::{owner::Holder, record::Record};
use crate::{batches::JournalBatch, outcome::Status};

/// The contents of a journal in numbers; see [`Journal::inspect`](super::Journal::inspect).
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct JournalSummary {
    /// Documents of the last source that were read.
    pub documents: u64,
    /// Documents of the last source, read or not, if known.
    pub expected: Option<u64>,
    /// Documents of the last source that have no outcome, as far as known.
    pub missing: u64,
    /// Outcomes with an answer, including partial ones.
    pub done: u64,
    /// Outcomes with a partial answer.
    pub in_part: u64,
    /// Outcomes with an answer whose chunks [state a value in different ways](extract::metrics::Conflict).
    pub in_conflict: u64,
    /// Outcomes without an answer.
    pub failed: u64,
    /// How often each [failure](super::super::Failure::name) occurs.
    pub failures: BTreeMap<String, u64>,
    /// Documents that are in progress or come next, or were when the last run crashed.
    pub in_flight: u64,
    /// Batches whose answers are not all in the journal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<JournalBatch>,
    /// Tokens of all outcomes.
    pub usage: TokenUsage,
    /// The same tokens by model.
    pub per_model: Vec<ModelUsage>,
    /// Runs so far.
    pub runs: u64,
    /// How many runs followed a crashed one.
    pub crashed_runs: u64,
    /// Size of the file.
    pub bytes: u64,
    /// Version of the format.
    pub format: u32,
    /// Whether another process had the journal open when it was [read](super::Journal::read).
    pub is_running: bool,
    /// That process, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<Holder>,
}

impl JournalSummary {
    pub(super) fn add(&mut self, record: &Record) {
        match record.head.status {
            Status::Failed => self.failed += 1,
            Status::Done => self.done += 1,
            Status::InPart => (self.done, self.in_part) = (self.done + 1, self.in_part + 1),
        }
        self.in_conflict += u64::from(record.is_in_conflict());
        if let Some(failure) = &record.body.failure {
            *self.failures.entry(failure.name.clone()).or_default() += 1;
        }
        self.usage.add(record.body.metrics.usage);
        for used in &record.body.metrics.per_model {
            used.clone().add_to(&mut self.per_model);
        }
    }
}

impl fmt::Display for JournalSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { documents, missing, done, in_part, failed, in_flight, .. } = self;
        let Self { runs, crashed_runs, bytes, .. } = self;
        let all = self.expected.unwrap_or(*documents);
        let s = if all == 1 { "" } else { "s" };
        let run = if self.is_running { "the run has read" } else { "the last run had" };
        write!(f, "{done} done ({in_part} in part), {failed} failed; {run} ")?;
        if self.is_running && all > *documents {
            write!(f, "{documents} of ")?;
        }
        writeln!(f, "{all} document{s}")?;
        if *missing > 0 && !self.is_running {
            writeln!(f, "not complete: {missing} of {all} have no outcome")?;
        }
        for (name, count) in &self.failures {
            writeln!(f, "  {count} {name}")?;
        }
        if self.in_conflict > 0 {
            writeln!(f, "{} in conflict: their chunks state a value in different ways", self.in_conflict)?;
        }
        let by = self.running.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
        if self.is_running {
            writeln!(f, "{in_flight} in flight or next; it is in use{by}")?;
        } else if *in_flight > 0 {
            let were = if *in_flight == 1 { "was" } else { "were" };
            writeln!(f, "{in_flight} {were} in flight or next when the last run crashed")?;
        }
        for batch in &self.batches {
            writeln!(f, "{batch}")?;
        }
        writeln!(f, "{}", self.usage)?;
        let s = if *runs == 1 { "" } else { "s" };
        write!(f, "{runs} run{s}, {crashed_runs} after a crash, {bytes} bytes")
    }
}
