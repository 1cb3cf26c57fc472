//! A fair semaphore.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// Permits that are granted in the order of arrival. A future that waits may be dropped at any
/// time.
#[derive(Debug)]
pub(super) struct PermitQueue {
    waiters: Mutex<WaitingFutures>,
}

/// The futures that wait. The first `free` of them have been woken and may take a permit.
#[derive(Debug)]
struct WaitingFutures {
    free: usize,
    /// In ascending order of their numbers. A waiter's waker is taken out when it is woken.
    queue: VecDeque<(u64, Option<Waker>)>,
    next_number: u64,
}

impl PermitQueue {
    pub(super) fn new(permits: usize) -> Self {
        Self { waiters: Mutex::new(WaitingFutures { free: permits, queue: VecDeque::new(), next_number: 0 }) }
    }

    /// Waits for a permit.
    pub(super) fn acquire(&self) -> AcquirePermit<'_> {
        AcquirePermit { permits: self, number: None }
    }

    fn waiters(&self) -> MutexGuard<'_, WaitingFutures> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the waiters, and wakes the one that may take a permit now.
    ///
    /// Wakers are woken and dropped after the lock is released: both run code of the executor,
    /// which may drop a permit or a waiter of this very semaphore.
    fn change(&self, change: impl FnOnce(&mut WaitingFutures) -> WakerChange) {
        let changed = change(&mut self.waiters());
        if let Some(waker) = changed.wake {
            waker.wake();
        }
    }
}

/// The wakers that a change leaves over.
#[derive(Default)]
struct WakerChange {
    /// The waker of the waiter that may take a permit now.
    wake: Option<Waker>,
    _unused: Option<Waker>,
}

/// The result of one poll.
struct PollResult {
    is_granted: bool,
    _unused: [Option<Waker>; 2],
}

impl WaitingFutures {
    fn position(&self, number: u64) -> Option<usize> {
        self.queue.binary_search_by_key(&number, |(number, _)| *number).ok()
    }

    /// Takes a permit for the waiter `number` if one is free for it. Otherwise the waiter is
    /// queued, and gets a number if it has none.
    fn poll(&mut self, number: &mut Option<u64>, waker: Waker) -> PollResult {
        let position = number.and_then(|number| self.position(number)).unwrap_or(self.queue.len());
        if position < self.free {
            self.free -= 1;
            *number = None;
            let own = self.queue.remove(position).and_then(|(_, waker)| waker);
            return PollResult { is_granted: true, _unused: [Some(waker), own] };
        }
        let replaced = if let Some((_, own)) = self.queue.get_mut(position) {
            own.replace(waker)
        } else {
            *number = Some(self.next_number);
            self.queue.push_back((self.next_number, Some(waker)));
            self.next_number += 1;
            None
        };
        PollResult { is_granted: false, _unused: [replaced, None] }
    }

    /// Removes the waiter `number`. If it had been woken, the next one is woken.
    fn leave(&mut self, number: u64) -> WakerChange {
        let Some(position) = self.position(number) else { return WakerChange::default() };
        let own = self.queue.remove(position).and_then(|(_, waker)| waker);
        let wake = if position < self.free { self.last_woken() } else { None };
        WakerChange { wake, _unused: own }
    }

    fn release(&mut self) -> WakerChange {
        self.free += 1;
        WakerChange { wake: self.last_woken(), _unused: None }
    }

    /// The waker of the last waiter that may take a permit. It is needed only once: from then on
    /// the waiter may take one.
    fn last_woken(&mut self) -> Option<Waker> {
        self.queue.get_mut(self.free.checked_sub(1)?)?.1.take()
    }
}

/// Waits for a permit.
#[derive(Debug)]
pub(super) struct AcquirePermit<'p> {
    permits: &'p PermitQueue,
    /// Its number in the queue, while it waits there.
    number: Option<u64>,
}

impl<'p> Future for AcquirePermit<'p> {
    type Output = HeldPermit<'p>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<HeldPermit<'p>> {
        let permits = self.permits;
        // Cloned before the lock is taken; see `PermitQueue::change` for the reason.
        let waker = context.waker().clone();
        let polled = permits.waiters().poll(&mut self.number, waker);
        if polled.is_granted { Poll::Ready(HeldPermit { permits }) } else { Poll::Pending }
    }
}

impl Drop for AcquirePermit<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.permits.change(|waiters| waiters.leave(number));
        }
    }
}

/// A permit; dropping it returns it.
#[derive(Debug)]
pub(super) struct HeldPermit<'p> {
    permits: &'p PermitQueue,
}

impl Drop for HeldPermit<'_> {
    fn drop(&mut self) {
        self.permits.change(WaitingFutures::release);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        task::Wake,
    };

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A future, and how often it was woken.
    struct Waiting<'p> {
        acquire: AcquirePermit<'p>,
        woken: Arc<Woken>,
    }

    impl<'p> Waiting<'p> {
        /// Polls for the first time.
        fn at(permits: &'p PermitQueue) -> Self {
            let mut waiting = Self { acquire: permits.acquire(), woken: Arc::default() };
            assert!(waiting.poll().is_none());
            waiting
        }

        fn poll(&mut self) -> Option<HeldPermit<'p>> {
            let waker = Waker::from(Arc::clone(&self.woken));
            match Pin::new(&mut self.acquire).poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(permit) => Some(permit),
                Poll::Pending => None,
            }
        }

        fn woken(&self) -> usize {
            self.woken.0.load(Ordering::Relaxed)
        }
    }

    fn acquired(permits: &PermitQueue) -> HeldPermit<'_> {
        Waiting { acquire: permits.acquire(), woken: Arc::default() }.poll().expect("a permit is free")
    }

    #[test]
    fn permits_are_granted_in_the_order_of_arrival() {
        let permits = PermitQueue::new(1);
        let held = acquired(&permits);
        let (mut first, mut second) = (Waiting::at(&permits), Waiting::at(&permits));
        drop(held);
        assert_eq!((first.woken(), second.woken()), (1, 0));
        // Neither the second nor a new one overtakes the one that was woken.
        assert!(second.poll().is_none());
        let mut late = Waiting::at(&permits);
        drop(first.poll().unwrap());
        assert_eq!((second.woken(), late.woken()), (1, 0));
        drop(second.poll().unwrap());
        assert!(late.poll().is_some());
    }

    #[test]
    fn several_permits_are_granted_at_once() {
        let permits = PermitQueue::new(2);
        let held = [acquired(&permits), acquired(&permits)];
        let mut waiting = [0; 3].map(|_| Waiting::at(&permits));
        drop(held);
        assert_eq!(waiting.each_ref().map(Waiting::woken), [1, 1, 0]);
        // Among those that were woken, the one that is polled first.
        let _second = waiting[1].poll().unwrap();
        assert!(waiting[2].poll().is_none());
        let _first = waiting[0].poll().unwrap();
        assert!(waiting[2].poll().is_none());
    }

    #[test]
    fn a_dropped_waiter_that_was_woken_wakes_the_next() {
        let permits = PermitQueue::new(1);
        let held = acquired(&permits);
        let (first, mut second, third) =
            (Waiting::at(&permits), Waiting::at(&permits), Waiting::at(&permits));
        drop(held);
        drop(first);
        assert_eq!((second.woken(), third.woken()), (1, 0));
        assert!(second.poll().is_some());
    }

    #[test]
    fn a_dropped_waiter_that_was_not_woken_wakes_nobody() {
        let permits = PermitQueue::new(1);
        let held = acquired(&permits);
        let (first, second, third) = (Waiting::at(&permits), Waiting::at(&permits), Waiting::at(&permits));
        drop(second);
        drop(permits.acquire());
        assert_eq!((first.woken(), third.woken()), (0, 0));
        drop(held);
        assert_eq!((first.woken(), third.woken()), (1, 0));
    }

    #[test]
    fn the_waker_of_the_last_poll_is_woken() {
        let permits = PermitQueue::new(1);
        let held = acquired(&permits);
        let mut moved = Waiting::at(&permits);
        let old = std::mem::take(&mut moved.woken);
        assert!(moved.poll().is_none());
        drop(held);
        assert_eq!((old.0.load(Ordering::Relaxed), moved.woken()), (0, 1));
    }

    /// A waker that takes the lock when it is dropped.
    struct Locks(Arc<PermitQueue>, Arc<AtomicUsize>);

    impl Wake for Locks {
        fn wake(self: Arc<Self>) {}
    }

    impl Drop for Locks {
        fn drop(&mut self) {
            let is_free = self.0.waiters.try_lock().is_ok();
            self.1.fetch_add(usize::from(is_free), Ordering::Relaxed);
        }
    }

    #[test]
    fn wakers_are_dropped_outside_of_the_lock() {
        let permits = Arc::new(PermitQueue::new(1));
        let dropped = Arc::new(AtomicUsize::new(0));
        let poll = |acquire: &mut AcquirePermit<'_>| {
            let waker = Waker::from(Arc::new(Locks(Arc::clone(&permits), Arc::clone(&dropped))));
            Pin::new(acquire).poll(&mut Context::from_waker(&waker)).is_ready()
        };
        let dropped = || dropped.load(Ordering::Relaxed);
        let held = acquired(&permits);
        let mut first = permits.acquire();
        assert!(!poll(&mut first));
        assert_eq!(dropped(), 0);
        assert!(!poll(&mut first));
        assert_eq!(dropped(), 1, "replaced");
        drop(held);
        assert_eq!(dropped(), 2, "woken");
        let mut second = permits.acquire();
        assert!(!poll(&mut second));
        drop(second);
        assert_eq!(dropped(), 3, "left");
        assert!(poll(&mut first));
        assert_eq!(dropped(), 4, "not needed");
    }
}
