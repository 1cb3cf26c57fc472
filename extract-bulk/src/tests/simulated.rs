//! A simulated clock, which advances when nothing else happens.

use std::{
    collections::BTreeMap,
    future::IntoFuture,
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicIsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use crate::clock::{Clock, RealClock, Sleep};

/// When simulated time begins, in seconds since 1970: the same for all processes.
static FIRST_SECOND: LazyLock<u64> = LazyLock::new(|| RealClock.unix_seconds());

#[derive(Default)]
struct Time {
    now: Duration,
    /// Sleepers by the time they wake up.
    sleepers: BTreeMap<(Duration, u64), Waker>,
    number: u64,
}

/// A clock that advances when nothing else happens.
pub(super) struct SimulatedClock {
    start: Instant,
    time: Mutex<Time>,
    /// How many writes are on their way.
    writing: AtomicIsize,
}

impl SimulatedClock {
    pub(super) fn new() -> Arc<Self> {
        Self::at(Duration::ZERO)
    }

    /// The clock of a process that starts when `now` has passed since the first one.
    pub(super) fn at(now: Duration) -> Arc<Self> {
        let time = Mutex::new(Time { now, ..Time::default() });
        Arc::new(Self { start: Instant::now(), time, writing: AtomicIsize::new(0) })
    }

    fn time(&self) -> std::sync::MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.time().now
    }

    /// Advances to the next sleeper.
    fn advance(&self) {
        let waker = {
            let mut time = self.time();
            let next = time.sleepers.pop_first();
            next.map(|((until, _), waker)| {
                time.now = time.now.max(until);
                waker
            })
        };
        waker.into_iter().for_each(Waker::wake);
    }

    /// Awaits `future` with this clock, which stops while the journal is written.
    pub(super) fn block_on<F: IntoFuture>(&self, future: F) -> F::Output {
        let woken = Arc::new(Woken { is_woken: AtomicBool::new(true), thread: thread::current() });
        let waker = Waker::from(Arc::clone(&woken));
        let mut future = pin!(future.into_future());
        loop {
            if woken.is_woken.swap(false, Ordering::SeqCst) {
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return output;
                }
            } else {
                // Check for writes first, then for wakes: a commit wakes before it counts as done.
                let is_writing = self.writing.load(Ordering::SeqCst) > 0;
                if !is_writing && !woken.is_woken.load(Ordering::SeqCst) {
                    self.advance();
                }
                // Deadlines of extractions and their checks use real time.
                thread::park_timeout(Duration::from_millis(u64::from(is_writing)));
            }
        }
    }
}

struct Woken {
    is_woken: AtomicBool,
    thread: Thread,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

struct Sleeping {
    clock: Arc<SimulatedClock>,
    until: Duration,
    entry: Option<(Duration, u64)>,
}

impl Future for Sleeping {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let clock = Arc::clone(&self.clock);
        let mut time = clock.time();
        if let Some(entry) = self.entry.take() {
            time.sleepers.remove(&entry);
        }
        if time.now >= self.until {
            return Poll::Ready(());
        }
        time.number += 1;
        let entry = (self.until, time.number);
        time.sleepers.insert(entry, context.waker().clone());
        self.entry = Some(entry);
        Poll::Pending
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            self.clock.time().sleepers.remove(&entry);
        }
    }
}

/// The clock in the form that a job takes.
pub(super) struct Shared(pub(super) Arc<SimulatedClock>);

impl Clock for Shared {
    fn now(&self) -> Instant {
        self.0.start + self.0.elapsed()
    }

    fn sleep(&self, time: Duration) -> Sleep {
        let until = self.0.elapsed() + time;
        Box::pin(Sleeping { clock: Arc::clone(&self.0), until, entry: None })
    }

    fn unix_seconds(&self) -> u64 {
        *FIRST_SECOND + self.0.elapsed().as_secs()
    }

    fn writing(&self, change: isize) {
        self.0.writing.fetch_add(change, Ordering::SeqCst);
    }
}
