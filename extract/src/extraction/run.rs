//! The loop: ask, read, judge, feed back, until the value is right or the budget is used up.
//!
//! It knows nothing of the type that is wanted. One attempt is one reply; whatever makes it unacceptable costs one
//! of `max_attempts`, and the next attempt follows at once.

use std::time::Instant;

use super::{
    calls::{self, Wanted},
    questions::{Asked, Questions},
    trace::Trace,
    transport::{self, Step},
};
use crate::{
    agent::{Agent, AgentError, AgentErrorKind, Piece, Prompt, Reply},
    attempt::AttemptRecord,
    contract::Contract,
    error::ExtractionError,
    judging::{
        Answer, End, Event, Judged, Story, Submit, Verdict, judge,
        tools::{Kind, Offer},
    },
    metrics::ExtractionMetrics,
    settings::Settings,
    text::cut,
    time_limit::within,
    usage::TokenUsage,
};

/// Everything that the loop works with.
pub(super) struct Run<'r> {
    pub(super) contract: &'r Contract,
    pub(super) settings: &'r Settings,
    /// Judges values that satisfy the schema; keeps the one that is accepted.
    pub(super) submit: &'r mut dyn Submit,
    pub(super) observe: &'r mut (dyn FnMut(&Event<'_>) + Send),
}

impl Run<'_> {
    /// Asks until there is a value that `submit` keeps. An attempt that wins nothing moves on to the next of `agents`,
    /// of which there is at least one.
    pub(super) async fn run(
        self,
        agents: &[Box<dyn Agent + '_>],
        prompt: &Prompt,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        let trace = Trace::extraction(self.contract);
        let result = trace.watch(self.run_untraced(agents, prompt)).await;
        trace.done(result.as_ref());
        result
    }

    async fn run_untraced(
        mut self,
        agents: &[Box<dyn Agent + '_>],
        prompt: &Prompt,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        self.settings.check()?;
        let mut story = Story::new();
        let attempts = within(self.settings.deadline, self.attempts(agents, prompt, &mut story));
        let result = attempts.await.unwrap_or(Err(End::Deadline));
        self.end(story, result)
    }

    /// Judges a reply that is there already, as the only attempt.
    pub(super) fn judge_only(mut self, reply: Reply) -> Result<ExtractionMetrics, ExtractionError> {
        let mut story = Story::new();
        let usage = reply.cost(|| 0);
        let mut judged = self.judge(Answer { number: 1, agent: String::new(), reply, usage, base: None });
        judged.decide(self.submit);
        let result = self.settle(judged, &mut story).map(drop);
        self.end(story, result)
    }

    fn end(
        &mut self,
        mut story: Story,
        result: Result<(), End>,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        story.metrics.elapsed = story.started.elapsed();
        (self.observe)(&Event::Done { is_success: result.is_ok(), metrics: &story.metrics });
        match result {
            Ok(()) => Ok(story.metrics),
            Err(end) => Err(end.into_error(story, self.settings)),
        }
    }

    async fn attempts(
        &mut self,
        agents: &[Box<dyn Agent + '_>],
        prompt: &Prompt,
        story: &mut Story,
    ) -> Result<(), End> {
        let mut agents = agents.iter();
        let mut agent = agents.next().expect("there is at least one agent");
        let mut questions = Questions::new(self.contract, self.settings, prompt, &**agent);
        let mut asked = questions.first();
        loop {
            let number = story.metrics.attempts + 1;
            let judged = self.attempt(&**agent, number, &mut asked, &mut story.metrics).await?;
            let is_truncated = matches!(judged.verdict, Verdict::Truncated);
            let Some(last) = self.settle(judged, story)? else {
                return Ok(());
            };
            let stronger = if last.is_stalled { agents.next() } else { None };
            agent = stronger.unwrap_or(agent);
            asked = questions.next(asked, last, is_truncated, stronger.map(|agent| &**agent));
            let agent = agent.name();
            (self.observe)(&Event::FeedingBack { record: last, agent: &agent, request: &asked.request });
        }
    }

    /// Writes a judged attempt into the story. `None` when its value was accepted, the record when another attempt
    /// may follow.
    fn settle<'s>(&mut self, judged: Judged, story: &'s mut Story) -> Result<Option<&'s AttemptRecord>, End> {
        let Judged { mut record, verdict } = judged;
        self.settings.apply_fatal_codes(&mut record.violations);
        story.compare(&mut record, self.contract);
        let is_accepted = matches!(verdict, Verdict::Accepted);
        (self.observe)(&Event::Judged { record: &record, is_accepted });
        story.count(&record);
        if is_accepted {
            story.metrics.warnings = record.violations;
            story.metrics.changes = record.changes;
            return Ok(None);
        }
        let end = story.end_after(&record, verdict, self.settings);
        story.history.push(record);
        match end {
            Some(end) => Err(end),
            None => Ok(story.history.last()),
        }
    }

    /// One attempt: as a rule one reply. An agent that calls tools may ask for something before it hands in a value.
    async fn attempt(
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
            let offer = asked.offer.clone();
            let wanted = Wanted::of(&reply, offer.as_deref());
            let waits = offer.as_deref().filter(|_| asked.asides_left > 0);
            if let (Wanted::Nothing, Some(offer)) = (&wanted, waits) {
                notes.push(self.aside(asked, &reply, offer, None));
                metrics.spend(usage);
                continue;
            }
            let called = matches!(wanted, Wanted::Value { .. }).then(|| reply.clone());
            asked.author = reply.route().cloned().map(Box::new);
            let to_read = wanted.to_read(reply, offer.as_deref());
            let (agent, base) = (agent.name().into_owned(), asked.base.as_ref());
            let mut judged = self.judge(Answer { number, agent, reply: to_read, usage, base });
            judged.ask(self.submit).await;
            if let (Wanted::Value { kind: Kind::Validate, index }, Some(reply)) = (&wanted, &called)
                && let (Verdict::Accepted, Some(offer)) = (&judged.verdict, waits)
            {
                let valid = calls::valid(&judged.record, offer);
                notes.push(self.aside(asked, reply, offer, Some((*index, &valid))));
                metrics.spend(usage);
                continue;
            }
            judged.decide(self.submit);
            asked.exchange = called.and_then(|reply| wanted.exchange(&reply));
            judged.record.notes.splice(0..0, notes);
            judged.record.elapsed = started.elapsed();
            trace.judged(&judged.record);
            return Ok(judged);
        }
    }

    /// Lets a reply go by that is no attempt, and says so in words.
    fn aside(&self, asked: &mut Asked, reply: &Reply, offer: &Offer, valid: Option<(usize, &str)>) -> String {
        asked.asides_left -= 1;
        if self.contract.sensitive().is_some() {
            asked.request.keep_for_others(reply.route().cloned().map(Box::new));
        }
        let conversation = std::mem::take(&mut asked.request.conversation);
        asked.request.conversation = calls::aside(conversation, reply, offer, self.contract, valid);
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
            Step::Writing(Piece { text, is_first }) => observe(&Event::Writing { attempt, text, is_first }),
            Step::Failed(error, wait) => {
                metrics.transport_retries += 1;
                observe(&Event::TransportFailed { attempt, error, wait });
            }
        })
        .await
    }

    fn judge(&mut self, answer: Answer<'_>) -> Judged {
        let attempt = answer.number;
        let observe = &mut *self.observe;
        judge(answer, self.contract, &self.settings.reading, self.submit, |reading| {
            observe(&Event::Read { attempt, reading });
        })
    }
}
