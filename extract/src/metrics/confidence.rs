//! How sure each leaf of a value is: its evidence, the calibration of that, and what a larger model
//! said of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::vocabulary::{path::Path, redaction::VALUE_MARKER, text::bare};

/// The confidence of each leaf of an accepted value; see
/// [`Extraction::confidence`](crate::Extraction::confidence). Empty if none was asked for.
///
/// A leaf is a string, a number, a boolean, a null, a quote, or a value with its quote. Empty lists
/// and objects have no leaves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confidences {
    /// The leaves, in the order of the value.
    pub leaves: Vec<LeafConfidence>,
    /// Whether a [calibration](crate::Extraction::calibrated) was used. If not, the numbers are
    /// *raw*: they order leaves, and are not probabilities of being right.
    #[serde(default)]
    pub is_calibrated: bool,
}

/// The confidence of one leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafConfidence {
    /// Path in the value.
    pub path: Path,
    /// From 0 to 1; `None` if nothing is known that makes a number: no tokens, no samples and no
    /// calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What it was made of.
    pub evidence: LeafEvidence,
    /// What other samples have instead, each once; `null` for nothing. Redacted if the leaf is
    /// sensitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Value>,
}

/// Confidences are never NaN.
impl Eq for LeafConfidence {}

impl Confidences {
    /// Creates the confidences of a value.
    pub fn new(leaves: Vec<LeafConfidence>) -> Self {
        Self { leaves, is_calibrated: false }
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Returns the confidence of a leaf, by its JSON Pointer (RFC 6901).
    pub fn at(&self, pointer: &str) -> Option<&LeafConfidence> {
        self.leaves.iter().find(|leaf| leaf.path.to_pointer() == pointer)
    }

    /// Returns the number of each leaf by its JSON Pointer (RFC 6901).
    pub fn by_pointer(&self) -> impl Iterator<Item = (String, Option<f64>)> {
        self.leaves.iter().map(|leaf| (leaf.path.to_pointer(), leaf.confidence))
    }

    /// Returns the leaves below a confidence, the least sure first. Leaves without a number come
    /// before all others.
    pub fn unsure(&self, below: f64) -> Vec<&LeafConfidence> {
        let mut unsure: Vec<_> = self.leaves.iter().filter(|leaf| leaf.is_below(below)).collect();
        let number = |leaf: &LeafConfidence| leaf.confidence.unwrap_or(-1.0);
        unsure.sort_by(|one, other| number(one).total_cmp(&number(other)));
        unsure
    }

    /// Makes probabilities of the evidence.
    #[must_use]
    pub fn calibrated(mut self, calibration: &(impl ConfidenceCalibration + ?Sized)) -> Self {
        for leaf in &mut self.leaves {
            leaf.confidence = number(calibration.confidence(&leaf.evidence)).or(leaf.confidence);
        }
        Self { is_calibrated: true, ..self }
    }

    pub(super) fn redact_values(&mut self) {
        self.leaves.iter_mut().for_each(LeafConfidence::redact);
    }
}

impl LeafConfidence {
    /// Creates a confidence with the raw number of its evidence: the mean of the probability of the
    /// leaf's tokens and of the share of samples that agree, or the only one of them that is known.
    pub fn new(path: Path, evidence: LeafEvidence) -> Self {
        Self { path, confidence: evidence.raw().and_then(number), evidence, others: Vec::new() }
    }

    /// Adds what other samples have instead.
    #[must_use]
    pub fn with_others(self, others: Vec<Value>) -> Self {
        Self { others, ..self }
    }

    /// Returns whether it is below `confidence`, or without a number.
    pub fn is_below(&self, confidence: f64) -> bool {
        self.confidence.is_none_or(|own| own < confidence)
    }

    pub(crate) fn redact(&mut self) {
        self.others.iter_mut().for_each(|other| *other = VALUE_MARKER.into());
    }
}

/// A confidence from 0 to 1; `None` for NaN, which anybody's calibration may return.
fn number(confidence: f64) -> Option<f64> {
    (!confidence.is_nan()).then(|| confidence.clamp(0.0, 1.0))
}

/// What speaks for or against a leaf. None of it is the probability that the leaf is right; a
/// [calibration](ConfidenceCalibration) makes one of it.
///
/// ```
/// use extract::metrics::LeafEvidence;
///
/// let evidence = LeafEvidence::new("city", &"Lyon".into(), "We come to Lyon.").agreeing(0.75);
/// assert_eq!((evidence.is_in_text, evidence.chars), (Some(true), 4));
/// assert_eq!(evidence.raw(), Some(0.75));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of its own")]
pub struct LeafEvidence {
    /// Name of the field: the path without the numbers of rows, as `lines[].quantity`.
    pub field: String,
    /// Whether the leaf is `null` or absent.
    #[serde(default)]
    pub is_null: bool,
    /// Characters of the leaf as it is written.
    #[serde(default)]
    pub chars: usize,
    /// Whether the leaf is in the text, without regard to case; `None` for values that are not
    /// copied, such as booleans, and without a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_in_text: Option<bool>,
    /// Whether the quote of the leaf occurs once in the text and contains its value; `None` without
    /// a quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_clear_quote: Option<bool>,
    /// Whether the schema says more of the leaf than its type: allowed values, a pattern, a format
    /// or bounds. An accepted leaf satisfies them.
    #[serde(default)]
    pub is_checked: bool,
    /// Whether an earlier attempt had another value at the same path.
    #[serde(default)]
    pub has_changed: bool,
    /// Whether a larger agent was [asked](crate::Extraction::escalate_below) for this leaf.
    #[serde(default)]
    pub is_escalated: bool,
    /// Share of the samples that agree, from 0 to 1, if there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// How likely the model found the tokens of the leaf, if the agent reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenEvidence>,
    /// Attempts until the value was accepted.
    #[serde(default)]
    pub attempts: u32,
}

impl Eq for LeafEvidence {}

impl LeafEvidence {
    /// Collects what leaf and text show.
    pub fn new(field: impl Into<String>, leaf: &Value, text: &str) -> Self {
        let evidence = Self::of_leaf(field.into(), leaf);
        let is_in_text = text.to_lowercase().contains(&*searched(leaf));
        Self { is_in_text: is_copied(leaf).then_some(is_in_text), ..evidence }
    }

    /// Collects what the leaf shows.
    pub(crate) fn of_leaf(field: String, leaf: &Value) -> Self {
        let chars = match leaf {
            Value::String(text) => text.chars().count(),
            Value::Null => 0,
            other => other.to_string().chars().count(),
        };
        Self { field, is_null: leaf.is_null(), chars, ..Self::default() }
    }

    /// Adds the share of samples that agree.
    #[must_use]
    pub fn agreeing(self, share: f64) -> Self {
        Self { agreement: Some(share), ..self }
    }

    /// Adds how likely the model found the tokens of the leaf.
    #[must_use]
    pub fn with_tokens(self, tokens: TokenEvidence) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// Adds the number of attempts until the value was accepted.
    #[must_use]
    pub fn after_attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// Returns the raw confidence: the mean of the probability of the tokens and of the share that
    /// agrees, or the only one of them that is known. Both estimate the same: how often the agent
    /// would give this leaf if it were asked again.
    pub fn raw(&self) -> Option<f64> {
        match (self.tokens.map(|tokens| tokens.probability()), self.agreement) {
            (Some(tokens), Some(agreement)) => Some(f64::midpoint(tokens, agreement)),
            (tokens, agreement) => tokens.or(agreement),
        }
    }
}

/// Returns whether a leaf of this kind is usually copied from the text.
pub(crate) fn is_copied(leaf: &Value) -> bool {
    leaf.is_string() || leaf.is_number()
}

/// The leaf as it is looked for in a text in lower case.
pub(crate) fn searched(leaf: &Value) -> String {
    bare(leaf).trim().to_lowercase()
}

/// How likely a model found the tokens of a leaf. Tokens that the grammar forced count for nothing.
///
/// ```
/// use extract::metrics::TokenEvidence;
///
/// let evidence = TokenEvidence::of([-0.1, -0.3]).unwrap();
/// assert!((evidence.probability() - (-0.4_f64).exp()).abs() < 1e-12);
/// assert_eq!((evidence.tokens, evidence.lowest), (2, -0.3));
/// assert_eq!(TokenEvidence::of([]).unwrap().probability(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenEvidence {
    /// Number of tokens that the model chose. 0 if the grammar left it no choice in the whole leaf.
    pub tokens: usize,
    /// Sum of their log probabilities; at least -1e6, so that it is finite.
    pub log_probability: f64,
    /// The log probability of the least likely one; 0 without any.
    pub lowest: f64,
    /// The same sum for probabilities among all tokens, from an agent that also reports those among
    /// the tokens that the grammar of the schema allowed; `None` from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among_all: Option<f64>,
}

impl Eq for TokenEvidence {}

/// Lowest log probability that is told apart.
const LOWEST: f64 = -1e6;

impl TokenEvidence {
    /// Collects log probabilities. Positive ones count as 0, and NaN as unknown: `None`.
    pub fn of(log_probabilities: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut all = Self { tokens: 0, log_probability: 0.0, lowest: 0.0, among_all: None };
        for log_probability in log_probabilities {
            if log_probability.is_nan() {
                return None;
            }
            let log_probability = log_probability.clamp(LOWEST, 0.0);
            all.tokens += 1;
            all.log_probability = (all.log_probability + log_probability).max(LOWEST);
            all.lowest = all.lowest.min(log_probability);
        }
        Some(all)
    }

    /// Adds the sum for probabilities among all tokens.
    #[must_use]
    pub fn with_among_all(self, log_probability: f64) -> Self {
        let sum = (!log_probability.is_nan()).then(|| log_probability.clamp(LOWEST, 0.0));
        Self { among_all: sum, ..self }
    }

    /// Returns the probability of all tokens together, from 0 to 1.
    pub fn probability(&self) -> f64 {
        self.log_probability.min(0.0).exp()
    }

    /// Returns the mean of the log probabilities; 0 without any.
    pub fn mean(&self) -> f64 {
        let tokens = f64::from(u32::try_from(self.tokens).unwrap_or(u32::MAX));
        self.log_probability / tokens.max(1.0)
    }
}

/// Turns evidence into the probability that a leaf is right, such as `Calibration` of
/// `extractable-gold`, which is fitted to documents whose values are known.
///
/// ```
/// use extract::{Contract, Confidence, metrics::{ConfidenceCalibration, LeafEvidence}};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// /// Values that are in the text were right nine times in ten.
/// struct Counted(String);
///
/// impl ConfidenceCalibration for Counted {
///     fn schema(&self) -> &str {
///         &self.0
///     }
///
///     fn confidence(&self, evidence: &LeafEvidence) -> f64 {
///         if evidence.is_in_text == Some(true) { 0.9 } else { 0.4 }
///     }
/// }
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let extraction = contract.extract(&agent, "It has 8 legs.").confidence(Confidence::Auto);
/// let (_, metrics) = block_on(extraction.calibrated(Counted(contract.fingerprint())))?;
/// assert_eq!(metrics.confidence("").unwrap().confidence, Some(0.9));
/// assert!(metrics.confidences.is_calibrated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ConfidenceCalibration: Send + Sync {
    /// Returns the [fingerprint](crate::Contract::fingerprint) of the schema that it is for.
    fn schema(&self) -> &str;

    /// Returns the probability that the leaf is right, from 0 to 1. Other numbers are moved into
    /// that range, and NaN leaves the raw number.
    fn confidence(&self, evidence: &LeafEvidence) -> f64;
}

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
