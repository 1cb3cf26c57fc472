//! The loop: ask, read, judge, feed back, until the value is right or the budget is used up.
//!
//! It knows nothing of the type that is wanted. One attempt is one reply; whatever makes it unacceptable costs one
//! of `max_attempts`, and the next attempt follows at once.

use super::{questions::Questions, trace::Trace};
use crate::{
    agent::{Agent, Prompt, Reply},
    attempt::AttemptRecord,
    contract::Contract,
    error::ExtractionError,
    judging::{Answer, End, Event, Judged, Settled, Story, Submit, judge},
    metrics::ExtractionMetrics,
    reading::Reading,
    settings::Settings,
    time_limit::within,
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
        let answer = Answer::whole(1, String::new(), reply, usage);
        let observe = &mut *self.observe;
        let read = |reading: &Reading| observe(&Event::Read { attempt: 1, reading });
        let mut judged = judge(answer, self.contract, &self.settings.reading, self.submit, read);
        judged.decide(self.submit);
        let result = self.settle(judged, &mut story).map(drop);
        self.end(story, result)
    }

    fn end(
        &mut self,
        mut story: Story,
        result: Result<(), End>,
    ) -> Result<ExtractionMetrics, ExtractionError> {
        story.close(result.is_ok(), self.observe);
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
            let Some((last, is_truncated)) = self.settle(judged, story)? else {
                return Ok(());
            };
            let stronger = if last.is_stalled { agents.next() } else { None };
            agent = stronger.unwrap_or(agent);
            asked = questions.next(asked, last, is_truncated, stronger.map(|agent| &**agent));
            let agent = agent.name();
            (self.observe)(&Event::FeedingBack { record: last, agent: &agent, request: &asked.request });
        }
    }

    /// Writes a judged attempt into the story. `None` when its value was accepted; the record, and whether its reply was cut, when
    /// another attempt may follow.
    fn settle<'s>(
        &mut self,
        judged: Judged,
        story: &'s mut Story,
    ) -> Result<Option<(&'s AttemptRecord, bool)>, End> {
        match story.settle(judged, self.contract, self.settings, self.observe) {
            Settled::Accepted(_) => Ok(None),
            Settled::Open { is_truncated } => Ok(story.history.last().map(|last| (last, is_truncated))),
            Settled::Ended(end) => Err(end),
        }
    }
}
