//! The progress of a job.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

use extract::{TokenUsage, metrics::Cost};
use serde::Serialize;

/// The progress of a job.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// The number of documents, if known.
    pub documents: Option<u64>,
    /// Documents with an answer.
    pub done: u64,
    /// Documents without an answer.
    pub failed: u64,
    /// How many outcomes were in the journal before.
    pub resumed: u64,
    /// Documents in progress.
    pub in_flight: u64,
    /// Tokens of this run.
    pub usage: TokenUsage,
    /// The cost of this run so far, if there are [prices](super::Bulk::prices).
    pub cost: Option<Cost>,
    /// Wall time of this run.
    pub elapsed: Duration,
    /// The estimated remaining time, if the document count is known and this run finished some.
    pub left: Option<Duration>,
    /// Whether the agent is unreachable at the moment.
    pub is_parked: bool,
    /// Why, if it is: the last failure of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_error: Option<String>,
}

/// `420 of 1000 done, 3 failed, 16 in flight, 91000 tokens, cost 0.12, 4 min left`
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.done)?;
        if let Some(documents) = self.documents {
            write!(f, " of {documents}")?;
        }
        let Self { failed, in_flight, .. } = self;
        write!(f, " done, {failed} failed, {in_flight} in flight, {} tokens", self.usage.total())?;
        if let Some(cost) = &self.cost {
            write!(f, ", cost {cost}")?;
        }
        if let Some(left) = self.left {
            match left.as_secs() {
                seconds @ 0..120 => write!(f, ", {seconds} s left")?,
                seconds @ 120..7200 => write!(f, ", {} min left", seconds / 60)?,
                seconds => write!(f, ", {} h left", seconds / 3600)?,
            }
        }
        if self.is_parked { f.write_str(", waiting for the agent") } else { Ok(()) }
    }
}

/// Time between two lines, and between two updates of the bar.
const LINES: Duration = Duration::from_secs(10);
const BAR: Duration = Duration::from_millis(250);
/// Characters of the bar.
const WIDTH: u64 = 24;

pub(super) type OnProgress<'a> = Box<dyn FnMut(&Progress) + Send + 'a>;

/// When progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgressMoment {
    Meanwhile,
    AtEnd,
}

/// Shows the progress on standard error and reports it to a callback.
pub(super) struct Shown<'a> {
    pub(super) is_on: bool,
    pub(super) callback: Option<OnProgress<'a>>,
    last: Option<Instant>,
    is_bar: bool,
    /// Whether the outage of the agent was reported already.
    has_told_outage: bool,
}

impl<'a> Shown<'a> {
    pub(super) fn new(is_on: bool, callback: Option<OnProgress<'a>>) -> Self {
        let is_bar = is_on && io::stderr().is_terminal();
        Self { is_on, callback, last: None, is_bar, has_told_outage: false }
    }

    /// How often to show it; `None` for never.
    pub(super) fn interval(&self) -> Option<Duration> {
        match (self.is_on, self.is_bar, self.callback.is_some()) {
            (true, true, _) | (_, _, true) => Some(BAR),
            (true, false, false) => Some(LINES),
            (false, ..) => None,
        }
    }

    pub(super) fn show(&mut self, progress: &Progress, now: Instant, moment: ProgressMoment) {
        let is_last = moment == ProgressMoment::AtEnd;
        if let Some(callback) = &mut self.callback {
            callback(progress);
        }
        self.show_outage(progress);
        let is_due = is_last || self.is_bar || self.last.is_none_or(|last| now.duration_since(last) >= LINES);
        if !self.is_on || !is_due {
            return;
        }
        self.last = Some(now);
        let mut out = io::stderr().lock();
        // A failure to write to standard error cannot be reported.
        let _ = match (self.is_bar, is_last) {
            (true, false) => write!(out, "\r\x1b[K{}{progress}", bar(progress)).and_then(|()| out.flush()),
            (true, true) => writeln!(out, "\r\x1b[K{}{progress}", bar(progress)),
            (false, _) => writeln!(out, "{progress}"),
        };
    }
}

impl Shown<'_> {
    /// Reports once for each outage why the agent is unreachable: a wrong address would be waited for
    /// as long as an outage, without a hint.
    fn show_outage(&mut self, progress: &Progress) {
        let was_shown = std::mem::replace(&mut self.has_told_outage, progress.agent_error.is_some());
        let Some(error) = progress.agent_error.as_ref().filter(|_| self.is_on && !was_shown) else { return };
        // The words of a server must not move the cursor.
        let error: String = error.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let start = if self.is_bar { "\r\x1b[K" } else { "" };
        // A failure to write to standard error cannot be reported.
        let _ =
            writeln!(io::stderr().lock(), "{start}waiting for the agent, which cannot be reached: {error}");
    }
}

fn bar(progress: &Progress) -> String {
    let Some(documents) = progress.documents.filter(|documents| *documents > 0) else { return String::new() };
    let finished = (progress.done + progress.failed).min(documents);
    let full = usize::try_from(finished.saturating_mul(WIDTH) / documents).unwrap_or_default();
    let empty = usize::try_from(WIDTH).unwrap_or_default().saturating_sub(full);
    format!("[{}{}] ", "#".repeat(full), "-".repeat(empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> Progress {
        Progress {
            documents: Some(1000),
            done: 420,
            failed: 5,
            resumed: 0,
            in_flight: 16,
            usage: TokenUsage::new(90_000, 1_000),
            cost: None,
            elapsed: Duration::from_secs(60),
            left: Some(Duration::from_secs(250)),
            is_parked: false,
            agent_error: None,
        }
    }

    #[test]
    fn a_line_says_how_far_it_is() {
        let mut progress = progress();
        assert_eq!(
            progress.to_string(),
            "420 of 1000 done, 5 failed, 16 in flight, 91000 tokens, 4 min left"
        );
        (progress.documents, progress.left, progress.is_parked) = (None, None, true);
        assert_eq!(
            progress.to_string(),
            "420 done, 5 failed, 16 in flight, 91000 tokens, waiting for the agent"
        );
    }

    #[test]
    fn a_bar_is_as_full_as_the_job() {
        assert_eq!(bar(&progress()), "[##########--------------] ");
        assert_eq!(bar(&Progress { documents: Some(3), ..progress() }), "[########################] ");
        assert_eq!(bar(&Progress { documents: None, ..progress() }), "");
    }
}
