//! The questions to the agent: the first one, and one after each failed attempt.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{
    agent::{
        Agent, AgentError, AgentErrorKind, Capabilities, Constraint, Conversation, FinishReason,
        MarkedSchema, RedactedRequest, Request, Tool, reply::AgentRoute,
    },
    attempt::{AttemptRecord, Continuation},
    contract::Contract,
    feedback::{AnswerForm, FailedAttempt, FailureDetails, RestQuestion, ToolExchange},
    judging::{
        ContinuationPlan, PatchBase, ReplyBase, ReplyContinuation, patch_schema,
        tools::{ToolKind, ToolSet},
    },
    prompt::{OpeningConversation, OpeningOptions},
    settings::{Confidence, ExtractionSettings, SchemaNotation},
    vocabulary::{attempt_status::AttemptStatus, redaction::SensitiveValues, violation::Violation},
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

/// A question, and what its reply may refer to.
pub(super) struct PendingQuestion {
    pub(super) request: Request,
    /// The base that the reply may refer to: a submission that it may patch, or a reply that was
    /// cut.
    pub(super) base: Option<ReplyBase>,
    /// Attempts allowed, including those that are continued.
    pub(super) max_attempts: u32,
    /// The token limit of the previous question, used again if the agent refuses a higher one.
    pub(super) previous_token_limit: Option<u32>,
    /// Whether the agent refused a higher limit, so that none is tried again.
    pub(super) has_most_room: bool,
    /// What the agent refused before it got this question.
    pub(super) refused: Vec<String>,
    /// The sensitive values that the request quotes.
    pub(super) sensitive_values: SensitiveValues,
    pub(super) offer: SchemaOffer,
    pub(super) dialogue: ReplyDialogue,
}

/// How a question tells the agent its schema.
#[derive(Debug, Default)]
pub(super) struct SchemaOffer {
    /// The tools of the request, if it has any.
    pub(super) tool_set: Option<Arc<ToolSet>>,
    /// Whether the reply is known to be constrained to the schema.
    pub(super) is_constrained: bool,
    /// Whether the question describes the answer.
    pub(super) is_described: bool,
}

/// What is known of the replies to a question.
pub(super) struct ReplyDialogue {
    /// The tool calls of the last reply, if it made any.
    pub(super) exchange: Option<ToolExchange>,
    /// Which agent replied last, if one agent combines several.
    pub(super) author: Option<Box<AgentRoute>>,
    /// How many more replies may pass without counting as an attempt.
    uncounted_left: u32,
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

/// The temperature after an attempt that made no progress, if it was lower. Measured; see
/// `docs/decisions.md`.
const TEMPERATURE_ON_STALL: f64 = 0.7;

impl QuestionBuilder<'_> {
    /// The question that says what was wrong with the last attempt, which answered `before`.
    fn correction(&self, before: PendingQuestion, next: NextAttempt<'_>) -> PendingQuestion {
        let NextAttempt { last, is_other_agent, max_attempts } = next;
        let PendingQuestion { mut request, dialogue, has_most_room, .. } = before;
        let has_most_room = has_most_room && !is_other_agent;
        request.marked_schema = self.contract.marked_schema().map(MarkedSchema);
        let mut failed = FailedAttempt {
            opening: &self.opening.conversation,
            record: last,
            next: last.number + 1,
            max_attempts,
            stalls: self.stalls,
            is_other_agent,
            exchange: dialogue.exchange.as_ref(),
            failure: FailureDetails {
                options: &self.settings.feedback_options,
                schema: self.contract.schema(),
                sensitive: self.contract.sensitive(),
                form: AnswerForm { submit: self.submit(), thoughts: self.settings.think_first },
                prefers_patch: self.settings.prefers_patch,
            },
        };
        let question = self.settings.feedback.question(&failed);
        let patched = last.submitted().filter(|_| question.wants_patch && !failed.is_partial());
        // A reply that is constrained to the form of a patch is not constrained to the schema.
        let is_to_patch = patched.is_some() && self.constraint.is_to_schema();
        let described = |conversation| {
            if self.has_broken_constraint || is_to_patch {
                self.describe_last(conversation)
            } else {
                conversation
            }
        };
        request.conversation = described(question.conversation);
        if last.is_stalled || last.verdict == AttemptStatus::Repeated {
            request.temperature = self.temperature_on_stall(request.temperature);
        }
        let is_truncated = failed.is_truncated();
        let previous_token_limit = request.max_output_tokens;
        if is_truncated && !has_most_room {
            request.max_output_tokens = raised_token_limit(previous_token_limit, last);
        }
        let base = patched.map(|value| {
            let (violations, changes) = (last.violations.clone(), last.changes.clone());
            ReplyBase::Patch(PatchBase { value: value.clone(), violations, changes })
        });
        (request.redacted, request.prefill) = (None, None);
        let mut pending = self.with_schema(PendingQuestion {
            base,
            previous_token_limit,
            has_most_room,
            sensitive_values: self.sensitive_values_of(last),
            dialogue: dialogue.next(),
            ..PendingQuestion::new(request, max_attempts)
        });
        if self.contract.sensitive().is_some() && !failed.is_other_agent {
            failed.is_other_agent = true;
            let conversation = described(self.settings.feedback.question(&failed).conversation);
            let schema = pending.request.schema.as_ref().map(|_| Arc::clone(self.contract.forms().schema()));
            pending.redact(dialogue.author, conversation, schema);
        }
        pending
    }

    /// The sensitive values of an attempt that is quoted. A reply without a value is sensitive as a
    /// whole.
    fn sensitive_values_of(&self, last: &AttemptRecord) -> SensitiveValues {
        let mut sensitive_values = SensitiveValues::default();
        if let Some(sensitive) = self.contract.sensitive() {
            match last.submitted() {
                Some(value) => sensitive.gather(value, &mut sensitive_values),
                None => sensitive_values.insert_string(&last.raw_output),
            }
        }
        sensitive_values
    }

    /// The temperature after an attempt that made no progress or repeated itself, if it was
    /// `temperature` before. An unknown temperature stays unset, because not every provider accepts
    /// one.
    fn temperature_on_stall(&self, temperature: Option<f64>) -> Option<f64> {
        self.settings
            .temperature_on_stall
            .or_else(|| {
                let current = temperature.or(self.capabilities.temperature)?;
                Some(current.max(TEMPERATURE_ON_STALL))
            })
            .or(temperature)
    }
}

/// The lowest limit that follows from the tokens of a cut reply. A context that is full leaves fewer, and
/// some servers count wrong: then a limit of twice as many would cut the next reply too.
const LEAST_RAISED_LIMIT: u32 = 4096;

/// Twice the limit that the last reply reached. Without one in the request, it was the agent's own, which
/// the reported tokens tell. A reply that was interrupted reached none.
fn raised_token_limit(limit: Option<u32>, last: &AttemptRecord) -> Option<u32> {
    match (limit, &last.finish_reason) {
        (Some(limit), FinishReason::Length | FinishReason::Unknown | FinishReason::Other(_)) => {
            Some(limit.saturating_mul(2))
        }
        (None, FinishReason::Length) if !last.usage.is_estimated => {
            let written = u32::try_from(last.usage.output_tokens).ok()?;
            Some(written.saturating_mul(2).max(LEAST_RAISED_LIMIT))
        }
        (limit, _) => limit,
    }
}

impl QuestionBuilder<'_> {
    /// The question for the rest of a value that was cut. The token limit is unchanged. Instead of
    /// an echo, only the end of the existing part is shown.
    pub(super) fn rest(
        &self,
        before: PendingQuestion,
        rest: Box<ContinuationPlan>,
        next: NextAttempt<'_>,
    ) -> PendingQuestion {
        let PendingQuestion { mut request, dialogue, has_most_room, .. } = before;
        // The instructions for tools do not fit, because the rest is asked for as text.
        let opening = match self.tools_in_use() {
            Some(_) => self.asked.opening(self.contract, &Constraint::json()).conversation,
            // The reply is constrained to the form of the rest, so the prompt has to describe the value.
            None if self.constraint.is_to_schema() || self.has_broken_constraint => {
                self.describe_last(self.opening.conversation.clone())
            }
            None => self.opening.conversation.clone(),
        };
        let asked =
            |is_redacted| opening.clone().with_user_text(&self.rest_message(&rest, next, is_redacted));
        request.conversation = asked(next.is_other_agent);
        let redacted = self.contract.sensitive().filter(|_| !next.is_other_agent).map(|_| asked(true));
        if next.last.is_stalled {
            request.temperature = self.temperature_on_stall(request.temperature);
        }
        request.marked_schema = rest.form.marked_schema().map(MarkedSchema);
        (request.redacted, request.prefill) = (None, None);
        let mut sensitive_values = self.sensitive_values_of(next.last);
        if let Some(sensitive) = self.contract.sensitive() {
            sensitive.gather(&rest.value, &mut sensitive_values);
        }
        let mut pending = self.with_schema(PendingQuestion {
            base: Some(ReplyBase::Cut(ReplyContinuation::Rest(rest))),
            has_most_room: has_most_room && !next.is_other_agent,
            sensitive_values,
            dialogue: dialogue.next(),
            ..PendingQuestion::new(request, next.max_attempts)
        });
        if let Some(conversation) = redacted {
            let schema = pending.request.schema.clone();
            pending.redact(dialogue.author, conversation, schema);
        }
        pending
    }

    /// The text of the question for the rest; redacted for another agent.
    fn rest_message(&self, rest: &ContinuationPlan, next: NextAttempt<'_>, is_redacted: bool) -> String {
        let NextAttempt { last, is_other_agent, max_attempts } = next;
        let mut there = rest.place.resolve(&rest.value).cloned().unwrap_or_default();
        if let Some(sensitive) = self.contract.sensitive().filter(|_| is_redacted) {
            sensitive.redact_at(&rest.place, &mut there, &sensitive.values_in(&rest.value));
        }
        let shows_attempt = self.settings.feedback_options.show_attempt;
        let question = RestQuestion {
            attempt: shows_attempt.then_some((last.number + 1, max_attempts)),
            place: &rest.place,
            there: &there,
            has_begun: rest.has_begun,
            after: rest.after(),
            way: &rest.place.segments()[rest.top.segments().len()..],
            is_own: !is_other_agent,
            violations: if last.verdict == AttemptStatus::Rejected { &last.violations } else { &[] },
        };
        question.message()
    }
}

/// How many replies may call `example` or a passing `validate` without counting as an attempt.
/// After that every reply counts, so an agent cannot loop forever.
const MAX_UNCOUNTED_REPLIES: u32 = 4;

impl ReplyDialogue {
    /// No reply yet.
    fn new() -> Self {
        Self { exchange: None, author: None, uncounted_left: MAX_UNCOUNTED_REPLIES }
    }

    /// For the next question. The uncounted replies are limited for all questions together.
    fn next(&self) -> Self {
        Self { uncounted_left: self.uncounted_left, ..Self::new() }
    }

    /// Returns whether the next reply may pass without counting as an attempt.
    pub(super) fn has_uncounted_left(&self) -> bool {
        self.uncounted_left > 0
    }

    /// Records a reply that does not count as an attempt.
    pub(super) fn pass(&mut self) {
        self.uncounted_left = self.uncounted_left.saturating_sub(1);
    }
}

impl PendingQuestion {
    /// A question that refers to nothing.
    fn new(request: Request, max_attempts: u32) -> Self {
        Self {
            previous_token_limit: request.max_output_tokens,
            request,
            base: None,
            max_attempts,
            has_most_room: false,
            refused: Vec::new(),
            sensitive_values: SensitiveValues::default(),
            offer: SchemaOffer::default(),
            dialogue: ReplyDialogue::new(),
        }
    }

    /// Where the reply continues a value that was cut.
    pub(super) fn continuation(&self) -> Option<Continuation> {
        self.base.as_ref().and_then(ReplyBase::going)
    }

    /// Returns whether `error` may be about the text that the agent should continue: it leaves no
    /// room after it, or the agent does not continue texts. The question for the rest has none.
    pub(super) fn is_refused_with(&self, error: &AgentError) -> bool {
        self.request.prefill.is_some()
            && match error.kind() {
                AgentErrorKind::TooLong => true,
                AgentErrorKind::Refused => error.status().is_none_or(|status| matches!(status, 400 | 422)),
                _ => false,
            }
    }

    /// The question for the rest, if this one has the agent continue its text.
    pub(super) fn take_rest(&mut self) -> Option<Box<ContinuationPlan>> {
        match self.base.take() {
            Some(ReplyBase::Cut(continuation @ ReplyContinuation::Text(_))) => continuation.into_rest(),
            _ => None,
        }
    }

    /// The same question to an agent that continues the text of its reply.
    fn continued(mut self, continuation: ReplyContinuation, max_attempts: u32) -> Self {
        if let ReplyContinuation::Text(prefill) = &continuation {
            self.request.prefill = Some(Arc::clone(&prefill.text));
        }
        self.max_attempts = max_attempts;
        self.base = Some(ReplyBase::Cut(continuation));
        self
    }

    /// Adds the conversation and schema for agents other than the `author` of the last reply, with
    /// sensitive values redacted.
    fn redact(
        &mut self,
        author: Option<Box<AgentRoute>>,
        conversation: Conversation,
        schema: Option<Arc<Value>>,
    ) {
        self.request.redacted = Some(Arc::new(RedactedRequest { author, conversation, schema }));
    }
}
