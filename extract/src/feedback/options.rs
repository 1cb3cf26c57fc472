//! The contents of a feedback.

use super::message::MAX_FEEDBACK_CHARS;

/// The contents of a feedback.
///
/// All [ways of asking again](super::Feedback) follow these switches.
/// [`FailedAttempt::message`](super::FailedAttempt::message) follows all except
/// [`show_submission`](Self::show_submission). Your own
/// [`FeedbackStrategy`](super::FeedbackStrategy) can use that message, and ask
/// [`FailedAttempt::shows_submission`](super::FailedAttempt::shows_submission) for the last switch.
///
/// ```
/// use extract::{Contract, settings::FeedbackOptions, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["eight", "8"]);
/// let options = FeedbackOptions::new().show_failing_schemas(false).show_attempt(false).show_submission(false);
/// block_on(contract.extract(&agent, "How many legs has a spider?").feedback_options(options))?;
/// let asked = &agent.requests()[1].conversation;
/// let feedback = asked.turns().last().unwrap().text();
/// assert!(feedback.starts_with("How many legs has a spider?\n\nYour answer was not accepted: 1 violation."));
/// assert!(!feedback.contains("schema"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct FeedbackOptions {
    pub(crate) show_failing_schemas: bool,
    pub(crate) show_whole_schema: bool,
    pub(crate) show_submission: bool,
    pub(crate) show_attempt: bool,
    pub(crate) max_chars: usize,
}

impl Default for FeedbackOptions {
    fn default() -> Self {
        Self {
            show_failing_schemas: true,
            show_whole_schema: false,
            show_submission: true,
            show_attempt: true,
            max_chars: MAX_FEEDBACK_CHARS,
        }
    }
}

impl FeedbackOptions {
    /// Creates the default options, which were measured (`docs/decisions.md` in the repository).
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the feedback quotes the parts of the schema for the paths with violations; on
    /// by default, because small models then fixed more.
    pub fn show_failing_schemas(mut self, show: bool) -> Self {
        self.show_failing_schemas = show;
        self
    }

    /// Sets whether the feedback quotes the JSON Schema of the whole answer, instead of its failing
    /// parts; off by default, because the conversation already has it.
    /// [`max_chars`](Self::max_chars) does not limit it. It is not quoted after a reply that was
    /// cut or repeats itself, because nothing is known to be wrong with such a value.
    pub fn show_whole_schema(mut self, show: bool) -> Self {
        self.show_whole_schema = show;
        self
    }

    /// Sets whether the agent sees its last submission again; on by default. Without it, each
    /// question is the first one followed by the feedback. [`Continue`](super::Feedback::Continue)
    /// and [`Fresh`](super::Feedback::Fresh) are then the same, and no patch is asked for, because
    /// the agent would not see the value to patch. Violations still quote values.
    pub fn show_submission(mut self, show: bool) -> Self {
        self.show_submission = show;
        self
    }

    /// Sets whether the feedback begins with `Attempt 2 of 3.`; on by default.
    pub fn show_attempt(mut self, show: bool) -> Self {
        self.show_attempt = show;
        self
    }

    /// Sets the maximum number of characters of violations in one feedback, including the count of
    /// the rest and the parts of the schema; 12,000 by default. The first violation and the count
    /// are always included: at most a few thousand characters together.
    pub fn max_chars(mut self, chars: usize) -> Self {
        self.max_chars = chars;
        self
    }
}
