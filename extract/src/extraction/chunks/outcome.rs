//! The outcomes of all chunks, and the passages that a rejection is about.

use std::ops::Range;

use serde_json::Value;

use super::one::ChunkOutcome;
use crate::{
    attempt::AttemptRecord,
    contract::Contract,
    document::Chunk,
    error::{Coverage, ExtractionError, ExtractionRecord},
    judging::{AttemptLog, EndReason, SpentTokens},
    merging::MergedValue,
    metrics::{ChunkMetrics, ExtractionMetrics, Gap},
    settings::ExtractionSettings,
    vocabulary::{
        time_limit::Instant,
        violation::{Code, Violation},
    },
};

/// The outcomes of the chunks, in the order of the document.
pub(super) struct ChunkOutcomes {
    ranges: Vec<Range<usize>>,
    all: Vec<Option<ChunkOutcome>>,
}

/// The history and metrics of the attempts at all chunks.
pub(super) struct ChunkHistory {
    pub(super) history: Vec<AttemptRecord>,
    pub(super) metrics: ExtractionMetrics,
    /// The first failure, and its chunk.
    first_failure: Option<(usize, ExtractionError)>,
}

/// Why a chunk has no answer, and the attempts of the pass that failed.
struct ChunkFailure {
    /// The position among the gaps.
    gap: usize,
    end: EndReason,
    log: AttemptLog,
}

impl ChunkOutcomes {
    pub(super) fn new(chunks: &[Chunk]) -> Self {
        let all = chunks.iter().map(|_| None).collect();
        Self { ranges: chunks.iter().map(Chunk::range).collect(), all }
    }

    pub(super) fn add(&mut self, outcome: ChunkOutcome) {
        let chunk = outcome.chunk;
        self.all[chunk] = Some(outcome);
    }

    /// The merged answers.
    pub(super) fn merged(&self, contract: &Contract) -> MergedValue {
        let outcomes = self.all.iter().flatten();
        contract.merge(outcomes.flat_map(|one| one.answers.iter().map(|answer| (one.chunk, answer))))
    }

    /// Returns whether every chunk has its answer.
    pub(super) fn are_complete(&self) -> bool {
        self.all.iter().all(|one| one.as_ref().is_some_and(|one| one.failure.is_none()))
    }

    /// Returns whether the merged answers may be the value if gaps are accepted.
    pub(super) fn are_usable(&self) -> bool {
        let mut ends = self.all.iter().flatten().filter_map(|one| one.failure.as_ref());
        let has_answer = self.all.iter().flatten().any(|one| !one.answers.is_empty());
        has_answer && !ends.any(EndReason::is_of_all_chunks)
    }

    /// The history and metrics of everything, with metrics for each chunk.
    pub(super) fn taken(self, merged: MergedValue, settings: &ExtractionSettings) -> ChunkHistory {
        let mut taken =
            ChunkHistory { history: Vec::new(), metrics: ExtractionMetrics::default(), first_failure: None };
        let mut failures = Vec::new();
        for (chunk, (outcome, range)) in self.all.into_iter().zip(self.ranges).enumerate() {
            failures.extend(taken.add(chunk, range, outcome));
        }
        taken.explain_gaps(failures, settings);
        // The checks of parts run again on the merged value; quotes are not looked up again.
        taken.metrics.warnings.retain(|warning| warning.code == Code::AmbiguousQuote);
        (taken.metrics.conflicts, taken.metrics.mentions) = (merged.conflicts, merged.mentions);
        taken
    }

    /// Returns the reason why there is no value.
    pub(super) fn into_error(
        self,
        merged: MergedValue,
        contract: &Contract,
        settings: &ExtractionSettings,
        started: Instant,
    ) -> ExtractionError {
        let found = contract.without_spans(&merged.value).into_owned();
        let ranges = self.ranges.clone();
        let ChunkHistory { history, mut metrics, first_failure } = self.taken(merged, settings);
        metrics.elapsed = started.elapsed();
        let is_uncovered = |chunk: usize| metrics.gaps.iter().any(|gap| gap.chunk == chunk);
        let (mut covered, mut uncovered) = (Vec::new(), Vec::new());
        for (chunk, range) in ranges.into_iter().enumerate() {
            join(if is_uncovered(chunk) { &mut uncovered } else { &mut covered }, range);
        }
        let (chunk, source) = first_failure.unwrap_or_else(|| {
            // Every chunk that was not sent follows one that failed.
            let log = AttemptLog::sharing(SpentTokens::default(), None);
            (0, EndReason::Exhausted.into_error(log, settings))
        });
        let record = ExtractionRecord {
            attempts: metrics.attempts,
            max_attempts: settings.max_attempts,
            history,
            metrics,
        };
        let coverage = Box::new(Coverage { chunk, covered, uncovered, found });
        ExtractionError::Incomplete { source: Box::new(source), coverage, record: Box::new(record) }
    }
}

impl ChunkHistory {
    /// Adds the outcome of a chunk, and a gap without its reason if it failed.
    fn add(
        &mut self,
        chunk: usize,
        range: Range<usize>,
        outcome: Option<ChunkOutcome>,
    ) -> Option<ChunkFailure> {
        let Some(outcome) = outcome else {
            let message = "another chunk had failed before it was asked about".to_owned();
            let gap = Gap { chunk, range: range.clone(), pass: 1, error: "NotAsked".to_owned(), message };
            self.metrics.gaps.push(gap);
            let chunk_metrics = ChunkMetrics::new(range, 0, 0, std::time::Duration::ZERO);
            self.metrics.chunks.push(chunk_metrics);
            return None;
        };
        let ChunkOutcome { failure, last, history, mut metrics, chunk_metrics, .. } = outcome;
        // Their paths refer to the answer to the chunk.
        metrics.changes.iter_mut().for_each(|change| change.chunk = Some(chunk));
        metrics.left_out.iter_mut().for_each(|item| item.chunk = Some(chunk));
        for warning in &mut metrics.warnings {
            warning.message = format!("in the answer to chunk {chunk}: {}", warning.message);
        }
        let pass = chunk_metrics.passes + 1;
        self.metrics.chunks.push(chunk_metrics);
        self.history.extend(history);
        self.metrics.absorb(metrics);
        if let (Some(end), Some(log)) = (failure, last) {
            self.history.extend(log.history.iter().cloned());
            self.metrics.absorb(log.metrics.clone());
            let gap = self.metrics.gaps.len();
            self.metrics.gaps.push(Gap { chunk, range, pass, error: String::new(), message: String::new() });
            return Some(ChunkFailure { gap, end, log });
        }
        None
    }

    /// Adds the reasons of the failures to their gaps. A limit of the whole extraction counts
    /// everything, so this follows the last chunk.
    fn explain_gaps(&mut self, failures: Vec<ChunkFailure>, settings: &ExtractionSettings) {
        for ChunkFailure { gap, end, mut log } in failures {
            if end.is_of_whole() {
                (log.metrics.attempts, log.metrics.usage) = (self.metrics.attempts, self.metrics.usage);
            }
            let error = end.into_error(log, settings);
            let gap = &mut self.metrics.gaps[gap];
            (gap.error, gap.message) = (error.name().to_owned(), error.to_string());
            self.first_failure.get_or_insert((gap.chunk, error));
        }
    }
}

/// Maximum number of chunks that are shown again.
const MAX_CHUNKS: usize = 8;

/// All of a short document. For a longer one, the chunks that contain the quotes of the rejected
/// parts of `value`. A rejected part without quotes counts as the nearest enclosing part that has
/// some; without any quotes, the first chunks are shown. Adjacent chunks form one passage.
pub(super) fn passages(
    contract: &Contract,
    value: &Value,
    violations: &[Violation],
    chunks: &[Chunk],
) -> Vec<Range<usize>> {
    let is_long = chunks.len() > MAX_CHUNKS;
    let rejected = violations.iter().filter(|violation| is_long && !violation.is_warning());
    let spans: Vec<_> =
        rejected.flat_map(|violation| contract.spans_around(value, &violation.path)).collect();
    let is_in_question = |chunk: &&Chunk| {
        let range = chunk.range();
        spans.is_empty() || spans.iter().any(|span| span.start() < range.end && range.start < span.end())
    };
    let mut passages = Vec::new();
    for chunk in chunks.iter().filter(is_in_question).take(MAX_CHUNKS) {
        join(&mut passages, chunk.range());
    }
    passages
}

/// Adds a range, and joins it with the last one if they are adjacent.
pub(super) fn join(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut().filter(|last| last.end == range.start) {
        Some(last) => last.end = range.end,
        None => ranges.push(range),
    }
}
