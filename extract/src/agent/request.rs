//! What an agent is asked.

use std::{borrow::Cow, fmt, sync::Arc};

use serde_json::Value;

use super::{
    Conversation, Tool,
    route::{Branch, Route},
};

/// One question to an agent.
///
/// Only [`conversation`](Self::conversation) must be honoured. The rest are offers: an agent that can
/// constrain its output to a schema, bound its length or set a temperature does so, any other ignores
/// them, and the loop judges the reply all the same.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What to answer; ends with a user turn.
    pub conversation: Conversation,
    /// The JSON Schema (2020-12) that the reply has to satisfy.
    pub schema: Option<Arc<Value>>,
    /// The tools that the agent may call; none unless it says that it [calls tools](super::Capabilities::calls_tools). There is no
    /// schema then: it is that of a tool.
    pub tools: Option<Arc<[Tool]>>,
    /// Upper bound for the reply, in tokens of the agent.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature, 0 for the likeliest reply.
    pub temperature: Option<f64>,
    /// The schema with its marks, if it marks places as sensitive.
    pub(crate) marked_schema: Option<MarkedSchema>,
    /// The same for agents that have not written what the conversation shows again, where that may hold sensitive values.
    pub(crate) redacted: Option<Arc<RedactedRequest>>,
}

/// A schema that marks places as sensitive. The marks are for nobody else, so they are not in `Debug`.
#[derive(Clone)]
pub(crate) struct MarkedSchema(pub(crate) Arc<Value>);

impl fmt::Debug for MarkedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MarkedSchema")
    }
}

impl Request {
    /// A request that asks for nothing but an answer to `conversation`.
    pub fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            schema: None,
            tools: None,
            max_output_tokens: None,
            temperature: None,
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

    /// Offers tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[Tool]>>) -> Self {
        self.tools = Some(tools.into());
        self
    }

    /// Number of characters that the agent is given to read, without images and documents; what token estimates are made from.
    pub(crate) fn chars(&self) -> usize {
        let tools = self.tools.iter().flat_map(|tools| tools.iter());
        let chars = tools
            .map(|tool| tool.description.chars().count() + tool.input_schema.to_string().chars().count());
        self.conversation.chars() + chars.sum::<usize>()
    }
}

/// A request for those who have not written what its conversation shows again: without sensitive values.
#[derive(Clone)]
pub(crate) struct RedactedRequest {
    /// Who has written it; `None` where that is not known, so that nobody is shown it.
    pub(crate) author: Option<Box<Route>>,
    pub(crate) conversation: Conversation,
    pub(crate) schema: Option<Arc<Value>>,
}

impl fmt::Debug for RedactedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedactedRequest")
    }
}

impl Request {
    /// The request as the agent at `branch` is asked it.
    pub(crate) fn for_branch(&self, branch: Branch) -> Cow<'_, Self> {
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

    /// Keeps the conversation as it is for all but `author`, before what that one wrote is added to it.
    pub(crate) fn keep_redacted(&mut self, author: Option<Box<Route>>) {
        let (conversation, schema) = match self.redacted.as_deref() {
            Some(redacted) => (&redacted.conversation, &redacted.schema),
            None => (&self.conversation, &self.schema),
        };
        let redacted = RedactedRequest { author, conversation: conversation.clone(), schema: schema.clone() };
        self.redacted = Some(Arc::new(redacted));
    }
}
