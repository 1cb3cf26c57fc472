//! How an agent's replies are constrained to a schema.

use std::{future::ready, pin::Pin};

use serde::{Deserialize, Serialize};

use crate::schema::dialect::UnenforcedConstraint;

/// The future that [`Agent::constraint`](super::Agent::constraint) returns.
pub type ConstraintFuture<'a> = Pin<Box<dyn Future<Output = Constraint> + Send + 'a>>;

/// How the replies of an [`Agent`](super::Agent) are constrained to one schema. Not at all by
/// default.
///
/// It only decides what the prompt says about the schema: every reply is validated.
///
/// ```
/// use extract::agent::{Constraint, ConstraintLevel};
/// use extract::{Path, schema::dialect::UnenforcedConstraint};
///
/// let pattern = UnenforcedConstraint::new(Path::root().key("properties").key("number"), "pattern", "looks ahead");
/// let constraint = Constraint::by_decoder([pattern]);
/// assert_eq!(constraint.level, ConstraintLevel::Decoder);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Constraint {
    /// The level of the constraint, and who applies it.
    pub level: ConstraintLevel,
    /// The constraints of the schema that are not enforced. Their paths lead into the schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unenforced: Vec<UnenforcedConstraint>,
}

/// The constraint on replies, and how much of it the model sees. From the weakest to the strongest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConstraintLevel {
    /// By nothing: the model may write any text.
    #[default]
    Nothing,
    /// To JSON of any form.
    Json,
    /// To the schema, by a decoder such as a grammar. The model does not see the schema.
    Decoder,
    /// To the schema, by a provider that shows the schema to the model itself.
    Provider,
}

impl Constraint {
    /// Returns no constraint: the model may write any text.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Returns a constraint to JSON of any form.
    pub fn json() -> Self {
        Self { level: ConstraintLevel::Json, unenforced: Vec::new() }
    }

    /// Returns a constraint to the schema except `unenforced`, by a decoder that the model does not
    /// see.
    pub fn by_decoder(unenforced: impl Into<Vec<UnenforcedConstraint>>) -> Self {
        Self { level: ConstraintLevel::Decoder, unenforced: unenforced.into() }
    }

    /// Returns a constraint to the schema except `unenforced`, by a provider that shows the schema
    /// to the model.
    pub fn by_provider(unenforced: impl Into<Vec<UnenforcedConstraint>>) -> Self {
        Self { level: ConstraintLevel::Provider, unenforced: unenforced.into() }
    }

    /// Returns whether replies are constrained to the enforced part of the schema.
    pub fn is_to_schema(&self) -> bool {
        self.level >= ConstraintLevel::Decoder
    }

    /// Returns the constraint that holds for every reply if either this agent or `other` is asked.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.level = self.level.min(other.level);
        for one in other.unenforced {
            if !self.unenforced.contains(&one) {
                self.unenforced.push(one);
            }
        }
        self
    }

    /// This constraint as the result of [`Agent::constraint`](super::Agent::constraint), for an
    /// agent that need not ask for it.
    pub fn known<'a>(self) -> ConstraintFuture<'a> {
        Box::pin(ready(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::path::Path;

    #[test]
    fn either_of_two_agents_is_constrained_as_the_weaker_one() {
        let one = |keyword| UnenforcedConstraint::new(Path::root(), keyword, "is beyond it");
        let first = Constraint::by_provider([one("not"), one("pattern")]);
        let second = Constraint::by_decoder([one("pattern"), one("minimum")]);
        let either = first.clone().or(second);
        assert_eq!(either, Constraint::by_decoder([one("not"), one("pattern"), one("minimum")]));
        assert!(either.is_to_schema() && !first.clone().or(Constraint::json()).is_to_schema());
        assert_eq!(first.or(Constraint::nothing()).level, ConstraintLevel::Nothing);
    }
}
