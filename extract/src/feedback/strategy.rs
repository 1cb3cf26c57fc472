//! The ways of asking again.

use super::{FailedAttempt, patch};
use crate::{
    agent::{Conversation, Role},
    text::fenced,
};

/// How the next attempt is asked for after a failed one.
///
/// In every way the agent sees the schema once, its last submission once, every violation, and which attempt of how
/// many it is. What failed before that is not repeated, so the conversation does not grow with the attempts.
///
/// An attempt that [made no progress](crate::AttemptRecord::is_stalled) changes the way: the same question again would be
/// wasted. A submission that another agent made is always told as [`Fresh`](Self::Fresh). A way of your own is a
/// [`FeedbackStrategy`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feedback {
    /// [`Continue`](Self::Continue), and [`Patch`](Self::Patch) where the submission is long (2,000 characters or
    /// more) and at least four times as long as the patch is likely to be.
    #[default]
    Auto,
    /// The conversation goes on: the submission is the agent's own turn, the feedback the next turn of the
    /// user, or the answer of the tool where the agent called one.
    Continue,
    /// A new conversation that holds the prompt, the submission and the feedback in one turn of the user.
    Fresh,
    /// As `Continue`, but the agent is asked for a JSON Patch (RFC 6902) of its submission instead of all of it again.
    /// It may change the places of the violations and nothing else; the patched value is judged as a whole. After a
    /// patch that does not apply, where there is nothing to patch, and of an agent that calls tools, the whole value is asked
    /// for.
    Patch,
}

/// A way of asking again; implemented for [`Feedback`], and for every closure from a [`FailedAttempt`] to a
/// [`Conversation`].
///
/// Where the contract has sensitive values, it is asked twice: for the agent that failed, and, with
/// [`is_other_agent`](FailedAttempt::is_other_agent), for any other that may step in for it
/// ([`or`](crate::agent::AgentExt::or)).
///
/// ```
/// use extract::{agent::Role, Contract, feedback::FailedAttempt, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["three", "3"]);
/// let politely = |failed: &FailedAttempt<'_>| {
///     failed.opening.clone().with(Role::User, format!("Please try again. {}", failed.message()))
/// };
/// block_on(contract.extract(&agent, "How many?").feedback(politely))?;
/// let asked = agent.requests()[1].conversation.to_text();
/// assert!(asked.contains("Please try again. Attempt 2 of 3. Your answer was not accepted"), "{asked}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FeedbackStrategy: Send + Sync {
    /// The question that follows `failed`.
    fn question(&self, failed: &FailedAttempt<'_>) -> Question;
}

impl<F: Fn(&FailedAttempt<'_>) -> Conversation + Send + Sync> FeedbackStrategy for F {
    fn question(&self, failed: &FailedAttempt<'_>) -> Question {
        Question::whole(self(failed))
    }
}

/// What is asked next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub(crate) conversation: Conversation,
    pub(crate) wants_patch: bool,
}

impl Question {
    /// Asks for the whole value.
    pub fn whole(conversation: Conversation) -> Self {
        Self { conversation, wants_patch: false }
    }

    /// Asks for a JSON Patch (RFC 6902) of the last submission. The whole value is taken as well.
    pub fn patch(conversation: Conversation) -> Self {
        Self { conversation, wants_patch: true }
    }
}

/// The submission of this many characters is worth a patch when [`patch::likely_chars`] of it are at most a quarter.
const PATCHED_CHARS: usize = 2_000;

impl FeedbackStrategy for Feedback {
    fn question(&self, failed: &FailedAttempt<'_>) -> Question {
        match self.way(failed) {
            Self::Auto | Self::Continue => Question::whole(continued(failed, failed.message())),
            Self::Fresh => Question::whole(fresh(failed)),
            Self::Patch => Question::patch(continued(failed, patch::message(failed))),
        }
    }
}

impl Feedback {
    /// The way that is left when this one is wasted or impossible.
    fn way(self, failed: &FailedAttempt<'_>) -> Self {
        if failed.is_other_agent {
            return Self::Fresh;
        }
        let is_turned = failed.stalls % 2 == 1;
        match self {
            Self::Patch if !is_turned && patch::is_possible(failed) => Self::Patch,
            Self::Auto if !is_turned && is_patch_worthwhile(failed) => Self::Patch,
            Self::Fresh if is_turned => Self::Continue,
            Self::Fresh => Self::Fresh,
            _ if is_turned => Self::Fresh,
            _ => Self::Continue,
        }
    }
}

fn is_patch_worthwhile(failed: &FailedAttempt<'_>) -> bool {
    let Some(value) = failed.record.submitted.as_ref().filter(|_| patch::is_possible(failed)) else {
        return false;
    };
    let chars = value.to_string().len();
    chars >= PATCHED_CHARS && chars >= 4 * patch::likely_chars(value, &failed.record.violations)
}

fn continued(failed: &FailedAttempt<'_>, message: String) -> Conversation {
    let opening = failed.opening.clone();
    match failed.exchange {
        Some(exchange) => exchange.append_to(opening, &message),
        None => opening.with(Role::Assistant, failed.echo()).with(Role::User, message),
    }
}

fn fresh(failed: &FailedAttempt<'_>) -> Conversation {
    failed.opening.clone().append_to_last(&format!(
        "\n\nAn earlier answer to this was not accepted:\n{}\n\n{}",
        fenced("", &failed.echo()),
        failed.message()
    ))
}
