//! The clock of a job, which tests replace.

use std::{
    future::poll_fn,
    mem,
    pin::Pin,
    task::Poll,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures_timer::Delay;

pub(super) type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A monotonic clock that can wait: setting the system clock back has no effect.
pub(super) trait Clock: Send + Sync {
    fn now(&self) -> Instant;

    fn sleep(&self, time: Duration) -> Sleep;

    /// The seconds since 1970, for what outlives the process.
    fn unix_seconds(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    }

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

/// Yields once, so that other tasks of the thread get their turn, and time limits are checked.
pub(super) async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
