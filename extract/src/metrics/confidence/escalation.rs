//! What became of the leaves that a larger model was asked about.

use serde::{Deserialize, Serialize};

use crate::vocabulary::path::Path;

/// The leaves that a larger agent was asked about, because they were not sure enough; see
/// [`Extraction::escalate_below`](crate::Extraction::escalate_below).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Escalation {
    /// Name of the larger agent.
    pub agent: String,
    /// The leaves that it was asked about, the least sure first.
    pub asked: Vec<Path>,
    /// Those for which it gave another value, which is now in the value.
    pub changed: Vec<Path>,
    /// Why its answer was not used, and the value is as it was before; `None` if it was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused: Option<String>,
}

impl Escalation {
    pub(crate) fn new(agent: String, asked: Vec<Path>) -> Self {
        Self { agent, asked, changed: Vec::new(), unused: None }
    }
}
