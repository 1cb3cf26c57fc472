//! One attempt: as a rule one question and one reply.

use std::{
    ops::ControlFlow::{self, Break, Continue},
    time::Instant,
};

use serde_json::Value;

use super::{
    questions::Asked,
    run::Run,
    trace::Trace,
    transport::{self, Step},
    wanted::Wanted,
};
use crate::{
    agent::{Agent, AgentError, AgentErrorKind, Conversation, Delta, Reply, Turn},
    feedback::Exchange,
    judging::{
        Answer, End, Event, Judged, judge_as,
        tools::{self, Kind},
    },
    metrics::ExtractionMetrics,
    reading::Reading,
    settings::Settings,
    text::cut,
    usage::TokenUsage,
};

impl Run<'_> {
    /// One attempt: as a rule one reply. An agent that calls tools may ask for something before it hands in a value.
    pub(super) async fn attempt(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        asked: &mut Asked,
        metrics: &mut ExtractionMetrics,
    ) -> Result<Judged, End> {
        let started = Instant::now();
        let mut notes = self.notes(agent, asked);
        loop {
            let (reply, usage, trace) = self.reply(agent, number, asked, metrics).await?;
            match self.judge_or_pass(agent, number, asked, reply, usage).await {
                Continue(note) => {
                    notes.push(note);
                    metrics.spend(usage);
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

    /// Judges what `reply` hands in, or answers it and lets it pass: then it is no attempt, and the note says so.
    async fn judge_or_pass(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        asked: &mut Asked,
        reply: Reply,
        usage: TokenUsage,
    ) -> ControlFlow<Judged, String> {
        let offer = asked.offer.clone();
        let wanted = Wanted::of(&reply, offer.as_deref());
        let passing = offer.as_deref().filter(|_| asked.asides_left > 0);
        if let (Wanted::Nothing, Some(offer)) = (&wanted, passing) {
            return Continue(self.pass(asked, &reply, |conversation| {
                let answers = reply.calls().iter().filter_map(|call| offer.answer(call, self.contract));
                let answers = answers.map(|answer| answer.with_structured(Value::Null));
                conversation.with_turn(Turn::of_calls(&reply)).with_turn(Turn::of_results(answers))
            }));
        }
        let called = matches!(wanted, Wanted::Value { .. }).then(|| reply.clone());
        asked.author = reply.route().cloned().map(Box::new);
        let reply = wanted.to_read(reply, offer.as_deref());
        let (agent, base) = (agent.name().into_owned(), asked.base.as_ref());
        let kind = if passing.is_some() { wanted.kind() } else { Kind::Submit };
        let judged = self.judge_as(kind, Answer { number, agent, reply, usage, base }).await;
        if let (Kind::Validate, true, Some(offer)) = (kind, judged.is_accepted(), passing)
            && let (Wanted::Value { index, .. }, Some(reply)) = (&wanted, &called)
        {
            let valid = tools::words::valid(&judged.record, &offer.name_of(Kind::Submit));
            return Continue(self.pass(asked, reply, |conversation| {
                Exchange::of(reply, *index, false).told_in(conversation, &valid)
            }));
        }
        asked.exchange = called.and_then(|reply| wanted.exchange(&reply));
        Break(judged)
    }

    async fn judge_as(&mut self, kind: Kind, answer: Answer<'_>) -> Judged {
        let attempt = answer.number;
        let observe = &mut *self.observe;
        let read = |reading: &Reading| observe(&Event::Read { attempt, reading });
        judge_as(kind, answer, self.contract, &self.settings.reading, self.submit, read).await
    }

    /// Lets `reply` pass, which is no attempt: the conversation goes on as `answered` says.
    fn pass(
        &self,
        asked: &mut Asked,
        reply: &Reply,
        answered: impl FnOnce(Conversation) -> Conversation,
    ) -> String {
        asked.asides_left -= 1;
        if self.contract.sensitive().is_some() {
            asked.request.keep_for_others(reply.route().cloned().map(Box::new));
        }
        let conversation = std::mem::take(&mut asked.request.conversation);
        asked.request.conversation = answered(conversation);
        let names: Vec<_> = reply.calls().iter().map(|call| format!("`{}`", cut(&call.name, 64))).collect();
        format!("called {} before it handed in a value", names.join(", "))
    }

    /// What the caller should know where tools or an example were wished for.
    fn notes(&self, agent: &dyn Agent, asked: &Asked) -> Vec<String> {
        let Settings { uses_tools, prompt, .. } = self.settings;
        let mut notes = Vec::new();
        if *uses_tools && asked.offer.is_none() {
            notes.push(format!("`{}` calls no tools, so it was asked for text", agent.name()));
        }
        if prompt.show_example && self.contract.example().is_none() {
            notes.push("there is no small example that satisfies the contract, so none was shown".to_owned());
        }
        notes
    }

    /// A reply, what it cost, and the trace of the question.
    async fn reply(
        &mut self,
        agent: &dyn Agent,
        number: u32,
        asked: &mut Asked,
        metrics: &mut ExtractionMetrics,
    ) -> Result<(Reply, TokenUsage, Trace), End> {
        let trace = Trace::attempt(&agent.name(), number, &asked.request, self.settings);
        let mut reply = trace.watch(self.ask(agent, number, asked, metrics)).await;
        let is_refused = reply.as_ref().is_err_and(|error| error.kind() == AgentErrorKind::Refused);
        if is_refused && asked.request.max_output_tokens != asked.room_before {
            // No agent says how much it can write at most; a shorter answer is asked for in the same conversation.
            asked.request.max_output_tokens = asked.room_before;
            reply = trace.watch(self.ask(agent, number, asked, metrics)).await;
        }
        trace.replied(reply.as_ref(), self.settings);
        let reply = reply.map_err(End::Agent)?;
        (self.observe)(&Event::Replied { attempt: number, reply: &reply });
        let usage = reply.cost(|| asked.request.chars());
        trace.used(usage);
        Ok((reply, usage, trace))
    }

    async fn ask(
        &mut self,
        agent: &dyn Agent,
        attempt: u32,
        asked: &Asked,
        metrics: &mut ExtractionMetrics,
    ) -> Result<Reply, AgentError> {
        let Asked { request, known, .. } = asked;
        let max_attempts = self.settings.max_attempts;
        let observe = &mut *self.observe;
        observe(&Event::Asked { attempt, max_attempts, request });
        transport::ask(agent, request, self.settings, known, |step| match step {
            Step::Delta(Delta { text, is_first }) => observe(&Event::Delta { attempt, text, is_first }),
            Step::Failed(error, wait) => {
                metrics.transport_retries += 1;
                observe(&Event::TransportFailed { attempt, error, wait });
            }
        })
        .await
    }
}
