//! The interface of calibrations.

use super::LeafEvidence;

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
