//! The questions to the agent: the first one, and one after each failed attempt.

mod correction;
mod pending;

use std::sync::Arc;

use serde::de::IgnoredAny;

pub(super) use self::pending::PendingQuestion;
use self::pending::SchemaOffer;
use crate::{
    agent::{Agent, Capabilities, Constraint, Conversation, MarkedSchema, Request, Tool},
    attempt::AttemptRecord,
    contract::Contract,
    judging::{
        ReplyBase, ReplyContinuation, patch_schema,
        tools::{ToolKind, ToolSet},
    },
    prompt::{OpeningConversation, OpeningOptions},
    settings::{Confidence, ExtractionSettings, SchemaNotation},
    vocabulary::{attempt_status::AttemptStatus, violation::Violation},
};

/// Builds the questions of one extraction.
pub(super) struct QuestionBuilder<'q> {
    contract: &'q Contract,
    settings: &'q ExtractionSettings,
    /// The contents of the opening besides the contract.
    asked: OpeningOptions<'q>,
    /// Set if the answer may be submitted by calling tools.
    tools: Option<QuestionTools>,
    /// The capabilities of the current agent.
    capabilities: Capabilities,
    /// How its replies are constrained, if known.
    constraint: Constraint,
    opening: OpeningConversation,
    /// Whether the agent broke the constraint that the opening relies on.
    has_broken_constraint: bool,
    stalls: u32,
}

/// The state after a failed attempt.
#[derive(Clone, Copy)]
pub(super) struct NextAttempt<'a> {
    pub(super) last: &'a AttemptRecord,
    pub(super) is_other_agent: bool,
    pub(super) max_attempts: u32,
}

struct QuestionTools {
    tool_set: Arc<ToolSet>,
    submit: String,
    described: Arc<[Tool]>,
}

impl<'q> QuestionBuilder<'q> {
    pub(super) async fn new(
        contract: &'q Contract,
        settings: &'q ExtractionSettings,
        asked: OpeningOptions<'q>,
        agent: &dyn Agent,
    ) -> Self {
        let tools = settings.uses_tools.then(|| QuestionTools::of(contract, settings));
        let mut questions = Self {
            contract,
            settings,
            asked,
            tools,
            capabilities: Capabilities::default(),
            constraint: Constraint::nothing(),
            opening: OpeningConversation::default(),
            has_broken_constraint: false,
            stalls: 0,
        };
        questions.use_agent(agent).await;
        questions
    }

    /// Makes `agent` the current agent.
    async fn use_agent(&mut self, agent: &dyn Agent) {
        self.capabilities = agent.capabilities();
        self.constraint = match self.tools_in_use() {
            None if self.may_constrain() => agent.constraint(&self.offer()).await,
            _ => Constraint::nothing(),
        };
        self.opening = self.opening(&self.constraint);
        self.has_broken_constraint = false;
    }

    /// Returns whether the schema may be offered: for most agents, thoughts before the answer would
    /// break it.
    fn may_constrain(&self) -> bool {
        !self.settings.think_first || self.capabilities.thinks_first
    }

    /// A request with the schema and nothing else.
    fn offer(&self) -> Request {
        let mut request = Request::new(Conversation::new());
        request.offer(Some(self.contract.forms()));
        request
    }

    /// Updates what is known of the current agent after the attempt `last`. A provider may have
    /// refused the schema, and a server may ignore it. If it was ignored, the opening stays, so that
    /// it is still cached, and the last turn describes the schema.
    async fn look_again(&mut self, agent: &dyn Agent, last: &AttemptRecord) {
        if !self.constraint.is_to_schema() {
            return;
        }
        if is_unconstrained(last, &self.constraint) {
            self.constraint = Constraint::nothing();
            self.has_broken_constraint = true;
            return;
        }
        let constraint = agent.constraint(&self.offer()).await;
        if constraint != self.constraint {
            self.opening = self.opening(&constraint);
            self.constraint = constraint;
        }
    }

    /// The opening for an agent that is constrained by `constraint`.
    fn opening(&self, constraint: &Constraint) -> OpeningConversation {
        match self.tools_in_use() {
            None => self.asked.opening(self.contract, constraint),
            Some(tools) => self.asked.with_tools(self.contract, (&tools.submit, tools.tool_set.argument())),
        }
    }

    /// Adds a last paragraph that describes the schema, if the opening would describe it to an agent
    /// that is not constrained to it.
    fn describe_last(&self, conversation: Conversation) -> Conversation {
        if self.may_describe_last() {
            conversation.with_user_text(self.contract.forms().described())
        } else {
            conversation
        }
    }

    /// The user may have chosen another notation, or own instructions without the schema.
    fn may_describe_last(&self) -> bool {
        let is_auto = self.settings.prompt.notation == SchemaNotation::Auto;
        is_auto && self.asked.opening(self.contract, &Constraint::json()).describes_schema
    }

    pub(super) fn first(&self) -> PendingQuestion {
        let mut request = Request::new(self.opening.conversation.clone());
        request.max_output_tokens = self.settings.max_output_tokens;
        request.temperature = self.settings.temperature;
        request.thinking = self.settings.thinking;
        request.ends_repetition = self.settings.end_repetition;
        request.sample = self.settings.sample;
        request.marked_schema = self.contract.marked_schema().map(MarkedSchema);
        self.with_schema(PendingQuestion::new(request, self.settings.max_attempts))
    }

    /// Adds the schema, or the tools that contain it.
    fn with_schema(&self, mut pending: PendingQuestion) -> PendingQuestion {
        let tools = self.tools_in_use().filter(|_| !matches!(pending.base, Some(ReplyBase::Cut(_))));
        pending.request.tools = tools.map(|tools| Arc::clone(&tools.described));
        pending.request.offer(match (&tools, &pending.base) {
            (Some(_), _) => None,
            _ if !self.may_constrain() => None,
            (None, Some(ReplyBase::Patch(_))) => Some(patch_schema()),
            (None, Some(ReplyBase::Cut(ReplyContinuation::Rest(rest)))) => Some(rest.form.forms()),
            (None, Some(ReplyBase::Cut(ReplyContinuation::Text(_))) | None) => Some(self.contract.forms()),
        });
        pending.request.log_probabilities =
            self.settings.confidence != Confidence::Off && self.capabilities.reports_log_probabilities;
        let may_think = pending.base.is_none() && pending.request.schema.is_some();
        pending.request.thinks_first = self.settings.think_first && may_think;
        let is_constrained = self.constraint.is_to_schema();
        pending.offer = SchemaOffer {
            tool_set: tools.map(|tools| Arc::clone(&tools.tool_set)),
            is_constrained,
            is_described: self.opening.describes_schema
                || (self.has_broken_constraint && self.may_describe_last()),
        };
        let is_auto = self.settings.prompt.notation == SchemaNotation::Auto;
        pending.request.describes_schema = !is_auto || !is_constrained || pending.base.is_some();
        pending
    }

    /// The first question again, for another `agent` after a refusal. It does not mention the
    /// refusal, which does not help with the answer and might be repeated.
    pub(super) async fn restart(&mut self, agent: &dyn Agent) -> PendingQuestion {
        self.use_agent(agent).await;
        self.first()
    }

    /// The question to `agent` after an attempt, which answered `before`. If that was cut, `continuation`
    /// says how it goes on.
    pub(super) async fn next(
        &mut self,
        before: PendingQuestion,
        continuation: Option<ReplyContinuation>,
        next: NextAttempt<'_>,
        agent: &dyn Agent,
    ) -> PendingQuestion {
        if next.is_other_agent {
            self.use_agent(agent).await;
        } else {
            self.look_again(agent, next.last).await;
        }
        self.stalls += u32::from(next.last.is_stalled);
        match continuation {
            Some(continuation @ ReplyContinuation::Text(_)) if !next.is_other_agent => {
                before.continued(continuation, next.max_attempts)
            }
            continuation => match continuation.and_then(ReplyContinuation::into_rest) {
                Some(rest) => self.rest(before, rest, next),
                None => self.correction(before, next),
            },
        }
    }

    /// The tools, if the current agent calls tools.
    fn tools_in_use(&self) -> Option<&QuestionTools> {
        self.tools.as_ref().filter(|_| self.capabilities.calls_tools)
    }

    /// The name of the `submit` tool, if the current agent calls tools.
    fn submit(&self) -> Option<&str> {
        self.tools_in_use().map(|tools| &*tools.submit)
    }
}

impl QuestionTools {
    fn of(contract: &Contract, settings: &ExtractionSettings) -> Self {
        let tool_set = ToolSet::of(contract);
        let described = tool_set.tools(contract, settings.max_attempts).into();
        Self { submit: tool_set.name_of(ToolKind::Submit), described, tool_set: Arc::new(tool_set) }
    }
}

/// Keywords that every decoder enforces unless it says otherwise.
const ALWAYS_ENFORCED: [&str; 5] = ["type", "required", "additionalProperties", "enum", "const"];

/// Returns whether a reply that was not cut proves that `constraint` did not apply: it is not plain
/// JSON, or breaks something that is supposed to be enforced.
fn is_unconstrained(last: &AttemptRecord, constraint: &Constraint) -> bool {
    let is_enforced = |keyword: &str| {
        ALWAYS_ENFORCED.contains(&keyword)
            && constraint.unenforced.iter().all(|unenforced| unenforced.keyword != keyword)
    };
    let is_whole = !matches!(last.verdict, AttemptStatus::Truncated | AttemptStatus::Repeated);
    let is_broken = |violation: &Violation| {
        !violation.is_warning() && violation.keyword.as_deref().is_some_and(is_enforced)
    };
    is_whole
        && (serde_json::from_str::<IgnoredAny>(&last.raw_output).is_err()
            || last.violations.iter().any(is_broken))
}
