//! The only writer of a journal, on its own thread.

use std::{
    collections::VecDeque,
    future::poll_fn,
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    thread::{self, JoinHandle},
};

use super::{
    clock::Clock,
    journal::{JournalError, Store, Write},
};

/// How many writes form a commit. Each commit takes about as much CPU time as the writes of two
/// documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommitSize {
    /// So many pending writes are committed although the job may soon add others.
    worth: usize,
    /// Maximum outcomes in one commit.
    most_outcomes: usize,
}

impl CommitSize {
    /// Measured: with one outcome in a commit, a disk with fsync takes 827 outcomes a second, with 256 it
    /// takes 18,129.
    pub(super) const ORDINARY: Self = Self { worth: 64, most_outcomes: 256 };

    /// Of a job with batches, which are not in a hurry. The outcomes of all documents in flight are one commit.
    pub(super) const LARGE: Self = Self { worth: MOST_IN_FLIGHT, most_outcomes: MOST_IN_FLIGHT };
}

/// How many documents of a job with batches are in flight at most, unless more may be asked
/// directly.
pub(super) const MOST_IN_FLIGHT: usize = 1024;

/// Pending writes, shared with the thread that commits them. All writes that arrive during a commit
/// form the next one.
pub(super) struct Outbox {
    state: Mutex<WriterState>,
    has_work: Condvar,
    clock: Arc<dyn Clock>,
    commit_size: CommitSize,
}

#[derive(Debug, Default)]
struct WriterState {
    waiting: VecDeque<Write>,
    /// How many writes were ever pushed.
    given: u64,
    /// How many of them are committed.
    committed: u64,
    failure: Option<JournalError>,
    /// Whether they are committed although they are few.
    is_flushed: bool,
    is_closed: bool,
    wakers: Vec<Waker>,
}

impl Outbox {
    /// Queues a write, and returns its number. It is committed once [`committed`](Self::committed)
    /// reaches that number.
    pub(super) fn push(&self, write: Write) -> u64 {
        self.clock.writing(1);
        let mut state = self.state();
        state.waiting.push_back(write);
        state.given += 1;
        if state.waiting.len() == self.commit_size.worth {
            self.has_work.notify_one();
        }
        state.given
    }

    /// Has all pending writes committed. Until then, the writer waits for more.
    pub(super) fn flush(&self) {
        let mut state = self.state();
        if !state.waiting.is_empty() && !mem::replace(&mut state.is_flushed, true) {
            self.has_work.notify_one();
        }
    }

    /// How many writes are pending.
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    /// How many writes are committed. The task is woken when there are more.
    ///
    /// # Errors
    ///
    /// If a commit failed; nothing more is written.
    pub(super) fn committed(&self, context: &mut Context<'_>) -> Result<u64, JournalError> {
        let mut state = self.state();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            state.wakers.push(context.waker().clone());
        }
        Ok(state.committed)
    }

    /// Waits until this many writes are committed.
    pub(super) async fn wait(&self, number: u64) -> Result<(), JournalError> {
        self.flush();
        poll_fn(|context| match self.committed(context) {
            Ok(committed) if committed < number => Poll::Pending,
            Ok(_) => Poll::Ready(Ok(())),
            Err(error) => Poll::Ready(Err(error)),
        })
        .await
    }

    fn state(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the writes of the next commit, waiting for some; `None` when the outbox is closed and
    /// empty.
    fn take(&self) -> Option<Vec<Write>> {
        let mut state = self.state();
        while state.waiting.len() < self.commit_size.worth && !state.is_closed {
            if state.is_flushed && !state.waiting.is_empty() {
                break;
            }
            state = self.has_work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.waiting.is_empty() {
            return None;
        }
        let mut outcomes = 0;
        let fits = |write: &&Write| {
            outcomes += usize::from(write.is_outcome());
            outcomes <= self.commit_size.most_outcomes
        };
        let count = state.waiting.iter().take_while(fits).take(4 * self.commit_size.most_outcomes).count();
        let writes = state.waiting.drain(..count).collect();
        state.is_flushed &= !state.waiting.is_empty();
        Some(writes)
    }

    /// Wakes tasks outside the lock, because waking runs code of the executor.
    fn settle(&self, change: impl FnOnce(&mut WriterState)) {
        let wakers = {
            let mut state = self.state();
            change(&mut state);
            mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    fn run(&self, store: &Store) {
        while let Some(writes) = self.take() {
            let result = store.write(&writes);
            let has_failed = result.is_err();
            self.settle(|state| match result {
                Ok(()) => state.committed += writes.len() as u64,
                Err(error) => {
                    state.failure = Some(error);
                    state.waiting.clear();
                }
            });
            self.clock.writing(-isize::try_from(writes.len()).unwrap_or_default());
            if has_failed {
                return;
            }
        }
    }
}

/// The thread that writes. Dropping it commits all pending writes.
pub(super) struct JournalWriter {
    outbox: Arc<Outbox>,
    thread: Option<JoinHandle<()>>,
}

impl JournalWriter {
    pub(super) fn start(
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
        commit_size: CommitSize,
    ) -> std::io::Result<Self> {
        let (state, has_work) = (Mutex::default(), Condvar::new());
        let outbox = Arc::new(Outbox { state, has_work, clock, commit_size });
        let shared = Arc::clone(&outbox);
        let thread = thread::Builder::new().name("extract-journal".to_owned());
        let thread = thread.spawn(move || shared.run(&store))?;
        Ok(Self { outbox, thread: Some(thread) })
    }

    /// Ends the thread, and returns why it could not write.
    pub(super) fn finish(&mut self) -> Option<JournalError> {
        self.outbox.settle(|state| state.is_closed = true);
        self.outbox.has_work.notify_one();
        if let Some(thread) = self.thread.take() {
            // `catch_damage` has caught the panics of the journal.
            let _ = thread.join();
        }
        self.outbox.state().failure.clone()
    }

    pub(super) fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.finish();
    }
}
