//! The requests that wait for an answer.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use extract::agent::{AgentError, AgentErrorKind, Reply, Request};

use super::record::BatchLine;
use crate::request_name::{RequestId, RequestName};

/// In how many batches a request may be without an answer, in one run or in several.
const MOST_UNANSWERED: u8 = 3;

/// The requests of a job that wait for an answer.
#[derive(Default)]
pub(super) struct ParkedRequests(Mutex<ParkedState>);

/// The changing state of [`ParkedRequests`].
#[derive(Default)]
pub(super) struct ParkedState {
    /// By the id in the file. In boxes, because they are large and moved several times.
    pub(super) parked: HashMap<RequestId, Box<Parked>>,
    /// How many requests of each document wait.
    documents: HashMap<Arc<str>, usize>,
    /// Ids of parked requests that no batch has, in the order in which they came.
    pub(super) fresh: Vec<RequestId>,
    /// Ids in batches that are open.
    pub(super) open: HashSet<RequestId>,
    /// The requests to which batches ended without an answer.
    unanswered: HashMap<RequestId, Unanswered>,
    /// Ids of which a batch had answers or errors in this run, before their documents asked.
    pub(super) uncounted: HashSet<RequestId>,
    /// Ids of requests that need not wait any more, and are not released.
    pub(super) resolved: VecDeque<RequestId>,
    /// Whether no document can go on without an answer.
    pub(super) is_ready: bool,
}

pub(super) struct Parked {
    pub(super) key: Arc<str>,
    pub(super) name: RequestName,
    pub(super) request: Request,
    resolved: Option<Result<Asked, AgentError>>,
    stage: ParkedStage,
    waker: Option<Waker>,
}

/// What is known of a request to which batches ended without an answer.
#[derive(Default)]
struct Unanswered {
    /// How many batches.
    batches: u8,
    /// What one said instead.
    error: Option<AgentError>,
}

/// How far a document is at a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParkedStage {
    Waits,
    /// It goes on as soon as the journal has it among those in flight.
    Released,
    GoesOn,
}

/// How a request was answered.
pub(crate) enum Asked {
    Replied(Reply),
    /// It is not sent in a batch. Whoever parked it asks the agent.
    Directly,
}

impl ParkedState {
    /// How many documents wait for an answer.
    pub(super) fn documents(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether the document waits for an answer.
    pub(super) fn has_document(&self, key: &str) -> bool {
        self.documents.contains_key(key)
    }

    /// Returns whether the request is parked and has no answer.
    pub(super) fn is_waiting(&self, id: RequestId) -> bool {
        self.parked.get(&id).is_some_and(|parked| parked.resolved.is_none())
    }

    /// Resolves a request, so that its document goes on when it is released.
    pub(super) fn resolve(&mut self, id: RequestId, result: Result<Asked, AgentError>) {
        if let Some(parked) = self.parked.get_mut(&id) {
            parked.resolved = Some(result);
            self.resolved.push_back(id);
            self.is_ready = false;
        }
    }

    /// Puts a request in the next wave.
    fn next_wave(&mut self, id: RequestId) {
        self.fresh.push(id);
        self.is_ready = false;
    }

    /// Returns what a batch has for a request, unless it has to be asked again.
    pub(super) fn answer(
        &mut self,
        id: RequestId,
        read: Result<Reply, AgentError>,
    ) -> Option<Result<Reply, AgentError>> {
        match read {
            Err(error) if error.is_transient() => {
                self.unanswered.entry(id).or_default().error = Some(error);
                None
            }
            read => Some(read),
        }
    }

    /// The same for what the journal has. What was refused in an earlier run may be accepted now, as by a provider whose
    /// bill was paid.
    pub(super) fn known_answer(
        &mut self,
        id: RequestId,
        read: Result<Reply, AgentError>,
    ) -> Option<Result<Reply, AgentError>> {
        let counts = read.is_ok() || self.uncounted.contains(&id);
        if counts { self.answer(id, read) } else { None }
    }

    /// Counts that a batch ended without an answer to the request of this line.
    pub(super) fn count_unanswered(&mut self, line: &BatchLine) {
        self.unanswered.entry(line.id).or_default().batches = line.unanswered.saturating_add(1);
    }

    /// How many batches ended without an answer to a request.
    pub(super) fn unanswered(&self, id: RequestId) -> u8 {
        self.unanswered.get(&id).map_or(0, |unanswered| unanswered.batches)
    }

    /// Puts a parked request without an answer in the next wave, unless that was done too often.
    pub(super) fn again(&mut self, id: RequestId) {
        if self.unanswered(id) < MOST_UNANSWERED {
            return self.next_wave(id);
        }
        let error = self.unanswered.remove(&id).and_then(|unanswered| unanswered.error);
        let reason = error.map(|error| format!("; an error instead: {error}")).unwrap_or_default();
        let message = format!("{MOST_UNANSWERED} batches ended without an answer to the request{reason}");
        self.resolve(id, Err(AgentError::new(AgentErrorKind::Transport, message)));
    }

    /// Takes up to `most` resolved requests, whose documents do not wait any more: their ids and
    /// the keys of their documents.
    pub(super) fn take_resolved(&mut self, most: usize) -> Vec<(RequestId, Arc<str>)> {
        let mut taken = Vec::new();
        while taken.len() < most {
            let Some(id) = self.resolved.pop_front() else { break };
            let Some(parked) = self.parked.get_mut(&id) else { continue };
            parked.stage = ParkedStage::Released;
            let key = Arc::clone(&parked.key);
            self.leave(&key);
            taken.push((id, key));
        }
        taken
    }

    /// Counts one request of a document less.
    fn leave(&mut self, key: &str) {
        if let Some(count) = self.documents.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                self.documents.remove(key);
            }
        }
    }
}

impl ParkedRequests {
    pub(super) fn with_open(open: impl Iterator<Item = RequestId>) -> Self {
        Self(Mutex::new(ParkedState { open: open.collect(), ..ParkedState::default() }))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ParkedState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parks a request, until the guard is dropped.
    pub(super) fn park(&self, key: &Arc<str>, name: RequestName, request: &Request) -> ParkedGuard<'_> {
        let (id, key, request) = (RequestId::new(key, name), Arc::clone(key), request.clone());
        let mut state = self.state();
        *state.documents.entry(Arc::clone(&key)).or_default() += 1;
        let (resolved, waker) = (None, None);
        let parked = Parked { key, name, request, resolved, stage: ParkedStage::Waits, waker };
        state.parked.insert(id, Box::new(parked));
        if !state.open.contains(&id) {
            state.again(id);
        }
        drop(state);
        ParkedGuard { requests: self, id }
    }

    /// Lets the documents of these requests go on, after [`ParkedState::take_resolved`].
    pub(super) fn wake(&self, ids: &[RequestId]) {
        let wakers: Vec<_> = {
            let mut state = self.state();
            let wake = |id| {
                let parked = state.parked.get_mut(id)?;
                parked.stage = ParkedStage::GoesOn;
                parked.waker.take()
            };
            ids.iter().filter_map(wake).collect()
        };
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A parked request. Dropping it gives it up.
pub(super) struct ParkedGuard<'w> {
    requests: &'w ParkedRequests,
    id: RequestId,
}

impl ParkedGuard<'_> {
    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Result<Asked, AgentError>> {
        let mut state = self.requests.state();
        let Some(parked) = state.parked.get_mut(&self.id) else { return Poll::Pending };
        if let Some(resolved) = parked.resolved.take_if(|_| parked.stage == ParkedStage::GoesOn) {
            return Poll::Ready(resolved);
        }
        parked.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for ParkedGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.requests.state();
        let Some(parked) = state.parked.remove(&self.id) else { return };
        if parked.stage == ParkedStage::Waits {
            state.leave(&parked.key);
        }
    }
}
