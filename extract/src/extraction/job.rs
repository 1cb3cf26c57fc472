//! Parts of an extraction for programs that ask about many documents.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::Extraction;
use crate::{
    agent::{Agent, AgentError, Reply, ReplyFuture, Request},
    attempt::AttemptRecord,
    judging::AcceptedJson,
    settings::TransportOptions,
};

impl<'a, T, C> Extraction<'a, T, C> {
    /// Takes over the transport: replaces each agent, including those of
    /// [`escalate_to`](Self::escalate_to) and [`escalate_below`](Self::escalate_below), with what `wrap` makes of it.
    ///
    /// `wrap` also gets the [time limit](Self::timeout) of a request, which is then the wrapper's
    /// own matter, and so are retries: the extraction neither limits the time of a request nor
    /// repeats it. A program that asks about many documents needs this, because limits of a
    /// provider, outages and a record of all replies concern all of them. Call it after all other
    /// settings.
    ///
    /// ```
    /// use extract::{Extractable as _, agent::AgentExt as _, testing::{ScriptedAgent, block_on}};
    ///
    /// let agent = ScriptedAgent::new(["[8]"]);
    /// let extraction = Vec::<u8>::extract(&agent, "How many legs has a spider?")
    ///     .wrap_agents(|agent, _timeout| Box::new(agent.rate_limited().requests_per_minute(600)));
    /// assert_eq!(block_on(extraction)?.0, [8]);
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn wrap_agents(
        mut self,
        mut wrap: impl FnMut(Box<dyn Agent + 'a>, Option<Duration>) -> Box<dyn Agent + 'a>,
    ) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        let timeout = settings.timeout.take();
        settings.transport = TransportOptions::new().retries(0);
        if let Some(input) = &mut self.input {
            input.agents = input.agents.drain(..).map(|agent| wrap(agent, timeout)).collect();
            input.larger = input.larger.take().map(|larger| larger.wrapped(|agent| wrap(agent, timeout)));
        }
        self
    }

    /// Also keeps the JSON that the accepted value is made from in `json`, for a program that
    /// stores answers of types without `Serialize`.
    ///
    /// ```
    /// use extract::{AcceptedJson, Extractable as _, testing::{ScriptedAgent, block_on}};
    ///
    /// let (agent, json) = (ScriptedAgent::new(["Here: [8]"]), AcceptedJson::default());
    /// block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?").keep_json(&json))?;
    /// assert_eq!(json.take(), Some(serde_json::json!([8])));
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn keep_json(mut self, json: &AcceptedJson) -> Self {
        if let Some(input) = &mut self.input {
            input.accepted_json = Some(json.clone());
        }
        self
    }

    /// Judges the replies of `attempts` again instead of asking an agent, such as those of an
    /// earlier failure under rules that have changed. Settings that limit attempts, time and tokens
    /// have no effect.
    ///
    /// ```
    /// use extract::{Extractable as _, testing::{ScriptedAgent, block_on}};
    ///
    /// let agent = ScriptedAgent::new(["[8, 800]"]);
    /// let extraction = || Vec::<u8>::extract(&agent, "How many legs?").max_attempts(1);
    /// let error = block_on(extraction()).unwrap_err();
    /// let again = extraction().replay(error.history().to_vec());
    /// assert_eq!(block_on(again).unwrap_err().violations(), error.violations());
    /// assert_eq!(agent.requests().len(), 1);
    /// ```
    pub fn replay(mut self, attempts: Vec<AttemptRecord>) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        settings.max_attempts = u32::try_from(attempts.len()).unwrap_or(u32::MAX).max(1);
        settings.deadline = None;
        settings.token_budget = None;
        if let Some(input) = &mut self.input {
            input.agents = vec![Box::new(Replay { attempts, next: AtomicUsize::new(0) })];
        }
        self
    }
}

/// An agent that repeats the replies of recorded attempts.
struct Replay {
    attempts: Vec<AttemptRecord>,
    next: AtomicUsize,
}

impl Agent for Replay {
    fn respond<'r>(&'r self, _: &'r Request) -> ReplyFuture<'r> {
        Box::pin(async {
            let attempt = self.attempts.get(self.next.fetch_add(1, Ordering::Relaxed));
            let attempt = attempt.ok_or_else(|| AgentError::unavailable("no attempt is left"))?;
            Ok(Reply::new(&*attempt.raw_output)
                .finished(attempt.finish_reason.clone())
                .with_usage(attempt.usage))
        })
    }
}
