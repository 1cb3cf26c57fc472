//! How much a model thinks before it answers.

use std::fmt;

use serde::{Deserialize, Serialize};

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
