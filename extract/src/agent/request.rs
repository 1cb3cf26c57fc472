//! The request to an agent, and how much its model thinks before it answers.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Conversation, Tool,
    reply::{AgentRoute, RouteBranch},
};
use crate::schema::{
    SchemaForms,
    dialect::{Dialect, Inexpressible, Projection},
};

/// One question to an agent.
///
/// Agents must honour only [`conversation`](Self::conversation). The rest is optional: an agent
/// that can constrain its output to a schema, limit its length or set a temperature does so. Others
/// ignore these fields, and the loop still judges the reply.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Request {
    /// The conversation to answer; ends with a turn of the user or with the results of tools.
    pub conversation: Conversation,
    /// The JSON Schema (2020-12) that the reply has to satisfy.
    pub schema: Option<Arc<Value>>,
    /// The tools that the agent may call. Set only for an agent that [calls
    /// tools](super::Capabilities::calls_tools). There is then no `schema`: a tool has it.
    pub tools: Option<Arc<[Tool]>>,
    /// Maximum length of the reply, in the agent's tokens.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature; 0 gives the likeliest reply.
    pub temperature: Option<f64>,
    /// How much the model thinks before it answers; its own default if `None`.
    pub thinking: Option<ThinkingLevel>,
    /// Whether a reply that only repeats itself may be ended before its token limit, with
    /// [`FinishReason::Repetition`](super::FinishReason::Repetition); `true` by default. Agents
    /// that see their reply as it arrives ask a [`RepetitionWatch`](super::RepetitionWatch) or
    /// their [`DeltaSink`](super::DeltaSink::is_repeating).
    pub ends_repetition: bool,
    /// Whether the reply should say [how likely](super::Reply::token_probabilities) its tokens are.
    /// Set only for an agent that [reports](super::Capabilities::reports_log_probabilities) it.
    pub log_probabilities: bool,
    /// Number of the [sample](crate::Confidence::Samples), from 0, if the same question is asked
    /// several times. Agents answer all of them alike; a cache keeps their replies apart.
    pub sample: u32,
    /// Whether the conversation asks for thoughts between `<think>` and `</think>` before the
    /// answer. If there is a `schema`, this is set only for an agent that
    /// [can](super::Capabilities::thinks_first) leave the thoughts unconstrained.
    pub thinks_first: bool,
    /// The beginning of the reply, as the agent wrote it until it was cut. The agent returns only
    /// what it adds. Set only for an agent that [continues
    /// replies](super::Capabilities::continues_replies).
    pub prefill: Option<Arc<str>>,
    /// Whether the conversation describes the schema. If not, an agent that turns out not to
    /// constrain the reply to it has to add the description.
    pub(crate) describes_schema: bool,
    /// The forms of `schema`, unless that was replaced.
    forms: Option<Arc<SchemaForms>>,
    /// The schema with this library's keywords, if it has sensitive parts.
    pub(crate) marked_schema: Option<MarkedSchema>,
    /// The same request with sensitive values redacted, for agents other than the author of the
    /// last reply.
    pub(crate) redacted: Option<Arc<RedactedRequest>>,
}

/// A schema that marks its sensitive parts. Only this library reads the marks, so `Debug` omits
/// them.
#[derive(Clone)]
pub(crate) struct MarkedSchema(pub(crate) Arc<Value>);

impl fmt::Debug for MarkedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MarkedSchema")
    }
}

impl Request {
    /// Creates a request with a `conversation` and nothing else.
    pub fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            schema: None,
            tools: None,
            max_output_tokens: None,
            temperature: None,
            thinking: None,
            ends_repetition: true,
            log_probabilities: false,
            sample: 0,
            thinks_first: false,
            prefill: None,
            describes_schema: true,
            forms: None,
            marked_schema: None,
            redacted: None,
        }
    }

    /// Offers the schema for constrained or native structured output.
    #[must_use]
    pub fn with_schema(mut self, schema: Arc<Value>) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Offers the schema of `forms`, or none.
    pub(crate) fn offer(&mut self, forms: Option<&Arc<SchemaForms>>) {
        self.schema = forms.map(|forms| Arc::clone(forms.schema()));
        self.forms = forms.cloned();
    }

    /// Offers tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[Tool]>>) -> Self {
        self.tools = Some(tools.into());
        self
    }

    /// Returns the number of characters that the agent reads, without images and documents; for
    /// token estimates.
    pub fn chars(&self) -> usize {
        let tools = self.tools.iter().flat_map(|tools| tools.iter());
        let chars = tools
            .map(|tool| tool.description.chars().count() + tool.input_schema.to_string().chars().count());
        let prefill = self.prefill.as_ref().map_or(0, |prefill| prefill.chars().count());
        self.conversation.chars() + chars.sum::<usize>() + prefill
    }
}

impl Request {
    /// The forms of the schema, computed once for each contract.
    fn forms(&self) -> Option<Arc<SchemaForms>> {
        let schema = self.schema.as_ref()?;
        let known = self.forms.as_ref().filter(|forms| Arc::ptr_eq(forms.schema(), schema));
        Some(known.map_or_else(|| Arc::new(SchemaForms::new(Arc::clone(schema))), Arc::clone))
    }

    /// Returns the schema as a provider of `dialect` takes it, as by [`Dialect::offer`], computed
    /// once for each contract; `None` if there is no schema.
    ///
    /// If the projection [is enveloped](Projection::is_enveloped), the answer is taken out of the
    /// reply with [`open_envelope`](super::provider::open_envelope).
    ///
    /// ```
    /// use extract::{agent::{Conversation, Request}, schema::dialect::Dialect};
    /// use std::sync::Arc;
    ///
    /// let schema = Arc::new(serde_json::json!({"type": "array", "items": {"type": "integer"}}));
    /// let request = Request::new(Conversation::new()).with_schema(schema);
    /// assert!(request.native_schema(Dialect::OpenAi).unwrap()?.is_enveloped);
    /// # Ok::<(), extract::schema::dialect::Inexpressible>(())
    /// ```
    pub fn native_schema(&self, dialect: Dialect) -> Option<Result<Projection, Inexpressible>> {
        Some(self.forms()?.native(dialect).clone())
    }
}

impl Request {
    /// Returns the request for an agent that turns out not to constrain the reply to the schema,
    /// for example because its server refused it. Its conversation describes the schema.
    pub fn describing_schema(&self) -> Cow<'_, Self> {
        match self.forms().filter(|_| !self.describes_schema) {
            Some(forms) => Cow::Owned(Self {
                conversation: self.conversation.clone().with_instructions(forms.described()),
                describes_schema: true,
                ..self.clone()
            }),
            None => Cow::Borrowed(self),
        }
    }
}

/// A request with sensitive values redacted, for agents that did not write the values that the
/// conversation quotes.
#[derive(Clone)]
pub(crate) struct RedactedRequest {
    /// Who wrote them. `None` if that is unknown; nobody then sees the values.
    pub(crate) author: Option<Box<AgentRoute>>,
    pub(crate) conversation: Conversation,
    pub(crate) schema: Option<Arc<Value>>,
}

impl fmt::Debug for RedactedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedactedRequest")
    }
}

impl Request {
    /// The request for the agent at `branch`.
    pub(crate) fn for_branch(&self, branch: RouteBranch) -> Cow<'_, Self> {
        let Some(redacted) = self.redacted.as_deref() else { return Cow::Borrowed(self) };
        let author = redacted.author.as_ref().filter(|author| author.branch == branch);
        Cow::Owned(match author {
            Some(author) => {
                let redacted = RedactedRequest { author: author.rest.clone(), ..redacted.clone() };
                Self { redacted: Some(Arc::new(redacted)), ..self.clone() }
            }
            None => Self {
                conversation: redacted.conversation.clone(),
                schema: redacted.schema.clone(),
                redacted: None,
                ..self.clone()
            },
        })
    }

    /// Keeps the present conversation for all agents except `author`, before that agent's reply is
    /// added.
    pub(crate) fn keep_redacted(&mut self, author: Option<Box<AgentRoute>>) {
        let (conversation, schema) = match self.redacted.as_deref() {
            Some(redacted) => (&redacted.conversation, &redacted.schema),
            None => (&self.conversation, &self.schema),
        };
        let redacted = RedactedRequest { author, conversation: conversation.clone(), schema: schema.clone() };
        self.redacted = Some(Arc::new(redacted));
    }
}

/// How much a model thinks before it answers, from nothing up. Providers have their own scales. A
/// level that one lacks becomes its nearest level, or is not sent, and a
/// [note](crate::metrics::AttemptMetrics::notes) then says so.
///
/// ```
/// use extract::{Contract, agent::ThinkingLevel, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let extraction = contract.extract(&agent, "How many legs has a spider?").thinking(ThinkingLevel::Low);
/// let (_, metrics) = block_on(extraction)?;
/// assert_eq!(agent.requests()[0].thinking, Some(ThinkingLevel::Low));
/// assert_eq!(
///     metrics.per_attempt[0].notes,
///     ["`scripted` sets no thinking level, so `low` may have no effect"]
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThinkingLevel {
    /// Not at all. Some models cannot.
    Off,
    /// As little as the model can, without turning it off.
    Minimal,
    /// A little.
    Low,
    /// Medium.
    Medium,
    /// Much.
    High,
    /// As much as the model can.
    Max,
    /// At most this many tokens.
    Budget(u32),
}

/// `low`, or `budget of 1024 tokens`
impl fmt::Display for ThinkingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Max => "max",
            Self::Budget(tokens) => return write!(f, "budget of {tokens} tokens"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;

    #[test]
    fn a_replaced_schema_is_the_one_that_is_sent() {
        let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
        let mut request = Request::new(Conversation::new());
        assert!(request.native_schema(Dialect::Ollama).is_none());
        request.offer(Some(contract.forms()));
        let sent = |request: &Request| request.native_schema(Dialect::Ollama).unwrap().unwrap().schema;
        assert_eq!(sent(&request), json!({"type": "integer"}));
        request.schema = Some(Arc::new(json!({"type": "string"})));
        assert_eq!(sent(&request), json!({"type": "string"}));
    }
}
