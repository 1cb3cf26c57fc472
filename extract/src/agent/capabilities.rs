//! What an agent can do besides replying, and how its replies are constrained to a schema.

use std::{future::ready, pin::Pin};

use serde::{Deserialize, Serialize};

use crate::schema::dialect::UnenforcedConstraint;

/// The capabilities of an [`Agent`](super::Agent) besides replying, for extractions. None by
/// default.
///
/// ```
/// use extract::agent::Capabilities;
///
/// let capabilities = Capabilities::default().calling_tools().at_temperature(0.0);
/// assert!(capabilities.calls_tools);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Capabilities {
    /// Whether the agent offers the [tools](super::Request::tools) of a request to the model and
    /// returns its [calls](super::Reply::calls). Without this, it is never given tools, and an
    /// extraction with [`tools`](crate::Extraction::tools) asks for text instead.
    pub calls_tools: bool,
    /// Whether the agent passes the [thinking level](super::Request::thinking) of a request on to
    /// the model. Without this, a [note](crate::metrics::AttemptMetrics::notes) says that a level
    /// may have no effect.
    pub sets_thinking: bool,
    /// The sampling temperature of requests that set none. `None` if it is unknown or a request
    /// cannot change it.
    pub temperature: Option<f64>,
    /// Whether the agent [thinks](super::Request::thinks_first) in plain text before a reply that is
    /// constrained to the schema.
    pub thinks_first: bool,
    /// Whether the agent continues a reply after the [prefill](super::Request::prefill) of a
    /// request. A reply that was cut at the token limit is then continued as it is, if it is strict
    /// JSON up to there. An addition that does not continue it is never joined to it; after that,
    /// and for any other agent, the rest is asked for. See
    /// [`max_continuations`](crate::Extraction::max_continuations).
    pub continues_replies: bool,
    /// Whether the agent reports [how likely](super::Reply::token_probabilities) the tokens of its
    /// reply are, if the request [asks for it](super::Request::log_probabilities). Without this, an
    /// extraction with [`Confidence::Auto`](crate::Confidence::Auto) has no evidence from tokens.
    pub reports_log_probabilities: bool,
    /// Whether the input tokens that the agent reports may leave out those of a cache. Without
    /// this, far fewer tokens than were sent mean that [the prompt was
    /// cut](super::provider::check_whole_prompt).
    pub omits_cached_input: bool,
}

impl Capabilities {
    /// Adds calling tools.
    #[must_use]
    pub fn calling_tools(self) -> Self {
        Self { calls_tools: true, ..self }
    }

    /// Adds passing on the thinking level.
    #[must_use]
    pub fn setting_thinking(self) -> Self {
        Self { sets_thinking: true, ..self }
    }

    /// Adds a default temperature that a request can change.
    #[must_use]
    pub fn at_temperature(self, temperature: f64) -> Self {
        Self { temperature: Some(temperature), ..self }
    }

    /// Adds thinking in plain text before a reply that is constrained to the schema.
    #[must_use]
    pub fn thinking_first(self) -> Self {
        Self { thinks_first: true, ..self }
    }

    /// Adds continuing a reply after a prefill.
    #[must_use]
    pub fn continuing_replies(self) -> Self {
        Self { continues_replies: true, ..self }
    }

    /// Adds reporting how likely the tokens of a reply are.
    #[must_use]
    pub fn reporting_log_probabilities(self) -> Self {
        Self { reports_log_probabilities: true, ..self }
    }

    /// Says that the reported input tokens may leave out those of a cache.
    #[must_use]
    pub fn omitting_cached_input(self) -> Self {
        Self { omits_cached_input: true, ..self }
    }

    /// Returns the capabilities that this agent and `other` share, at the temperature of this one.
    pub(super) fn shared(self, other: Self) -> Self {
        Self {
            calls_tools: self.calls_tools && other.calls_tools,
            sets_thinking: self.sets_thinking && other.sets_thinking,
            temperature: self.temperature.filter(|_| other.temperature.is_some()),
            thinks_first: self.thinks_first && other.thinks_first,
            continues_replies: self.continues_replies && other.continues_replies,
            reports_log_probabilities: self.reports_log_probabilities && other.reports_log_probabilities,
            omits_cached_input: self.omits_cached_input || other.omits_cached_input,
        }
    }
}

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
