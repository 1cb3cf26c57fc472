//! One attempt: usually one question and one reply.

use std::ops::ControlFlow::{self, Break, Continue};

use serde_json::Value;

use super::{
    intent::ReplyIntent,
    question::PendingQuestion,
    run::ExtractionRun,
    trace::ExtractionTrace,
    transport::{self, TransportEvent},
};
use crate::{
    agent::{Agent, AgentError, AgentErrorKind, Conversation, Delta, Reply, Turn},
    feedback::ToolExchange,
    judging::{
        AnsweredQuestion, ContinuationNotice, ContinuationSupport, EndReason, Event, JudgedAttempt,
        ReceivedReply, ReplyBase, ReplyContinuation, judge_as,
        tools::{self, ToolKind, ToolSubmission},
    },
    metrics::{ExtractionMetrics, ModelUsage},
    reading::{Reading, ReadingOptions},
    settings::ExtractionSettings,
    vocabulary::{text::cut, time_limit::Instant, usage::TokenUsage},
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
            let valid = tools::messages::valid(&judged.record, &tool_set.name_of(ToolKind::Submit));
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
        let is_refused = reply.as_ref().is_err_and(|error| error.kind() == AgentErrorKind::Refused);
        if is_refused && pending.request.max_output_tokens != pending.previous_token_limit {
            // No agent reports its maximum, so the same question is sent again with the previous
            // limit.
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
        let observe = &mut *self.observe;
        let notice = match base {
            Some(ReplyBase::Cut(continuation)) => Some(ContinuationNotice(continuation)),
            _ => None,
        };
        observe(&Event::Asked { attempt, max_attempts, continuation, request, wants_patch, notice });
        transport::ask(agent, request, self.settings, sensitive_values, |step| match step {
            TransportEvent::Delta(Delta { text, call: None, is_first }) => {
                observe(&Event::Delta { attempt, text, is_first });
            }
            TransportEvent::Delta(Delta { text, call: Some(call), is_first }) => {
                let (call, name) = (call.index, call.name);
                observe(&Event::Arguments { attempt, call, name, text, is_first });
            }
            TransportEvent::Failed(error, wait) => {
                metrics.record_failure(error.to_transport_failure(attempt));
                observe(&Event::TransportFailed { attempt, error, wait });
            }
        })
        .await
    }
}
