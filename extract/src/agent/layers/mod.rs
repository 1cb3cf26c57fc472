//! Agents around agents.
//!
//! Each layer is an agent that wraps another agent. [`AgentExt`] adds one to any agent, and they
//! stack: the layer added last is the outermost and sees a request first.
//!
//! | layer | what it does |
//! |---|---|
//! | [`Retrying`] | asks again after a transient failure, waiting longer each time |
//! | [`RateLimited`] | holds requests back until the rate of requests and tokens allows them |
//! | [`Concurrent`] | limits how many requests run at once |
//! | [`TimeLimited`] | gives up on a request that takes too long |
//! | [`Cached`] | returns the stored reply to a repeated request |
//! | [`Fallback`] | asks another agent when the first one fails or refuses |
//! | [`Cassette`](crate::testing::Cassette) | records requests and replies, and replays them in tests |
//!
//! No layer needs a runtime, spawns a task or holds a lock while it waits for an agent. Dropping a
//! future of a layer at any point ends the request inside, releases its permits, and leaves the
//! layer usable. Clones of a layer share its limit or its cache, and so do all users of one `Arc`;
//! an `Arc` of an agent is an agent too. Errors keep their kind, their source and the requested
//! wait.
//!
//! All layers pass on the deltas of a reply that is [streamed](Agent::stream). If a layer asks
//! again or asks another agent, the next [delta](crate::agent::Delta) says that the reply restarts.
//!
//! # A layer or a setting of the extraction
//!
//! A setting belongs to one extraction: it counts in its metrics and ends with its
//! [`deadline`](crate::Extraction::deadline). A layer belongs to one agent: all extractions that
//! ask the agent share it, and it can wrap one agent inside another layer.
//!
//! | to | a setting | a layer |
//! |---|---|---|
//! | repeat a request after a transient failure | [`transport_options`](crate::Extraction::transport_options): on by default, enough for one agent | [`Retrying`]: before a [`Fallback`] gives up on an agent, or without an extraction |
//! | limit the time of a request | [`timeout`](crate::Extraction::timeout): with all waits inside the layers | [`TimeLimited`]: for one agent of several, so that a [`Fallback`] does not wait for the first one forever |
//! | ask another agent | [`escalate_to`](crate::Extraction::escalate_to): when replies come, but make no progress, or one is a refusal | [`Fallback`]: when no reply comes, or a refusal |
//! | limit the rate, or requests at once | none: a limit applies to all extractions | [`RateLimited`], [`Concurrent`] |
//! | pay only once for a reply | none | [`Cached`] |
//!
//! Retries of both kinds multiply. With a [`Retrying`], give the extraction
//! [`TransportOptions`](crate::settings::TransportOptions) with `retries(0)`.
//!
//! # An order that works
//!
//! ```
//! use std::time::Duration;
//! use extract::agent::{Agent, AgentExt as _, MemoryStore};
//! use extract::testing::ScriptedAgent;
//!
//! # let (main, spare) = (ScriptedAgent::new(["8"]), ScriptedAgent::new(["8"]));
//! let agent = main
//!     .time_limited(Duration::from_secs(60)) // innermost: waiting in a line does not count
//!     .rate_limited()
//!     .requests_per_minute(60)
//!     .tokens_per_minute(100_000)
//!     .concurrent(4) // outside of the rate, which counts what is really sent
//!     .retrying() // outside of `concurrent`, so that a wait holds no permit
//!     .times(2)
//!     .or(spare) // after the retries, not instead of them
//!     .cached(MemoryStore::new(1000)); // outermost: what is known waits for nothing
//! assert_eq!(agent.name(), "scripted");
//! ```

/// Implements `Agent` for a layer around one agent. Its `ask` answers, with and without a sink for
/// the deltas.
macro_rules! agent_around_one {
    ($layer:ident<A $(, $other:ident: $bound:path)?>) => {
        #[diagnostic::do_not_recommend]
        impl<A: $crate::agent::Agent $(, $other: $bound)?> $crate::agent::Agent for $layer<A $(, $other)?> {
            fn respond<'a>(&'a self, request: &'a $crate::agent::Request) -> $crate::agent::ReplyFuture<'a> {
                self.ask(request, None)
            }

            fn stream<'a>(
                &'a self,
                request: &'a $crate::agent::Request,
                sink: $crate::agent::DeltaSink<'a>,
            ) -> $crate::agent::ReplyFuture<'a> {
                self.ask(request, Some(sink))
            }

            fn name(&self) -> std::borrow::Cow<'_, str> {
                self.agent.name()
            }

            fn capabilities(&self) -> $crate::agent::Capabilities {
                self.agent.capabilities()
            }

            fn constraint<'a>(
                &'a self,
                request: &'a $crate::agent::Request,
            ) -> $crate::agent::ConstraintFuture<'a> {
                self.agent.constraint(request)
            }
        }
    };
}

mod cached;
mod fallback;
mod limits;
mod permits;
pub(crate) mod rate_limited;
pub(crate) mod retrying;

use std::time::Duration;

pub use self::{
    cached::{CacheStats, Cached, MemoryStore, ReplyStore, StoreError},
    fallback::Fallback,
    limits::{Concurrent, TimeLimited},
    rate_limited::{RateBuckets, RateLimited},
    retrying::Retrying,
};
use super::Agent;

/// Adds layers to any agent; see [the module of layers](crate::agent::layers).
///
/// ```
/// use extract::agent::AgentExt as _;
/// use extract::testing::{ScriptedAgent, block_on};
/// use extract::{Extractable as _, agent::AgentError};
///
/// let agent = ScriptedAgent::default().then_fail(AgentError::refused("wrong key")).retrying();
/// let agent = agent.or(|_: String| async { Ok::<_, AgentError>("[8]") });
/// # let agent = agent.when(|_| true);
/// let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?"))?;
/// assert_eq!(legs, [8]);
/// # Ok::<(), extract::ExtractionError>(())
/// ```
pub trait AgentExt: Agent + Sized {
    /// Retries after a transient failure.
    fn retrying(self) -> Retrying<Self> {
        Retrying::new(self)
    }

    /// Delays requests until a rate allows them. The methods of the layer set the rate; without
    /// them it is unlimited.
    fn rate_limited(self) -> RateLimited<Self> {
        RateLimited::new(self)
    }

    /// Limits the number of concurrent requests.
    fn concurrent(self, limit: usize) -> Concurrent<Self> {
        Concurrent::new(self, limit)
    }

    /// Gives up on a request that takes longer than `limit`.
    fn time_limited(self, limit: Duration) -> TimeLimited<Self> {
        TimeLimited::new(self, limit)
    }

    /// Returns the replies in `store`, and stores those that are missing.
    fn cached<S: ReplyStore>(self, store: S) -> Cached<Self, S> {
        Cached::new(self, store)
    }

    /// Asks `other` when this agent fails or refuses.
    fn or<B: Agent>(self, other: B) -> Fallback<Self, B> {
        Fallback::new(self, other)
    }
}

impl<A: Agent> AgentExt for A {}
