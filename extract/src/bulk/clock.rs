//! The clock of a job, which tests replace.

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

use futures_timer::Delay;

pub(super) type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A monotonic clock that can wait: setting the system clock back has no effect.
pub(super) trait Clock: Send + Sync {
    fn now(&self) -> Instant;

    fn sleep(&self, time: Duration) -> Sleep;

    /// Reports that more (or fewer) writes are on their way to the journal. A simulated clock stops
    /// meanwhile.
    fn writing(&self, _change: isize) {}
}

/// The clock of the machine.
#[derive(Debug)]
pub(super) struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) -> Sleep {
        Box::pin(Delay::new(time))
    }
}
