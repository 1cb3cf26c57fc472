//! The reply of an agent, how likely it found its tokens, and which of several combined agents wrote
//! it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentError, ToolCall};
use crate::{
    metrics::{ModelUsage, ReplyOrigin},
    reading::ReplyEnd,
    vocabulary::usage::TokenUsage,
};

/// An agent's answer: raw text, finish reason, token usage.
///
/// ```
/// use extract::{TokenUsage, agent::{FinishReason, Reply}};
///
/// let reply = Reply::new(r#"{"total": 3}"#)
///     .finished(FinishReason::Stop)
///     .with_usage(TokenUsage::new(120, 6));
/// assert_eq!(reply.usage().unwrap().output_tokens, 6);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    text: String,
    finish_reason: FinishReason,
    usage: Option<TokenUsage>,
    /// The parts of the usage, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shares: Vec<ModelUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Box<ReplyOrigin>>,
    /// The words of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Rare, so boxed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_use: Option<Box<ToolUse>>,
    /// Rare, so boxed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reported: Option<Box<Reported>>,
    /// Which agent wrote the reply, if one agent combines several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    route: Option<Box<AgentRoute>>,
}

/// What few servers report, or only on request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reported {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<TokenProbability>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost: Option<Dollars>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_in_thoughts: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ToolUse {
    calls: Vec<ToolCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider_data: Option<Value>,
}

/// The parts of a reply that the record of an attempt keeps.
pub(crate) struct ReplyParts {
    pub(crate) text: String,
    pub(crate) finish_reason: FinishReason,
    /// The words of a refusal.
    pub(crate) refusal: Option<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) origin: Option<Box<ReplyOrigin>>,
    pub(crate) token_probabilities: Vec<TokenProbability>,
    /// Whether JSON was in the thoughts and not in the text.
    pub(crate) is_in_thoughts: bool,
}

impl Reply {
    /// Creates a reply with text and nothing else.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish_reason: FinishReason::Unknown,
            usage: None,
            shares: Vec::new(),
            origin: None,
            refusal: None,
            notes: Vec::new(),
            tool_use: None,
            reported: None,
            route: None,
        }
    }

    /// Creates a reply from the bytes that a transport delivered.
    ///
    /// # Errors
    ///
    /// [`AgentErrorKind::Garbled`](super::AgentErrorKind::Garbled), which is transient, if the
    /// bytes are not UTF-8. They are not decoded with replacement characters, because that would
    /// put text into the value that nobody wrote.
    pub fn from_utf8(bytes: Vec<u8>) -> Result<Self, AgentError> {
        String::from_utf8(bytes).map(Self::new).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            AgentError::garbled(format!("the reply is not UTF-8 from byte {at} on")).with_source(error)
        })
    }

    /// Sets why the agent stopped.
    #[must_use]
    pub fn finished(mut self, reason: FinishReason) -> Self {
        self.finish_reason = reason;
        self
    }

    /// Marks the reply as a refusal by the agent or its provider, in their own words. An empty
    /// string is a refusal without words.
    ///
    /// Asking again rarely helps after a refusal. So it ends an extraction with
    /// [`ExtractionError::Refused`](crate::ExtractionError::Refused), or goes to the next agent of
    /// [`escalate_to`](crate::Extraction::escalate_to) or of a [`Fallback`](super::Fallback). Use
    /// this only for replies that a provider marks as refusals. Text such as "I can't help with
    /// that" alone is an attempt like any other, because the words do not show whether it refuses
    /// or only introduces an answer.
    ///
    /// ```
    /// use extract::{Contract, ExtractionError, agent::Reply, testing::{ScriptedAgent, block_on}};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new([Reply::new("").with_refusal("I must not count them.")]);
    /// match block_on(contract.extract(&agent, "How many?")).unwrap_err() {
    ///     ExtractionError::Refused { message, .. } => assert_eq!(message, "I must not count them."),
    ///     other => panic!("{other}"),
    /// }
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn with_refusal(mut self, words: impl Into<String>) -> Self {
        self.refusal = Some(words.into().into());
        self
    }

    /// Adds the token counts that the agent reported.
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {
        self.usage = Some(usage);
        self.shares.clear();
        self
    }

    /// Sets where the reply came from, such as the model and the request id. The
    /// [record](crate::AttemptRecord::origin) and the
    /// [metrics](crate::metrics::AttemptMetrics::origin) of the attempt keep it.
    ///
    /// ```
    /// use extract::{agent::Reply, metrics::ReplyOrigin};
    ///
    /// let origin = ReplyOrigin::default().with_model("my-model-v2").with_request_id("req_1");
    /// let reply = Reply::new("8").with_origin(origin);
    /// assert_eq!(reply.origin().unwrap().request_id.as_deref(), Some("req_1"));
    /// ```
    #[must_use]
    pub fn with_origin(mut self, origin: ReplyOrigin) -> Self {
        self.origin = (!origin.is_empty()).then(|| Box::new(origin));
        self
    }

    /// Adds a note for the caller on how the agent was asked, for example that a schema could not
    /// be sent. The [record](crate::AttemptRecord::notes) and the
    /// [metrics](crate::metrics::AttemptMetrics::notes) of the attempt keep it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets how likely the model found the tokens of the text. Their ranges are bytes of the
    /// [text](Self::text).
    ///
    /// ```
    /// use extract::agent::{Reply, TokenProbability};
    ///
    /// let reply = Reply::new("[8]").with_token_probabilities([TokenProbability::new(1..2, -0.25)]);
    /// assert_eq!(reply.token_probabilities()[0].range, 1..2);
    /// ```
    #[must_use]
    pub fn with_token_probabilities(mut self, tokens: impl IntoIterator<Item = TokenProbability>) -> Self {
        let tokens: Vec<_> = tokens.into_iter().collect();
        if self.reported.is_some() || !tokens.is_empty() {
            self.reported.get_or_insert_default().tokens = tokens;
        }
        self
    }

    /// Sets the cost of the reply in US dollars, as the server reports it. Metrics do not contain it:
    /// observe [`Event::Replied`](crate::Event::Replied).
    #[must_use]
    pub fn with_reported_cost(mut self, dollars: f64) -> Self {
        self.reported.get_or_insert_default().cost = Some(Dollars(dollars));
        self
    }

    /// Marks a reply without text whose JSON is in the model's thoughts, which came separately. They
    /// are not read, because they may be about an answer that was dropped. The violation then says
    /// so, and asks for the answer as the reply.
    ///
    /// ```
    /// use extract::{Contract, agent::Reply, testing::{ScriptedAgent, block_on}};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new([Reply::new("").with_answer_in_thoughts()]);
    /// let error = block_on(contract.extract(&agent, "How many?").max_attempts(1)).unwrap_err();
    /// assert!(error.to_string().contains("in the thoughts"), "{error}");
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn with_answer_in_thoughts(mut self) -> Self {
        self.reported.get_or_insert_default().is_in_thoughts = true;
        self
    }

    /// Returns how likely the model found the tokens of the text, if the agent reported it. The
    /// [record](crate::AttemptRecord::token_probabilities) of the attempt keeps it.
    pub fn token_probabilities(&self) -> &[TokenProbability] {
        self.reported.as_ref().map_or(&[], |reported| &reported.tokens)
    }

    /// Returns the cost of the reply in US dollars, if the server reported it.
    pub fn reported_cost(&self) -> Option<f64> {
        Some(self.reported.as_ref()?.cost?.0)
    }

    /// Sets the calls of the [tools](super::Request::tools) of the request.
    #[must_use]
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let calls: Vec<ToolCall> = calls.into_iter().collect();
        if self.tool_use.is_some() || !calls.is_empty() {
            self.tool_use.get_or_insert_default().calls = calls;
        }
        self
    }

    /// Adds data that the provider wants back together with the calls, such as signatures of
    /// thoughts. The next request has it in [`Turn::provider_data`](super::Turn::provider_data).
    /// Nothing else reads it.
    #[must_use]
    pub fn with_provider_data(mut self, form: Value) -> Self {
        self.tool_use.get_or_insert_default().provider_data = Some(form);
        self
    }

    /// Returns the tool calls, in the agent's order.
    pub fn calls(&self) -> &[ToolCall] {
        self.tool_use.as_ref().map_or(&[], |tool_use| &tool_use.calls)
    }

    /// Returns the data that the provider wants back with the calls, if any.
    pub fn provider_data(&self) -> Option<&Value> {
        self.tool_use.as_ref()?.provider_data.as_ref()
    }

    /// Notes for the caller on how the agent was asked.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the text, exactly as the agent wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same reply with another text, of which the tokens are not known.
    pub(crate) fn with_text(self, text: String) -> Self {
        Self { text, ..self }.with_token_probabilities([])
    }

    /// The same reply, from the agent at `branch`.
    pub(crate) fn written_at(self, branch: RouteBranch) -> Self {
        Self { route: Some(Box::new(AgentRoute { branch, rest: self.route })), ..self }
    }

    /// The same reply, written by the agent called `name` unless another is known.
    pub(crate) fn written_by(mut self, name: &str) -> Self {
        self.origin.get_or_insert_default().agent.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Returns which agent wrote the reply, if one agent combines several.
    pub(crate) fn route(&self) -> Option<&AgentRoute> {
        self.route.as_deref()
    }

    /// Number of characters that the agent wrote, for token estimates.
    pub(crate) fn chars(&self) -> usize {
        let calls = self.calls().iter().map(|call| call.shown().chars().count());
        self.text.chars().count() + calls.sum::<usize>()
    }

    /// The parts that the record of an attempt keeps.
    pub(crate) fn into_parts(self) -> ReplyParts {
        let Self { text, finish_reason, refusal, notes, origin, reported, .. } = self;
        let Reported { tokens: token_probabilities, is_in_thoughts, .. } =
            reported.map(|reported| *reported).unwrap_or_default();
        let refusal = refusal.map(String::from);
        ReplyParts { text, finish_reason, refusal, notes, origin, token_probabilities, is_in_thoughts }
    }

    /// Returns why the agent stopped.
    pub fn finish_reason(&self) -> &FinishReason {
        &self.finish_reason
    }

    /// Returns the words in which the agent or its provider refused to answer, if any.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Returns whether the agent refused: it has a [refusal](Self::refusal), or a [content
    /// filter](FinishReason::ContentFilter) stopped it. A value that was already complete still
    /// counts if it satisfies the schema.
    pub fn is_refusal(&self) -> bool {
        self.refusal.is_some() || self.finish_reason == FinishReason::ContentFilter
    }

    /// How the reply ended. In a refusal, only a value that is certainly complete counts.
    pub(crate) fn end(&self) -> ReplyEnd {
        if self.is_refusal() { ReplyEnd::Cut } else { (&self.finish_reason).into() }
    }

    /// Token usage: as reported, otherwise estimated from the number of characters that the agent
    /// read.
    pub(crate) fn cost(&self, chars_read: impl FnOnce() -> usize) -> TokenUsage {
        self.usage.unwrap_or_else(|| TokenUsage::estimated(chars_read(), self.chars()))
    }

    /// Returns the tokens of this reply by model: as reported, otherwise estimated from the number
    /// of characters that the agent read, the [request's](crate::agent::Request::chars), and wrote.
    /// `asked` is the name of the agent that was asked.
    ///
    /// ```
    /// use extract::agent::{Conversation, Reply, Request, Role};
    ///
    /// let request = Request::new(Conversation::new().with(Role::User, "How many legs?"));
    /// let used = Reply::new("eight").tokens_by_model("small", || request.chars());
    /// assert_eq!((used[0].name(), used[0].usage.input_tokens), ("small", 4));
    /// assert!(used[0].usage.is_estimated);
    /// ```
    pub fn tokens_by_model(&self, asked: &str, chars_read: impl FnOnce() -> usize) -> Vec<ModelUsage> {
        self.usage_by_model(asked, self.cost(chars_read))
    }

    /// The tokens by model: `usage` as a whole, or the parts that it was made of. `asked` is the
    /// name of the agent that was asked.
    pub(crate) fn usage_by_model(&self, asked: &str, usage: TokenUsage) -> Vec<ModelUsage> {
        if !self.shares.is_empty() {
            return self.shares.clone();
        }
        let model = self.origin().and_then(|origin| origin.model.clone());
        vec![ModelUsage::of_reply(self.author(asked).to_owned(), model, usage)]
    }

    /// The usage as the sum of `shares`.
    pub(crate) fn with_shares(mut self, shares: Vec<ModelUsage>) -> Self {
        let mut usage = TokenUsage::default();
        for share in &shares {
            usage.add(share.usage);
        }
        self.usage = Some(usage);
        self.shares = shares;
        self
    }

    /// The parts of the usage, if there are several.
    pub(crate) fn shares(&self) -> &[ModelUsage] {
        &self.shares
    }

    /// Name of the agent that wrote the reply, if `asked` was asked.
    pub(crate) fn author<'r>(&'r self, asked: &'r str) -> &'r str {
        self.origin().and_then(|origin| origin.agent.as_deref()).unwrap_or(asked)
    }

    /// Returns where the reply came from, if the agent reported it.
    pub fn origin(&self) -> Option<&ReplyOrigin> {
        self.origin.as_deref()
    }

    /// Returns the token usage as the agent reported it; `None` if it reported none.
    pub fn usage(&self) -> Option<TokenUsage> {
        self.usage
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Why an agent stopped writing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The agent gave no reason, like closures and commands that return only text. The reply counts
    /// as whole unless its text shows otherwise (see [`ReplyEnd::Unknown`]). A number or a word
    /// that was cut looks like a whole one, so an agent whose replies may be cut should set a
    /// reason.
    #[default]
    Unknown,
    /// The reply is complete.
    Stop,
    /// The token limit was reached, so the reply is cut. A value in it counts as whole only if
    /// [`ReplyEnd::Cut`] allows it.
    Length,
    /// The agent, or the provider, ended the reply because it only repeated itself, before the token
    /// limit was reached. The reply is cut, and more room would not help.
    Repetition,
    /// A content filter of the provider withheld the rest. Asking again rarely helps, so this is a
    /// [refusal](Reply::is_refusal), unless a value in the reply was complete by then (see
    /// [`ReplyEnd::Cut`]) and satisfies the schema.
    ContentFilter,
    /// The agent or its server broke the reply off, for a reason in its own words, such as `error`,
    /// `abort` or `insufficient_system_resource`. The reply is cut, wherever it stopped.
    Interrupted(String),
    /// Any other reason, in the agent's words. Read as `Unknown`.
    Other(String),
}

impl From<&FinishReason> for ReplyEnd {
    fn from(reason: &FinishReason) -> Self {
        match reason {
            FinishReason::Stop => Self::Whole,
            FinishReason::Length
            | FinishReason::Repetition
            | FinishReason::ContentFilter
            | FinishReason::Interrupted(_) => Self::Cut,
            FinishReason::Unknown | FinishReason::Other(_) => Self::Unknown,
        }
    }
}

/// How likely a model found a token of its reply.
///
/// ```
/// use extract::agent::TokenProbability;
///
/// let token = TokenProbability::new(0..4, -0.25);
/// assert_eq!((token.range, token.log_probability), (0..4, -0.25));
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenProbability {
    /// The bytes of the token in the text of the reply. A token may begin or end within a character.
    pub range: Range<usize>,
    /// The natural logarithm of its probability among all tokens; 0 is certain.
    pub log_probability: f64,
    /// The same among the tokens that the grammar of the schema allowed, if the agent knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained: Option<f64>,
    /// Whether the grammar allowed no other token, so that the model chose nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forced: bool,
}

impl TokenProbability {
    /// Creates it from its two parts.
    pub fn new(range: Range<usize>, log_probability: f64) -> Self {
        Self { range, log_probability, constrained: None, is_forced: false }
    }

    /// Creates a token that the grammar forced.
    pub fn forced(range: Range<usize>) -> Self {
        Self { is_forced: true, ..Self::new(range, 0.0) }
    }

    /// Adds the logarithm of its probability among the tokens that the grammar allowed.
    #[must_use]
    pub fn with_constrained(self, log_probability: f64) -> Self {
        Self { constrained: Some(log_probability), ..self }
    }

    /// Returns the logarithm of the probability of the model's choice: among the tokens that the
    /// grammar allowed, if known, because the others are no choice.
    pub(crate) fn choice(&self) -> f64 {
        self.constrained.unwrap_or(self.log_probability)
    }

    /// The same token, after `bytes` more bytes.
    pub(crate) fn after(self, bytes: usize) -> Self {
        let Range { start, end } = self.range;
        Self { range: start.saturating_add(bytes)..end.saturating_add(bytes), ..self }
    }
}

/// By the order of all floats, so that a token equals itself.
impl PartialEq for TokenProbability {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |one: f64, other: f64| one.total_cmp(&other).is_eq();
        let is_constrained_alike = match (self.constrained, other.constrained) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.range == other.range
            && self.is_forced == other.is_forced
            && is_same(self.log_probability, other.log_probability)
            && is_constrained_alike
    }
}

impl Eq for TokenProbability {}

/// One of two combined agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RouteBranch {
    First,
    Second,
}

/// The path to the agent that wrote a reply, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentRoute {
    pub(crate) branch: RouteBranch,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rest: Option<Box<AgentRoute>>,
}

/// An amount of money in US dollars.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(transparent)]
struct Dollars(f64);

impl PartialEq for Dollars {
    fn eq(&self, other: &Self) -> bool {
        self.0.total_cmp(&other.0).is_eq()
    }
}

impl Eq for Dollars {}
