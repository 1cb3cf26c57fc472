//! Provider batches inside of a job.
//!
//! Each document runs the usual loop, but "ask the agent" parks the request in the current wave.
//! When no document can go on without an answer, or enough requests are parked, the wave is sent as
//! one or several batches. Their answers are written to the journal as they are read, and resume
//! the documents. Feedback, continuations, chunks and samples need nothing of their own: whatever a
//! document asks the agent of the job next is part of the next wave. Only agents that take over from
//! it are asked directly.
//!
//! A document that has its answer goes on only after the journal has it among those in flight, as
//! when it starts. So a crash leaves a trace of the documents that were processed, and not of those
//! that waited.
//!
//! After a kill, each document runs again from its start, and gets its earlier answers from the
//! journal by the digest of the request, until it asks for something new. A request in a batch that
//! is still open waits for that batch. The mark of a batch is committed before its file is sent, so
//! a batch without a recorded id is found by its mark.

mod collected;
mod draft;
mod parked;
mod record;
mod refused;
mod wave;

use std::{fmt, sync::Arc, time::Duration};

use extract::agent::BatchAgent;

pub use self::record::{BatchState, JournalBatch};
pub(crate) use self::{
    parked::Asked,
    record::{BatchRecord, KnownAnswer, OpenBatch},
    wave::{WaveEnd, Waves},
};

/// The default of [`Batches::up_to`].
const MOST_REQUESTS: usize = 50_000;

/// The default of [`Batches::poll_every`].
const INTERVAL: Duration = Duration::from_secs(60);

/// How a job sends its requests in batches; see [`Bulk::batches`](crate::Bulk::batches).
#[derive(Clone)]
pub struct Batches {
    agent: Arc<dyn BatchAgent>,
    most: usize,
    interval: Duration,
    while_open: WhileOpen,
    directly_below: usize,
    directly_after: Option<Duration>,
    queued_tokens: u64,
}

/// Whether a job waits for a batch that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhileOpen {
    Wait,
    End,
}

impl Batches {
    /// Sends the requests through `agent`.
    pub fn through(agent: impl BatchAgent + 'static) -> Self {
        Self {
            agent: Arc::new(agent),
            most: MOST_REQUESTS,
            interval: INTERVAL,
            while_open: WhileOpen::Wait,
            directly_below: 0,
            directly_after: None,
            queued_tokens: u64::MAX,
        }
    }

    /// Sets how many requests are in one wave at most; 50,000 by default, and at least 1. The chunks and samples of
    /// documents that have begun may come on top. Documents that wait for an answer are in memory, with their
    /// prompt.
    #[must_use]
    pub fn up_to(mut self, requests: usize) -> Self {
        self.most = requests.max(1);
        self
    }

    /// Sets how often the state of an open batch is asked for; once a minute by default.
    #[must_use]
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Asks the agent of the job directly, at its ordinary price, where a wave would have fewer than
    /// `requests` requests; 0 by default. So the last few documents do not take another batch of
    /// hours. With `usize::MAX` nothing more is sent in batches, and only the open ones are waited
    /// for.
    ///
    /// As many requests are made at once as documents are
    /// [in flight](crate::Bulk::concurrent) in a job without batches.
    #[must_use]
    pub fn ask_directly_below(mut self, requests: usize) -> Self {
        self.directly_below = requests;
        self
    }

    /// Asks the agent of the job directly, at its ordinary price, when so much time has passed since
    /// its first batch was sent; never by default. A batch that is open then is cancelled, and what
    /// it has not answered is asked directly.
    ///
    /// The journal has the time of the first batch, so that a job that is run several times has one
    /// deadline. The deadline is not a limit: what is asked directly takes its time, and so may a
    /// provider to cancel a batch.
    #[must_use]
    pub fn ask_directly_after(mut self, time: Duration) -> Self {
        self.directly_after = Some(time);
        self
    }

    /// Sets how many tokens of prompts may be in open batches; by default as many as the
    /// [budget](crate::Bulk::token_budget) has left. Providers limit them by the tier of an account.
    /// What does not fit is sent when a batch has ended. Tokens are estimated as a quarter of the
    /// bytes of a request, and a single request with more is sent alone.
    #[must_use]
    pub fn queued_tokens(mut self, tokens: u64) -> Self {
        self.queued_tokens = tokens;
        self
    }

    /// Ends the job as [`Ended::Waiting`](crate::Ended::Waiting) while a batch is open, instead of
    /// waiting. The same job goes on when it is run again.
    #[must_use]
    pub fn come_back_later(mut self) -> Self {
        self.while_open = WhileOpen::End;
        self
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { most, interval, while_open, directly_below, directly_after, queued_tokens, .. } = self;
        let mut shown = f.debug_struct("Batches");
        shown.field("up_to", most).field("poll_every", interval).field("while_open", while_open);
        shown.field("ask_directly_below", directly_below).field("ask_directly_after", directly_after);
        shown.field("queued_tokens", queued_tokens);
        shown.finish_non_exhaustive()
    }
}
