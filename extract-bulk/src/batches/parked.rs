//! The requests that wait for an answer.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use extract::agent::{AgentError, AgentErrorKind, Reply, Request};

/// In how many batches of a run a request may be without an answer.
const MOST_TRIES: u32 = 3;

/// The requests of a job that wait for an answer.
#[derive(Default)]
pub(super) struct ParkedRequests(Mutex<State>);

/// The changing state of [`ParkedRequests`].
#[derive(Default)]
pub(super) struct State {
    /// By the id in the file.
    pub(super) parked: HashMap<String, Parked>,
    /// How many requests of each document are parked.
    documents: HashMap<String, usize>,
    /// Ids of parked requests that no batch has, in the order in which they came.
    pub(super) fresh: Vec<String>,
    /// Ids in batches that are open.
    pub(super) open: HashSet<String>,
    /// Whether no document can go on without an answer.
    pub(super) is_ready: bool,
    /// Ids that wait to be asked directly.
    direct: VecDeque<String>,
    /// How many are asked directly.
    asking: usize,
}

pub(super) struct Parked {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) request: Request,
    resolved: Option<Resolved>,
    tries: u32,
    waker: Option<Waker>,
}

/// Why a request does not wait any more.
enum Resolved {
    Answered(Result<Reply, AgentError>),
    Directly,
}

/// How a request was answered.
pub(crate) enum Asked<'w> {
    Replied(Reply),
    /// It is not sent in a batch. Whoever parked it asks the agent, and drops this with the reply.
    Directly(DirectTurn<'w>),
}

impl State {
    /// Returns whether the request is parked and has no answer.
    pub(super) fn is_waiting(&self, id: &str) -> bool {
        self.parked.get(id).is_some_and(|parked| parked.resolved.is_none())
    }

    fn set(&mut self, id: &str, resolved: Resolved) -> Option<Waker> {
        let parked = self.parked.get_mut(id)?;
        parked.resolved = Some(resolved);
        parked.waker.take()
    }

    /// Resolves a request. Returns how the document is woken.
    pub(super) fn resolve(&mut self, id: &str, result: Result<Reply, AgentError>) -> Option<Waker> {
        self.set(id, Resolved::Answered(result))
    }

    /// Puts a request in the next wave. No document is woken.
    pub(super) fn next_wave(&mut self, id: &str) -> Option<Waker> {
        self.fresh.push(id.to_owned());
        None
    }

    /// Puts a request without an answer in the next wave, unless that was done too often.
    pub(super) fn again(&mut self, id: &str) -> Option<Waker> {
        let parked = self.parked.get_mut(id)?;
        parked.tries += 1;
        if parked.tries < MOST_TRIES {
            return self.next_wave(id);
        }
        let message = format!("{MOST_TRIES} batches ended without an answer to the request");
        self.resolve(id, Err(AgentError::new(AgentErrorKind::Transport, message)))
    }

    /// Lets requests be asked directly, while fewer than `most` are.
    fn release(&mut self, most: usize) -> Vec<Waker> {
        let mut wakers = Vec::new();
        while self.asking < most {
            let Some(id) = self.direct.pop_front() else { break };
            if self.is_waiting(&id) {
                self.asking += 1;
                wakers.extend(self.set(&id, Resolved::Directly));
            }
        }
        wakers
    }
}

impl ParkedRequests {
    pub(super) fn with_open(open: impl Iterator<Item = String>) -> Self {
        Self(Mutex::new(State { open: open.collect(), ..State::default() }))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many documents wait for an answer.
    pub(super) fn documents(&self) -> usize {
        self.state().documents.len()
    }

    /// Parks a request, until the guard is dropped.
    pub(super) fn park(&self, id: String, (key, name): (&str, String), request: &Request) -> ParkedGuard<'_> {
        let mut state = self.state();
        if !state.open.contains(&id) {
            state.fresh.push(id.clone());
        }
        *state.documents.entry(key.to_owned()).or_default() += 1;
        let (key, request) = (key.to_owned(), request.clone());
        state.parked.insert(id.clone(), Parked { key, name, request, resolved: None, tries: 0, waker: None });
        drop(state);
        ParkedGuard { requests: self, id }
    }

    /// Lets the requests of the next wave be asked directly, `most` at once.
    pub(super) fn ask_directly(&self, most: usize) {
        let mut state = self.state();
        let fresh = mem::take(&mut state.fresh);
        state.direct.extend(fresh);
        let wakers = state.release(most);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A parked request. Dropping it gives it up.
pub(super) struct ParkedGuard<'w> {
    requests: &'w ParkedRequests,
    id: String,
}

impl<'w> ParkedGuard<'w> {
    /// Polls for the answer. At most `most` requests are asked directly at once.
    pub(super) fn poll(&self, most: usize, context: &Context<'_>) -> Poll<Result<Asked<'w>, AgentError>> {
        let mut state = self.requests.state();
        let Some(parked) = state.parked.get_mut(&self.id) else { return Poll::Pending };
        match parked.resolved.take() {
            Some(Resolved::Answered(result)) => Poll::Ready(result.map(Asked::Replied)),
            Some(Resolved::Directly) => {
                Poll::Ready(Ok(Asked::Directly(DirectTurn { requests: self.requests, most })))
            }
            None => {
                parked.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for ParkedGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.requests.state();
        let Some(parked) = state.parked.remove(&self.id) else { return };
        if matches!(parked.resolved, Some(Resolved::Directly)) {
            state.asking -= 1;
        }
        if let Some(count) = state.documents.get_mut(&parked.key) {
            *count -= 1;
            if *count == 0 {
                state.documents.remove(&parked.key);
            }
        }
    }
}

/// One of the requests that are asked directly. Dropping it lets the next one be asked.
pub(crate) struct DirectTurn<'w> {
    requests: &'w ParkedRequests,
    most: usize,
}

impl Drop for DirectTurn<'_> {
    fn drop(&mut self) {
        let mut state = self.requests.state();
        state.asking -= 1;
        let wakers = state.release(self.most);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}
