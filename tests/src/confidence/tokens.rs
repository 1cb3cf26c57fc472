//! Confidence from the log probabilities of tokens.

use extract::{
    Confidence, Contract, Feedback,
    agent::{Reply, TokenProbability},
    document::Document,
    metrics::ExtractionMetrics,
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

use super::{near, order, reply_of, reporting};

const REPLY: [(&str, f64); 9] = [
    (r#"{"customer": "#, -9.0),
    (r#""Ann"#, -0.1),
    (r#" Lee""#, -0.2),
    (r#", "lines": [{"part": "#, -9.0),
    (r#""bolt""#, -0.3),
    (r#", "quantity": "#, -9.0),
    ("1", -0.4),
    ("2", -0.5),
    ("}]}", -9.0),
];

fn measured(contract: &Contract, reply: Reply) -> ExtractionMetrics {
    let agent = reporting([reply]);
    block_on(contract.extract(&agent, "Ann Lee wants bolts").confidence(Confidence::Auto)).unwrap().1
}

#[test]
fn the_tokens_of_a_value_count_and_those_of_keys_do_not() {
    let metrics = measured(&order(), reply_of(&REPLY));
    assert!(near(metrics.confidence("/customer"), (-0.3_f64).exp()));
    assert!(near(metrics.confidence("/lines/0/part"), (-0.3_f64).exp()));
    assert!(near(metrics.confidence("/lines/0/quantity"), (-0.9_f64).exp()));
    assert!(metrics.confidence("/lines/0/none").is_none() && metrics.confidence("/lines").is_none());
    let unsure: Vec<_> = metrics.unsure(0.7).iter().map(|leaf| leaf.path.to_string()).collect();
    assert_eq!(unsure, ["$.lines[0].quantity"]);
    let customer = &metrics.confidence("/customer").unwrap().evidence;
    assert_eq!((customer.is_in_text, customer.chars, customer.tokens.unwrap().tokens), (Some(true), 7, 2));
    assert!(metrics.confidence("/lines/0/quantity").unwrap().evidence.is_checked);
    assert!(!metrics.confidences.is_calibrated);
}

#[test]
fn prose_fences_and_repairs_move_the_leaves() {
    let mut parts = vec![("Here it is, {not this}:\n```json\n", -5.0)];
    parts.extend(REPLY);
    parts.extend([("\n```\nDone.", -5.0)]);
    let metrics = measured(&order(), reply_of(&parts));
    assert!(near(metrics.confidence("/lines/0/quantity"), (-0.9_f64).exp()));
    // A comma too much, single quotes and a number as a string.
    let broken = [(r"{'customer': ", -9.0), ("'Ann'", -0.1), (", 'lines': [],}", -9.0)];
    assert!(near(measured(&order(), reply_of(&broken)).confidence("/customer"), (-0.1_f64).exp()));
}

#[test]
fn only_extractions_that_want_confidence_ask_for_log_probabilities() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    for (confidence, asks) in [(Confidence::Off, false), (Confidence::Auto, true), (Confidence::Tokens, true)]
    {
        let agent = reporting([reply_of(&[("no", -1.0)]), reply_of(&[("8", -0.5)])]);
        let (_, metrics) = block_on(contract.extract(&agent, "legs").confidence(confidence)).unwrap();
        assert!(agent.requests().iter().all(|request| request.log_probabilities == asks), "{confidence:?}");
        assert_eq!(metrics.confidences.is_empty(), !asks);
    }
}

#[test]
fn without_tokens_auto_has_evidence_and_tokens_is_an_error() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new(["8"]);
    let (_, metrics) = block_on(contract.extract(&agent, "8 legs").confidence(Confidence::Auto)).unwrap();
    let leaf = metrics.confidence("").unwrap();
    assert_eq!((leaf.confidence, leaf.evidence.is_in_text), (None, Some(true)));
    assert_eq!(metrics.unsure(0.1).len(), 1, "nothing is known of it");
    let error = block_on(contract.extract(&agent, "8 legs").confidence(Confidence::Tokens)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "confidence cannot be measured: the agent reports no log probabilities; `Confidence::Samples` needs none",
    );
    assert_eq!(agent.requests().len(), 1);
}

#[test]
fn forced_tokens_count_for_nothing_and_the_grammar_leaves_choices() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"enum": ["yes", "no"]}})).unwrap();
    let text = r#"["yes","no"]"#;
    let tokens = [
        TokenProbability::forced(0..1),
        TokenProbability::forced(1..2),
        TokenProbability::new(2..3, -3.0).with_constrained(-0.25),
        TokenProbability::forced(3..6),
        TokenProbability::forced(6..11),
    ];
    let metrics = measured(&contract, Reply::new(text).with_token_probabilities(tokens));
    let first = metrics.confidence("/0").unwrap();
    assert!(near(Some(first), (-0.25_f64).exp()));
    let evidence = first.evidence.tokens.unwrap();
    assert_eq!((evidence.tokens, evidence.among_all), (1, Some(-3.0)));
    let forced = metrics.confidence("/1").unwrap();
    assert_eq!((forced.confidence, forced.evidence.tokens.unwrap().tokens), (Some(1.0), 0));
}

/// Whatever an agent reports, nothing panics, and a number is from 0 to 1.
#[test]
fn hostile_tokens_are_ignored_or_bounded() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let of = |tokens: Vec<TokenProbability>| {
        let metrics = measured(&contract, Reply::new("[8, 20]").with_token_probabilities(tokens));
        ["/0", "/1"].map(|leaf| metrics.confidence(leaf).unwrap().confidence)
    };
    let token = TokenProbability::new;
    assert_eq!(of(vec![]), [None, None]);
    assert_eq!(of(vec![token(1..2, f64::NAN), token(4..6, 3.0)]), [None, Some(1.0)]);
    assert_eq!(of(vec![token(1..2, f64::NEG_INFINITY), token(4..6, f64::INFINITY)]), [Some(0.0), Some(1.0)]);
    // Outside of the text, empty, and the wrong way around.
    #[expect(clippy::reversed_empty_ranges, reason = "an agent may report anything")]
    let outside = vec![
        token(7..90, -1.0),
        token(usize::MAX - 1..usize::MAX, -1.0),
        token(2..2, -1.0),
        token(6..4, -1.0),
    ];
    assert_eq!(of(outside), [None, None]);
    // Of tokens that overlap, the first one counts, and half a leaf is not enough.
    assert_eq!(of(vec![token(0..2, 0.0), token(1..2, -5.0), token(4..5, 0.0)]), [Some(1.0), None]);
    let many: Vec<_> = (0..100_000).map(|n| token(n % 7..n % 7 + 1, -0.1)).collect();
    assert!(of(many).iter().flatten().all(|confidence| (0.0..=1.0).contains(confidence)));
}

#[test]
fn a_long_list_with_many_tokens_is_measured_in_little_time() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let mut parts = vec![("[1".to_owned(), -0.1)];
    parts.extend((0..50_000).flat_map(|n| [(",".to_owned(), -0.1), (n.to_string(), -0.1)]));
    parts.push(("]".to_owned(), -0.1));
    let parts: Vec<_> = parts.iter().map(|(text, probability)| (text.as_str(), *probability)).collect();
    let metrics = measured(&contract, reply_of(&parts));
    assert_eq!(metrics.confidences.leaves.len(), 50_001);
    assert!(near(metrics.confidence("/50000"), (-0.1_f64).exp()));
}

/// A patch writes a part; the tokens of the rest are those of the attempt before.
#[test]
fn after_a_patch_the_tokens_of_the_first_attempt_count() {
    let first = reply_of(&[
        (r#"{"customer": "#, -9.0),
        (r#""Ann""#, -0.2),
        (r#", "lines": [{"part": "#, -9.0),
        (r#""nut""#, -0.3),
        (r#", "quantity": 0}]}"#, -9.0),
    ]);
    let patch = r#"[{"op": "replace", "path": "/lines/0/quantity", "value": 3}]"#;
    let agent = reporting([first, reply_of(&[(patch, -0.1)])]);
    let contract = order();
    let extraction = contract.extract(&agent, "…").feedback(Feedback::Patch).confidence(Confidence::Auto);
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!(value["lines"][0]["quantity"], 3);
    assert!(near(metrics.confidence("/customer"), (-0.2_f64).exp()));
    let quantity = metrics.confidence("/lines/0/quantity").unwrap();
    assert!(quantity.confidence.is_none() && quantity.evidence.has_changed);
    assert_eq!(quantity.evidence.attempts, 2);
}

#[test]
fn a_value_with_its_quote_is_one_leaf() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"dose": {
            "type": "object",
            "x-grounded": true,
            "properties": {"value": {"type": "integer"}, "quote": {"type": "string", "x-quote": true}},
            "required": ["value", "quote"],
        }},
        "required": ["dose"],
    }))
    .unwrap();
    let document = Document::from_text("She takes 400 mg.");
    let reply =
        reply_of(&[(r#"{"dose": {"value": "#, -9.0), ("400", -0.2), (r#", "quote": "400 mg"}}"#, -9.0)]);
    let agent = reporting([reply]);
    let extraction = contract.extract(&agent, "dose").document(&document).confidence(Confidence::Auto);
    let metrics = block_on(extraction).unwrap().1;
    assert_eq!(metrics.confidences.leaves.len(), 1);
    let dose = metrics.confidence("/dose").unwrap();
    assert!(near(Some(dose), (-0.2_f64).exp()));
    assert_eq!((dose.evidence.has_clear_quote, dose.evidence.chars), (Some(true), 3));
}
