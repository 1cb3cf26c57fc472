//! How far an evaluation or a tuning is.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use extract::{
    ExtractionMetrics, TokenUsage,
    metrics::{Cost, Prices},
};
use serde::Serialize;

/// How far an [`Evaluator`](crate::Evaluator) or a [`Tuner`](crate::Tuner) is.
///
/// Prints as a line, `ollama/gemma3 (1 of 2): 14 of 40 done, 1 failed, 9100 tokens, 65 s left`, with the
/// documents a minute after ten seconds.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct EvaluationProgress {
    /// Name of the candidate that is being asked; in a tuning, the settings that are being tried.
    pub name: String,
    /// Its number, from 1.
    pub number: usize,
    /// How many candidates there are; `None` in a tuning, which finds out as it goes.
    pub candidates: Option<usize>,
    /// How many documents it is asked about.
    pub documents: usize,
    /// Those with an answer.
    pub done: usize,
    /// Those without one, although it was asked.
    pub failed: usize,
    /// Tokens so far, of all candidates.
    pub usage: TokenUsage,
    /// Cost so far, of all candidates, if there are prices.
    pub cost: Option<Cost>,
    /// Wall time since the start.
    pub elapsed: Duration,
    /// Documents that were asked about since the start, each once for each candidate.
    pub asked: usize,
    /// The estimated remaining time, if the number of candidates is known and a document is finished.
    pub left: Option<Duration>,
}

/// Shortest time from which a rate is reported.
const MEASURABLE: Duration = Duration::from_secs(10);

impl fmt::Display for EvaluationProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, number, documents, done, failed, .. } = self;
        match self.candidates {
            Some(1) => write!(f, "{name}")?,
            Some(candidates) => write!(f, "{name} ({number} of {candidates})")?,
            None => write!(f, "trial {number} ({name})")?,
        }
        write!(f, ": {done} of {documents} done, {failed} failed, {} tokens", self.usage.total())?;
        if let Some(cost) = &self.cost {
            write!(f, ", cost {cost}")?;
        }
        if self.elapsed >= MEASURABLE {
            let asked = u32::try_from(self.asked).map_or(f64::INFINITY, f64::from);
            write!(f, ", {:.0} a minute", asked * 60.0 / self.elapsed.as_secs_f64())?;
        }
        match self.left.map(|left| left.as_secs()) {
            None => Ok(()),
            Some(seconds @ 0..120) => write!(f, ", {seconds} s left"),
            Some(seconds @ 120..7200) => write!(f, ", {} min left", seconds / 60),
            Some(seconds) => write!(f, ", {} h left", seconds / 3600),
        }
    }
}

/// A callback that receives how far it is.
pub(crate) type OnProgress<'a> = Box<dyn FnMut(&EvaluationProgress) + Send + 'a>;

/// Counts answers as they arrive, and calls the callback.
pub(super) struct ProgressCounter<'a>(Mutex<CounterState<'a>>);

struct CounterState<'a> {
    callback: OnProgress<'a>,
    progress: EvaluationProgress,
    spent: ExtractionMetrics,
    started: Instant,
}

impl fmt::Debug for ProgressCounter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressCounter").finish_non_exhaustive()
    }
}

impl<'a> ProgressCounter<'a> {
    pub(super) fn new(callback: OnProgress<'a>) -> Self {
        let (progress, spent) = (EvaluationProgress::default(), ExtractionMetrics::default());
        Self(Mutex::new(CounterState { callback, progress, spent, started: Instant::now() }))
    }

    /// Begins to count for a candidate.
    pub(super) fn begin(&self, name: &str, number: usize, candidates: usize, documents: usize) {
        self.change(|state| {
            if number == 1 {
                state.started = Instant::now();
            }
            let progress = &mut state.progress;
            (progress.name, progress.number) = (name.to_owned(), number);
            (progress.candidates, progress.documents) = (Some(candidates), documents);
            (progress.done, progress.failed) = (0, 0);
        });
    }

    /// Counts a document that has an answer, or failed.
    pub(super) fn finished(&self, is_done: bool, metrics: &ExtractionMetrics, prices: Option<&Prices>) {
        self.change(|state| {
            state.spent.spend(metrics.per_model.clone());
            let progress = &mut state.progress;
            progress.asked += 1;
            progress.done += usize::from(is_done);
            progress.failed += usize::from(!is_done);
            progress.usage = state.spent.usage;
            progress.cost = prices.map(|prices| state.spent.cost(prices));
        });
    }

    fn change(&self, change: impl FnOnce(&mut CounterState<'a>)) {
        // Numbers that are only added to are right after a panic of the callback too.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        state.progress.elapsed = state.started.elapsed();
        state.progress.left = left(&state.progress);
        let CounterState { callback, progress, .. } = &mut *state;
        callback(progress);
    }
}

/// The time that the rest takes, if each document takes as long as those until now.
fn left(progress: &EvaluationProgress) -> Option<Duration> {
    let asked = u32::try_from(progress.asked).ok().filter(|asked| *asked > 0)?;
    let candidates = progress.candidates?.saturating_sub(progress.number);
    let rest =
        candidates * progress.documents + progress.documents.saturating_sub(progress.done + progress.failed);
    progress.elapsed.checked_div(asked)?.checked_mul(u32::try_from(rest).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        let mut progress = EvaluationProgress {
            name: "a".to_owned(),
            number: 1,
            candidates: Some(2),
            documents: 40,
            done: 9,
            failed: 1,
            asked: 10,
            usage: TokenUsage::new(9_000, 100),
            elapsed: Duration::from_secs(20),
            ..EvaluationProgress::default()
        };
        progress.left = left(&progress);
        assert_eq!(
            progress.to_string(),
            "a (1 of 2): 9 of 40 done, 1 failed, 9100 tokens, 30 a minute, 2 min left"
        );
        progress.candidates = None;
        progress.left = left(&progress);
        progress.elapsed = Duration::from_secs(9);
        assert_eq!(progress.to_string(), "trial 1 (a): 9 of 40 done, 1 failed, 9100 tokens");
    }
}
