//! Which of several combined agents wrote a reply.

use serde::{Deserialize, Serialize};

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
