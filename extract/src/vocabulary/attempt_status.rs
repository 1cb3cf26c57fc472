//! The outcome of an attempt.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of an attempt, for records and counters.
///
/// ```
/// use extract::{Contract, AttemptStatus, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["three", "3"]);
/// let (_, metrics) = block_on(contract.extract(&agent, "How many?"))?;
/// let verdicts: Vec<_> = metrics.per_attempt.iter().map(|attempt| attempt.verdict).collect();
/// assert_eq!(verdicts, [AttemptStatus::Rejected, AttemptStatus::Accepted]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttemptStatus {
    /// The value is accepted; it may have warnings.
    Accepted,
    /// The value is accepted without its broken items, because the caller asked to
    /// [keep the valid ones](crate::Extraction::keep_valid_items).
    AcceptedInPart,
    /// There is no value, or it has violations.
    #[default]
    Rejected,
    /// The reply was cut before its end, or the value is still incomplete after a reply that
    /// [continued](crate::Extraction::max_continuations) it.
    Truncated,
    /// The reply repeated itself until it was cut or ended.
    Repeated,
    /// The agent refused to answer, or a content filter withheld the answer.
    Refused,
}

impl AttemptStatus {
    /// Returns the name as it is serialized, such as `refused`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::AcceptedInPart => "accepted_in_part",
            Self::Rejected => "rejected",
            Self::Truncated => "truncated",
            Self::Repeated => "repeated",
            Self::Refused => "refused",
        }
    }
}

impl fmt::Display for AttemptStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
