//! A second agent for when the first one fails or refuses.

use std::{borrow::Cow, error::Error, fmt, sync::Arc};

use serde::de::IgnoredAny;

use crate::{
    agent::{
        Agent, AgentError, AgentErrorKind, Capabilities, ConstraintFuture, DeltaSink, Reply, ReplyFuture,
        Request, reply::RouteBranch, respond_or_stream,
    },
    vocabulary::{text::said, time_limit::yield_once},
};

/// Asks a second agent when the first one fails or refuses.
///
/// By default it does so after every failure except [`Refused`](AgentErrorKind::Refused): a wrong
/// key, an unknown model or an invalid argument is a mistake that should be seen, not worked
/// around. [`when`](Self::when) sets another condition. The second agent gets the same request.
/// Each request starts with the first agent again. An unacceptable answer is not a failure; the
/// extraction handles it.
///
/// A reply that is a [refusal](Reply::is_refusal) goes to the second agent as well, unless its text
/// is a complete JSON value or it calls tools; [`on_refusal`](Self::on_refusal) turns that off. The
/// second agent gets the same request, which does not mention the refusal. Its reply has a
/// [note](Reply::notes) with the words of the refusal, and the tokens of both. If it refuses too,
/// its refusal is the reply.
///
/// An answer with values of `#[extract(sensitive)]` fields is shown again only to the agent that
/// wrote it. If the other agent is asked for a correction, it gets what
/// [`escalate_to`](crate::Extraction::escalate_to) sends to another agent: the same question in a
/// new conversation, with the values redacted.
///
/// If both fail, the error reports both. It has the kind of the last failure. If only the first
/// failure was transient, it has that kind, because a retry may help.
///
/// When a reply is [streamed](Agent::stream), the second agent restarts the stream: its first delta
/// supersedes the deltas of the first agent.
///
/// The name is the first agent's. [Records](crate::AttemptRecord::agent) and
/// [metrics](crate::metrics::AttemptMetrics::agent) name the one that replied, and
/// [`per_model`](crate::ExtractionMetrics::per_model) has the tokens of each.
///
/// ```
/// use extract::agent::{Agent, AgentError, AgentErrorKind, AgentExt as _, Conversation, Request};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// let first = ScriptedAgent::default().then_fail(AgentError::refused("no credit left"));
/// let agent = first.or(ScriptedAgent::new(["8"])).when(|error| error.kind() == AgentErrorKind::Refused);
/// let request = Request::new(Conversation::new());
/// assert_eq!(block_on(agent.respond(&request))?.text(), "8");
/// # Ok::<(), AgentError>(())
/// ```
#[derive(Clone)]
pub struct Fallback<A, B> {
    first: A,
    second: B,
    falls: Arc<dyn Fn(&AgentError) -> bool + Send + Sync>,
    falls_on_refusal: bool,
}

impl<A: Agent, B: Agent> Fallback<A, B> {
    /// Asks `first`, and `second` if that fails or refuses.
    pub fn new(first: A, second: B) -> Self {
        let falls = Arc::new(|error: &AgentError| error.kind() != AgentErrorKind::Refused);
        Self { first, second, falls, falls_on_refusal: true }
    }

    /// Sets after which failures the second agent is asked.
    pub fn when(mut self, falls: impl Fn(&AgentError) -> bool + Send + Sync + 'static) -> Self {
        self.falls = Arc::new(falls);
        self
    }

    /// Sets whether the second agent is asked when the first one refuses; on by default.
    ///
    /// ```
    /// use extract::agent::{Agent, AgentExt as _, Conversation, Reply, Request};
    /// use extract::testing::{ScriptedAgent, block_on};
    ///
    /// let first = ScriptedAgent::new([Reply::new("").with_refusal("I must not."), Reply::new("7")]);
    /// let agent = first.or(ScriptedAgent::new(["8"]));
    /// let request = Request::new(Conversation::new());
    /// assert_eq!(block_on(agent.respond(&request))?.text(), "8");
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn on_refusal(mut self, falls: bool) -> Self {
        self.falls_on_refusal = falls;
        self
    }
}

impl<A: Agent, B: Agent> Fallback<A, B> {
    fn ask<'a>(&'a self, request: &'a Request, mut sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let asked = request.for_branch(RouteBranch::First);
            let first = respond_or_stream(&self.first, &asked, sink.as_mut().map(DeltaSink::restart)).await;
            if !self.falls_after(&first) {
                return first.map(|reply| reply.written_at(RouteBranch::First));
            }
            yield_once().await;
            let asked = request.for_branch(RouteBranch::Second);
            let second = respond_or_stream(&self.second, &asked, sink.as_mut().map(DeltaSink::restart)).await;
            match (first, second) {
                (Ok(refusal), second) => self.after_refusal(&refusal, second, request),
                (Err(_), Ok(reply)) => Ok(self.written_by_second(reply)),
                (Err(first), Err(second)) => {
                    Err(both((&self.first.name(), first), (&self.second.name(), second)))
                }
            }
        })
    }

    fn falls_after(&self, first: &Result<Reply, AgentError>) -> bool {
        match first {
            Ok(reply) => self.falls_on_refusal && reply.is_refusal() && !has_answer(reply),
            Err(error) => (self.falls)(error),
        }
    }

    /// The reply of the second agent, with the words and the tokens of the refusal before it.
    fn after_refusal(
        &self,
        refusal: &Reply,
        second: Result<Reply, AgentError>,
        request: &Request,
    ) -> Result<Reply, AgentError> {
        // The words may quote the prompt.
        let words = refusal.refusal().filter(|words| !words.is_empty() && request.marked_schema.is_none());
        let words = words.map(|words| format!(": {}", said(words))).unwrap_or_default();
        let refused = format!("before it, `{}` refused{words}", self.first.name());
        let reply = second.map_err(|error| error.with_note(&refused))?;
        let shares = |reply: &Reply, agent: &str| reply.usage_by_model(agent, reply.cost(|| request.chars()));
        let mut used = shares(refusal, &self.first.name());
        used.extend(shares(&reply, &self.second.name()));
        Ok(self.written_by_second(reply.with_shares(used).with_note(refused)))
    }

    fn written_by_second(&self, reply: Reply) -> Reply {
        reply.written_by(&self.second.name()).written_at(RouteBranch::Second)
    }
}

/// Returns whether a refusal contains an answer: a call, or JSON that is complete by its own
/// brackets or quotes. The extraction judges whether it satisfies the contract.
fn has_answer(reply: &Reply) -> bool {
    let text = reply.text().trim();
    let is_closed = || text.starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    !reply.calls().is_empty() || is_closed()
}

#[diagnostic::do_not_recommend]
impl<A: Agent, B: Agent> Agent for Fallback<A, B> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.ask(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        self.ask(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        self.first.name()
    }

    /// Returns the capabilities that both agents have, because either may be asked.
    fn capabilities(&self) -> Capabilities {
        self.first.capabilities().shared(self.second.capabilities())
    }

    /// The weaker of both constraints, because either agent may be asked.
    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        Box::pin(
            async move { self.first.constraint(request).await.or(self.second.constraint(request).await) },
        )
    }
}

/// One error that reports both.
fn both(first: (&str, AgentError), second: (&str, AgentError)) -> AgentError {
    let is_first_the_hope = first.1.is_transient() && !second.1.is_transient();
    let ((leading, error), (name, other)) = if is_first_the_hope { (first, second) } else { (second, first) };
    let when = if is_first_the_hope { "after it" } else { "before it" };
    let message = format!("`{leading}` failed: {}; {when}, `{name}` failed: {other}", error.message());
    AgentError::new(error.kind(), message).responding_as(&error).with_source(BothFailures { error, other })
}

/// Both failures, as the source of the combined error.
#[derive(Debug)]
struct BothFailures {
    error: AgentError,
    other: AgentError,
}

impl fmt::Display for BothFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.error, self.other)
    }
}

impl Error for BothFailures {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source().or_else(|| self.other.source())
    }
}

impl<A: fmt::Debug, B: fmt::Debug> fmt::Debug for Fallback<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback")
            .field("first", &self.first)
            .field("second", &self.second)
            .finish_non_exhaustive()
    }
}
