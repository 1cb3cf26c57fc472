//! A question that was not answered yet.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    agent::{Conversation, RedactedRequest, Request, reply::AgentRoute},
    attempt::Continuation,
    feedback::ToolExchange,
    judging::{self, ReplyBase, ReplyContinuation, tools::ToolSet},
    vocabulary::redaction::SensitiveValues,
};

/// How many replies may call `example` or a passing `validate` without counting as an attempt.
/// After that every reply counts, so an agent cannot loop forever.
const MAX_UNCOUNTED_REPLIES: u32 = 4;

/// A question, and what its reply may refer to.
pub(crate) struct PendingQuestion {
    pub(crate) request: Request,
    /// The base that the reply may refer to: a submission that it may patch, or a reply that was
    /// cut.
    pub(crate) base: Option<ReplyBase>,
    /// Attempts allowed, including those that are continued.
    pub(crate) max_attempts: u32,
    /// The token limit of the previous question, used again if the agent refuses a higher one.
    pub(crate) previous_token_limit: Option<u32>,
    /// The sensitive values that the request quotes.
    pub(crate) sensitive_values: SensitiveValues,
    pub(crate) offer: SchemaOffer,
    pub(crate) dialogue: ReplyDialogue,
}

/// How a question tells the agent its schema.
#[derive(Debug, Default)]
pub(crate) struct SchemaOffer {
    /// The tools of the request, if it has any.
    pub(crate) tool_set: Option<Arc<ToolSet>>,
    /// Whether the reply is known to be constrained to the schema.
    pub(crate) is_constrained: bool,
    /// Whether the question describes the answer.
    pub(crate) is_described: bool,
}

/// What is known of the replies to a question.
pub(crate) struct ReplyDialogue {
    /// The tool calls of the last reply, if it made any.
    pub(crate) exchange: Option<ToolExchange>,
    /// Which agent replied last, if one agent combines several.
    pub(crate) author: Option<Box<AgentRoute>>,
    /// How many more replies may pass without counting as an attempt.
    uncounted_left: u32,
}

impl ReplyDialogue {
    /// No reply yet.
    fn new() -> Self {
        Self { exchange: None, author: None, uncounted_left: MAX_UNCOUNTED_REPLIES }
    }

    /// For the next question. The uncounted replies are limited for all questions together.
    pub(super) fn next(&self) -> Self {
        Self { uncounted_left: self.uncounted_left, ..Self::new() }
    }

    /// Returns whether the next reply may pass without counting as an attempt.
    pub(crate) fn has_uncounted_left(&self) -> bool {
        self.uncounted_left > 0
    }

    /// Records a reply that does not count as an attempt.
    pub(crate) fn pass(&mut self) {
        self.uncounted_left = self.uncounted_left.saturating_sub(1);
    }
}

impl PendingQuestion {
    /// A question that refers to nothing.
    pub(super) fn new(request: Request, max_attempts: u32) -> Self {
        Self {
            previous_token_limit: request.max_output_tokens,
            request,
            base: None,
            max_attempts,
            sensitive_values: SensitiveValues::default(),
            offer: SchemaOffer::default(),
            dialogue: ReplyDialogue::new(),
        }
    }

    /// Where the reply continues a value that was cut.
    pub(crate) fn continuation(&self) -> Option<Continuation> {
        self.base.as_ref().and_then(ReplyBase::going)
    }

    /// The question for the rest, if this one has the agent continue its text.
    pub(crate) fn take_rest(&mut self) -> Option<Box<judging::ContinuationPlan>> {
        match self.base.take() {
            Some(ReplyBase::Cut(continuation @ ReplyContinuation::Text(_))) => continuation.into_rest(),
            _ => None,
        }
    }

    /// The same question to an agent that continues the text of its reply.
    pub(super) fn continued(mut self, continuation: ReplyContinuation, max_attempts: u32) -> Self {
        if let ReplyContinuation::Text(prefill) = &continuation {
            self.request.prefill = Some(Arc::clone(&prefill.text));
        }
        self.max_attempts = max_attempts;
        self.base = Some(ReplyBase::Cut(continuation));
        self
    }

    /// Adds the conversation and schema for agents other than the `author` of the last reply, with
    /// sensitive values redacted.
    pub(super) fn redact(
        &mut self,
        author: Option<Box<AgentRoute>>,
        conversation: Conversation,
        schema: Option<Arc<Value>>,
    ) {
        self.request.redacted = Some(Arc::new(RedactedRequest { author, conversation, schema }));
    }
}
