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
    /// The natural logarithm of its probability; 0 is certain.
    pub log_probability: f64,
}

impl TokenProbability {
    /// Creates it from its two parts.
    pub fn new(range: Range<usize>, log_probability: f64) -> Self {
        Self { range, log_probability }
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
        self.range == other.range && self.log_probability.total_cmp(&other.log_probability).is_eq()
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
