//! The questions to the agent: the first one, and one after each failed attempt.

use std::sync::Arc;

use serde_json::Value;

use super::evidence::is_unconstrained;
use crate::{
    agent::{
        Agent, Capabilities, Constraint, Conversation, MarkedSchema, RedactedRequest, Request, Tool,
        route::Route,
    },
    attempt::{AttemptRecord, Continuation},
    contract::Contract,
    feedback::{AnswerForm, FailedAttempt, FailureDetails, RestQuestion, ToolExchange},
    judging::{
        self, PatchBase, ReplyBase, Sequel, patch_schema,
        tools::{ToolKind, ToolSet},
    },
    prompt::{Opening, OpeningOptions},
    redaction::Values,
    settings::{SchemaNotation, Settings},
    verdict::Verdict,
};

/// How many replies may call `example` or a passing `validate` without counting as an attempt.
/// After that every reply counts, so an agent cannot loop forever.
const MAX_UNCOUNTED_REPLIES: u32 = 4;

/// A question, and what its reply may refer to.
pub(super) struct PendingQuestion {
    pub(super) request: Request,
    /// What the reply may refer to: a submission that it may patch, or a reply that was cut.
    pub(super) base: Option<ReplyBase>,
    /// Where the reply continues a value that was cut.
    pub(super) continuation: Option<Continuation>,
    /// Attempts allowed, including those that are continued.
    pub(super) max_attempts: u32,
    /// The token limit of the previous question, used again if the agent refuses a higher one.
    pub(super) previous_token_limit: Option<u32>,
    /// The tools of the request.
    pub(super) tool_set: Option<Arc<ToolSet>>,
    /// The tool calls of the reply, if it made any.
    pub(super) exchange: Option<ToolExchange>,
    /// Which agent replied, if there are several behind one.
    pub(super) author: Option<Box<Route>>,
    /// The sensitive values that the request quotes.
    pub(super) sensitive_values: Values,
    /// Whether the reply is constrained to the schema, as far as is known.
    pub(super) is_constrained: bool,
    /// Whether the question describes the answer.
    pub(super) is_told: bool,
    /// How many more replies may pass without counting as an attempt.
    pub(super) uncounted_replies_left: u32,
}

impl PendingQuestion {
    /// A question that refers to nothing.
    fn new(request: Request, max_attempts: u32) -> Self {
        Self {
            previous_token_limit: request.max_output_tokens,
            request,
            base: None,
            continuation: None,
            max_attempts,
            tool_set: None,
            exchange: None,
            author: None,
            sensitive_values: Values::default(),
            is_constrained: false,
            is_told: true,
            uncounted_replies_left: MAX_UNCOUNTED_REPLIES,
        }
    }

    /// The question for the rest, if this one has the agent continue its text.
    pub(super) fn take_rest(&mut self) -> Option<Box<judging::Continuation>> {
        match self.base.take() {
            Some(ReplyBase::Cut(sequel @ Sequel::Text(_))) => sequel.into_rest(),
            _ => None,
        }
    }

    /// The same question to an agent that continues the text of its reply.
    fn continued(mut self, sequel: Sequel, max_attempts: u32) -> Self {
        if let Sequel::Text(prefill) = &sequel {
            self.request.prefill = Some(Arc::clone(&prefill.text));
        }
        self.max_attempts = max_attempts;
        self.continuation = Some(sequel.going());
        self.base = Some(ReplyBase::Cut(sequel));
        self
    }

    /// Adds the conversation and schema for agents other than the `author` of the last reply, with
    /// sensitive values redacted.
    fn redact(&mut self, author: Option<Box<Route>>, conversation: Conversation, schema: Option<Arc<Value>>) {
        self.request.redacted = Some(Arc::new(RedactedRequest { author, conversation, schema }));
    }
}

/// The temperature after an attempt that made no progress, if it was lower. Measured; see
/// `docs/decisions.md`.
const TEMPERATURE_ON_STALL: f64 = 0.7;

/// Builds the questions of one extraction.
pub(super) struct QuestionBuilder<'q> {
    contract: &'q Contract,
    settings: &'q Settings,
    /// What the opening contains besides the contract.
    asked: OpeningOptions<'q>,
    /// Set if the answer may be submitted by calling tools.
    tools: Option<Tools>,
    /// The capabilities of the current agent.
    capabilities: Capabilities,
    /// How its replies are constrained, as far as is known.
    constraint: Constraint,
    opening: Opening,
    stalls: u32,
}

/// What is known after a failed attempt.
pub(super) struct NextAttempt<'a> {
    pub(super) last: &'a AttemptRecord,
    /// How the next attempt continues it, if it was cut.
    pub(super) sequel: Option<Sequel>,
    pub(super) is_other_agent: bool,
    pub(super) max_attempts: u32,
}

struct Tools {
    tool_set: Arc<ToolSet>,
    submit: String,
    described: Arc<[Tool]>,
}

impl<'q> QuestionBuilder<'q> {
    pub(super) async fn new(
        contract: &'q Contract,
        settings: &'q Settings,
        asked: OpeningOptions<'q>,
        agent: &dyn Agent,
    ) -> Self {
        let tools = settings.uses_tools.then(|| Tools::of(contract, settings));
        let mut questions = Self {
            contract,
            settings,
            asked,
            tools,
            capabilities: Capabilities::default(),
            constraint: Constraint::nothing(),
            opening: Opening::default(),
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
    }

    /// Whether the schema may be offered: for most agents, thoughts before the answer would break
    /// it.
    fn may_constrain(&self) -> bool {
        !self.settings.thoughts || self.capabilities.thinks_first
    }

    /// A request with the schema and nothing else.
    fn offer(&self) -> Request {
        let mut request = Request::new(Conversation::new());
        request.offer(Some(self.contract.forms()));
        request
    }

    /// Updates what is known of the current agent after the attempt `last`. A provider may have
    /// refused the schema, and a server may ignore it.
    async fn look_again(&mut self, agent: &dyn Agent, last: &AttemptRecord) {
        if !self.constraint.is_to_schema() {
            return;
        }
        let constraint = if is_unconstrained(last, &self.constraint) {
            Constraint::nothing()
        } else {
            agent.constraint(&self.offer()).await
        };
        if constraint != self.constraint {
            self.opening = self.opening(&constraint);
            self.constraint = constraint;
        }
    }

    /// The opening for an agent that is constrained by `constraint`.
    fn opening(&self, constraint: &Constraint) -> Opening {
        match self.tools_in_use() {
            None => self.asked.opening(self.contract, constraint),
            Some(tools) => self.asked.with_tools(self.contract, (&tools.submit, tools.tool_set.argument())),
        }
    }

    pub(super) fn first(&self) -> PendingQuestion {
        let mut request = Request::new(self.opening.conversation.clone());
        request.max_output_tokens = self.settings.max_output_tokens;
        request.temperature = self.settings.temperature;
        request.thinking = self.settings.thinking;
        request.ends_repetition = self.settings.end_repetition;
        request.marked_schema = self.contract.marked_schema().map(MarkedSchema);
        self.with_schema(PendingQuestion::new(request, self.settings.max_attempts))
    }

    /// Adds the schema, or the tools that contain it.
    fn with_schema(&self, mut pending: PendingQuestion) -> PendingQuestion {
        let tools = self.tools_in_use().filter(|_| pending.continuation.is_none());
        pending.tool_set = tools.map(|tools| Arc::clone(&tools.tool_set));
        pending.request.tools = tools.map(|tools| Arc::clone(&tools.described));
        pending.request.offer(match (&tools, &pending.base) {
            (Some(_), _) => None,
            _ if !self.may_constrain() => None,
            (None, Some(ReplyBase::Patch(_))) => Some(patch_schema()),
            (None, Some(ReplyBase::Cut(Sequel::Rest(rest)))) => Some(rest.form.forms()),
            (None, Some(ReplyBase::Cut(Sequel::Text(_))) | None) => Some(self.contract.forms()),
        });
        let may_think = pending.base.is_none() && pending.request.schema.is_some();
        pending.request.thinks_first = self.settings.thoughts && may_think;
        pending.is_constrained = self.constraint.is_to_schema();
        pending.is_told = self.opening.describes_schema;
        let is_auto = self.settings.prompt.notation == SchemaNotation::Auto;
        pending.request.describes_schema = !is_auto || !pending.is_constrained || pending.base.is_some();
        pending
    }

    /// The first question again, for another `agent` after a refusal. It does not mention the
    /// refusal, which does not help with the answer and might be repeated.
    pub(super) async fn restart(&mut self, agent: &dyn Agent) -> PendingQuestion {
        self.use_agent(agent).await;
        self.first()
    }

    /// The question to `agent` after the attempt `last`, which answered `before`.
    pub(super) async fn next(
        &mut self,
        before: PendingQuestion,
        next: NextAttempt<'_>,
        agent: &dyn Agent,
    ) -> PendingQuestion {
        let NextAttempt { last, sequel, is_other_agent, max_attempts } = next;
        if is_other_agent {
            self.use_agent(agent).await;
        } else {
            self.look_again(agent, last).await;
        }
        let options = &self.settings.feedback_options;
        self.stalls += u32::from(last.is_stalled);
        match sequel {
            Some(sequel @ Sequel::Text(_)) if !is_other_agent => {
                return before.continued(sequel, max_attempts);
            }
            Some(sequel) => {
                if let Some(rest) = sequel.into_rest() {
                    let next = NextAttempt { last, sequel: None, is_other_agent, max_attempts };
                    return self.rest(before, rest, &next);
                }
            }
            None => {}
        }
        let PendingQuestion { mut request, exchange, author, uncounted_replies_left, .. } = before;
        request.marked_schema = self.contract.marked_schema().map(MarkedSchema);
        let mut failed = FailedAttempt {
            opening: &self.opening.conversation,
            record: last,
            next: last.number + 1,
            max_attempts,
            stalls: self.stalls,
            is_other_agent,
            exchange: exchange.as_ref(),
            failure: FailureDetails {
                options,
                schema: self.contract.schema(),
                sensitive: self.contract.sensitive(),
                form: AnswerForm { submit: self.submit(), thoughts: self.settings.thoughts },
                prefers_patch: self.settings.prefers_patch,
            },
        };
        let mut question = self.settings.feedback.question(&failed);
        let patched = last.submitted.as_ref().filter(|_| question.wants_patch && !failed.is_partial());
        let described;
        if patched.is_some() && self.constraint.is_to_schema() {
            // The reply is constrained to the form of a patch, so the prompt has to describe the value.
            described = self.opening(&Constraint::json());
            failed.opening = &described.conversation;
            question = self.settings.feedback.question(&failed);
        }
        request.conversation = question.conversation;
        if last.is_stalled || last.verdict == Verdict::Repeated {
            request.temperature = self.temperature_on_stall(request.temperature);
        }
        let is_truncated = failed.is_truncated();
        let previous_token_limit = request.max_output_tokens;
        if is_truncated {
            request.max_output_tokens = doubled_token_limit(previous_token_limit, last);
        }
        let base = patched.map(|value| {
            ReplyBase::Patch(PatchBase { value: value.clone(), violations: last.violations.clone() })
        });
        (request.redacted, request.prefill) = (None, None);
        let mut pending = self.with_schema(PendingQuestion {
            base,
            previous_token_limit,
            sensitive_values: self.sensitive_values_of(last),
            uncounted_replies_left,
            ..PendingQuestion::new(request, max_attempts)
        });
        if self.contract.sensitive().is_some() && !failed.is_other_agent {
            failed.is_other_agent = true;
            let conversation = self.settings.feedback.question(&failed).conversation;
            let schema = pending.request.schema.as_ref().map(|_| Arc::clone(self.contract.forms().schema()));
            pending.redact(author, conversation, schema);
        }
        pending
    }

    /// The question for the rest of a value that was cut. The token limit is unchanged. Instead of
    /// an echo, only the end of the existing part is shown.
    fn rest(
        &self,
        before: PendingQuestion,
        rest: Box<judging::Continuation>,
        next: &NextAttempt<'_>,
    ) -> PendingQuestion {
        let PendingQuestion { mut request, author, uncounted_replies_left, .. } = before;
        // The reply is constrained to the form of the rest, so the prompt has to describe the value.
        let described = (self.constraint.is_to_schema() || self.tools_in_use().is_some())
            .then(|| self.asked.opening(self.contract, &Constraint::json()));
        let opening = &described.as_ref().unwrap_or(&self.opening).conversation;
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
            continuation: Some(rest.going()),
            base: Some(ReplyBase::Cut(Sequel::Rest(rest))),
            sensitive_values,
            uncounted_replies_left,
            ..PendingQuestion::new(request, next.max_attempts)
        });
        if let Some(conversation) = redacted {
            let schema = pending.request.schema.clone();
            pending.redact(author, conversation, schema);
        }
        pending
    }

    /// The text of the question for the rest; redacted for another agent.
    fn rest_message(
        &self,
        rest: &judging::Continuation,
        next: &NextAttempt<'_>,
        is_redacted: bool,
    ) -> String {
        let NextAttempt { last, is_other_agent, max_attempts, .. } = *next;
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
            violations: if last.verdict == Verdict::Rejected { &last.violations } else { &[] },
        };
        question.message()
    }

    /// The sensitive values of an attempt that is quoted. A reply without a value is sensitive as a
    /// whole.
    fn sensitive_values_of(&self, last: &AttemptRecord) -> Values {
        let mut sensitive_values = Values::default();
        if let Some(sensitive) = self.contract.sensitive() {
            match &last.submitted {
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

    /// The tools, if the current agent calls tools.
    fn tools_in_use(&self) -> Option<&Tools> {
        self.tools.as_ref().filter(|_| self.capabilities.calls_tools)
    }

    /// The name of the `submit` tool, if the current agent calls tools.
    fn submit(&self) -> Option<&str> {
        self.tools_in_use().map(|tools| &*tools.submit)
    }
}

impl Tools {
    fn of(contract: &Contract, settings: &Settings) -> Self {
        let tool_set = ToolSet::of(contract);
        let described = tool_set.tools(contract, settings.max_attempts).into();
        Self { submit: tool_set.name_of(ToolKind::Submit), described, tool_set: Arc::new(tool_set) }
    }
}

/// Twice the limit; without a limit, twice the tokens that the agent reported for the cut reply.
fn doubled_token_limit(room: Option<u32>, last: &AttemptRecord) -> Option<u32> {
    let written = || u32::try_from(last.usage.output_tokens).ok().filter(|_| !last.usage.is_estimated);
    room.or_else(written).map(|tokens| tokens.saturating_mul(2))
}
