//! The agent for unsure leaves.

use crate::agent::Agent;

/// An agent for the leaves that are not sure enough.
pub(crate) struct LargerAgent<'a> {
    /// Leaves below this confidence are not sure enough.
    pub(crate) below: f64,
    pub(crate) agent: Box<dyn Agent + 'a>,
}

impl<'a> LargerAgent<'a> {
    pub(crate) fn wrapped(self, wrap: impl FnOnce(Box<dyn Agent + 'a>) -> Box<dyn Agent + 'a>) -> Self {
        Self { agent: wrap(self.agent), ..self }
    }
}
