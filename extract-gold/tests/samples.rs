//! Samples of scripted agents.

use extract::{
    Contract,
    testing::{ScriptedAgent, block_on},
};
use extract_gold::{Calibration, JudgedLeaf, LeafEvidence, Samples};
use serde_json::{Value, json};

fn contract(schema: Value) -> Contract {
    Contract::from_schema(schema).unwrap()
}

fn booking() -> Contract {
    contract(json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "guests": {"type": "integer", "maximum": 20}},
        "required": ["city", "guests"],
    }))
}

/// An attempt that does not conform is repaired within its sample, and its sample counts.
#[test]
fn a_sample_is_repaired_like_any_extraction() {
    let agent = ScriptedAgent::new([
        r#"{"city": "Lyon", "guests": 99}"#,
        r#"{"city": "Lyon", "guests": 9}"#,
        r#"{"city": "Lyon", "guests": 9}"#,
        r#"{"city": "Lyon", "guests": 8}"#,
    ]);
    let three = Samples::of(3).concurrent(1).temperature(0.5);
    let sampled = block_on(three.extract(&booking(), &agent, "nine in Lyon")).unwrap();
    assert_eq!(sampled.value["guests"], 9);
    assert!((sampled.confidences.of("/guests").unwrap() - 2.0 / 3.0).abs() < 1e-9);
    assert!(!sampled.confidences.is_calibrated);
    assert_eq!(sampled.metrics.iter().map(|metrics| metrics.attempts).collect::<Vec<_>>(), [2, 1, 1]);
    assert!(agent.requests().iter().all(|request| request.temperature == Some(0.5)));
}

/// What most have of each member need not conform as a whole: then one whole answer is taken.
#[test]
fn a_majority_that_nobody_gave_has_to_conform() {
    let one_only = contract(json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}},
        "minProperties": 2,
        "not": {"required": ["a", "b", "c"]},
    }));
    let answers = [r#"{"a": 1, "b": 1}"#, r#"{"b": 1, "c": 1}"#, r#"{"a": 1, "c": 1}"#];
    let agent = ScriptedAgent::new(answers);
    let sampled = block_on(Samples::of(3).concurrent(1).extract(&one_only, &agent, "which?")).unwrap();
    assert!(one_only.validate(&sampled.value).is_empty(), "{}", sampled.value);
    assert!(answers.iter().any(|answer| serde_json::from_str::<Value>(answer).unwrap() == sampled.value));
    assert!((sampled.confidences.leaves[0].confidence - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn samples_that_fail_are_kept_and_only_all_of_them_are_an_error() {
    let agent = ScriptedAgent::new(["no", r#"{"city": "Lyon", "guests": 2}"#]);
    let ask =
        |contract: &Contract, agent: &ScriptedAgent, samples: usize| {
            block_on(Samples::of(samples).concurrent(1).extract_by(contract, "two in Lyon", || {
                contract.extract(agent, "two in Lyon").max_attempts(1)
            }))
        };
    let contract = booking();
    let sampled = ask(&contract, &agent, 2).unwrap();
    assert_eq!((sampled.metrics.len(), sampled.failures.len()), (1, 1));
    let agent = ScriptedAgent::new(["no", "no"]);
    assert_eq!(ask(&contract, &agent, 2).unwrap_err().name(), "MaxRetriesExceeded");
}

#[test]
fn a_calibration_turns_shares_into_probabilities() {
    let leaves: Vec<_> = (0..100)
        .map(|document| {
            let evidence = LeafEvidence::new("guests", &json!(2), "two").agreeing(1.0).after_attempts(1);
            JudgedLeaf::new(document, evidence, document % 4 == 0)
        })
        .collect();
    let calibration = Calibration::fit(&leaves, "").unwrap();
    let agent = ScriptedAgent::new([r#"{"city": "Lyon", "guests": 2}"#, r#"{"city": "Lyon", "guests": 2}"#]);
    let two = Samples::of(2).concurrent(1).calibration(calibration);
    let sampled = block_on(two.extract(&booking(), &agent, "two")).unwrap();
    let confidence = sampled.confidences.of("/guests").unwrap();
    assert!((confidence - 0.25).abs() < 0.1, "all agree, and one of four was right: {confidence}");
    assert!(sampled.confidences.is_calibrated);
}
