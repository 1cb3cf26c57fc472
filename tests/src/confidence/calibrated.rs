//! Confidence by a calibration.

use extract::{
    Confidence, Contract,
    metrics::{ConfidenceCalibration, ExtractionMetrics, LeafEvidence},
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

struct Constant(String, f64);

impl ConfidenceCalibration for Constant {
    fn schema(&self) -> &str {
        &self.0
    }

    fn confidence(&self, _: &LeafEvidence) -> f64 {
        self.1
    }
}

fn contract() -> Contract {
    Contract::from_schema(json!({"type": "integer"})).unwrap()
}

fn measured(calibration: Constant) -> Result<ExtractionMetrics, String> {
    let agent = ScriptedAgent::new(["8", "8"]);
    let extraction = contract().extract(&agent, "8").confidence(Confidence::Samples(2));
    let result = block_on(extraction.calibrated(calibration));
    result.map(|(_, metrics)| metrics).map_err(|error| error.to_string())
}

#[test]
fn its_numbers_replace_the_raw_ones_and_are_kept_in_range() {
    for (given, confidence) in [(0.25, 0.25), (-3.0, 0.0), (7.0, 1.0), (f64::NAN, 1.0)] {
        let metrics = measured(Constant(contract().fingerprint(), given)).unwrap();
        assert_eq!(metrics.confidence("").unwrap().confidence, Some(confidence), "{given}");
        assert!(metrics.confidences.is_calibrated);
        let stored = serde_json::to_string(&metrics).unwrap();
        assert_eq!(serde_json::from_str::<ExtractionMetrics>(&stored).unwrap(), metrics);
    }
}

#[test]
fn one_for_another_schema_is_an_error_with_a_sentence() {
    let error = measured(Constant("0123456789abcdef".to_owned(), 0.5)).unwrap_err();
    let own = contract().fingerprint();
    assert_eq!(
        error,
        format!(
            "the calibration was fitted to answers of another schema (0123456789abcdef) than the one asked for \
             ({own}); fit one to answers of this schema"
        ),
    );
}

#[test]
fn one_without_confidence_is_an_error() {
    let agent = ScriptedAgent::new(["8"; 0]);
    let extraction = contract().extract(&agent, "8").calibrated(Constant(contract().fingerprint(), 0.5));
    let error = block_on(extraction).unwrap_err().to_string();
    assert!(error.contains("no confidence is asked for"), "{error}");
}
