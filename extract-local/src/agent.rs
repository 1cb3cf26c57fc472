//! The model as an agent.

use std::{borrow::Cow, fmt, sync::Arc};

use extract::agent::{Agent, Capabilities, Constraint, ConstraintFuture, DeltaSink, ReplyFuture, Request};

use crate::worker::Worker;

/// An agent that runs a model in this process.
///
/// A clone shares the model. Requests are answered one at a time on the model's own thread, so
/// `respond` works under any async runtime and does not block it. Dropping its future cancels the
/// request.
///
/// - **Context.** A conversation that does not fit is rejected before anything is computed, with
///   [`TooLong`](extract::agent::AgentErrorKind::TooLong) and the number of excess tokens.
/// - **Output.** The reply ends with [`Length`](extract::agent::FinishReason::Length) at the
///   `max_output_tokens` of the request, else of the builder, or where the context is full.
/// - **Long answers.** A reply that was cut at the token limit is continued after its last token,
///   by the same grammar, as long as the context has room; see
///   [`max_continuations`](extract::Extraction::max_continuations).
/// - **Refusals.** They are not marked. A refusal in plain text is a reply like any other, and a
///   reply that is constrained to a schema cannot contain one.
/// - **Repetition.** A reply that only repeats itself is ended with
///   [`Repetition`](extract::agent::FinishReason::Repetition), streamed or not, unless the request
///   [forbids](extract::agent::Request::ends_repetition) it; see
///   [`RepetitionWatch`](extract::agent::RepetitionWatch).
/// - **Thoughts.** If the request [asks](extract::agent::Request::thinks_first) for them, the model
///   writes freely between `<think>` and `</think>`, at most 512 tokens and half of the reply. The
///   grammar applies from then on.
/// - **Streaming.** Text is sent token by token, once its characters are complete. Tokens that the
///   grammar forces come at once.
/// - **Speed.** The common prefix of a prompt and an earlier one for the same contract is not read
///   again.
/// - **Log probabilities.** If the request [asks](extract::agent::Request::log_probabilities) for
///   them, each token of the answer has its probability among all tokens and among those that the
///   grammar allowed, at temperature 1. Tokens that the grammar forced are marked.
/// - **Threads.** candle uses the physical cores; `CANDLE_NUM_THREADS` (a number) changes that for
///   the whole process.
///
/// ```no_run
/// # async fn run() -> Result<(), extract::agent::AgentError> {
/// use extract::agent::{Agent, Conversation, Request, Role};
/// use extract_local::LocalModel;
///
/// let agent = LocalModel::load()?;
/// let request = Request::new(Conversation::new().with(Role::User, "Name three colours, as a JSON array."));
/// println!("{}", agent.respond(&request).await?.text());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalModel {
    pub(crate) name: Arc<str>,
    pub(crate) temperature: f64,
    pub(crate) worker: Arc<Worker>,
}

impl Agent for LocalModel {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(self.worker.ask(request.clone(), None))
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(self.worker.ask(request.clone(), Some(sink)))
    }

    /// `local/` and the name of the model, such as `local/qwen2.5-coder-1.5b`.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    /// Its temperature, thinking before the grammar starts, continuing a reply and reporting log
    /// probabilities. It calls no
    /// tools, because a grammar that constrains it to the schema is better.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .at_temperature(self.temperature)
            .thinking_first()
            .continuing_replies()
            .reporting_log_probabilities()
    }

    /// The constraint by its grammar, which the model does not see.
    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        match &request.schema {
            Some(schema) => Box::pin(self.worker.constraint(Arc::clone(schema))),
            None => Constraint::nothing().known(),
        }
    }
}

impl fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalModel").field("name", &self.name).finish_non_exhaustive()
    }
}
