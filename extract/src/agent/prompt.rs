//! The prompt for an agent.

use super::{Conversation, Part, Parts, Role, Turn};
use crate::vocabulary::text::text_paragraph;

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
