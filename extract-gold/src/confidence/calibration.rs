//! Confidence that was fitted to what turned out right.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use extract::{
    Contract, Path,
    metrics::{ConfidenceCalibration, Confidences, LeafEvidence},
};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

use super::{
    evidence::{NUMBERS, numbers},
    fit::{MonotoneSteps, logistic, probability},
    quality::ConfidenceQuality,
};
use crate::compare::ValueComparer;

/// Fewest documents that a calibration is fitted to. Fewer say too little about what is rare.
const MIN_DOCUMENTS: usize = 50;

/// Parts into which the documents are divided, each judged by the others.
const FOLDS: usize = 5;

/// Fewest leaves of a field that has a coefficient of its own.
const FIELD_LEAVES: usize = 5;

/// The number of the leaf's own field. At one half, the penalty on its coefficient counts four times:
/// once the tokens are known, the field says little.
const FIELD_NUMBER: f64 = 0.5;

/// A leaf of which it is known whether it was right.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JudgedLeaf {
    /// Number of the document. Leaves of one document never judge each other.
    pub document: usize,
    /// What was known of the leaf.
    pub evidence: LeafEvidence,
    /// Whether it was right.
    pub is_right: bool,
}

impl JudgedLeaf {
    /// Creates a judged leaf.
    pub fn new(document: usize, evidence: LeafEvidence, is_right: bool) -> Self {
        Self { document, evidence, is_right }
    }

    /// Judges the leaves of an extracted value by the right one, with the confidences of its
    /// extraction, [calibrated](Confidences::is_calibrated) or not.
    ///
    /// ```
    /// use extract::{Confidence, Contract, testing::{ScriptedAgent, block_on}};
    /// use extract_gold::JudgedLeaf;
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}}))?;
    /// let agent = ScriptedAgent::new(["[8, 20]"]);
    /// let extraction = contract.extract(&agent, "8 legs, 2 eyes").confidence(Confidence::Auto);
    /// let (value, metrics) = block_on(extraction)?;
    /// let judged = JudgedLeaf::of(0, &contract, &json!([8, 2]), &value, &metrics.confidences);
    /// assert_eq!(judged.iter().map(|leaf| leaf.is_right).collect::<Vec<_>>(), [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(
        document: usize,
        contract: &Contract,
        right: &Value,
        extracted: &Value,
        confidences: &Confidences,
    ) -> Vec<Self> {
        Self::compared(document, &ValueComparer::of(contract), right, extracted, confidences)
    }

    /// Judges like [`of`](Self::of), by a comparer.
    pub(crate) fn compared(
        document: usize,
        comparer: &ValueComparer,
        right: &Value,
        extracted: &Value,
        confidences: &Confidences,
    ) -> Vec<Self> {
        // Aligned rows have the path of the first value.
        let leaves = comparer.reversed().compare(extracted, right);
        let mut is_right: HashMap<_, bool> = HashMap::new();
        for leaf in leaves {
            // What only the right value has comes after the leaf with the same path.
            is_right.entry(leaf.path).or_insert(leaf.outcome.is_right());
        }
        let judge = |path: &Path| {
            // Of a value with its quote, the value.
            let value = path.clone().key("value");
            is_right.get(path).or_else(|| is_right.get(&value)).copied().unwrap_or(false)
        };
        let judged = confidences.leaves.iter();
        judged.map(|leaf| Self::new(document, leaf.evidence.clone(), judge(&leaf.path))).collect()
    }
}

/// Turns evidence into the probability that a leaf is right, as it was for documents of the same
/// kind and answers of the same agent.
///
/// A logistic regression of everything in [`LeafEvidence`], with a coefficient for each field of at
/// least five leaves. The most telling number is the log odds of the tokens' probability. A monotone
/// correction on top follows the shares that turned out right. It is fitted to scores from regressions
/// of other documents, so that no document judges itself.
///
/// ```
/// use extract::metrics::LeafEvidence;
/// use extract_gold::{Calibration, JudgedLeaf};
/// use serde_json::json;
///
/// // What stands in the text was right, the rest in one case of four.
/// let leaves: Vec<_> = (0..200)
///     .map(|document| {
///         let text = if document % 2 == 0 { "Lyon" } else { "nothing" };
///         let evidence = LeafEvidence::new("city", &json!("Lyon"), text);
///         JudgedLeaf::new(document, evidence, document % 2 == 0 || document % 8 == 1)
///     })
///     .collect();
/// let calibration = Calibration::fit(&leaves, "fingerprint of the schema")?;
/// let confidence = |text: &str| calibration.confidence(&LeafEvidence::new("city", &json!("Lyon"), text));
/// assert!(confidence("to Lyon") > 0.9 && confidence("to Bari") < 0.4);
/// # Ok::<(), extract_gold::CalibrationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    schema: String,
    documents: usize,
    #[serde(flatten)]
    regression: LeafRegression,
    steps: MonotoneSteps,
}

/// Why there is no calibration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// There are too few documents.
    #[error("a calibration needs {MIN_DOCUMENTS} documents with known values, and there are {documents}")]
    #[non_exhaustive]
    TooFewDocuments {
        /// Number of documents.
        documents: usize,
    },
}

impl Calibration {
    /// Fits to leaves of which it is known whether they were right. `schema` is the
    /// [fingerprint](extract::Contract::fingerprint) of the schema: an extraction of another schema
    /// refuses the calibration.
    ///
    /// # Errors
    ///
    /// Fewer than 50 documents.
    pub fn fit(leaves: &[JudgedLeaf], schema: impl Into<String>) -> Result<Self, CalibrationError> {
        Self::fit_to(&leaves.iter().collect::<Vec<_>>(), schema.into())
    }

    /// Checks that so many documents can be enough, before any is asked about. Documents without an
    /// answer do not count in the end.
    ///
    /// # Errors
    ///
    /// Fewer than 50 documents.
    pub fn check_documents(documents: usize) -> Result<(), CalibrationError> {
        if documents < MIN_DOCUMENTS { Err(CalibrationError::TooFewDocuments { documents }) } else { Ok(()) }
    }

    fn fit_to(leaves: &[&JudgedLeaf], schema: String) -> Result<Self, CalibrationError> {
        let documents = leaves.iter().map(|leaf| leaf.document).collect::<BTreeSet<_>>().len();
        Self::check_documents(documents)?;
        let steps = MonotoneSteps::fit(&cross_fitted(leaves, |others| {
            let regression = LeafRegression::fit(others);
            Ok(move |leaf: &LeafEvidence| regression.score(leaf))
        })?);
        Ok(Self { schema, documents, regression: LeafRegression::fit(leaves), steps })
    }

    /// Returns the probability that a leaf is right, from 0 to 1.
    pub fn confidence(&self, evidence: &LeafEvidence) -> f64 {
        self.steps.at(self.regression.score(evidence))
    }

    /// Returns the fingerprint of the schema that it was fitted for.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the number of documents that it was fitted to.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Measures how good confidences of such leaves are, each by a calibration of other documents.
    ///
    /// # Errors
    ///
    /// Too few documents: four fifths of them have to be 50.
    pub fn cross_validate(leaves: &[JudgedLeaf]) -> Result<ConfidenceQuality, CalibrationError> {
        let scored = cross_fitted(&leaves.iter().collect::<Vec<_>>(), |others| {
            let calibration = Self::fit_to(others, String::new())?;
            Ok(move |leaf: &LeafEvidence| calibration.confidence(leaf))
        })?;
        Ok(ConfidenceQuality::of(&scored))
    }
}

impl ConfidenceCalibration for Calibration {
    fn schema(&self) -> &str {
        &self.schema
    }

    fn confidence(&self, evidence: &LeafEvidence) -> f64 {
        Self::confidence(self, evidence)
    }
}

/// Scores each leaf by a judge that is made from other documents.
fn cross_fitted<J: Fn(&LeafEvidence) -> f64>(
    leaves: &[&JudgedLeaf],
    judge_of: impl Fn(&[&JudgedLeaf]) -> Result<J, CalibrationError>,
) -> Result<Vec<(f64, bool)>, CalibrationError> {
    let mut scored = Vec::with_capacity(leaves.len());
    for fold in 0..FOLDS {
        let (judged, others): (Vec<_>, Vec<_>) =
            leaves.iter().partition(|leaf| leaf.document % FOLDS == fold);
        if !judged.is_empty() {
            let judge = judge_of(&others)?;
            scored.extend(judged.iter().map(|leaf| (judge(&leaf.evidence), leaf.is_right)));
        }
    }
    Ok(scored)
}

/// How likely a leaf is right by its evidence and its field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct LeafRegression {
    #[serde(deserialize_with = "coefficients")]
    coefficients: Vec<f64>,
    by_field: BTreeMap<String, f64>,
}

/// Reads one coefficient for each number of a leaf.
fn coefficients<'de, D: Deserializer<'de>>(stored: D) -> Result<Vec<f64>, D::Error> {
    let coefficients = Vec::deserialize(stored)?;
    if coefficients.len() != NUMBERS {
        return Err(D::Error::custom(format!(
            "the calibration has {} coefficients instead of {NUMBERS}: another version stored it, so fit it again",
            coefficients.len(),
        )));
    }
    Ok(coefficients)
}

impl LeafRegression {
    fn fit(leaves: &[&JudgedLeaf]) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for leaf in leaves {
            *counts.entry(&leaf.evidence.field).or_default() += 1;
        }
        counts.retain(|_, leaves| *leaves >= FIELD_LEAVES);
        let columns: HashMap<_, _> = counts.keys().copied().zip(NUMBERS..).collect();
        let row = |leaf: &&JudgedLeaf| {
            let field = columns.get(leaf.evidence.field.as_str()).map(|column| (*column, FIELD_NUMBER));
            numbers(&leaf.evidence).into_iter().enumerate().chain(field).collect()
        };
        let rows: Vec<Vec<_>> = leaves.iter().map(row).collect();
        let labels: Vec<_> = leaves.iter().map(|leaf| leaf.is_right).collect();
        let mut coefficients = logistic(&rows, &labels, NUMBERS + columns.len());
        let of_fields = coefficients.split_off(NUMBERS);
        let by_field = counts.into_keys().map(str::to_owned).zip(of_fields).collect();
        Self { coefficients, by_field }
    }

    fn score(&self, evidence: &LeafEvidence) -> f64 {
        let field = self.by_field.get(&evidence.field).map(|coefficient| (coefficient, FIELD_NUMBER));
        probability(self.coefficients.iter().zip(numbers(evidence)).chain(field))
    }
}

#[cfg(test)]
mod tests {
    use extract::metrics::{LeafEvidence, TokenEvidence};
    use serde_json::json;

    use super::{Calibration, CalibrationError, JudgedLeaf};

    /// Leaves that are right with a probability that their evidence tells.
    fn leaves(documents: usize, seed: u64) -> Vec<JudgedLeaf> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut leaves = Vec::new();
        for document in 0..documents {
            for (field, base) in [("easy", 0.95), ("hard", 0.5)] {
                let agreement = f64::from(random.u32(1..=3)) / 3.0;
                let likely = base * (0.3 + 0.7 * agreement);
                let evidence = LeafEvidence::new(field, &json!("x"), "y").agreeing(agreement);
                leaves.push(JudgedLeaf::new(document, evidence, random.f64() < likely));
            }
        }
        leaves
    }

    #[test]
    fn it_needs_fifty_documents() {
        assert_eq!(
            Calibration::fit(&leaves(49, 1), ""),
            Err(CalibrationError::TooFewDocuments { documents: 49 })
        );
        assert!(Calibration::check_documents(49).is_err() && Calibration::check_documents(50).is_ok());
        assert!(Calibration::fit(&leaves(50, 1), "").is_ok());
    }

    /// Documents that it was not fitted to: calibrated, and better than the agreement alone.
    #[test]
    fn confidences_of_other_documents_are_right_as_often_as_they_say() {
        let calibration = Calibration::fit(&leaves(300, 2), "schema").unwrap();
        let other = leaves(2_000, 3);
        let scored = |score: &dyn Fn(&LeafEvidence) -> f64| {
            super::ConfidenceQuality::of(
                &other.iter().map(|leaf| (score(&leaf.evidence), leaf.is_right)).collect::<Vec<_>>(),
            )
        };
        let quality = scored(&|evidence| calibration.confidence(evidence));
        let agreement = scored(&|evidence| evidence.agreement.unwrap_or_default());
        assert!(quality.calibration_error < 0.05, "{quality:?}");
        assert!(quality.auroc > agreement.auroc + 0.05, "{} {}", quality.auroc, agreement.auroc);
    }

    /// A field of the gold set that is rarely right lowers confidence; one that is not in it does not.
    #[test]
    fn a_field_counts_if_it_is_known() {
        let calibration = Calibration::fit(&leaves(300, 6), "").unwrap();
        let confidence =
            |field: &str| calibration.confidence(&LeafEvidence::new(field, &json!("x"), "y").agreeing(1.0));
        assert!(confidence("hard") < confidence("new") && confidence("new") < confidence("easy"));
    }

    /// Documents that it was not fitted to, whose leaves are right as often as their tokens say: few
    /// documents must not spoil the order.
    #[test]
    fn probabilities_of_tokens_keep_their_order() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut leaves = |documents: usize| -> Vec<_> {
            (0..5 * documents)
                .map(|leaf| {
                    let likely = 1.0 - 0.5 * random.f64() * random.f64();
                    let tokens = TokenEvidence::of([likely.ln() / 2.0; 2]).unwrap();
                    let evidence = LeafEvidence::new(format!("f{}", leaf % 5), &json!("x"), "x");
                    JudgedLeaf::new(leaf / 5, evidence.with_tokens(tokens), random.f64() < likely)
                })
                .collect()
        };
        let calibration = Calibration::fit(&leaves(50), "").unwrap();
        let other = leaves(2_000);
        let auroc = |score: &dyn Fn(&LeafEvidence) -> f64| {
            let scored: Vec<_> = other.iter().map(|leaf| (score(&leaf.evidence), leaf.is_right)).collect();
            super::ConfidenceQuality::of(&scored).auroc
        };
        let calibrated = auroc(&|evidence| calibration.confidence(evidence));
        let raw = auroc(&|evidence| evidence.raw().unwrap());
        assert!(calibrated > raw - 0.03, "{calibrated} {raw}");
    }

    #[test]
    fn no_document_judges_itself() {
        // Labels that nothing explains: any gain would come from the leaf itself.
        let mut random = fastrand::Rng::with_seed(4);
        let noise: Vec<_> = (0..400)
            .map(|document| {
                let evidence = LeafEvidence::new(format!("field {document}"), &json!("x"), "y");
                JudgedLeaf::new(document, evidence, random.bool())
            })
            .collect();
        let quality = Calibration::cross_validate(&noise).unwrap();
        assert!((quality.auroc - 0.5).abs() < 0.08, "{}", quality.auroc);
    }

    #[test]
    fn it_is_stored_with_its_schema() {
        let calibration = Calibration::fit(&leaves(60, 5), "schema").unwrap();
        let stored = serde_json::to_string(&calibration).unwrap();
        let read: Calibration = serde_json::from_str(&stored).unwrap();
        let evidence = LeafEvidence::new("hard", &json!("x"), "y").agreeing(0.5);
        assert!((read.confidence(&evidence) - calibration.confidence(&evidence)).abs() < 1e-9);
        assert_eq!((read.schema(), read.documents()), ("schema", 60));
        let older = stored.replacen("\"coefficients\":[", "\"coefficients\":[0.5,", 1);
        let error = serde_json::from_str::<Calibration>(&older).unwrap_err().to_string();
        assert!(error.contains("another version stored it"), "{error}");
    }
}
