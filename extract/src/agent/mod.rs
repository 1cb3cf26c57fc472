//! Agents, which turn a conversation into a reply.
//!
//! [`Agent`] is all that the loop needs from a language model: a [`Request`] goes in, a [`Reply`]
//! comes out. An async closure is an agent. [`ScriptedAgent`](crate::testing::ScriptedAgent) is one
//! for tests. The package `extractable-agents` asks providers, servers and programs, and
//! `extractable-local` is an in-process model.
//!
//! Production code usually wraps an agent in [`layers`]: retries, limits, a cache, a fallback
//! agent. Each layer is an agent too:
//!
//! ```
//! use extract::agent::{AgentExt as _, MemoryStore};
//! use extract::{Extractable as _, testing::block_on};
//!
//! let agent = async |prompt: String| {
//!     // Ask your model here.
//!     # let _ = prompt;
//!     Ok::<_, std::io::Error>("[8]")
//! };
//! let agent = agent.concurrent(4).cached(MemoryStore::new(1000));
//! let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?"))?;
//! assert_eq!(legs, [8]);
//! # Ok::<(), extract::ExtractionError>(())
//! ```
//!
//! [`testing`](crate::testing) explains how to test code that asks agents.

mod batch;
mod capabilities;
mod closure;
mod conversation;
mod cut_prompt;
mod delta;
mod error;
pub mod guard;
pub mod layers;
mod part;
pub mod provider;
pub(crate) mod reply;
mod request;
mod tool;

use std::{borrow::Cow, pin::Pin, sync::Arc};

pub use self::{
    batch::{
        BatchAgent, BatchFuture, BatchLimits, BatchSearch, BatchSink, BatchStatus, LostBatch, WrittenRequest,
    },
    capabilities::{Capabilities, Constraint, ConstraintFuture, ConstraintLevel},
    conversation::{Conversation, Prompt, Role, Turn},
    delta::{CallDelta, Delta, DeltaSink, RepetitionWatch, respond_or_stream},
    error::{AgentError, AgentErrorKind},
    layers::{
        AgentExt, CacheStats, Cached, Concurrent, Fallback, MemoryStore, RateLimited, ReplyStore, Retrying,
        StoreError, TimeLimited,
    },
    part::{Part, Parts},
    reply::{FinishReason, Reply, TokenProbability},
    request::{Request, ThinkingLevel},
    tool::{Tool, ToolCall, ToolResult},
};
pub(crate) use self::{
    delta::{count as count_stated, stream_whole},
    reply::ReplyParts,
    request::{MarkedSchema, RedactedRequest},
};

/// The future that [`Agent::respond`] returns; boxed so that agents stay object-safe.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, AgentError>> + Send + 'a>>;

/// Anything that turns a conversation into a reply.
///
/// Implemented for every async closure `Fn(String) -> impl Future<Output = Result<R, E>>` where `R`
/// is a `String` or a [`Reply`]. The closure gets the whole conversation as one string.
///
/// # Errors
///
/// [`respond`](Agent::respond) fails with an [`AgentError`] when there is no reply to judge. The
/// loop retries a [transient](AgentError::is_transient) failure, within its own limit, and never
/// counts it as an attempt.
///
/// # Example
///
/// ```
/// use extract::agent::{Agent, Reply, Request, ReplyFuture};
///
/// /// Repeats the last thing it was told.
/// struct Echo;
///
/// impl Agent for Echo {
///     fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
///         Box::pin(async move {
///             let last = request.conversation.turns().last().map_or("", |turn| turn.text());
///             Ok(Reply::new(last))
///         })
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    label = "expected something that turns a conversation into a reply",
    note = "an async closure `|prompt: String| async {{ Ok::<_, MyError>(reply) }}` is an agent, and so is every type that implements `extract::agent::Agent`",
    note = "a `Box<dyn Agent>` or an `Arc` of an agent is passed by reference: `&agent`"
)]
pub trait Agent: Send + Sync {
    /// Replies to the conversation in `request`.
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a>;

    /// Replies as [`respond`](Self::respond) does, and sends the text to `sink` while it is
    /// written.
    ///
    /// The future still returns the whole reply, with finish reason and usage. Its text is the
    /// concatenation of the deltas since the latest [first](Delta::is_first) one, without the
    /// deltas of [tool calls](DeltaSink::send_arguments). If the future fails, the deltas sent so
    /// far are superseded. Dropping the future ends the stream.
    ///
    /// An agent that can end its reply early asks [`DeltaSink::is_repeating`] after each delta.
    ///
    /// The default implementation calls `respond` and sends the reply as one delta.
    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        stream_whole(self, request, sink)
    }

    /// A short name for messages and records, such as `openai/gpt-5-mini`.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("agent")
    }

    /// Returns the agent's capabilities besides replying; none by default.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// How the reply to `request` is constrained to its [schema](Request::schema); not at all by
    /// default.
    ///
    /// The prompt then only contains [what the constraint does
    /// not](crate::settings::SchemaNotation::Auto). This method is called before each question,
    /// with a request that has no conversation yet, so it should be fast.
    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        let _ = request;
        Constraint::nothing().known()
    }
}

/// The methods of an `Agent` that is another one; their types are those in scope there.
macro_rules! forward_agent {
    ($this:ident => $agent:expr) => {
        fn respond<'r>(&'r self, request: &'r Request) -> ReplyFuture<'r> {
            let $this = self;
            $agent.respond(request)
        }

        fn stream<'r>(&'r self, request: &'r Request, sink: DeltaSink<'r>) -> ReplyFuture<'r> {
            let $this = self;
            $agent.stream(request, sink)
        }

        fn name(&self) -> Cow<'_, str> {
            let $this = self;
            $agent.name()
        }

        fn capabilities(&self) -> Capabilities {
            let $this = self;
            $agent.capabilities()
        }

        fn constraint<'r>(&'r self, request: &'r Request) -> ConstraintFuture<'r> {
            let $this = self;
            $agent.constraint(request)
        }
    };
}
pub(crate) use forward_agent;

#[diagnostic::do_not_recommend]
impl Agent for Box<dyn Agent + '_> {
    forward_agent!(agent => **agent);
}

#[diagnostic::do_not_recommend]
impl<T: Agent + ?Sized> Agent for Arc<T> {
    forward_agent!(agent => **agent);
}
