//! An agent that follows a script.

use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt, future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_timer::Delay;

use crate::{
    agent::{
        Agent, AgentError, Capabilities, Constraint, ConstraintFuture, DeltaSink, FinishReason, Reply,
        ReplyFuture, Request,
    },
    vocabulary::{
        text::{bare, counted, cut},
        time_limit::yield_once,
    },
};

/// Maximum number of characters of a conversation in a message.
const SHOWN: usize = 2000;

/// Replies with one scripted line after the other, and records its requests.
///
/// A request beyond the script is a permanent failure, so that a test notices it. A line can have a
/// delay ([`after`](Self::after)) and expectations of its request ([`expecting`](Self::expecting)).
/// An unexpected request is a permanent failure too, and uses up the line. Call
/// [`assert_finished`](Self::assert_finished) at the end of a test to check that the script was
/// followed.
///
/// ```
/// use std::time::Duration;
/// use extract::{TokenUsage, agent::{AgentError, FinishReason, Reply}};
/// use extract::testing::{ScriptedAgent, block_on};
/// use extract::Extractable as _;
///
/// let agent = ScriptedAgent::new(["not JSON"])
///     .then_fail(AgentError::rate_limited("slow down").with_retry_after(Duration::ZERO))
///     .then(Reply::new("[8").finished(FinishReason::Length))
///     .expecting("Attempt 2 of 3")
///     .then(Reply::new("[8]").with_usage(TokenUsage::new(100, 3)))
///     .after(Duration::from_millis(5));
/// let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?"))?;
/// assert_eq!(legs, [8]);
/// agent.assert_finished();
/// # Ok::<(), extract::ExtractionError>(())
/// ```
#[derive(Debug, Default)]
pub struct ScriptedAgent {
    lines: Mutex<VecDeque<ScriptLine>>,
    requests: Mutex<Vec<Request>>,
    complaints: Mutex<Vec<String>>,
    capabilities: Capabilities,
    constraint: Constraint,
}

#[derive(Debug)]
struct ScriptLine {
    answer: ScriptAnswer,
    deltas: Vec<LineDelta>,
    delay: Option<Duration>,
    expectations: Vec<ScriptExpectation>,
}

/// A delta of the text, or of the arguments of a call.
#[derive(Debug)]
struct LineDelta {
    call: Option<usize>,
    text: String,
}

#[derive(Debug)]
enum ScriptAnswer {
    Reply(Reply),
    Fail(AgentError),
    Hang,
}

struct ScriptExpectation {
    what: String,
    is_met: Box<dyn Fn(&Request) -> bool + Send + Sync>,
}

impl fmt::Debug for ScriptExpectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl ScriptLine {
    /// The concatenated deltas of the text, or of a call.
    fn sent(&self, call: Option<usize>) -> String {
        let deltas = self.deltas.iter().filter(|delta| delta.call == call);
        deltas.map(|delta| delta.text.as_str()).collect()
    }

    /// Sends `text` as part of the reply's text, or of the arguments of a call. A line that fails
    /// has no calls, so the call counts as `submit`.
    fn send(&self, call: Option<usize>, text: &str, sink: &mut DeltaSink<'_>) {
        let Some(index) = call else { return sink.send(text) };
        let name = match &self.answer {
            ScriptAnswer::Reply(reply) => reply.calls().get(index).map(|call| call.name.as_str()),
            ScriptAnswer::Fail(_) | ScriptAnswer::Hang => None,
        };
        sink.send_arguments(index, name.unwrap_or("submit"), text);
    }

    /// Sends the rest of the text and of the calls that are streamed.
    fn send_rest(&self, reply: &Reply, sink: &mut DeltaSink<'_>) {
        let told = self.sent(None).len();
        sink.send(reply.text().get(told..).unwrap_or_default());
        for (index, call) in reply.calls().iter().enumerate() {
            if self.deltas.iter().any(|delta| delta.call == Some(index)) {
                let told = self.sent(Some(index)).len();
                self.send(Some(index), bare(&call.arguments).get(told..).unwrap_or_default(), sink);
            }
        }
    }
}

impl ScriptAnswer {
    fn line(self) -> ScriptLine {
        ScriptLine { answer: self, deltas: Vec::new(), delay: None, expectations: Vec::new() }
    }
}

impl ScriptedAgent {
    /// Creates a script of `replies`.
    pub fn new<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {
        let lines = replies.into_iter().map(|reply| ScriptAnswer::Reply(reply.into()).line()).collect();
        Self { lines: Mutex::new(lines), ..Self::default() }
    }

    /// Adds a line that replies `reply`.
    #[must_use]
    pub fn then(self, reply: impl Into<Reply>) -> Self {
        self.with(ScriptAnswer::Reply(reply.into()))
    }

    /// Adds a line that fails with `error`.
    #[must_use]
    pub fn then_fail(self, error: AgentError) -> Self {
        self.with(ScriptAnswer::Fail(error))
    }

    /// Adds a line that never answers.
    #[must_use]
    pub fn then_hang(self) -> Self {
        self.with(ScriptAnswer::Hang)
    }

    /// Accepts tools, so that the [calls](crate::agent::Reply::calls) in its replies are answered.
    #[must_use]
    pub fn calling_tools(mut self) -> Self {
        self.capabilities = self.capabilities.calling_tools();
        self
    }

    /// Claims to [think first](crate::agent::Capabilities::thinks_first) when asked to.
    #[must_use]
    pub fn thinking_first(mut self) -> Self {
        self.capabilities = self.capabilities.thinking_first();
        self
    }

    /// Claims to [continue replies](crate::agent::Capabilities::continues_replies). The line after a
    /// reply that was cut is then the text that follows it.
    #[must_use]
    pub fn continuing_replies(mut self) -> Self {
        self.capabilities = self.capabilities.continuing_replies();
        self
    }

    /// Claims to [report](crate::agent::Capabilities::reports_log_probabilities) how likely the
    /// tokens of its replies are, which the script gives by
    /// [`Reply::with_token_probabilities`](crate::agent::Reply::with_token_probabilities).
    #[must_use]
    pub fn reporting_log_probabilities(mut self) -> Self {
        self.capabilities = self.capabilities.reporting_log_probabilities();
        self
    }

    /// Claims to set the thinking level of a request; the level has no effect.
    #[must_use]
    pub fn setting_thinking(mut self) -> Self {
        self.capabilities = self.capabilities.setting_thinking();
        self
    }

    /// Claims that its replies are constrained; nothing checks that they are.
    ///
    /// ```
    /// use extract::{Contract, agent::Constraint, testing::{ScriptedAgent, block_on}};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer", "description": "legs of a spider"}))?;
    /// let agent = ScriptedAgent::new(["8"]).constrained(Constraint::by_decoder([]));
    /// block_on(contract.extract(&agent, "How many?"))?;
    /// let requests = agent.requests();
    /// let system = requests[0].conversation.turns()[0].text();
    /// assert_eq!(system, "Answer with one JSON value.\n\nThe answer: legs of a spider.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn constrained(mut self, constraint: Constraint) -> Self {
        self.constraint = constraint;
        self
    }

    fn with(self, answer: ScriptAnswer) -> Self {
        locked(&self.lines).push_back(answer.line());
        self
    }

    /// Delays the last line.
    ///
    /// # Panics
    ///
    /// If there is no line yet.
    #[must_use]
    #[track_caller]
    pub fn after(self, delay: Duration) -> Self {
        self.last(|line| line.delay = Some(delay))
    }

    /// Sends `deltas` when the last line is [streamed](Agent::stream), each in a poll of its own,
    /// so that [`partials`](crate::partials) show what is known after each. Then comes the delay of
    /// the line, and then the rest of its reply as the last delta, or its failure. Without this,
    /// the reply is sent as one delta. Deltas that [repeat themselves](DeltaSink::is_repeating) end
    /// the reply, as with a provider.
    ///
    /// ```
    /// use extract::agent::AgentError;
    /// use extract::testing::ScriptedAgent;
    ///
    /// let agent = ScriptedAgent::default()
    ///     .then_fail(AgentError::transport("connection reset"))
    ///     .streaming(["[", "8"])
    ///     .then("[8, 6]")
    ///     .streaming(["[8"]);
    /// # let _ = agent;
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no line yet, or if its reply does not start with `deltas`.
    #[must_use]
    #[track_caller]
    pub fn streaming<P: Into<String>>(self, deltas: impl IntoIterator<Item = P>) -> Self {
        self.last(|line| line.deltas.retain(|delta| delta.call.is_some())).streamed(None, deltas)
    }

    #[track_caller]
    fn streamed<P: Into<String>>(self, call: Option<usize>, deltas: impl IntoIterator<Item = P>) -> Self {
        let deltas: Vec<_> = deltas.into_iter().map(|text| LineDelta { call, text: text.into() }).collect();
        self.last(|line| {
            line.deltas.extend(deltas);
            if let ScriptAnswer::Reply(reply) = &line.answer {
                let (what, whole) = match call {
                    None => ("reply", reply.text().to_owned()),
                    Some(index) => {
                        ("call", bare(&reply.calls().get(index).expect("the reply has this call").arguments))
                    }
                };
                let start = line.sent(call);
                assert!(whole.starts_with(&start), "the {what} `{whole}` does not start with `{start}`");
            }
        })
    }

    /// Sends `deltas` of the arguments of call number `index`, from 0, when the last line is
    /// streamed. Each is sent in a poll of its own, after all deltas added before. The rest of the
    /// arguments comes with the rest of the reply. The arguments of other calls are not streamed.
    ///
    /// ```
    /// use extract::{Contract, agent::{Reply, ToolCall}, partials::PartialStep};
    /// use extract::testing::{ScriptedAgent, block_on};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "array"}))?;
    /// let call = ToolCall::new("submit", serde_json::json!({"value": [1, 2]}));
    /// let agent = ScriptedAgent::new([Reply::new("").with_calls([call])])
    ///     .calling_tools()
    ///     .streaming_arguments(0, [r#"{"value":[1,"#]);
    /// let mut steps = contract.extract(&agent, "…").tools().partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = block_on(steps.next()) else { panic!() };
    /// assert_eq!(partial.to_value(), serde_json::json!([1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no line yet, or if its reply has no such call or its arguments do not start with
    /// `deltas`. Arguments that are not a string are compared as compact JSON.
    #[must_use]
    #[track_caller]
    pub fn streaming_arguments<P: Into<String>>(
        self,
        index: usize,
        deltas: impl IntoIterator<Item = P>,
    ) -> Self {
        self.streamed(Some(index), deltas)
    }

    /// Expects that the conversation of the request for the last line, as one string, contains
    /// `text`.
    ///
    /// # Panics
    ///
    /// If there is no line yet.
    #[must_use]
    #[track_caller]
    pub fn expecting(self, text: impl Into<String>) -> Self {
        let text = text.into();
        let what = format!("a conversation that contains `{text}`");
        self.expecting_that(what, move |request| request.conversation.to_text().contains(&text))
    }

    /// Expects that the request for the last line satisfies `is_met`; `what` describes that
    /// condition in messages.
    ///
    /// ```
    /// use extract::testing::ScriptedAgent;
    ///
    /// let agent = ScriptedAgent::new(["8"])
    ///     .expecting_that("a schema", |request| request.schema.is_some())
    ///     .expecting_that("temperature 0", |request| request.temperature == Some(0.0));
    /// # let _ = agent;
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no line yet.
    #[must_use]
    #[track_caller]
    pub fn expecting_that(
        self,
        what: impl Into<String>,
        is_met: impl Fn(&Request) -> bool + Send + Sync + 'static,
    ) -> Self {
        let expectation = ScriptExpectation { what: what.into(), is_met: Box::new(is_met) };
        self.last(|line| line.expectations.push(expectation))
    }

    #[track_caller]
    fn last(self, change: impl FnOnce(&mut ScriptLine)) -> Self {
        {
            let mut lines = locked(&self.lines);
            change(lines.back_mut().expect("the script has a line to say this about"));
        }
        self
    }

    /// Returns all requests so far, in order, including repeated ones.
    pub fn requests(&self) -> Vec<Request> {
        locked(&self.requests).clone()
    }

    /// Returns how many lines of the script are left.
    pub fn remaining(&self) -> usize {
        locked(&self.lines).len()
    }

    /// Fails the test unless every line was used, by a request as expected, and nothing else was
    /// asked.
    ///
    /// # Panics
    ///
    /// If the script was not followed; the message lists every deviation.
    #[track_caller]
    pub fn assert_finished(&self) {
        let mut complaints = locked(&self.complaints).clone();
        let left = self.remaining();
        if left > 0 {
            complaints.push(format!("{} of the script left", counted(left, "line")));
        }
        assert!(complaints.is_empty(), "the script was not followed:\n- {}", complaints.join("\n- "));
    }

    /// The line for `request`, which is recorded.
    fn next_line(&self, request: &Request) -> Result<ScriptLine, AgentError> {
        let asked = {
            let mut requests = locked(&self.requests);
            requests.push(request.clone());
            requests.len()
        };
        let complain = |complaint: String| {
            locked(&self.complaints).push(complaint.clone());
            AgentError::unavailable(complaint)
        };
        let Some(line) = locked(&self.lines).pop_front() else {
            return Err(complain(format!("the script has no line for request number {asked}")));
        };
        match line.expectations.iter().find(|expectation| !(expectation.is_met)(request)) {
            None => Ok(line),
            Some(ScriptExpectation { what, .. }) => {
                let conversation = cut(&request.conversation.to_text(), SHOWN);
                Err(complain(format!(
                    "the script expects request number {asked} to have {what}, got:\n{conversation}"
                )))
            }
        }
    }
}

/// A panic in a test leaves the script usable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptedAgent {
    fn say<'a>(&'a self, request: &'a Request, mut sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let line = self.next_line(request)?;
            if let Some(sink) = &mut sink {
                let mut text = String::new();
                for delta in &line.deltas {
                    line.send(delta.call, &delta.text, sink);
                    text.push_str(if delta.call.is_none() { &delta.text } else { "" });
                    if sink.is_repeating() {
                        return Ok(Reply::new(text).finished(FinishReason::Repetition));
                    }
                    yield_once().await;
                }
            }
            if let Some(delay) = line.delay {
                Delay::new(delay).await;
            }
            if let (ScriptAnswer::Reply(reply), Some(sink)) = (&line.answer, &mut sink) {
                line.send_rest(reply, sink);
            }
            match line.answer {
                ScriptAnswer::Reply(reply) => Ok(reply),
                ScriptAnswer::Fail(error) => Err(error),
                ScriptAnswer::Hang => future::pending().await,
            }
        })
    }
}

#[diagnostic::do_not_recommend]
impl Agent for ScriptedAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.say(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        self.say(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("scripted")
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn constraint<'a>(&'a self, _: &'a Request) -> ConstraintFuture<'a> {
        self.constraint.clone().known()
    }
}
