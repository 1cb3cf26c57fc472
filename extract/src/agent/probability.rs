//! How likely a model found the tokens of its reply.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How likely a model found a token of its reply.
///
/// ```
/// use extract::agent::TokenProbability;
///
/// let token = TokenProbability::new(0..4, -0.25);
/// assert_eq!((token.range, token.log_probability), (0..4, -0.25));
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenProbability {
    /// The bytes of the token in the text of the reply. A token may begin or end within a character.
    pub range: Range<usize>,
    /// The natural logarithm of its probability among all tokens; 0 is certain.
    pub log_probability: f64,
    /// The same among the tokens that the grammar of the schema allowed, if the agent knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained: Option<f64>,
    /// Whether the grammar allowed no other token, so that the model chose nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forced: bool,
}

impl TokenProbability {
    /// Creates it from its two parts.
    pub fn new(range: Range<usize>, log_probability: f64) -> Self {
        Self { range, log_probability, constrained: None, is_forced: false }
    }

    /// Creates a token that the grammar forced.
    pub fn forced(range: Range<usize>) -> Self {
        Self { is_forced: true, ..Self::new(range, 0.0) }
    }

    /// Adds the logarithm of its probability among the tokens that the grammar allowed.
    #[must_use]
    pub fn with_constrained(self, log_probability: f64) -> Self {
        Self { constrained: Some(log_probability), ..self }
    }

    /// Returns the logarithm of the probability of the model's choice: among the tokens that the
    /// grammar allowed, if known, because the others are no choice.
    pub(crate) fn choice(&self) -> f64 {
        self.constrained.unwrap_or(self.log_probability)
    }

    /// The same token, after `bytes` more bytes.
    pub(crate) fn after(self, bytes: usize) -> Self {
        let Range { start, end } = self.range;
        Self { range: start.saturating_add(bytes)..end.saturating_add(bytes), ..self }
    }
}

/// By the order of all floats, so that a token equals itself.
impl PartialEq for TokenProbability {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |one: f64, other: f64| one.total_cmp(&other).is_eq();
        let is_constrained_alike = match (self.constrained, other.constrained) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.range == other.range
            && self.is_forced == other.is_forced
            && is_same(self.log_probability, other.log_probability)
            && is_constrained_alike
    }
}

impl Eq for TokenProbability {}

/// An amount of money in US dollars.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Dollars(pub(super) f64);

impl PartialEq for Dollars {
    fn eq(&self, other: &Self) -> bool {
        self.0.total_cmp(&other.0).is_eq()
    }
}

impl Eq for Dollars {}
