//! Conversations, their turns, and prompts that become one.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentError, Part, Parts, Reply, ToolCall, ToolResult};
use crate::vocabulary::text::{fenced, text_paragraph};

/// Who speaks in a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions. For an extraction: schema, example, "JSON only".
    System,
    /// The caller: the prompt, and later the feedback.
    User,
    /// The agent itself: its last submission.
    Assistant,
    /// The tools that the agent called.
    Tool,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        })
    }
}

/// One turn of a conversation.
///
/// Its serialized form has the role and one of: the text, the parts (if there is more than text),
/// or the tool calls or their results. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "SerializedTurn", from = "SerializedTurn")]
pub struct Turn {
    role: Role,
    text: Arc<str>,
    /// Empty if there is only text.
    parts: Vec<Part>,
    /// Tool calls or their results. Kept apart, because they are rare.
    tools: Option<Arc<TurnTools>>,
}

/// The tool calls or results of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TurnTools {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<ToolCall>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<ToolResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider_data: Option<Value>,
    /// The agent's text besides its calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    said: String,
}

impl Turn {
    /// Creates a turn of `role` with `text`.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self::of_text(role, text.into().into())
    }

    fn of_text(role: Role, text: Arc<str>) -> Self {
        Self { role, text, parts: Vec::new(), tools: None }
    }

    /// Creates the turn of an agent that called tools.
    pub fn of_calls(reply: &Reply) -> Self {
        Self::of_tools(
            Role::Assistant,
            TurnTools {
                calls: reply.calls().to_vec(),
                results: Vec::new(),
                provider_data: reply.provider_data().cloned(),
                said: reply.text().to_owned(),
            },
        )
    }

    /// Creates the turn with the results: one for each [`ToolCall`] of the turn before.
    pub fn of_results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        let results = results.into_iter().collect();
        Self::of_tools(Role::Tool, TurnTools { results, ..TurnTools::default() })
    }

    fn of_tools(role: Role, tools: TurnTools) -> Self {
        let said = Some(tools.said.clone()).filter(|said| !said.is_empty());
        let calls = tools.calls.iter().map(ToolCall::shown);
        let results = tools.results.iter().map(|result| result.text.clone());
        let text = said.into_iter().chain(calls).chain(results).collect::<Vec<_>>().join("\n\n");
        Self { tools: Some(Arc::new(tools)), ..Self::of_text(role, text.into()) }
    }

    /// Creates a turn of `role` with `parts`.
    pub fn of_parts(role: Role, parts: impl Into<Parts>) -> Self {
        let parts = parts.into().into_vec();
        if let [only] = &*parts
            && let Some(text) = only.shared_text()
        {
            return Self::of_text(role, Arc::clone(text));
        }
        let text = parts.iter().map(Part::to_string).collect::<Vec<_>>().join("\n\n");
        let has_media = parts.iter().any(|part| part.as_text().is_none());
        Self { parts: if has_media { parts } else { Vec::new() }, ..Self::of_text(role, text.into()) }
    }

    /// Returns the role that speaks.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the turn as text: each text is a paragraph, and each image, document and tool call
    /// is a line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the parts of the turn; a single text if there are no images or documents.
    pub fn parts(&self) -> Cow<'_, [Part]> {
        if self.parts.is_empty() {
            Cow::Owned(vec![Part::text(&*self.text)])
        } else {
            Cow::Borrowed(&self.parts)
        }
    }

    /// Returns the tool calls of the agent.
    pub fn calls(&self) -> &[ToolCall] {
        self.tools.as_ref().map_or(&[], |tools| &tools.calls)
    }

    /// Returns the results of the calls of the turn before.
    pub fn results(&self) -> &[ToolResult] {
        self.tools.as_ref().map_or(&[], |tools| &tools.results)
    }

    /// Returns the agent's text besides its calls; the whole text without calls.
    pub fn said(&self) -> &str {
        self.tools.as_ref().map_or(&self.text, |tools| &tools.said)
    }

    /// Returns the [data](Reply::with_provider_data) that the provider wants back with the calls,
    /// if any.
    pub fn provider_data(&self) -> Option<&Value> {
        self.tools.as_ref()?.provider_data.as_ref()
    }

    fn append(&mut self, text: &str) {
        self.text = [&*self.text, text].concat().into();
        if !self.parts.is_empty() {
            self.parts.push(Part::text(text.trim_start()));
        }
    }
}

/// The serialized form of a turn.
#[derive(Serialize, Deserialize)]
struct SerializedTurn {
    role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<Box<TurnTools>>,
}

impl From<Turn> for SerializedTurn {
    fn from(Turn { role, text, parts, tools }: Turn) -> Self {
        let text = (parts.is_empty() && tools.is_none()).then(|| (*text).to_owned());
        Self { role, text, parts, tools: tools.map(|tools| Box::new(Arc::unwrap_or_clone(tools))) }
    }
}

impl From<SerializedTurn> for Turn {
    fn from(SerializedTurn { role, text, parts, tools }: SerializedTurn) -> Self {
        if let Some(tools) = tools {
            return Self::of_tools(role, *tools);
        }
        match text {
            Some(text) if parts.is_empty() => Self::new(role, text),
            text => Self::of_parts(role, text.map(Part::text).into_iter().chain(parts).collect::<Vec<_>>()),
        }
    }
}

/// The turns of a conversation, oldest first.
///
/// In an extraction it stays short: the system turn with the contract, the prompt and, after a
/// failed attempt, the submission and its feedback. Earlier failed attempts are not in it.
///
/// Cheap to clone: clones share their turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    #[serde(with = "shared")]
    turns: Arc<Vec<Turn>>,
}

/// Shared turns, serialized as plain ones. serde reads an `Arc` only with its feature `rc`, which
/// would apply to the whole program.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Turn;

    pub(super) fn serialize<S: Serializer>(turns: &Arc<Vec<Turn>>, serializer: S) -> Result<S::Ok, S::Error> {
        turns.as_slice().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<Vec<Turn>>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::new)
    }
}

impl Conversation {
    /// Creates an empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn at the end.
    #[must_use]
    pub fn with(self, role: Role, text: impl Into<String>) -> Self {
        self.with_turn(Turn::new(role, text))
    }

    /// Adds a turn of texts, images and documents at the end.
    #[must_use]
    pub fn with_parts(self, role: Role, parts: impl Into<Parts>) -> Self {
        self.with_turn(Turn::of_parts(role, parts))
    }

    /// Adds `turn` at the end.
    #[must_use]
    pub fn with_turn(mut self, turn: Turn) -> Self {
        Arc::make_mut(&mut self.turns).push(turn);
        self
    }

    /// Adds a paragraph to the last turn if that is the user's, else a turn of the user.
    pub(crate) fn with_user_text(mut self, paragraph: &str) -> Self {
        match Arc::make_mut(&mut self.turns).last_mut().filter(|last| last.role == Role::User) {
            Some(last) => last.append(&format!("\n\n{paragraph}")),
            None => return self.with(Role::User, paragraph),
        }
        self
    }

    /// Adds a paragraph of general instructions to the conversation.
    pub(crate) fn with_instructions(mut self, paragraph: &str) -> Self {
        let turns = Arc::make_mut(&mut self.turns);
        match turns.first_mut().filter(|turn| turn.role == Role::System) {
            Some(system) => system.append(&format!("\n\n{paragraph}")),
            None => turns.insert(0, Turn::new(Role::System, paragraph)),
        }
        self
    }

    /// Returns the turns, oldest first.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Returns the whole conversation as one string, for agents that take a single prompt.
    ///
    /// System and user turns follow each other as paragraphs. Earlier answers of the agent are
    /// fenced, with a fence longer than any in them, so that a reply cannot pose as instructions.
    ///
    /// ```
    /// use extract::agent::{Conversation, Role};
    ///
    /// let conversation = Conversation::new()
    ///     .with(Role::System, "Answer in JSON.")
    ///     .with(Role::User, "What is the total?");
    /// assert_eq!(conversation.to_text(), "Answer in JSON.\n\nWhat is the total?");
    /// ```
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for turn in &*self.turns {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            match turn.role {
                Role::System | Role::User | Role::Tool => text.push_str(&turn.text),
                Role::Assistant => {
                    let _ = write!(text, "You answered:\n{}", fenced("", &turn.text));
                }
            }
        }
        text
    }

    /// Like [`to_text`](Self::to_text), for agents that take only text.
    ///
    /// # Errors
    ///
    /// [`Refused`](super::AgentErrorKind::Refused), which is permanent, names the first image or
    /// document.
    ///
    /// ```
    /// use extract::agent::{Conversation, Part, Role};
    ///
    /// let scan = Part::image(vec![0; 3], "image/png");
    /// let conversation = Conversation::new().with_parts(Role::User, [Part::text("What is this?"), scan]);
    /// let error = conversation.text_only("my agent").unwrap_err();
    /// assert!(error.message().starts_with("`my agent` takes text only; part 2 of the user turn is [image/png, 3 bytes"));
    /// ```
    pub fn text_only(&self, agent: &str) -> Result<String, AgentError> {
        for turn in &*self.turns {
            if let Some(index) = turn.parts.iter().position(|part| part.as_text().is_none()) {
                let (number, role, part) = (index + 1, turn.role, &turn.parts[index]);
                let message =
                    format!("`{agent}` takes text only; part {number} of the {role} turn is {part}");
                return Err(AgentError::refused(message));
            }
        }
        Ok(self.to_text())
    }

    /// Returns the number of characters in all turns, without images and documents; for token
    /// estimates.
    pub fn chars(&self) -> usize {
        self.turns.iter().map(|turn| turn.text.chars().count()).sum()
    }
}

/// The prompt for an agent: a text, texts with images and documents, or a conversation.
///
/// Everything that converts into [`Parts`] converts into a prompt, and so does a [`Conversation`].
/// Every parameter that is a prompt accepts all of these.
///
/// ```
/// use extract::{Extractable as _, agent::Part, testing::{ScriptedAgent, block_on}};
///
/// let agent = ScriptedAgent::new(["[129]"]);
/// let scan = Part::image(vec![0xFF, 0xD8], "image/jpeg");
/// let prompt = [Part::text("Which amounts are on this receipt?"), scan];
/// let (amounts, _) = block_on(Vec::<u32>::extract(&agent, prompt))?;
/// assert_eq!(amounts, [129]);
/// # Ok::<(), extract::ExtractionError>(())
/// ```
///
/// # A conversation
///
/// The turns are kept as they are, and the contract is added once: at the end of the first turn if
/// that is a system turn, otherwise in a system turn of its own before it. The conversation has to
/// end with a turn of the user, or with the results of tools; otherwise the extraction fails with
/// [`SettingsError::NothingAsked`](crate::settings::SettingsError::NothingAsked) and asks nothing.
///
/// ```
/// use extract::{Extractable as _, agent::{Conversation, Role}, testing::{ScriptedAgent, block_on}};
///
/// let chat = Conversation::new()
///     .with(Role::System, "You sell tickets.")
///     .with(Role::User, "Two for Friday, please.")
///     .with(Role::Assistant, "There are only balcony seats left.")
///     .with(Role::User, "Then three. How many tickets do I want?");
/// let agent = ScriptedAgent::new(["3"]);
/// let (tickets, _) = block_on(u8::extract(&agent, &chat))?;
/// assert_eq!(tickets, 3);
/// assert_eq!(agent.requests()[0].conversation.turns()[1..], chat.turns()[1..]);
/// # Ok::<(), extract::ExtractionError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    conversation: Conversation,
}

impl Prompt {
    /// Returns the prompt as a conversation: one turn of the user, if it is not made from a
    /// conversation.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The prompt with the text to extract from, after the user's own words.
    pub(crate) fn with_text(self, text: &str) -> Self {
        self.with_paragraph(&text_paragraph(text))
    }

    /// The prompt with the paragraph `text` after the user's own words.
    pub(crate) fn with_paragraph(self, text: &str) -> Self {
        let conversation = if self.is_empty() {
            Conversation::new().with(Role::User, text)
        } else {
            self.conversation.with_user_text(text)
        };
        Self { conversation }
    }

    /// Returns whether the prompt is empty.
    fn is_empty(&self) -> bool {
        match self.conversation.turns() {
            [] => true,
            [only] => only.role() == Role::User && *only.parts() == [Part::text("")],
            _ => false,
        }
    }

    /// Returns whether there is something to answer: the last turn is not the agent's own or a
    /// system turn.
    pub(crate) fn asks(&self) -> bool {
        let last = self.conversation.turns().last().map(Turn::role);
        matches!(last, Some(Role::User | Role::Tool))
    }
}

impl<P: Into<Parts>> From<P> for Prompt {
    fn from(parts: P) -> Self {
        Conversation::new().with_parts(Role::User, parts).into()
    }
}

impl From<Conversation> for Prompt {
    fn from(conversation: Conversation) -> Self {
        Self { conversation }
    }
}

impl From<&Conversation> for Prompt {
    fn from(conversation: &Conversation) -> Self {
        conversation.clone().into()
    }
}

impl From<&Self> for Prompt {
    fn from(prompt: &Self) -> Self {
        prompt.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_clone_shares_its_turns_until_it_goes_on() {
        let opening = Conversation::new().with_parts(Role::User, "Which?");
        let clone = opening.clone();
        assert!(std::ptr::eq(opening.turns(), clone.turns()));
        let longer = clone.with(Role::Assistant, "This one.").with_user_text("Sure?").with_user_text("Why?");
        assert_eq!((opening.turns().len(), longer.turns().len()), (1, 3));
        assert!(std::ptr::eq(opening.turns()[0].text(), longer.turns()[0].text()));
        assert_eq!(longer.turns()[2].text(), "Sure?\n\nWhy?");
    }

    #[test]
    fn is_written_as_a_list_of_turns_and_read_back() {
        let conversation =
            Conversation::new().with(Role::System, "In JSON.").with_parts(Role::User, "Which?");
        let written = json!({"turns": [
            {"role": "system", "text": "In JSON."},
            {"role": "user", "text": "Which?"},
        ]});
        assert_eq!(serde_json::to_value(&conversation).unwrap(), written);
        assert_eq!(serde_json::from_value::<Conversation>(written).unwrap(), conversation);
    }
}
