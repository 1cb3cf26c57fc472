//! Several ways to do one task, timed in turns, so that anything that slows the machine slows all.

use std::time::Duration;

use crate::clock::processor_time;

/// Turns of a comparison.
const TURNS: usize = 101;

/// One way to do the task, named.
pub struct Way<'w> {
    name: &'static str,
    work: Box<dyn FnMut() + 'w>,
}

impl<'w> Way<'w> {
    /// The way `name`, done by `work`.
    pub fn new(name: &'static str, work: impl FnMut() + 'w) -> Self {
        Self { name, work: Box::new(work) }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Does the task once.
    pub fn run(&mut self) {
        (self.work)();
    }

    /// The processor time of one run, on average over `times`.
    fn time(&mut self, times: u32) -> Duration {
        let started = processor_time();
        (0..times).for_each(|_| self.run());
        (processor_time() - started) / times
    }
}

/// Measures all `ways` in turns, `times` runs of each in every turn, and prints a line for each:
/// the median of its processor time, and the median and quartiles of its ratio to the first way in
/// the same turn.
pub fn compare(ways: &mut [Way<'_>], times: u32) {
    for way in &mut *ways {
        way.time(times);
    }
    let turn = |_| ways.iter_mut().map(|way| way.time(times)).collect();
    let turns: Vec<Vec<Duration>> = (0..TURNS).map(turn).collect();
    println!("{:>22} {:>12} {:>8} {:>16}", "", "median", "ratio", "quartiles");
    for (index, way) in ways.iter().enumerate() {
        let mut taken: Vec<_> = turns.iter().map(|turn| turn[index]).collect();
        taken.sort();
        let mut ratios: Vec<_> =
            turns.iter().map(|turn| turn[index].as_secs_f64() / turn[0].as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let quartile = |n: usize| ratios[n * (TURNS - 1) / 4];
        let quartiles = format!("{:.2} to {:.2}", quartile(1), quartile(3));
        println!("{:>22} {:>12.1?} {:>8.2} {quartiles:>16}", way.name, taken[TURNS / 2], quartile(2));
    }
}
