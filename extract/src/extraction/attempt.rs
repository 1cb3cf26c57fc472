//! One attempt: usually one question and one reply. The request is repeated while the transport
//! fails, and the intent of the reply is to submit, to validate, or only to use a tool.

use std::{
    ops::ControlFlow::{self, Break, Continue},
    time::Duration,
};

use futures_timer::Delay;
use serde_json::{Map, Value};

use super::{question::PendingQuestion, run::ExtractionRun, trace::ExtractionTrace};
use crate::{
    agent::{
        Agent, AgentError, AgentErrorKind, Conversation, Delta, DeltaSink, Reply, Request, ToolCall, Turn,
        layers::retrying::BackoffPolicy, respond_or_stream,
    },
    contract::Contract,
    feedback::ToolExchange,
    judging::{
        AnsweredQuestion, ContinuationNotice, ContinuationSupport, EndReason, Event, JudgedAttempt,
        ReceivedReply, ReplyBase, ReplyContinuation, judge_as,
        tools::{self, ToolKind, ToolSet, ToolSubmission},
    },
    metrics::{ExtractionMetrics, ModelUsage},
    reading::{Reading, ReadingOptions, ReplyEnd},
    settings::ExtractionSettings,
    vocabulary::{
        redaction::SensitiveValues,
        text::{counted, cut},
        time_limit::{Instant, within, yield_once},
        usage::TokenUsage,
    },
};

/// A reply that does not count as an attempt.
struct UncountedReply {
    /// A description of the reply, for the caller.
    note: String,
    /// Its tokens, by model.
    used: Vec<ModelUsage>,
}

impl ExtractionRun<'_> {
    /// Makes one attempt, usually one reply. An agent that calls tools may first send replies that
    /// submit nothing.
    pub(super) async fn attempt(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        pending: &mut PendingQuestion,
        metrics: &mut ExtractionMetrics,
    ) -> Result<JudgedAttempt, EndReason> {
        let started = Instant::now();
        let mut notes = self.notes(agent, pending);
        loop {
            let (reply, usage, trace) = self.reply(agent, number, pending, metrics).await?;
            notes.append(&mut pending.refused);
            match Box::pin(self.judge_or_continue(agent, number, pending, reply, usage)).await {
                Continue(uncounted) => {
                    notes.push(uncounted.note);
                    metrics.spend(uncounted.used);
                }
                Break(mut judged) => {
                    judged.record.notes.splice(0..0, notes);
                    judged.record.elapsed = started.elapsed();
                    trace.judged(&judged.record);
                    return Ok(judged);
                }
            }
        }
    }

    /// Judges the value that `reply` submits. If it submits none, or validates a correct one, the
    /// reply is answered instead and does not count as an attempt; the note says so.
    async fn judge_or_continue(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        pending: &mut PendingQuestion,
        reply: Reply,
        usage: TokenUsage,
    ) -> ControlFlow<JudgedAttempt, UncountedReply> {
        let tool_set = pending.offer.tool_set.clone();
        let intent = ReplyIntent::of(&reply, tool_set.as_deref());
        let passing = tool_set.as_deref().filter(|_| pending.dialogue.has_uncounted_left());
        if let (ReplyIntent::Nothing, Some(tool_set)) = (&intent, passing) {
            let used = reply.usage_by_model(&agent.name(), usage);
            let note = self.continue_dialogue(pending, &reply, |conversation| {
                let answers = reply.calls().iter().filter_map(|call| tool_set.answer(call, self.contract));
                let answers = answers.map(|answer| answer.with_structured(Value::Null));
                conversation.with_turn(Turn::of_calls(&reply)).with_turn(Turn::of_results(answers))
            });
            return Continue(UncountedReply { note, used });
        }
        let called = matches!(intent, ReplyIntent::Value { .. }).then(|| reply.clone());
        pending.dialogue.author = reply.route().cloned().map(Box::new);
        let options = ReadingOptions { reply_end: reply.end(), ..self.settings.reading };
        let (reply, submission) =
            intent.readable_reply(reply, tool_set.as_deref(), (self.contract, &options));
        let ToolSubmission { changes, violations, judged: calls, .. } = submission;
        let may_continue = self.may_continue(agent, pending);
        let kind = if passing.is_some() { intent.kind() } else { ToolKind::Submit };
        let question = AnsweredQuestion {
            number,
            base: pending.base.as_ref(),
            conversation: Some(&pending.request.conversation),
            may_repeat: self.settings.end_repetition,
            may_continue,
            accepted_parts: self.accepted_parts,
        };
        let agent = agent.name().into_owned();
        let received = ReceivedReply { question, agent, reply, usage, changes, violations };
        let judged = self.judge_as(kind, received).await;
        if let (ToolKind::Validate, true, Some(tool_set)) = (kind, judged.is_accepted(), passing)
            && let (ReplyIntent::Value { calls, .. }, Some(reply)) = (&intent, &called)
        {
            let valid = tools::valid(&judged.record, &tool_set.name_of(ToolKind::Submit));
            let note = self.continue_dialogue(pending, reply, |conversation| {
                ToolExchange::passed(reply, calls.clone()).append_to(conversation, &valid)
            });
            return Continue(UncountedReply { note, used: judged.used });
        }
        pending.dialogue.exchange = called.and_then(|reply| intent.exchange(&reply, calls));
        Break(judged)
    }

    /// How a reply to `pending` may be continued. The agent does not continue the text of thoughts,
    /// which are not part of what is constrained, and none with sensitive values, because a layer
    /// may give the question to an agent that may not see them.
    fn may_continue(&self, agent: &dyn Agent, pending: &PendingQuestion) -> ContinuationSupport {
        let continues_text = agent.capabilities().continues_replies
            && pending.offer.tool_set.is_none()
            && !pending.request.thinks_first
            && self.contract.sensitive().is_none();
        match self.settings.max_continuations {
            0 => ContinuationSupport::Never,
            _ if continues_text => ContinuationSupport::TheText,
            _ => ContinuationSupport::TheValue,
        }
    }

    async fn judge_as(&mut self, kind: ToolKind, received: ReceivedReply<'_>) -> JudgedAttempt {
        let attempt = received.question.number;
        let observe = &mut *self.observe;
        let read = |reading: &Reading| observe(&Event::Read { attempt, reading });
        judge_as(kind, received, self.contract, &self.settings.reading, self.value_judge, read).await
    }

    /// Continues the conversation as `answered` says; `reply` does not count as an attempt.
    fn continue_dialogue(
        &self,
        pending: &mut PendingQuestion,
        reply: &Reply,
        answered: impl FnOnce(Conversation) -> Conversation,
    ) -> String {
        pending.dialogue.pass();
        if self.contract.sensitive().is_some() {
            pending.request.keep_redacted(reply.route().cloned().map(Box::new));
        }
        let conversation = std::mem::take(&mut pending.request.conversation);
        pending.request.conversation = answered(conversation);
        let names: Vec<_> = reply.calls().iter().map(|call| format!("`{}`", cut(&call.name, 64))).collect();
        format!("called {} before it submitted a value", names.join(", "))
    }

    /// Notes for the caller on settings that are ignored or do not fit the agent.
    fn notes(&self, agent: &dyn Agent, pending: &PendingQuestion) -> Vec<String> {
        let ExtractionSettings { uses_tools, prompt, .. } = self.settings;
        let mut notes = Vec::new();
        if *uses_tools && matches!(pending.base, Some(ReplyBase::Cut(ReplyContinuation::Rest(_)))) {
            notes.push("the rest of a value that was cut was asked for as text, without tools".to_owned());
        } else if *uses_tools && pending.offer.tool_set.is_none() {
            notes.push(format!("`{}` calls no tools, so it was asked for text", agent.name()));
        }
        if pending.offer.tool_set.is_none() && !pending.offer.is_constrained && !pending.offer.is_described {
            notes.push(format!(
                "the prompt does not describe the schema, and `{}` is not constrained to it",
                agent.name()
            ));
        }
        if let Some(level) = self.settings.thinking
            && !agent.capabilities().sets_thinking
        {
            notes.push(format!("`{}` sets no thinking level, so `{level}` may have no effect", agent.name()));
        }
        if prompt.show_example && self.contract.example().is_none() {
            notes.push("there is no small example that satisfies the contract, so none was shown".to_owned());
        }
        notes
    }

    /// The reply, its token usage, and the trace of the question.
    async fn reply(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        pending: &mut PendingQuestion,
        metrics: &mut ExtractionMetrics,
    ) -> Result<(Reply, TokenUsage, ExtractionTrace), EndReason> {
        let trace = ExtractionTrace::attempt(&agent.name(), number, &pending.request, self.settings);
        let mut reply = trace.watch(self.ask(agent, number, pending, metrics)).await;
        let limit = pending.request.max_output_tokens;
        // A short context has no room for a higher limit, which the server says of the whole prompt.
        if let (Err(error), Some(limit)) = (&reply, limit)
            && matches!(error.kind(), AgentErrorKind::Refused | AgentErrorKind::TooLong)
            && pending.previous_token_limit != Some(limit)
        {
            // No agent reports its maximum, so the same question is sent again with the previous
            // limit.
            pending.refused.push(format!("{limit} output tokens were refused: {}", error.message()));
            pending.has_most_room = true;
            pending.request.max_output_tokens = pending.previous_token_limit;
            reply = trace.watch(self.ask(agent, number, pending, metrics)).await;
        }
        trace.replied(reply.as_ref(), self.settings);
        let reply = reply.map_err(EndReason::Agent)?;
        (self.observe)(&Event::Replied { attempt: number, reply: &reply });
        let usage = reply.cost(|| pending.request.chars());
        trace.used(usage);
        Ok((reply, usage, trace))
    }

    async fn ask(
        &mut self,
        agent: &dyn Agent,
        attempt: u32,
        pending: &PendingQuestion,
        metrics: &mut ExtractionMetrics,
    ) -> Result<Reply, AgentError> {
        let PendingQuestion { request, sensitive_values, max_attempts, base, .. } = pending;
        let (max_attempts, continuation) = (*max_attempts, pending.continuation());
        let continuation = continuation.as_ref();
        let wants_patch = matches!(base, Some(ReplyBase::Patch(_)));
        // A failure may come after the tokens of a reply.
        let spend = |metrics: &mut ExtractionMetrics, error: &AgentError| {
            let used =
                error.usage().map(|usage| ModelUsage::of_reply(agent.name().into_owned(), None, usage));
            metrics.spend(used.into_iter().collect());
        };
        let observe = &mut *self.observe;
        let notice = match base {
            Some(ReplyBase::Cut(continuation)) => Some(ContinuationNotice(continuation)),
            _ => None,
        };
        observe(&Event::Asked { attempt, max_attempts, continuation, request, wants_patch, notice });
        if attempt > 1 {
            yield_once().await;
        }
        let reply = ask(agent, request, self.settings, sensitive_values, |step| match step {
            TransportEvent::Delta(Delta { text, call: None, is_first }) => {
                observe(&Event::Delta { attempt, text, is_first });
            }
            TransportEvent::Delta(Delta { text, call: Some(call), is_first }) => {
                let (call, name) = (call.index, call.name);
                observe(&Event::Arguments { attempt, call, name, text, is_first });
            }
            TransportEvent::Failed(error, wait) => {
                metrics.record_failure(error.to_transport_failure(attempt));
                spend(metrics, error);
                observe(&Event::TransportFailed { attempt, error, wait });
            }
        })
        .await;
        if let Err(error) = &reply {
            spend(metrics, error);
        }
        reply
    }
}

/// An event before the reply.
pub(super) enum TransportEvent<'s> {
    /// A delta of the reply arrived.
    Delta(Delta<'s>),
    /// The request failed; it is repeated after this wait.
    Failed(&'s AgentError, Duration),
}

/// Asks until there is a reply, with at most `retries` retries. `observe` sees every failure that
/// is retried, and the deltas of a streamed reply. A provider's error may quote the request, so
/// `sensitive_values` are redacted in failures.
pub(super) async fn ask(
    agent: &dyn Agent,
    request: &Request,
    settings: &ExtractionSettings,
    sensitive_values: &SensitiveValues,
    mut observe: impl FnMut(TransportEvent<'_>) + Send,
) -> Result<Reply, AgentError> {
    let (first, longest) = settings.transport.backoff;
    let retries = settings.transport.retries;
    let backoff = BackoffPolicy { retries, first, longest, setting: "TransportOptions::backoff" };
    let mut waits = backoff.waits();
    loop {
        let error = match ask_once(agent, request, settings, &mut observe).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error.without(sensitive_values),
        };
        let (wait, error) = waits.after(error)?;
        observe(TransportEvent::Failed(&error, wait));
        Delay::new(wait).await;
        yield_once().await;
    }
}

async fn ask_once(
    agent: &dyn Agent,
    request: &Request,
    settings: &ExtractionSettings,
    observe: &mut (impl FnMut(TransportEvent<'_>) + Send),
) -> Result<Reply, AgentError> {
    let limit = settings.timeout;
    let mut send = |delta: Delta<'_>| observe(TransportEvent::Delta(delta));
    let sink = settings
        .stream
        .then(|| DeltaSink::new(&mut send).watching(request).pausing(settings.has_news.clone()));
    let reply = within(limit, respond_or_stream(agent, request, sink)).await;
    reply.unwrap_or_else(|| {
        Err(AgentError::timeout(format!("no reply within {:?}", limit.unwrap_or_default())))
    })
}

/// Maximum bytes of arguments that are repeated as tool calls. Longer ones are repeated as text,
/// and cut.
const MAX_GIVEN_BACK: usize = 24_000;

/// The intent of a reply.
pub(super) enum ReplyIntent {
    /// To judge its text.
    Text,
    /// To judge the arguments of these calls, one or more.
    Value { kind: ToolKind, calls: Vec<usize> },
    /// To run tools without a value to judge.
    Nothing,
}

impl ReplyIntent {
    /// `submit` takes precedence over `validate`: an agent that calls both is done if the value is
    /// right. All calls of `submit` count, and the first one of `validate`.
    pub(super) fn of(reply: &Reply, tool_set: Option<&ToolSet>) -> Self {
        let Some(tool_set) = tool_set.filter(|_| !reply.calls().is_empty()) else { return Self::Text };
        let calls_of = |kind, most| {
            let calls = reply.calls().iter().enumerate();
            let calls = calls.filter(|(_, call)| tool_set.kind_of(&call.name) == Some(kind)).take(most);
            let calls: Vec<usize> = calls.map(|(index, _)| index).collect();
            (!calls.is_empty()).then_some(Self::Value { kind, calls })
        };
        let submitted = calls_of(ToolKind::Submit, usize::MAX);
        submitted.or_else(|| calls_of(ToolKind::Validate, 1)).unwrap_or(Self::Nothing)
    }

    /// How the value is submitted. Text counts as `submit`.
    pub(super) fn kind(&self) -> ToolKind {
        match self {
            Self::Value { kind, .. } => *kind,
            Self::Text | Self::Nothing => ToolKind::Submit,
        }
    }

    /// Returns the reply to read: the arguments of the judged calls replace the text. Also returns
    /// how they were made one value; `options` say how the reply ended.
    fn readable_reply(
        &self,
        reply: Reply,
        tool_set: Option<&ToolSet>,
        (contract, options): (&Contract, &ReadingOptions),
    ) -> (Reply, ToolSubmission) {
        let left_out = match (self, tool_set) {
            (Self::Value { calls, .. }, Some(tool_set)) => {
                let calls: Vec<_> = calls.iter().map(|index| &reply.calls()[*index]).collect();
                let submission = tool_set.submission(&calls, contract, options);
                let mut submission = submission.beside(reply.text(), contract, options);
                let others = reply.calls().len() - submission.judged;
                // The text is the value of the calls, and says so even if it is empty.
                let reply = reply.with_text(std::mem::take(&mut submission.text)).with_calls([]);
                return (noted(reply, others, "ignored: another one was judged"), submission);
            }
            (Self::Text, _) => reply.calls().len(),
            (Self::Nothing | Self::Value { .. }, _) => 0,
        };
        (noted(reply, left_out, "ignored: no tool was offered"), ToolSubmission::default())
    }

    /// The calls, so that the next question can report their results; so many of those with a value
    /// were `judged`. `None` if they cannot be shown to the agent again.
    pub(super) fn exchange(&self, reply: &Reply, judged: usize) -> Option<ToolExchange> {
        let Self::Value { kind, calls } = self else { return None };
        let is_whole = reply.end() != ReplyEnd::Cut;
        let is_short = reply.calls().iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
            <= MAX_GIVEN_BACK;
        let given_back = reply.calls().iter().map(with_object).collect::<Option<Vec<_>>>();
        let reply = &reply.clone().with_calls(given_back.filter(|_| is_whole && is_short)?);
        let judged = calls.iter().copied().take(judged).collect();
        Some(match kind {
            ToolKind::Submit => ToolExchange::failed(reply, judged),
            _ => ToolExchange::passed(reply, judged),
        })
    }
}

/// `call` with its arguments as an object: providers refuse anything else, and servers send no
/// arguments as an empty string. `None` if they are no object.
fn with_object(call: &ToolCall) -> Option<ToolCall> {
    let arguments = match &call.arguments {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok()?,
        arguments => arguments.clone(),
    };
    arguments.is_object().then(|| ToolCall { arguments, ..call.clone() })
}

fn noted(reply: Reply, calls: usize, what: &str) -> Reply {
    if calls == 0 {
        return reply;
    }
    reply.with_note(format!(
        "{} of the reply {} {what}",
        counted(calls, "call"),
        if calls == 1 { "was" } else { "were" }
    ))
}
