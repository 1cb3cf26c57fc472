//! The known state of a running job.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use extract_bulk::Progress;
use serde::Serialize;

/// Maximum failed documents that are shown, the last ones.
const MAX_FAILED: usize = 100;

/// Maximum characters of a key and of a message.
const MAX_TEXT: usize = 600;

/// The time over which the rate is measured.
const WINDOW: Duration = Duration::from_secs(60);

/// How long after its last request a page counts as open.
const OPEN: Duration = Duration::from_secs(5);

/// The known state of the job, shared by the job and its page.
pub(super) struct JobState {
    shared: Mutex<Shared>,
    /// An open page has seen the end.
    was_seen: Condvar,
}

struct Shared {
    seen: JobNumbers,
    /// When how many documents of this run had an outcome.
    finished: VecDeque<(Instant, u64)>,
    last_look: Option<Instant>,
    has_seen_end: bool,
}

/// The numbers that the page shows.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct JobNumbers {
    pub(super) title: String,
    /// What the job does, or how it ended.
    pub(super) state: String,
    /// How the job ended; `None` while it runs.
    pub(super) ended: Option<String>,
    /// The number of documents, if known.
    pub(super) documents: Option<u64>,
    pub(super) done: u64,
    pub(super) failed: u64,
    pub(super) resumed: u64,
    pub(super) in_flight: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    pub(super) are_tokens_estimated: bool,
    pub(super) cost: Option<f64>,
    /// Models with tokens and without a price.
    pub(super) unpriced: Vec<String>,
    pub(super) elapsed_seconds: u64,
    pub(super) left_seconds: Option<u64>,
    /// Documents in the last minute, as a rate.
    pub(super) per_minute: Option<f64>,
    /// The last failed documents, the newest first.
    pub(super) failures: VecDeque<FailedDocument>,
    /// Failed documents that are not among them.
    pub(super) more_failures: u64,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct FailedDocument {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) message: String,
}

impl JobState {
    pub(super) fn new(title: String) -> Self {
        let seen = JobNumbers { title, state: "running".to_owned(), ..JobNumbers::default() };
        let shared = Shared { seen, finished: VecDeque::new(), last_look: None, has_seen_end: false };
        Self { shared: Mutex::new(shared), was_seen: Condvar::new() }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of this moment, for a page.
    pub(super) fn look(&self) -> JobNumbers {
        let mut shared = self.shared();
        shared.last_look = Some(Instant::now());
        if shared.seen.ended.is_some() {
            shared.has_seen_end = true;
            self.was_seen.notify_all();
        }
        shared.seen.clone()
    }

    pub(super) fn progress(&self, progress: &Progress) {
        let mut shared = self.shared();
        let finished = (progress.done + progress.failed).saturating_sub(progress.resumed);
        let per_minute = shared.rate(Instant::now(), finished);
        let seen = &mut shared.seen;
        seen.documents = progress.documents;
        (seen.done, seen.failed, seen.resumed) = (progress.done, progress.failed, progress.resumed);
        seen.in_flight = progress.in_flight;
        (seen.tokens_in, seen.tokens_out) = (progress.usage.input_tokens, progress.usage.output_tokens);
        seen.are_tokens_estimated = progress.usage.is_estimated;
        seen.cost = progress.cost.as_ref().map(|cost| cost.amount);
        seen.unpriced = progress.cost.as_ref().map(|cost| cost.unpriced.clone()).unwrap_or_default();
        seen.elapsed_seconds = progress.elapsed.as_secs();
        seen.left_seconds = progress.left.map(|left| left.as_secs());
        seen.per_minute = per_minute;
        seen.state = activity(progress.is_parked, progress.pause, progress.agent_error.as_deref());
    }

    pub(super) fn failed(&self, key: &str, name: &str, message: &str) {
        let failed = FailedDocument { key: cut(key), name: cut(name), message: cut(message) };
        let mut shared = self.shared();
        let seen = &mut shared.seen;
        seen.failures.push_front(failed);
        if seen.failures.len() > MAX_FAILED {
            seen.failures.pop_back();
            seen.more_failures += 1;
        }
    }

    pub(super) fn end(&self, ended: &str) {
        let mut shared = self.shared();
        let seen = &mut shared.seen;
        (seen.state, seen.ended) = (ended.to_owned(), Some(ended.to_owned()));
        (seen.left_seconds, seen.in_flight) = (None, 0);
    }

    /// Waits until an open page has seen the end, at most for `most`.
    pub(super) fn wait_for_look(&self, most: Duration) {
        let shared = self.shared();
        if shared.last_look.is_none_or(|look| look.elapsed() >= OPEN) {
            return;
        }
        let waited = self.was_seen.wait_timeout_while(shared, most, |shared| !shared.has_seen_end);
        drop(waited);
    }
}

impl Shared {
    /// Documents a minute in the window before `now`.
    fn rate(&mut self, now: Instant, finished: u64) -> Option<f64> {
        let is_new =
            self.finished.back().is_none_or(|(at, _)| now.duration_since(*at) >= Duration::from_secs(1));
        if is_new {
            self.finished.push_back((now, finished));
        }
        while self.finished.len() > 2 && now.duration_since(self.finished[1].0) >= WINDOW {
            self.finished.pop_front();
        }
        let (since, before) = self.finished.front()?;
        let seconds = now.duration_since(*since).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        (seconds >= 1.0).then(|| finished.saturating_sub(*before) as f64 * 60.0 / seconds)
    }
}

/// What a job does: if it is waiting, why and for how long.
fn activity(is_parked: bool, pause: Option<Duration>, error: Option<&str>) -> String {
    let waiting = match pause {
        _ if is_parked => "waiting for the agent, which cannot be reached",
        Some(_) => "waiting, as the agent asks for it",
        None => return "running".to_owned(),
    };
    let why = error.map(|error| format!(": {}", cut(error))).unwrap_or_default();
    let next = pause.map(|pause| format!("; the next request in {} s", pause.as_secs() + 1));
    format!("{waiting}{why}{}", next.unwrap_or_default())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minute() {
        let mut shared = Shared {
            seen: JobNumbers::default(),
            finished: VecDeque::new(),
            last_look: None,
            has_seen_end: false,
        };
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(shared.rate(at(0), 0), None);
        // Two a second for two minutes, and then none.
        for second in 1..=120 {
            assert_eq!(shared.rate(at(second), 2 * second), Some(120.0), "{second}");
        }
        assert!(shared.rate(at(150), 240).is_some_and(|rate| (50.0..70.0).contains(&rate)));
        assert_eq!(shared.rate(at(200), 240), Some(0.0));
        assert!(shared.finished.len() < 70);
    }

    #[test]
    fn why_a_job_is_waiting_is_said() {
        assert_eq!(activity(false, None, None), "running");
        let pause = Some(Duration::from_millis(11_500));
        assert_eq!(
            activity(false, pause, Some("rate limited: slow down")),
            "waiting, as the agent asks for it: rate limited: slow down; the next request in 12 s"
        );
        assert_eq!(
            activity(true, pause, Some(&"é".repeat(2_000))).chars().filter(|c| *c == 'é').count(),
            MAX_TEXT
        );
        assert_eq!(activity(true, None, None), "waiting for the agent, which cannot be reached");
        let state = JobState::new("job".to_owned());
        assert_eq!(state.look().state, "running");
        state.end("complete");
        assert_eq!(state.look().state, "complete");
    }

    #[test]
    fn failures_are_bounded() {
        let state = JobState::new("job".to_owned());
        for number in 0..MAX_FAILED + 7 {
            state.failed(&format!("{number}"), "N", &"é".repeat(2_000));
        }
        let seen = state.look();
        assert_eq!((seen.failures.len(), seen.more_failures, &*seen.failures[0].key), (MAX_FAILED, 7, "106"));
        assert_eq!(seen.failures[0].message.chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn the_end_waits_only_for_a_page_that_is_open() {
        let state = JobState::new("job".to_owned());
        state.end("complete");
        let start = Instant::now();
        state.wait_for_look(Duration::from_secs(30));
        state.look();
        state.wait_for_look(Duration::from_secs(30));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
