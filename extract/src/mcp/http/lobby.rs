//! Connections for which nothing is being done: they wait for a request, or for the rest of one.
//!
//! Anybody can open connections and leave them so. They have places of their own, and when those
//! are taken, a new connection takes the place of another one instead of waiting or being refused:
//! of the stranger that has waited for the longest, or, without strangers, of the client that has.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// How long a client may take to send the body of a request.
pub(super) const BODY_PATIENCE: Duration = Duration::from_secs(30);

/// How long a stranger may take for the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// How long a client may keep a connection open between two requests, the head of the next one
/// included.
const IDLE_PATIENCE: Duration = Duration::from_secs(60);

/// How long a body may take, and then the answer that it took too long.
const REFUSAL_PATIENCE: Duration = BODY_PATIENCE.saturating_add(Duration::from_secs(10));

/// When a connection is dropped; `None` while something is done for it.
type Due = Option<Instant>;

/// What a connection has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Neither the token nor a request that was answered with success.
    Stranger,
    Client,
}

impl Standing {
    fn patience(self) -> Duration {
        match self {
            Self::Stranger => HEAD_PATIENCE,
            Self::Client => IDLE_PATIENCE,
        }
    }
}

/// Strangers first; then by the time since when they wait.
type Key = (Standing, u64);

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Lobby(Arc<Mutex<Waiting>>);

struct Waiting {
    most: usize,
    next: u64,
    seats: BTreeMap<Key, watch::Sender<Due>>,
}

impl Lobby {
    /// With room for this many, at least one.
    pub(super) fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Waiting { most: most.max(1), next: 0, seats: BTreeMap::new() })))
    }

    /// A seat for a new connection, that of another one if need be.
    pub(super) fn enter(&self) -> Arc<Seat> {
        let seat =
            Arc::new(Seat { lobby: self.clone(), key: Mutex::new(None), due: watch::Sender::new(None) });
        seat.wait(Standing::Stranger, HEAD_PATIENCE);
        seat
    }

    /// Drops the strangers.
    pub(super) fn close(&self) {
        let mut waiting = self.lock();
        let clients = waiting.seats.split_off(&(Standing::Client, 0));
        for stranger in std::mem::replace(&mut waiting.seats, clients).into_values() {
            stranger.send_replace(Some(Instant::now()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that panics is called with the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one connection, from its first byte to its last.
pub(super) struct Seat {
    lobby: Lobby,
    /// Under which it waits, or waited when its place was taken; changed with the lobby locked.
    key: Mutex<Option<Key>>,
    due: watch::Sender<Due>,
}

impl Seat {
    /// The head of a request has come, and the caller waits for its body. Its sender is no stranger
    /// if it showed the token.
    pub(super) fn arriving(&self, showed_the_token: bool) {
        let standing = if showed_the_token { Standing::Client } else { self.standing() };
        self.wait(standing, REFUSAL_PATIENCE);
    }

    /// Leaves the lobby, until the result is dropped. `None` if the place was taken meanwhile: then
    /// the connection is being dropped, and nothing may be done any more.
    pub(super) fn leave(self: &Arc<Self>) -> Option<Away> {
        let mut waiting = self.lobby.lock();
        let key = self.take_key()?;
        waiting.seats.remove(&key)?;
        self.due.send_replace(None);
        Some(Away { seat: Arc::clone(self), standing: key.0 })
    }

    /// Returns when the connection is to be dropped.
    pub(super) async fn dropped(&self) {
        let mut due = self.due.subscribe();
        loop {
            let until = *due.borrow_and_update();
            // The sender is in this seat, so it cannot go away before.
            match until {
                Some(until) => tokio::select! {
                    () = sleep_until(until) => return,
                    _ = due.changed() => {}
                },
                None => drop(due.changed().await),
            }
        }
    }

    fn wait(&self, standing: Standing, patience: Duration) {
        let mut waiting = self.lobby.lock();
        if let Some(key) = self.take_key()
            && waiting.seats.remove(&key).is_none()
        {
            return;
        }
        if waiting.seats.len() >= waiting.most
            && let Some((_, first)) = waiting.seats.pop_first()
        {
            first.send_replace(Some(Instant::now()));
        }
        let key = (standing, waiting.next);
        waiting.next += 1;
        waiting.seats.insert(key, self.due.clone());
        *self.key() = Some(key);
        self.due.send_replace(Some(Instant::now() + patience));
    }

    fn standing(&self) -> Standing {
        self.key().map_or(Standing::Stranger, |(standing, _)| standing)
    }

    fn key(&self) -> MutexGuard<'_, Option<Key>> {
        self.key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_key(&self) -> Option<Key> {
        self.key().take()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(key) = self.take_key() {
            self.lobby.lock().seats.remove(&key);
        }
    }
}

/// A connection for which something is being done. When this is dropped, it waits for its next
/// request.
pub(super) struct Away {
    seat: Arc<Seat>,
    standing: Standing,
}

impl Away {
    /// Its request was answered with success.
    pub(super) fn is_a_client(&mut self) {
        self.standing = Standing::Client;
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        self.seat.wait(self.standing, self.standing.patience());
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_dropped(seat: &Seat) -> bool {
        let due = *seat.due.borrow();
        due.is_some_and(|due| due <= Instant::now())
    }

    fn client(lobby: &Lobby) -> Arc<Seat> {
        let seat = lobby.enter();
        seat.leave().unwrap().is_a_client();
        seat
    }

    #[tokio::test]
    async fn a_new_connection_takes_the_place_of_the_oldest_stranger() {
        let lobby = Lobby::new(3);
        let first = client(&lobby);
        let [second, third, fourth] = [lobby.enter(), lobby.enter(), lobby.enter()];
        assert_eq!(
            [&first, &second, &third, &fourth].map(|seat| is_dropped(seat)),
            [false, true, false, false]
        );
    }

    #[tokio::test]
    async fn without_strangers_it_takes_that_of_the_client_who_waits_for_the_longest() {
        let lobby = Lobby::new(2);
        let [first, second] = [client(&lobby), client(&lobby)];
        drop(first.leave());
        let stranger = lobby.enter();
        assert_eq!([&first, &second, &stranger].map(|seat| is_dropped(seat)), [false, true, false]);
    }

    #[tokio::test]
    async fn nobody_takes_the_place_of_one_for_whom_something_is_done() {
        let lobby = Lobby::new(1);
        let first = lobby.enter();
        let away = first.leave();
        let second = lobby.enter();
        assert!(!is_dropped(&first) && !is_dropped(&second));
        drop(away);
        assert!(!is_dropped(&first) && is_dropped(&second));
    }

    #[tokio::test]
    async fn one_whose_place_was_taken_gets_nothing_done_and_no_other_place() {
        let lobby = Lobby::new(1);
        let first = lobby.enter();
        let second = lobby.enter();
        first.arriving(true);
        assert!(first.leave().is_none() && is_dropped(&first) && !is_dropped(&second));
    }

    #[tokio::test]
    async fn who_shows_the_token_is_no_stranger() {
        let lobby = Lobby::new(2);
        let first = lobby.enter();
        first.arriving(true);
        let [second, third] = [lobby.enter(), lobby.enter()];
        assert_eq!([&first, &second, &third].map(|seat| is_dropped(seat)), [false, true, false]);
    }

    #[tokio::test]
    async fn a_failed_request_makes_no_client_of_a_stranger() {
        let lobby = Lobby::new(2);
        let first = lobby.enter();
        drop(first.leave());
        let second = client(&lobby);
        let third = lobby.enter();
        assert_eq!([&first, &second, &third].map(|seat| is_dropped(seat)), [true, false, false]);
    }

    #[tokio::test]
    async fn who_goes_leaves_its_place() {
        let lobby = Lobby::new(1);
        drop(lobby.enter());
        assert!(lobby.lock().seats.is_empty());
        let first = lobby.enter();
        drop(lobby.enter());
        drop(first);
        assert!(lobby.lock().seats.is_empty());
    }

    #[tokio::test]
    async fn the_end_drops_the_strangers_only() {
        let lobby = Lobby::new(8);
        let seats = [lobby.enter(), client(&lobby), lobby.enter()];
        lobby.close();
        assert_eq!(seats.each_ref().map(|seat| is_dropped(seat)), [true, false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stranger_is_waited_for_ten_seconds_and_a_client_sixty() {
        let lobby = Lobby::new(8);
        let start = Instant::now();
        let [stranger, client] = [lobby.enter(), client(&lobby)];
        stranger.dropped().await;
        assert_eq!(start.elapsed().as_secs(), 10);
        client.dropped().await;
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_waited_for_until_its_sender_has_heard_that_it_is_late() {
        let start = Instant::now();
        let seat = Lobby::new(8).enter();
        seat.arriving(false);
        seat.dropped().await;
        assert_eq!(start.elapsed(), BODY_PATIENCE + Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn work_is_not_limited() {
        let seat = Lobby::new(8).enter();
        let away = seat.leave();
        let mut dropped = Box::pin(seat.dropped());
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(dropped.as_mut().poll(&mut context), Poll::Pending);
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert_eq!(dropped.as_mut().poll(&mut context), Poll::Pending);
        drop(away);
        dropped.await;
    }
}
