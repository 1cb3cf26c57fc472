//! Two pieces of work timed in turns in one process, so that whatever slows the machine slows both.

use std::time::{Duration, Instant};

/// Turns of a comparison.
pub(crate) const TURNS: usize = 101;

/// The turns of a comparison, sorted by their ratio.
pub(crate) struct Pairs(Vec<(Duration, Duration)>);

impl Pairs {
    /// Times both, `times` runs of each in every turn.
    pub(crate) fn measure(times: u32, mut floor: impl FnMut(), mut ours: impl FnMut()) -> Self {
        time(times, &mut floor);
        time(times, &mut ours);
        let turn = |_| (time(times, &mut floor) / times, time(times, &mut ours) / times);
        let mut turns: Vec<_> = (0..TURNS).map(turn).collect();
        turns.sort_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
        Self(turns)
    }

    /// The heading of what [`line`](Self::line) prints.
    pub(crate) fn heading(floor: &str) -> String {
        format!("{:>9} {floor:>12} {:>12} {:>8} {:>16}", "bytes", "extract", "ratio", "quartiles")
    }

    /// The turn in the middle with its ratio, and the quartiles of the ratios.
    pub(crate) fn line(&self, bytes: usize) -> String {
        let quartile = |n: usize| ratio(self.0[n * (TURNS - 1) / 4]);
        let (floor, ours) = self.0[TURNS / 2];
        let quartiles = format!("{:.2} to {:.2}", quartile(1), quartile(3));
        format!("{bytes:>9} {floor:>12.2?} {ours:>12.2?} {:>8.2} {quartiles:>16}", quartile(2))
    }
}

fn ratio((floor, ours): (Duration, Duration)) -> f64 {
    ours.as_secs_f64() / floor.as_secs_f64()
}

fn time(times: u32, mut work: impl FnMut()) -> Duration {
    let started = Instant::now();
    for _ in 0..times {
        work();
    }
    started.elapsed()
}
