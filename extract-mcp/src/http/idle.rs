//! Idle connections: they wait for a request, or for the rest of one.
//!
//! Anybody can open connections and leave them idle, so their number is limited. Beyond the limit,
//! a new connection replaces the unverified connection that has waited longest. Without one, it
//! replaces the client that has waited longest. A new connection is never refused.

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
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How long an unverified connection may take for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a client may keep a connection open between two requests, the head of the next one
/// included.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a body may take, plus the time to answer that it took too long.
const REFUSAL_TIMEOUT: Duration = BODY_TIMEOUT.saturating_add(Duration::from_secs(10));

/// When a connection is closed; `None` while a request is in progress.
type IdleDeadline = Option<Instant>;

/// How far a connection is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ConnectionTrust {
    /// It has sent neither the token nor a request that succeeded.
    Unverified,
    Client,
}

impl ConnectionTrust {
    fn timeout(self) -> Duration {
        match self {
            Self::Unverified => HEAD_TIMEOUT,
            Self::Client => IDLE_TIMEOUT,
        }
    }
}

/// Unverified connections come first; among equals, the one that has waited longest.
type IdleKey = (ConnectionTrust, u64);

/// The idle connections of a server. Cheap to clone.
#[derive(Clone)]
pub(super) struct IdleConnections(Arc<Mutex<IdleQueue>>);

struct IdleQueue {
    limit: usize,
    next_number: u64,
    connections: BTreeMap<IdleKey, watch::Sender<IdleDeadline>>,
}

impl IdleConnections {
    /// Keeps at most `limit` idle connections, and at least one.
    pub(super) fn new(limit: usize) -> Self {
        Self(Arc::new(Mutex::new(IdleQueue {
            limit: limit.max(1),
            next_number: 0,
            connections: BTreeMap::new(),
        })))
    }

    /// Adds a new connection. It may replace another one.
    pub(super) fn add(&self) -> Arc<ConnectionState> {
        let connection = Arc::new(ConnectionState {
            idle: self.clone(),
            key: Mutex::new(None),
            deadline: watch::Sender::new(None),
        });
        connection.wait(ConnectionTrust::Unverified, HEAD_TIMEOUT);
        connection
    }

    /// Closes the unverified connections.
    pub(super) fn close(&self) {
        let mut idle = self.lock();
        let clients = idle.connections.split_off(&(ConnectionTrust::Client, 0));
        for connection in std::mem::replace(&mut idle.connections, clients).into_values() {
            connection.send_replace(Some(Instant::now()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, IdleQueue> {
        // Nothing that panics is called while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of one connection, from its first byte to its last.
pub(super) struct ConnectionState {
    idle: IdleConnections,
    /// Its key while it is idle, or when it was replaced. Changed only while `idle` is locked.
    key: Mutex<Option<IdleKey>>,
    deadline: watch::Sender<IdleDeadline>,
}

impl ConnectionState {
    /// The head of a request has arrived, and the caller waits for its body.
    pub(super) fn expect_body(&self) {
        self.wait(self.trust(), REFUSAL_TIMEOUT);
    }

    /// The same for a request with the token: whoever sends it is a client.
    pub(super) fn expect_body_of_client(&self) {
        self.wait(ConnectionTrust::Client, REFUSAL_TIMEOUT);
    }

    /// Makes the connection active until the result is dropped. `None` if it was replaced in the
    /// meantime: it is being closed, and its request must not run.
    pub(super) fn activate(self: &Arc<Self>) -> Option<ActiveRequest> {
        let mut idle = self.idle.lock();
        let key = self.take_key()?;
        idle.connections.remove(&key)?;
        self.deadline.send_replace(None);
        Some(ActiveRequest { connection: Arc::clone(self), trust: key.0 })
    }

    /// Returns when the connection has to be closed.
    pub(super) async fn expired(&self) {
        let mut deadline = self.deadline.subscribe();
        loop {
            let until = *deadline.borrow_and_update();
            // `self` holds the sender, so `changed` does not fail.
            match until {
                Some(until) => tokio::select! {
                    () = sleep_until(until) => return,
                    _ = deadline.changed() => {}
                },
                None => drop(deadline.changed().await),
            }
        }
    }

    fn wait(&self, trust: ConnectionTrust, timeout: Duration) {
        let mut idle = self.idle.lock();
        if let Some(key) = self.take_key()
            && idle.connections.remove(&key).is_none()
        {
            return;
        }
        if idle.connections.len() >= idle.limit
            && let Some((_, first)) = idle.connections.pop_first()
        {
            first.send_replace(Some(Instant::now()));
        }
        let key = (trust, idle.next_number);
        idle.next_number += 1;
        idle.connections.insert(key, self.deadline.clone());
        *self.key() = Some(key);
        self.deadline.send_replace(Some(Instant::now() + timeout));
    }

    fn trust(&self) -> ConnectionTrust {
        self.key().map_or(ConnectionTrust::Unverified, |(trust, _)| trust)
    }

    fn key(&self) -> MutexGuard<'_, Option<IdleKey>> {
        self.key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_key(&self) -> Option<IdleKey> {
        self.key().take()
    }
}

impl Drop for ConnectionState {
    fn drop(&mut self) {
        if let Some(key) = self.take_key() {
            self.idle.lock().connections.remove(&key);
        }
    }
}

/// A connection with a request in progress. When this is dropped, the connection is idle again.
pub(super) struct ActiveRequest {
    connection: Arc<ConnectionState>,
    trust: ConnectionTrust,
}

impl ActiveRequest {
    /// Its request succeeded.
    pub(super) fn mark_as_client(&mut self) {
        self.trust = ConnectionTrust::Client;
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.connection.wait(self.trust, self.trust.timeout());
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_closed(connection: &ConnectionState) -> bool {
        let deadline = *connection.deadline.borrow();
        deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    fn client(idle: &IdleConnections) -> Arc<ConnectionState> {
        let connection = idle.add();
        connection.activate().unwrap().mark_as_client();
        connection
    }

    #[tokio::test]
    async fn a_new_connection_replaces_the_oldest_unverified_one() {
        let idle = IdleConnections::new(3);
        let first = client(&idle);
        let [second, third, fourth] = [idle.add(), idle.add(), idle.add()];
        assert_eq!(
            [&first, &second, &third, &fourth].map(|connection| is_closed(connection)),
            [false, true, false, false]
        );
    }

    #[tokio::test]
    async fn without_unverified_ones_it_replaces_the_client_that_has_waited_longest() {
        let idle = IdleConnections::new(2);
        let [first, second] = [client(&idle), client(&idle)];
        drop(first.activate());
        let unverified = idle.add();
        assert_eq!(
            [&first, &second, &unverified].map(|connection| is_closed(connection)),
            [false, true, false]
        );
    }

    #[tokio::test]
    async fn an_active_connection_is_not_replaced() {
        let idle = IdleConnections::new(1);
        let first = idle.add();
        let active = first.activate();
        let second = idle.add();
        assert!(!is_closed(&first) && !is_closed(&second));
        drop(active);
        assert!(!is_closed(&first) && is_closed(&second));
    }

    #[tokio::test]
    async fn a_replaced_connection_stays_replaced_and_runs_no_request() {
        let idle = IdleConnections::new(1);
        let first = idle.add();
        let second = idle.add();
        first.expect_body_of_client();
        assert!(first.activate().is_none() && is_closed(&first) && !is_closed(&second));
    }

    #[tokio::test]
    async fn the_token_makes_a_connection_a_client() {
        let idle = IdleConnections::new(2);
        let first = idle.add();
        first.expect_body_of_client();
        let [second, third] = [idle.add(), idle.add()];
        assert_eq!([&first, &second, &third].map(|connection| is_closed(connection)), [false, true, false]);
    }

    #[tokio::test]
    async fn a_failed_request_does_not_make_a_connection_a_client() {
        let idle = IdleConnections::new(2);
        let first = idle.add();
        drop(first.activate());
        let second = client(&idle);
        let third = idle.add();
        assert_eq!([&first, &second, &third].map(|connection| is_closed(connection)), [true, false, false]);
    }

    #[tokio::test]
    async fn a_closed_connection_is_removed() {
        let idle = IdleConnections::new(1);
        drop(idle.add());
        assert!(idle.lock().connections.is_empty());
        let first = idle.add();
        drop(idle.add());
        drop(first);
        assert!(idle.lock().connections.is_empty());
    }

    #[tokio::test]
    async fn the_end_closes_unverified_connections_only() {
        let idle = IdleConnections::new(8);
        let connections = [idle.add(), client(&idle), idle.add()];
        idle.close();
        assert_eq!(connections.each_ref().map(|connection| is_closed(connection)), [true, false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_unverified_connection_has_ten_seconds_and_a_client_sixty() {
        let idle = IdleConnections::new(8);
        let start = Instant::now();
        let [unverified, client] = [idle.add(), client(&idle)];
        unverified.expired().await;
        assert_eq!(start.elapsed().as_secs(), 10);
        client.expired().await;
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_body_leaves_time_to_send_the_refusal() {
        let start = Instant::now();
        let connection = IdleConnections::new(8).add();
        connection.expect_body();
        connection.expired().await;
        assert_eq!(start.elapsed(), BODY_TIMEOUT + Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn an_active_connection_has_no_time_limit() {
        let connection = IdleConnections::new(8).add();
        let active = connection.activate();
        let mut expired = Box::pin(connection.expired());
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(expired.as_mut().poll(&mut context), Poll::Pending);
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert_eq!(expired.as_mut().poll(&mut context), Poll::Pending);
        drop(active);
        expired.await;
    }
}
