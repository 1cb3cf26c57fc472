//! Confidence from the agreement of several answers.

use std::{cell::Cell, sync::Mutex};

use extract::{
    Confidence, Contract, Event, ExtractionError, TokenUsage,
    agent::Reply,
    document::{Chunks, Document},
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

use super::{answer, near, order, reply_of, reporting};

fn agent_of(answers: &[serde_json::Value]) -> ScriptedAgent {
    ScriptedAgent::new(answers.iter().map(ToString::to_string))
}

#[test]
fn rows_are_compared_with_the_rows_that_they_are_like() {
    let agent = agent_of(&[
        answer("Ann", &[("bolt", 5), ("nut", 7)]),
        answer("Ann", &[("nut", 7), ("bolt", 6)]),
        answer("Ann", &[("bolt", 5), ("nut", 7), ("saw", 1)]),
    ]);
    let contract = order();
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").confidence(Confidence::Samples(3))).unwrap();
    assert_eq!(value, answer("Ann", &[("bolt", 5), ("nut", 7)]));
    assert!(near(metrics.confidence("/lines/0/quantity"), 2.0 / 3.0));
    assert!(near(metrics.confidence("/lines/1/quantity"), 1.0));
    assert_eq!(metrics.confidence("/lines/0/quantity").unwrap().others, [json!(6)]);
    let requests = agent.requests();
    assert!(requests.iter().all(|request| request.temperature == Some(0.7)));
    let samples: Vec<_> = requests.iter().map(|request| request.sample).collect();
    assert_eq!(samples, [0, 1, 2]);
}

#[test]
fn a_sample_is_repaired_and_all_tokens_are_counted() {
    let usage = |text: String| Reply::new(text).with_usage(TokenUsage::new(100, 10));
    let agent = ScriptedAgent::new([
        usage(answer("Ann", &[("bolt", 0)]).to_string()),
        usage(answer("Ann", &[("bolt", 2)]).to_string()),
        usage(answer("Ann", &[("bolt", 2)]).to_string()),
    ]);
    let contract = order();
    let extraction = contract.extract(&agent, "…").confidence(Confidence::Samples(2)).temperature(0.3);
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!((value["lines"][0]["quantity"].clone(), metrics.attempts), (json!(2), 3));
    assert_eq!((metrics.usage.total(), metrics.per_attempt.len()), (330, 3));
    assert!(agent.requests().iter().all(|request| request.temperature == Some(0.3)));
    assert!(metrics.confidence("/lines/0/quantity").unwrap().evidence.has_changed);
}

#[test]
fn one_budget_is_for_all_samples() {
    let bad = || Reply::new("no").with_usage(TokenUsage::new(100, 10));
    let agent = ScriptedAgent::new((0..20).map(|_| bad()));
    let contract = order();
    let extraction = contract.extract(&agent, "…").confidence(Confidence::Samples(4)).max_attempts(5);
    let error = block_on(extraction.token_budget(500)).unwrap_err();
    assert!(matches!(error, ExtractionError::TokenBudgetExceeded { .. }), "{error:?}");
    // All four were asked once, and the budget was gone in the second round.
    let asked = agent.requests().len();
    assert!((4..=8).contains(&asked), "{asked}");
    assert_eq!(error.metrics().usage.total(), 110 * asked as u64);
}

#[test]
fn samples_that_fail_are_left_out_and_only_all_of_them_are_an_error() {
    let good = answer("Ann", &[]).to_string();
    let agent = ScriptedAgent::new(["no".to_owned(), good.clone(), good]);
    let contract = order();
    let ask = |agent, samples| {
        block_on(contract.extract(agent, "…").max_attempts(1).confidence(Confidence::Samples(samples)))
    };
    let (_, metrics) = ask(&agent, 3).unwrap();
    assert!(near(metrics.confidence("/customer"), 1.0));
    assert_eq!(metrics.attempts, 3);
    let error = ask(&ScriptedAgent::new(["no", "no"]), 2).unwrap_err();
    assert_eq!((error.name(), error.metrics().attempts), ("MaxRetriesExceeded", 2));
}

#[test]
fn a_majority_that_nobody_gave_has_to_conform() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}},
        "not": {"required": ["a", "b", "c"]},
    }))
    .unwrap();
    let answers = [json!({"a": 1, "b": 1}), json!({"b": 1, "c": 1}), json!({"a": 1, "c": 1})];
    let agent = agent_of(&answers);
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").confidence(Confidence::Samples(3))).unwrap();
    assert_eq!(value, answers[0]);
    assert!(near(metrics.confidence("/a"), 2.0 / 3.0));
}

#[test]
fn tokens_and_agreement_are_one_number() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = reporting([
        reply_of(&[("8", -0.5)]),
        reply_of(&[("8", -0.1)]),
        reply_of(&[("9", -0.1)]),
        reply_of(&[("8", -0.1)]),
    ]);
    let metrics = block_on(contract.extract(&agent, "…").confidence(Confidence::Samples(4))).unwrap().1;
    let leaf = metrics.confidence("").unwrap();
    assert!(near(Some(leaf), f64::midpoint(0.75, (-0.5_f64).exp())));
    assert!(leaf.evidence.tokens.is_some() && leaf.evidence.agreement.is_some());
}

#[test]
fn callbacks_see_the_final_value_only_and_may_have_it_asked_for_again() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new(["8", "8", "6"]);
    let seen = Mutex::new(Vec::new());
    let extraction = contract.extract(&agent, "…").confidence(Confidence::Samples(2)).on_submit(|value| {
        seen.lock().unwrap().push(value.clone());
        if *value == 8 { Err("not 8") } else { Ok(()) }
    });
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!((value, metrics.attempts), (json!(6), 3));
    assert_eq!(*seen.lock().unwrap(), [json!(8), json!(6)]);
    assert!(near(metrics.confidence(""), 0.0), "no sample has it");
}

#[test]
fn events_name_their_sample() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new(["8", "9"]);
    let (judged, done) = (Mutex::new(Vec::new()), Mutex::new(Cell::new(0)));
    let extraction = contract.extract(&agent, "…").observe(|event| match event {
        Event::InSample { sample, samples, event: Event::Judged { .. }, .. } => {
            judged.lock().unwrap().push((*sample, *samples));
        }
        Event::Done { metrics, .. } => {
            let done = done.lock().unwrap();
            done.set(done.get() + metrics.confidences.leaves.len());
        }
        _ => {}
    });
    block_on(extraction.confidence(Confidence::Samples(2))).unwrap();
    assert_eq!((&*judged.lock().unwrap(), done.lock().unwrap().get()), (&vec![(0, 2), (1, 2)], 1));
}

#[test]
fn what_cannot_be_measured_is_an_error_before_anything_is_asked() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let agent = ScriptedAgent::new(["[8]"; 0]);
    let message = |result: Result<(), ExtractionError>| result.unwrap_err().to_string();
    let ask = || contract.extract(&agent, "…");
    for samples in [0, 1, 33, u32::MAX] {
        let result = block_on(ask().confidence(Confidence::Samples(samples)));
        assert!(message(result.map(drop)).ends_with("and 2 to 32 agree or not"), "{samples}");
    }
    let document = Document::from_text("8");
    let in_chunks = ask().document(&document).chunks(Chunks::chars(10)).confidence(Confidence::Auto);
    assert!(message(block_on(in_chunks).map(drop)).contains("in chunks"));
    let mut items = ask().confidence(Confidence::Samples(2)).items();
    let first = block_on(items.next()).unwrap();
    assert!(first.unwrap_err().to_string().contains("there are several answers"));
}

#[test]
fn sensitive_values_stay_out() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"pin": {"type": "string", "x-sensitive": true}, "n": {"type": "integer"}},
    }))
    .unwrap();
    let agent = agent_of(&[
        json!({"pin": "s3cret", "n": 1}),
        json!({"pin": "0ther9", "n": 1}),
        json!({"pin": "s3cret", "n": 2}),
    ]);
    let metrics = block_on(contract.extract(&agent, "…").confidence(Confidence::Samples(3))).unwrap().1;
    assert!(near(metrics.confidence("/pin"), 2.0 / 3.0));
    let stored = format!("{} {metrics:?}", serde_json::to_string(&metrics).unwrap());
    assert!(!stored.contains("s3cret") && !stored.contains("0ther9"), "{stored}");
}
