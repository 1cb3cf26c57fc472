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
    /// How long no request starts, because the agent limits its rate, asked for a pause or is unreachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Duration>,
    /// Why, if it is unreachable or there is a pause: the last failure of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_error: Option<String>,
}

/// `420 of 1000 done, 3 failed, 16 in flight, 91000 tokens, cost 0.12, 84 a minute, 4 min left`, the rate after ten
/// seconds
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
        if self.elapsed >= LINES {
            let asked =
                u32::try_from((self.done + self.failed).saturating_sub(self.resumed)).unwrap_or(u32::MAX);
            write!(f, ", {:.0} a minute", f64::from(asked) * 60.0 / self.elapsed.as_secs_f64())?;
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

/// A line on standard error that shows how far long work is, as [`Bulk::progress`](super::Bulk::progress) does. On a
/// terminal it is updated in place, at most four times a second, with a bar before it. Elsewhere it is printed every ten
/// seconds.
///
/// ```
/// use extract_bulk::ProgressLine;
///
/// let mut line = ProgressLine::new();
/// for done in 0..3 {
///     line.show(&format!("{done} of 3 done"), done, Some(3));
/// }
/// line.end(&"3 of 3 done", 3, Some(3));
/// ```
#[derive(Debug)]
pub struct ProgressLine {
    is_bar: bool,
    last: Option<Instant>,
}

impl Default for ProgressLine {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgressLine {
    /// Begins to show progress. Without a terminal, the first line is due in ten seconds.
    pub fn new() -> Self {
        let is_bar = io::stderr().is_terminal();
        Self { is_bar, last: (!is_bar).then(Instant::now) }
    }

    /// Shows `text`, if it is due, with a bar that is full when `finished` is `all`.
    pub fn show(&mut self, text: &dyn fmt::Display, finished: u64, all: Option<u64>) {
        self.show_at(Instant::now(), text, finished, all);
    }

    fn show_at(&mut self, now: Instant, text: &dyn fmt::Display, finished: u64, all: Option<u64>) {
        let interval = self.interval();
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < interval) {
            return;
        }
        self.last = Some(now);
        let mut out = io::stderr().lock();
        // A line that is longer than the terminal is wide would wrap, and each update would leave a part of it. A failure
        // to write to standard error cannot be reported.
        let _ = if self.is_bar {
            write!(out, "{ERASE}{NO_WRAP}{}{text}{WRAP}", bar(finished, all)).and_then(|()| out.flush())
        } else {
            writeln!(out, "{text}")
        };
    }

    /// Shows the last `text`, due or not, and ends the line.
    pub fn end(&mut self, text: &dyn fmt::Display, finished: u64, all: Option<u64>) {
        let bar = if self.is_bar { bar(finished, all) } else { String::new() };
        self.note(&format_args!("{bar}{text}"));
    }

    /// Prints a line of its own.
    fn note(&self, text: &dyn fmt::Display) {
        let start = if self.is_bar { ERASE } else { "" };
        // A failure to write to standard error cannot be reported.
        let _ = writeln!(io::stderr().lock(), "{start}{text}");
    }

    fn interval(&self) -> Duration {
        if self.is_bar { BAR } else { LINES }
    }
}

/// Goes to the start of the line and erases it.
const ERASE: &str = "\r\x1b[K";
/// Ends and begins to continue a line below that is longer than the terminal is wide.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

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
    line: Option<ProgressLine>,
    pub(super) callback: Option<OnProgress<'a>>,
    /// Whether the outage of the agent was reported already.
    has_told_outage: bool,
}

impl<'a> Shown<'a> {
    pub(super) fn new(is_on: bool, callback: Option<OnProgress<'a>>) -> Self {
        Self { line: is_on.then(ProgressLine::new), callback, has_told_outage: false }
    }

    /// How often to show it; `None` for never.
    pub(super) fn interval(&self) -> Option<Duration> {
        let of_callback = self.callback.as_ref().map(|_| BAR);
        of_callback.or_else(|| self.line.as_ref().map(ProgressLine::interval))
    }

    pub(super) fn show(&mut self, progress: &Progress, now: Instant, moment: ProgressMoment) {
        if let Some(callback) = &mut self.callback {
            callback(progress);
        }
        self.show_outage(progress);
        let Some(line) = &mut self.line else { return };
        let finished = progress.done + progress.failed;
        match moment {
            ProgressMoment::Meanwhile => line.show_at(now, progress, finished, progress.documents),
            ProgressMoment::AtEnd => line.end(progress, finished, progress.documents),
        }
    }

    /// Reports once for each outage why the agent is unreachable: a wrong address would be waited for
    /// as long as an outage, without a hint.
    fn show_outage(&mut self, progress: &Progress) {
        let was_shown = std::mem::replace(&mut self.has_told_outage, progress.is_parked);
        let is_new = progress.is_parked && !was_shown;
        let Some(error) = progress.agent_error.as_ref().filter(|_| is_new) else { return };
        let Some(line) = &self.line else { return };
        // The words of a server must not move the cursor.
        let error: String = error.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.note(&format_args!("waiting for the agent, which cannot be reached: {error}"));
    }
}

fn bar(finished: u64, all: Option<u64>) -> String {
    let Some(all) = all.filter(|all| *all > 0) else { return String::new() };
    let full = usize::try_from(finished.min(all).saturating_mul(WIDTH) / all).unwrap_or_default();
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
            pause: None,
            agent_error: None,
        }
    }

    #[test]
    fn a_line_says_how_far_it_is() {
        let mut progress = progress();
        assert_eq!(
            progress.to_string(),
            "420 of 1000 done, 5 failed, 16 in flight, 91000 tokens, 425 a minute, 4 min left"
        );
        (progress.documents, progress.left, progress.is_parked) = (None, None, true);
        progress.elapsed = Duration::from_secs(9);
        assert_eq!(
            progress.to_string(),
            "420 done, 5 failed, 16 in flight, 91000 tokens, waiting for the agent"
        );
    }

    #[test]
    fn a_bar_is_as_full_as_the_job() {
        assert_eq!(bar(425, Some(1000)), "[##########--------------] ");
        assert_eq!(bar(425, Some(3)), "[########################] ");
        assert_eq!(bar(425, None), "");
    }
}
