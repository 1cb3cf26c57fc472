//! What the agent is asked: first, and after each failed attempt.

use std::sync::Arc;

use crate::{
    agent::{Agent, Capabilities, Conversation, Marked, Prompt, Request, Retold, Tool, route::Route},
    attempt::AttemptRecord,
    contract::Contract,
    feedback::{Exchange, FailedAttempt, Failure},
    judging::{
        Base, patch_schema,
        tools::{Kind, Offer},
    },
    redaction::Values,
    settings::Settings,
};

/// Replies of one extraction that may hand in nothing (an example is asked for, a value is only validated, and it is right). The
/// next one is an attempt like any other, so that no agent asks for ever.
const ASIDES: u32 = 4;

/// A question on its way.
pub(super) struct Asked {
    pub(super) request: Request,
    /// What the reply may be a patch of.
    pub(super) base: Option<Base>,
    /// The bound of the reply before; the agent may refuse to write more.
    pub(super) room_before: Option<u32>,
    /// The tools of the request.
    pub(super) offer: Option<Arc<Offer>>,
    /// What was said with tools, where the reply called one.
    pub(super) exchange: Option<Exchange>,
    /// Which agent replied, where there are several behind one.
    pub(super) author: Option<Box<Route>>,
    /// The sensitive values that the request shows again.
    pub(super) known: Values,
    /// Replies that may still hand in nothing without being an attempt.
    pub(super) asides_left: u32,
}

/// The temperature after an attempt that made no progress, where it was lower; measured, see `docs/decisions.md`.
const TEMPERATURE_ON_STALL: f64 = 0.7;

/// Everything that questions are made of.
pub(super) struct Questions<'q> {
    contract: &'q Contract,
    settings: &'q Settings,
    prompt: &'q Prompt,
    /// Where the answer may be handed in by calling tools.
    tools: Option<Tools>,
    /// What the agent that is asked now can do.
    capabilities: Capabilities,
    /// The conversation of the first attempt.
    opening: Conversation,
    stalls: u32,
}

struct Tools {
    offer: Arc<Offer>,
    submit: String,
    described: Arc<[Tool]>,
}

impl<'q> Questions<'q> {
    pub(super) fn new(
        contract: &'q Contract,
        settings: &'q Settings,
        prompt: &'q Prompt,
        agent: &dyn Agent,
    ) -> Self {
        let tools = settings.uses_tools.then(|| Tools::of(contract, settings));
        let mut questions = Self {
            contract,
            settings,
            prompt,
            tools,
            capabilities: Capabilities::default(),
            opening: Conversation::new(),
            stalls: 0,
        };
        questions.turn_to(agent);
        questions
    }

    /// From now on `agent` is asked.
    fn turn_to(&mut self, agent: &dyn Agent) {
        let Settings { prompt: options, system, .. } = self.settings;
        self.capabilities = agent.capabilities();
        self.opening = match self.tools_in_use() {
            None => options.opening(self.contract, system.as_deref(), self.prompt),
            Some(tools) => options.opening_with_tools(
                self.contract,
                system.as_deref(),
                self.prompt,
                (&tools.submit, tools.offer.argument()),
            ),
        };
    }

    pub(super) fn first(&self) -> Asked {
        let mut request = Request::new(self.opening.clone());
        request.max_output_tokens = self.settings.max_output_tokens;
        request.temperature = self.settings.temperature;
        request.marked = self.contract.marked_schema().map(Marked);
        let asked = Asked {
            request,
            base: None,
            room_before: self.settings.max_output_tokens,
            offer: None,
            exchange: None,
            author: None,
            known: Values::default(),
            asides_left: ASIDES,
        };
        self.with_schema(asked)
    }

    /// With the schema, or with the tools that hold it.
    fn with_schema(&self, mut asked: Asked) -> Asked {
        let tools = self.tools_in_use();
        asked.offer = tools.map(|tools| Arc::clone(&tools.offer));
        asked.request.tools = tools.map(|tools| Arc::clone(&tools.described));
        asked.request.schema = match (&tools, &asked.base) {
            (Some(_), _) => None,
            (None, Some(_)) => Some(patch_schema()),
            (None, None) => Some(self.contract.shared_schema()),
        };
        asked
    }

    /// The question after the attempt of `last`, which `before` had asked for; to another agent, if one is given.
    pub(super) fn next(
        &mut self,
        before: Asked,
        last: &AttemptRecord,
        is_truncated: bool,
        other_agent: Option<&dyn Agent>,
    ) -> Asked {
        if let Some(agent) = other_agent {
            self.turn_to(agent);
        }
        let options = &self.settings.feedback_options;
        self.stalls += u32::from(last.is_stalled);
        let Asked { mut request, exchange, author, asides_left, .. } = before;
        let mut failed = FailedAttempt {
            opening: &self.opening,
            record: last,
            next: last.number + 1,
            max_attempts: self.settings.max_attempts,
            stalls: self.stalls,
            is_other_agent: other_agent.is_some(),
            exchange: exchange.as_ref(),
            failure: Failure {
                is_truncated,
                schema: options.show_failing_schemas.then(|| self.contract.schema()),
                max_chars: options.max_chars,
                sensitive: self.contract.sensitive(),
                submit: self.submit(),
            },
        };
        let question = self.settings.feedback.question(&failed);
        request.conversation = question.conversation;
        if last.is_stalled {
            request.temperature = self.temperature_on_stall(request.temperature);
        }
        let room_before = request.max_output_tokens;
        if is_truncated {
            request.max_output_tokens = more_room(room_before, last);
        }
        let patched = last.submitted.as_ref().filter(|_| question.wants_patch && !is_truncated);
        let base = patched.map(|value| Base { value: value.clone(), violations: last.violations.clone() });
        let known = self.known_of(last);
        let asked = Asked {
            request,
            base,
            room_before,
            offer: None,
            exchange: None,
            author: None,
            known,
            asides_left,
        };
        let mut asked = self.with_schema(asked);
        asked.request.retold = None;
        if self.contract.sensitive().is_some() && !failed.is_other_agent {
            failed.is_other_agent = true;
            let conversation = self.settings.feedback.question(&failed).conversation;
            let schema = asked.request.schema.as_ref().map(|_| self.contract.shared_schema());
            asked.request.retold = Some(Arc::new(Retold { author, conversation, schema }));
        }
        asked
    }

    /// The sensitive values of an attempt that is shown again. A reply without a value is taken for one as a whole.
    fn known_of(&self, last: &AttemptRecord) -> Values {
        let mut known = Values::default();
        if let Some(sensitive) = self.contract.sensitive() {
            match &last.submitted {
                Some(value) => sensitive.gather(value, &mut known),
                None => known.insert_string(&last.raw_output),
            }
        }
        known
    }

    /// The temperature after an attempt that made no progress at `temperature`. One that is not known is left alone: not every provider takes one.
    fn temperature_on_stall(&self, temperature: Option<f64>) -> Option<f64> {
        self.settings
            .temperature_on_stall
            .or_else(|| {
                let current = temperature.or(self.capabilities.temperature)?;
                Some(current.max(TEMPERATURE_ON_STALL))
            })
            .or(temperature)
    }

    /// The tools, if the agent that is asked now calls them.
    fn tools_in_use(&self) -> Option<&Tools> {
        self.tools.as_ref().filter(|_| self.capabilities.calls_tools)
    }

    /// The tool that takes the answer of that agent.
    fn submit(&self) -> Option<&str> {
        self.tools_in_use().map(|tools| &*tools.submit)
    }
}

impl Tools {
    fn of(contract: &Contract, settings: &Settings) -> Self {
        let offer = Offer::of(contract);
        let described = offer.tools(contract, settings.max_attempts).into();
        Self { submit: offer.name_of(Kind::Submit), described, offer: Arc::new(offer) }
    }
}

/// Twice as many tokens as the bound was, or as the agent says that it has written until it was cut.
fn more_room(room: Option<u32>, last: &AttemptRecord) -> Option<u32> {
    let written = || u32::try_from(last.usage.output_tokens).ok().filter(|_| !last.usage.is_estimated);
    room.or_else(written).map(|tokens| tokens.saturating_mul(2))
}
