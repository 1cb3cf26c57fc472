//! The counts of a job.

use std::{path::PathBuf, sync::Arc, time::Duration};

use extract::metrics::{Cost, ExtractionMetrics, Prices};

use super::{
    journal::Store,
    limits::JobSpent,
    outcome::Status,
    progress::Progress,
    report::{Ended, Report},
};

/// The counts of a job.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JobTally {
    pub(super) documents: u64,
    pub(super) done: u64,
    pub(super) in_part: u64,
    pub(super) in_conflict: u64,
    pub(super) failed: u64,
    pub(super) resumed: u64,
    pub(super) changed: u64,
    pub(super) repeated: u64,
    pub(super) poisoned: u64,
}

impl JobTally {
    pub(super) fn add(&mut self, status: Status) {
        match status {
            Status::Done => self.done += 1,
            Status::InPart => (self.done, self.in_part) = (self.done + 1, self.in_part + 1),
            Status::Failed => self.failed += 1,
        }
    }

    pub(super) fn progress(
        &self,
        expected: Option<u64>,
        in_flight: usize,
        spent: JobSpent,
        prices: Option<&Prices>,
        elapsed: Duration,
    ) -> Progress {
        let finished = self.done + self.failed;
        let asked = finished.saturating_sub(self.resumed);
        let left = expected.filter(|_| asked > 0).map(|expected| {
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let rounds = expected.saturating_sub(finished) as f64 / asked as f64;
            Duration::try_from_secs_f64(elapsed.as_secs_f64() * rounds).unwrap_or(Duration::MAX)
        });
        let batch_failure = spent.batch_failure.clone().filter(|(_, wait)| !wait.is_zero());
        let agent_error = spent.last_failure.clone().filter(|_| spent.is_parked || spent.pause.is_some());
        let (batch_error, batch_pause) = batch_failure.unzip();
        Progress {
            documents: expected,
            done: self.done,
            failed: self.failed,
            resumed: self.resumed,
            in_flight: in_flight as u64,
            usage: spent.usage,
            is_parked: spent.is_parked || batch_error.is_some(),
            pause: spent.pause.or(batch_pause),
            agent_error: agent_error.or(batch_error),
            cost: cost(spent, prices),
            elapsed,
            left,
        }
    }

    pub(super) fn report(
        &self,
        ended: Ended,
        expected: Option<u64>,
        spent: JobSpent,
        prices: Option<&Prices>,
        elapsed: Duration,
        (journal, store): (Option<PathBuf>, &Arc<Store>),
    ) -> Report {
        let Self { documents, done, in_part, in_conflict, failed, .. } = *self;
        let Self { resumed, changed, repeated, poisoned, .. } = *self;
        let agent_error =
            spent.last_failure.clone().or_else(|| spent.batch_failure.clone().map(|(error, _)| error));
        Report {
            documents,
            // Documents that are given twice count once, and a source may be wrong about its number.
            expected: expected.map(|expected| expected.max(documents)),
            done,
            in_part,
            in_conflict,
            failed,
            resumed,
            changed,
            repeated,
            poisoned,
            calls: spent.calls,
            usage: spent.usage,
            per_model: spent.per_model.clone(),
            agent_error: agent_error.filter(|_| ended == Ended::Unreachable),
            cost: cost(spent, prices),
            elapsed,
            ended,
            outputs: Vec::new(),
            store: journal.is_none().then(|| Arc::clone(store)),
            journal,
        }
    }
}

fn cost(spent: JobSpent, prices: Option<&Prices>) -> Option<Cost> {
    let mut metrics = ExtractionMetrics::default();
    metrics.spend(spent.per_model);
    prices.map(|prices| metrics.cost(prices))
}
