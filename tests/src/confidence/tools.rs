//! Evidence of a value that was submitted by the tools.

use extract::{
    Contract, Toolkit,
    document::Document,
    metrics::{ConfidenceCalibration, LeafEvidence},
    testing::block_on,
    toolkit::{ToolCall, ToolResult},
};
use serde_json::{Value, json};

use super::order;

/// A leaf in the text is surer than one that an earlier attempt had otherwise, or that is not there.
struct InText(String);

impl ConfidenceCalibration for InText {
    fn schema(&self) -> &str {
        &self.0
    }

    fn confidence(&self, evidence: &LeafEvidence) -> f64 {
        match (evidence.has_changed, evidence.is_in_text) {
            (true, _) => 0.2,
            (_, Some(true)) => 0.9,
            _ => 0.5,
        }
    }
}

fn submitted(toolkit: &mut Toolkit<'_, Value>, quantity: u32) -> ToolResult {
    let lines = json!([{"part": "bolt", "quantity": quantity}]);
    let arguments = json!({"customer": "Ann", "lines": lines});
    block_on(toolkit.call(ToolCall::new("submit", arguments)))
}

#[test]
fn nothing_is_measured_unless_asked_for() {
    let mut toolkit = Toolkit::untyped(order());
    let result = submitted(&mut toolkit, 3);
    assert!(result.structured.get("confidence").is_none(), "{result:?}");
    assert!(toolkit.finish().unwrap().1.confidences.is_empty());
}

#[test]
fn evidence_alone_has_no_numbers() {
    let mut toolkit = Toolkit::untyped(order()).document(&Document::from_text("3 bolts")).measure_evidence();
    let result = submitted(&mut toolkit, 3);
    assert!(result.structured.get("confidence").is_none(), "{result:?}");
    let (_, metrics) = toolkit.finish().unwrap();
    let customer = metrics.confidence("/customer").unwrap();
    assert_eq!((customer.confidence, customer.evidence.is_in_text), (None, Some(false)));
    assert_eq!(metrics.confidence("/lines/0/part").unwrap().evidence.is_in_text, Some(true));
}

#[test]
fn a_calibration_makes_numbers_of_all_attempts() {
    let calibration = InText(order().fingerprint());
    let toolkit = Toolkit::untyped(order()).document(&Document::from_text("Bolts, for Ann"));
    let mut toolkit = toolkit.calibrated(calibration).unwrap();
    assert!(submitted(&mut toolkit, 0).structured.get("confidence").is_none());
    let result = submitted(&mut toolkit, 3);
    let expected = json!({"/customer": 0.9, "/lines/0/part": 0.9, "/lines/0/quantity": 0.2});
    assert_eq!(result.structured["confidence"], expected);
    assert_eq!(toolkit.history().len(), 1);
    let output = &toolkit.tools()[2].output_schema;
    assert!(jsonschema::draft202012::new(output).unwrap().is_valid(&result.structured));
    let (_, metrics) = toolkit.finish().unwrap();
    assert!(metrics.confidences.is_calibrated);
    assert_eq!(metrics.unsure(0.5)[0].path.to_string(), "$.lines[0].quantity");
}

#[test]
fn a_calibration_for_another_schema_is_an_error() {
    let toolkit = Toolkit::untyped(Contract::from_schema(json!({"type": "integer"})).unwrap());
    let error = toolkit.calibrated(InText(order().fingerprint())).unwrap_err().to_string();
    assert!(error.starts_with("the calibration was fitted to answers of another schema"), "{error}");
}
