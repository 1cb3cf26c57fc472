//! A bounded number of places, and the line for them.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// Places that are taken in the order of arrival. Dropping a future that waits leaves the line intact.
#[derive(Debug)]
pub(super) struct Places {
    line: Mutex<Line>,
}

/// Who waits. The first `free` of them have been woken and may take a place.
#[derive(Debug)]
struct Line {
    free: usize,
    /// In ascending order of their numbers.
    waiting: VecDeque<(u64, Waker)>,
    next_number: u64,
}

impl Places {
    pub(super) fn new(places: usize) -> Self {
        Self { line: Mutex::new(Line { free: places, waiting: VecDeque::new(), next_number: 0 }) }
    }

    /// Waits for a place.
    pub(super) fn take(&self) -> Taking<'_> {
        Taking { places: self, number: None }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the line, and wakes after that: a waker may do anything.
    fn change(&self, change: impl FnOnce(&mut Line) -> Option<Waker>) {
        let waker = change(&mut self.line());
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Line {
    fn join(&mut self, waker: &Waker) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.waiting.push_back((number, waker.clone()));
        number
    }

    fn position(&self, number: u64) -> Option<usize> {
        self.waiting.binary_search_by_key(&number, |(number, _)| *number).ok()
    }

    /// Whether the place of `number` is free; it is taken then.
    fn take(&mut self, number: u64, waker: &Waker) -> bool {
        let Some(position) = self.position(number) else { return false };
        if position >= self.free {
            self.waiting[position].1.clone_from(waker);
            return false;
        }
        self.waiting.remove(position);
        self.free -= 1;
        true
    }

    /// Ends the wait of `number`. Whoever takes over its place is returned.
    fn leave(&mut self, number: u64) -> Option<Waker> {
        let position = self.position(number)?;
        self.waiting.remove(position);
        if position < self.free { self.last_served() } else { None }
    }

    fn give_back(&mut self) -> Option<Waker> {
        self.free += 1;
        self.last_served()
    }

    /// The last one for whom a place is free.
    fn last_served(&self) -> Option<Waker> {
        self.waiting.get(self.free.checked_sub(1)?).map(|(_, waker)| waker.clone())
    }
}

/// Waits for a place.
#[derive(Debug)]
pub(super) struct Taking<'p> {
    places: &'p Places,
    /// The number in the line, while it waits there.
    number: Option<u64>,
}

impl<'p> Future for Taking<'p> {
    type Output = Place<'p>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Place<'p>> {
        let places = self.places;
        let mut line = places.line();
        let number = *self.number.get_or_insert_with(|| line.join(context.waker()));
        if !line.take(number, context.waker()) {
            return Poll::Pending;
        }
        self.number = None;
        Poll::Ready(Place { places })
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.places.change(|line| line.leave(number));
        }
    }
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(super) struct Place<'p> {
    places: &'p Places,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.places.change(Line::give_back);
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
        taking: Taking<'p>,
        woken: Arc<Woken>,
    }

    impl<'p> Waiting<'p> {
        /// Asks for a place for the first time.
        fn at(places: &'p Places) -> Self {
            let mut waiting = Self { taking: places.take(), woken: Arc::default() };
            assert!(waiting.poll().is_none());
            waiting
        }

        fn poll(&mut self) -> Option<Place<'p>> {
            let waker = Waker::from(Arc::clone(&self.woken));
            match Pin::new(&mut self.taking).poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(place) => Some(place),
                Poll::Pending => None,
            }
        }

        fn woken(&self) -> usize {
            self.woken.0.load(Ordering::Relaxed)
        }
    }

    fn taken(places: &Places) -> Place<'_> {
        Waiting { taking: places.take(), woken: Arc::default() }.poll().expect("a place is free")
    }

    #[test]
    fn places_are_taken_in_the_order_of_arrival() {
        let places = Places::new(1);
        let held = taken(&places);
        let (mut first, mut second) = (Waiting::at(&places), Waiting::at(&places));
        drop(held);
        assert_eq!((first.woken(), second.woken()), (1, 0));
        // Neither the second nor one that comes now is quicker than the one that was woken.
        assert!(second.poll().is_none());
        let mut late = Waiting::at(&places);
        drop(first.poll().unwrap());
        assert_eq!((second.woken(), late.woken()), (1, 0));
        drop(second.poll().unwrap());
        assert!(late.poll().is_some());
    }

    #[test]
    fn several_places_serve_several_at_once() {
        let places = Places::new(2);
        let held = [taken(&places), taken(&places)];
        let mut waiting = [0; 3].map(|_| Waiting::at(&places));
        drop(held);
        assert_eq!(waiting.each_ref().map(Waiting::woken), [1, 1, 0]);
        // Of those who may, whoever is polled first.
        let _second = waiting[1].poll().unwrap();
        assert!(waiting[2].poll().is_none());
        let _first = waiting[0].poll().unwrap();
        assert!(waiting[2].poll().is_none());
    }

    #[test]
    fn who_leaves_after_it_was_woken_wakes_the_next() {
        let places = Places::new(1);
        let held = taken(&places);
        let (first, mut second, third) = (Waiting::at(&places), Waiting::at(&places), Waiting::at(&places));
        drop(held);
        drop(first);
        assert_eq!((second.woken(), third.woken()), (1, 0));
        assert!(second.poll().is_some());
    }

    #[test]
    fn who_leaves_without_a_turn_wakes_nobody() {
        let places = Places::new(1);
        let held = taken(&places);
        let (first, second, third) = (Waiting::at(&places), Waiting::at(&places), Waiting::at(&places));
        drop(second);
        drop(places.take());
        assert_eq!((first.woken(), third.woken()), (0, 0));
        drop(held);
        assert_eq!((first.woken(), third.woken()), (1, 0));
    }

    #[test]
    fn the_last_waker_is_woken() {
        let places = Places::new(1);
        let held = taken(&places);
        let mut moved = Waiting::at(&places);
        let old = std::mem::take(&mut moved.woken);
        assert!(moved.poll().is_none());
        drop(held);
        assert_eq!((old.0.load(Ordering::Relaxed), moved.woken()), (0, 1));
    }
}
