//! How sure each leaf of a value is.

mod calibration;
mod escalation;
mod evidence;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::evidence::{is_copied, searched};
pub use self::{
    calibration::ConfidenceCalibration,
    escalation::Escalation,
    evidence::{LeafEvidence, TokenEvidence},
};
use crate::vocabulary::{path::Path, redaction::VALUE_MARKER};

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
