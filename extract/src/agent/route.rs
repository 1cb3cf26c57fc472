//! Which of several combined agents wrote a reply.

use serde::{Deserialize, Serialize};

/// One of two combined agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Branch {
    First,
    Second,
}

/// The path to the agent that wrote a reply, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Route {
    pub(crate) branch: Branch,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rest: Option<Box<Route>>,
}
