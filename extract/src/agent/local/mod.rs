//! A language model inside the process, on the CPU, without a key or a server.
//!
//! [`LocalModel`] is an [`Agent`] that finds its weights, loads them and answers. Replies are written under
//! the grammar of the request's schema, so they parse and have the right shape; whether the values are the
//! right ones is still up to the model.
//!
//! ```no_run
//! use extract::agent::local::LocalModel;
//!
//! let small = LocalModel::builder().model("0.5b").build()?;
//! # Ok::<(), extract::agent::local::LocalModelError>(())
//! ```
//!
//! # What the grammar holds the model to
//!
//! The table says for each constraint whether the model can write a value that breaks it: `yes` is never, `in part` some, `no` all.
//! It is compared with what the grammar does by a test. What is not held to is named, with its place, in a
//! [note](super::Reply::notes) of every reply and to [`on_unenforced`](LocalModelBuilder::on_unenforced), and is judged by the contract like everything
//! else; only that a year has no 29 February goes without a word. One keyword that the grammar cannot follow does not free the rest of the schema.
//!
//! Values are written in one way: one space after commas and colons and no other white space, named properties in the order of
//! the schema, numbers with bounds without exponents, characters without escapes that they do not need.
//!
#![doc = include_str!("constraints.md")]

mod builder;
mod chat;
mod engine;
mod error;
mod gguf;
mod grammar;
mod model;
mod prefixes;
mod published;
mod runtime;
mod sampler;
#[cfg(test)]
mod tests;
mod weights;
mod worker;
mod written;

use std::{borrow::Cow, fmt, sync::Arc};

#[cfg(feature = "llama-cpp")]
pub use self::builder::Backend;
use self::worker::Worker;
pub use self::{
    builder::LocalModelBuilder, error::LocalModelError, grammar::UnenforcedConstraints, model::Model,
    weights::fetch,
};
use super::{Agent, Capabilities, DeltaSink, Request, Responding};

/// An agent that runs a model in this process.
///
/// A clone shares the model. Requests are answered one at a time, on a thread of the model's own, so
/// `respond` works under any async runtime and blocks none. Dropping a future of it cancels the request.
///
/// - **Context.** A conversation that does not fit is refused before anything is computed, with
///   [`TooLong`](super::AgentErrorKind::TooLong) and the number of tokens that are too many.
/// - **Output.** The reply ends with [`Length`](super::FinishReason::Length) at the request's
///   `max_output_tokens` (else the builder's), or where the context is full.
/// - **Streaming.** Text is told token by token, as soon as its characters are whole; what the grammar leaves no choice about comes
///   at once.
/// - **Speed.** What a prompt has in common with an earlier one for the same contract is not read again.
/// - **Threads.** candle uses the physical cores; `CANDLE_NUM_THREADS` (a number) changes that, for the
///   whole process.
///
/// ```no_run
/// # async fn run() -> Result<(), extract::agent::AgentError> {
/// use extract::agent::{Agent, Conversation, Request, Role, local::LocalModel};
///
/// let agent = LocalModel::load()?;
/// let request = Request::new(Conversation::new().with(Role::User, "Name three colours, as a JSON array."));
/// println!("{}", agent.respond(&request).await?.text());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalModel {
    name: Arc<str>,
    temperature: f64,
    worker: Arc<Worker>,
}

impl LocalModel {
    /// The model that the environment variable `EXTRACT_MODEL` says (a name or a path), else Qwen2.5-Coder
    /// 1.5B. Blocks while it loads, and while it downloads if it has to; see [`fetch`].
    ///
    /// # Errors
    ///
    /// [`LocalModelError`] when the weights cannot be had, are not the published ones, or cannot be run.
    pub fn load() -> Result<Self, LocalModelError> {
        Self::builder().build()
    }

    /// Choices before loading.
    pub fn builder() -> LocalModelBuilder {
        LocalModelBuilder::default()
    }
}

impl Agent for LocalModel {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        Box::pin(self.worker.ask(request.clone(), None))
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> Responding<'a> {
        Box::pin(self.worker.ask(request.clone(), Some(sink)))
    }

    /// `local/` and the name of the model, such as `local/qwen2.5-coder-1.5b`.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    /// Its temperature. It is held to the schema by its grammar, which is better than tools.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default().at_temperature(self.temperature)
    }
}

impl fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalModel").field("name", &self.name).finish_non_exhaustive()
    }
}
