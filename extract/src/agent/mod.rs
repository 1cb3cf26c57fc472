//! What turns a conversation into a reply.
//!
//! [`Agent`] is all that the loop asks of a language model: a [`Request`] goes in, a [`Reply`] comes
//! out. An async closure is an agent, [`ScriptedAgent`](crate::testing::ScriptedAgent) is one for tests, and
//! the adapters behind features bring providers and programs. The crate `extractable-local` is a model that runs in the process.
//!
//! What has to be around an agent in earnest (retries, limits, a cache, another agent for when it fails) are
//! [`layers`], each of which is an agent again:
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
//! How to test what asks agents is said in [`testing`](crate::testing).

mod abilities;
mod call;
mod closure;
#[cfg(feature = "command")]
mod command;
mod conversation;
mod error;
#[cfg(feature = "genai")]
mod genai;
pub mod guard;
mod heard;
pub mod layers;
mod part;
#[cfg(any(feature = "genai", feature = "rig"))]
mod provider_detail;
#[cfg(feature = "rig")]
mod provider_error;
mod reply;
mod request;
#[cfg(any(feature = "genai", feature = "rig"))]
mod retry_after;
#[cfg(feature = "rig")]
mod rig;
pub(crate) mod route;
#[cfg(test)]
mod tests;
mod tool;

use std::{borrow::Cow, pin::Pin, sync::Arc};

/// The crate `genai`, for [`GenaiAgent::with_client`].
#[cfg(feature = "genai")]
pub use ::genai as genai_crate;

/// The crates of rig, in the version that [`RigAgent`] goes with.
#[cfg(feature = "rig")]
pub use ::{rig_agent, rig_core};

#[cfg(feature = "command")]
pub use self::command::CommandAgent;
#[cfg(feature = "genai")]
pub use self::genai::{GenaiAgent, StructuredOutput};
pub(crate) use self::heard::{in_one_piece, put};
#[cfg(feature = "redb")]
pub use self::layers::RedbStore;
pub(crate) use self::request::{Marked, Retold};
#[cfg(feature = "rig")]
pub use self::rig::{BoundedHttp, RigAgent};
pub use self::{
    abilities::Abilities,
    call::{ToolCall, ToolResult},
    conversation::{Conversation, Role, Turn},
    error::{AgentError, AgentErrorKind},
    heard::{Heard, Piece},
    layers::{
        AgentExt, CacheStats, Cached, Concurrent, Fallback, MemoryStore, RateLimited, ReplyStore, Retrying,
        StoreError, TimeLimited,
    },
    part::{Part, Prompt},
    reply::{FinishReason, Reply},
    request::Request,
    tool::Tool,
};

/// The future that [`Agent::respond`] returns; boxed so that agents stay object-safe.
pub type Responding<'a> = Pin<Box<dyn Future<Output = Result<Reply, AgentError>> + Send + 'a>>;

/// Anything that turns a conversation into a reply.
///
/// Implemented for every async closure `Fn(String) -> impl Future<Output = Result<R, E>>` where `R`
/// is a `String` or a [`Reply`]; the closure is given the whole conversation as one text.
///
/// # Errors
///
/// [`respond`](Agent::respond) fails with an [`AgentError`] when there is no reply to judge. The loop
/// asks again after a [transient](AgentError::is_transient) failure, within its own bound, and never
/// counts one as an attempt.
///
/// # Example
///
/// ```
/// use extract::agent::{Agent, Reply, Request, Responding};
///
/// /// Says the last thing it was told.
/// struct Echo;
///
/// impl Agent for Echo {
///     fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
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
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a>;

    /// Replies as [`respond`](Self::respond) does, and tells `heard` the text while it is written.
    ///
    /// The reply is the whole one all the same, with its finish reason and usage. The pieces from the last
    /// [first](Piece::is_first) one on make up its text. When this fails, what was told is void. Dropping the future ends the
    /// stream.
    ///
    /// An agent that does not say otherwise is asked as ever, and its reply is told as one piece when it is there.
    fn stream<'a>(&'a self, request: &'a Request, heard: Heard<'a>) -> Responding<'a> {
        in_one_piece(self, request, heard)
    }

    /// A short name for messages and records, such as `openai/gpt-5-mini`.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("agent")
    }

    /// What it can do besides; nothing unless it says so.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }
}

impl Agent for Box<dyn Agent + '_> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        (**self).respond(request)
    }

    fn stream<'a>(&'a self, request: &'a Request, heard: Heard<'a>) -> Responding<'a> {
        (**self).stream(request, heard)
    }

    fn name(&self) -> Cow<'_, str> {
        (**self).name()
    }

    fn abilities(&self) -> Abilities {
        (**self).abilities()
    }
}

impl<T: Agent + ?Sized> Agent for Arc<T> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        (**self).respond(request)
    }

    fn stream<'a>(&'a self, request: &'a Request, heard: Heard<'a>) -> Responding<'a> {
        (**self).stream(request, heard)
    }

    fn name(&self) -> Cow<'_, str> {
        (**self).name()
    }

    fn abilities(&self) -> Abilities {
        (**self).abilities()
    }
}
