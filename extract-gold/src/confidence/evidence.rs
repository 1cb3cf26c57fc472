//! What is known of a leaf besides its value.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What speaks for or against a leaf. None of it is a confidence by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafEvidence {
    /// Name of the field, as `lines[].quantity`.
    pub field: String,
    /// Whether the leaf is `null` or absent.
    pub is_null: bool,
    /// Characters of the leaf as it is written.
    pub chars: usize,
    /// Whether the leaf stands in the text, without regard to case; `None` for values that are not
    /// copied, such as truth values.
    pub is_in_text: Option<bool>,
    /// Share of the samples that agree, if there were several.
    pub agreement: Option<f64>,
    /// Mean of the log probabilities of the tokens of the leaf, if the agent reported them.
    pub log_probability: Option<f64>,
    /// Attempts until the value conformed.
    pub attempts: u32,
}

impl LeafEvidence {
    /// Collects what leaf and text show.
    pub fn new(field: impl Into<String>, leaf: &Value, text: &str) -> Self {
        let written = match leaf {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let is_copied = leaf.is_string() || leaf.is_number();
        Self {
            field: field.into(),
            is_null: leaf.is_null(),
            chars: written.chars().count(),
            is_in_text: is_copied.then(|| text.to_lowercase().contains(written.to_lowercase().trim())),
            ..Self::default()
        }
    }

    /// Adds the share of samples that agree.
    #[must_use]
    pub fn agreeing(self, share: f64) -> Self {
        Self { agreement: Some(share), ..self }
    }

    /// Adds the mean log probability of the tokens of the leaf.
    #[must_use]
    pub fn with_log_probability(self, mean: f64) -> Self {
        Self { log_probability: Some(mean), ..self }
    }

    /// Adds the number of attempts until the value conformed.
    #[must_use]
    pub fn after_attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// The evidence as numbers of similar size. What is not known is 0, and has a number of its own
    /// that says so.
    pub(super) fn numbers(&self) -> [f64; NUMBERS] {
        let flag = |is: bool| f64::from(u8::from(is));
        [
            1.0,
            flag(self.is_null),
            flag(self.is_in_text == Some(true)),
            flag(self.is_in_text == Some(false)),
            f64::from(u32::try_from(self.chars).unwrap_or(u32::MAX)).ln_1p() / 3.0,
            self.agreement.map_or(0.0, |share| 2.0 * share - 1.0),
            flag(self.agreement.is_some_and(|share| share > 0.999)),
            self.log_probability.map_or(0.0, |mean| mean.max(-5.0).exp()),
            f64::from(self.attempts.saturating_sub(1).min(5)),
        ]
    }
}

/// Length of [`LeafEvidence::numbers`].
pub(super) const NUMBERS: usize = 9;
