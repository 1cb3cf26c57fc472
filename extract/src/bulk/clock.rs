//! The time of a job, which tests replace.

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

use futures_timer::Delay;

pub(super) type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Tells the time and waits. Monotonic: a clock of the system that is set back changes nothing.
pub(super) trait Clock: Send + Sync {
    fn now(&self) -> Instant;

    fn sleep(&self, time: Duration) -> Sleep;

    /// So many writes more, or less, are on the way to the journal. A simulated time stands still meanwhile.
    fn writing(&self, _change: isize) {}
}

/// The time of the machine.
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
