//! Asks several times, and merges the answers.

use extract::{Contract, Extraction, ExtractionError, ExtractionMetrics, Path, agent::Agent};
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use serde_json::Value;

use super::{
    agreement::{Agreement, LeafAgreement},
    calibration::Calibration,
    evidence::LeafEvidence,
};
use crate::compare::ValueComparer;

/// How likely one leaf is right.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeafConfidence {
    /// Path in the value.
    pub path: Path,
    /// The leaf.
    pub value: Value,
    /// From 0 to 1: how likely it is right, if [calibrated](Confidences::is_calibrated); else only
    /// the share of the samples that agree.
    pub confidence: f64,
    /// What it was made of.
    pub evidence: LeafEvidence,
    /// What other samples have instead.
    pub others: Vec<Value>,
}

/// The confidence of each leaf of a value.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Confidences {
    /// The leaves, in the order of the value.
    pub leaves: Vec<LeafConfidence>,
    /// Whether a [`Calibration`] was used. If not, the numbers are raw: they order leaves, and are
    /// not probabilities.
    pub is_calibrated: bool,
}

impl Confidences {
    /// Returns the confidence of a leaf, by its JSON Pointer (RFC 6901).
    pub fn of(&self, pointer: &str) -> Option<f64> {
        self.leaves.iter().find(|leaf| leaf.path.to_pointer() == pointer).map(|leaf| leaf.confidence)
    }

    /// Returns the leaves below a confidence, the least sure first.
    pub fn unsure(&self, below: f64) -> Vec<&LeafConfidence> {
        let mut unsure: Vec<_> = self.leaves.iter().filter(|leaf| leaf.confidence < below).collect();
        unsure.sort_by(|one, other| one.confidence.total_cmp(&other.confidence));
        unsure
    }
}

/// A value that several samples agree on.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sampled {
    /// The value: what most samples have, if that conforms to the contract, else the sample that is
    /// nearest to it.
    pub value: Value,
    /// How sure each leaf is.
    pub confidences: Confidences,
    /// Metrics of each sample that conformed.
    pub metrics: Vec<ExtractionMetrics>,
    /// Errors of the samples that did not.
    pub failures: Vec<ExtractionError>,
}

/// Asks the same question several times, at a temperature, and compares the answers.
///
/// ```
/// use extract::{Contract, testing::{ScriptedAgent, block_on}};
/// use extract_gold::Samples;
/// use serde_json::json;
///
/// let contract = Contract::from_schema(json!({
///     "type": "object",
///     "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}},
///     "required": ["city", "guests"],
/// }))?;
/// let agent = ScriptedAgent::new([
///     r#"{"city": "Lyon", "guests": 2}"#,
///     r#"{"city": "Lyon", "guests": 12}"#,
///     r#"{"city": "Lyon", "guests": 2}"#,
/// ]);
/// let sampled = block_on(Samples::of(3).concurrent(1).extract(&contract, &agent, "Two of us come to Lyon."))?;
/// assert_eq!(sampled.value, json!({"city": "Lyon", "guests": 2}));
/// let unsure = sampled.confidences.unsure(0.8);
/// assert_eq!((unsure.len(), unsure[0].path.to_string().as_str()), (1, "$.guests"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "samples ask nothing until `extract` is called"]
pub struct Samples {
    count: usize,
    temperature: f64,
    concurrent: usize,
    comparer: Option<ValueComparer>,
    calibration: Option<Calibration>,
}

impl Samples {
    /// Asks so many times, at least once. The temperature is 0.7 and all are asked at once, if
    /// nothing else is said.
    pub fn of(count: usize) -> Self {
        Self {
            count: count.max(1),
            temperature: 0.7,
            concurrent: usize::MAX,
            comparer: None,
            calibration: None,
        }
    }

    /// Sets the temperature of all samples.
    pub fn temperature(self, temperature: f64) -> Self {
        Self { temperature, ..self }
    }

    /// Sets how many samples are asked for at once.
    pub fn concurrent(self, samples: usize) -> Self {
        Self { concurrent: samples.max(1), ..self }
    }

    /// Sets what counts as agreement. The default knows the keys of the contract's lists and
    /// tolerates nothing.
    pub fn comparer(self, comparer: ValueComparer) -> Self {
        Self { comparer: Some(comparer), ..self }
    }

    /// Turns the evidence into probabilities by a calibration.
    pub fn calibration(self, calibration: Calibration) -> Self {
        Self { calibration: Some(calibration), ..self }
    }

    /// Asks an agent for values that satisfy the contract, with the default settings.
    ///
    /// # Errors
    ///
    /// The error of the first sample, if none conforms.
    pub async fn extract(
        &self,
        contract: &Contract,
        agent: &(impl Agent + ?Sized),
        text: &str,
    ) -> Result<Sampled, ExtractionError> {
        self.extract_by(contract, text, || contract.extract(agent, text)).await
    }

    /// Asks by extractions that `ask` makes, one for each sample, so that each has settings of its
    /// own. `text` is where evidence is looked up.
    ///
    /// # Errors
    ///
    /// The error of the first sample, if none conforms.
    pub async fn extract_by<'a>(
        &self,
        contract: &Contract,
        text: &str,
        ask: impl Fn() -> Extraction<'a, Value>,
    ) -> Result<Sampled, ExtractionError> {
        let asked = (0..self.count).map(|_| ask().temperature(self.temperature));
        let answers: Vec<_> = stream::iter(asked.map(IntoFuture::into_future))
            .buffered(self.concurrent.min(self.count))
            .collect()
            .await;
        let (mut values, mut metrics, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        for answer in answers {
            match answer {
                Ok((value, of_value)) => {
                    values.push(value);
                    metrics.push(of_value);
                }
                Err(error) => failures.push(error),
            }
        }
        if values.is_empty() {
            return Err(failures.swap_remove(0));
        }
        let comparer = self.comparer.clone().unwrap_or_else(|| ValueComparer::of(contract));
        let agreement = agreement_that_conforms(&comparer, &values, contract);
        let attempts = metrics.iter().map(|metrics| metrics.attempts).max().unwrap_or(1);
        let confidences = self.confidences(&agreement.leaves, text, attempts);
        Ok(Sampled { value: agreement.value, confidences, metrics, failures })
    }

    fn confidences(&self, leaves: &[LeafAgreement], text: &str, attempts: u32) -> Confidences {
        let leaf = |leaf: &LeafAgreement| {
            let evidence = LeafEvidence::new(leaf.field.as_str(), &leaf.value, text)
                .agreeing(leaf.share)
                .after_attempts(attempts);
            let calibrated = self.calibration.as_ref().map(|calibration| calibration.confidence(&evidence));
            LeafConfidence {
                path: leaf.path.clone(),
                value: leaf.value.clone(),
                confidence: calibrated.unwrap_or(leaf.share),
                evidence,
                others: leaf.others.clone(),
            }
        };
        Confidences { leaves: leaves.iter().map(leaf).collect(), is_calibrated: self.calibration.is_some() }
    }
}

/// The value of the majority; if it does not conform, the answer that is most like it, with the
/// shares of its own leaves.
fn agreement_that_conforms(comparer: &ValueComparer, values: &[Value], contract: &Contract) -> Agreement {
    let merged = Agreement::of(comparer, values);
    let conforms = |value: &Value| contract.validate(value).iter().all(extract::Violation::is_warning);
    if conforms(&merged.value) {
        return merged;
    }
    let likeness = |value: &Value| comparer.alike(&merged.value, value);
    let nearest = values.iter().rev().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    match nearest {
        Some(nearest) => Agreement::of_one(comparer, nearest, values),
        None => merged,
    }
}
