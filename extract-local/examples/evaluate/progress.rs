//! The progress of a run.

use std::time::{Duration, Instant};

use crate::{cell::Cell, journal::Outcome};

pub(crate) struct Progress {
    all: usize,
    done: usize,
    asked: u32,
    started: Instant,
}

impl Progress {
    pub(crate) fn new(all: usize) -> Self {
        Self { all, done: 0, asked: 0, started: Instant::now() }
    }

    /// A result from the journal.
    pub(crate) fn known(&mut self) {
        self.done += 1;
    }

    /// A new result; printed to standard error.
    pub(crate) fn asked(&mut self, cell: &Cell, outcome: &Outcome) {
        self.done += 1;
        self.asked += 1;
        let left = u32::try_from(self.all - self.done).unwrap_or(u32::MAX);
        let left = self.started.elapsed() / self.asked * left;
        let result = match (&outcome.error, outcome.score.is_exact()) {
            (Some(error), _) => error.lines().next().unwrap_or_default(),
            (None, true) => "right",
            (None, false) => "conforming",
        };
        eprintln!(
            "{}/{} {cell}: {} {result} after {:.1} s; about {} left",
            self.done,
            self.all,
            outcome.document,
            outcome.seconds,
            minutes(left),
        );
    }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
