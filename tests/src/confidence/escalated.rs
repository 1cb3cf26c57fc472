//! A larger agent for the leaves that are not sure.

use extract::{
    Confidence, Contract, Extraction, TokenUsage,
    agent::AgentError,
    testing::{ScriptedAgent, block_on},
};
use serde_json::{Value, json};

use super::{near, order, reply_of, reporting};

fn small() -> ScriptedAgent {
    reporting([reply_of(&[
        (r#"{"customer": "#, -9.0),
        (r#""Ann""#, -0.01),
        (r#", "lines": [{"part": "#, -9.0),
        (r#""bolt""#, -0.01),
        (r#", "quantity": "#, -9.0),
        ("12", -2.0),
        (r"}, {", -9.0),
        (r#""part": "#, -9.0),
        (r#""nut""#, -1.0),
        (r#", "quantity": "#, -9.0),
        ("3", -0.01),
        (r"}]}", -9.0),
    ])
    .with_usage(TokenUsage::new(100, 40))])
}

fn asked(contract: &Contract, large: &ScriptedAgent) -> (Value, extract::ExtractionMetrics) {
    let small = small();
    let extraction = contract.extract(&small, "Ann wants 2 bolts and 3 nuts.").confidence(Confidence::Auto);
    block_on(extraction.escalate_below(0.9, large)).unwrap()
}

#[test]
fn only_unsure_leaves_are_asked_about_and_both_agents_count() {
    let reply = extract::agent::Reply::new(r#"{"lines_0_quantity": 2, "lines_1_part": "nut"}"#);
    let large = ScriptedAgent::new([reply.with_usage(TokenUsage::new(200, 10))]);
    let (value, metrics) = asked(&order(), &large);
    assert_eq!(value["lines"], json!([{"part": "bolt", "quantity": 2}, {"part": "nut", "quantity": 3}]));
    let request = large.requests().remove(0);
    let schema = request.schema.unwrap();
    let keys: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["lines_0_quantity", "lines_1_part"], "the least sure first");
    assert_eq!(schema["properties"]["lines_0_quantity"]["minimum"], 1);
    let text = request.conversation.to_text();
    assert!(text.contains("Ann wants 2 bolts") && text.contains("`$.lines[0].quantity`"), "{text}");
    let escalation = metrics.escalation.as_ref().unwrap();
    assert_eq!(escalation.changed, ["$.lines[0].quantity".parse().unwrap()]);
    assert_eq!((escalation.asked.len(), &escalation.unused), (2, &None));
    assert_eq!((metrics.attempts, metrics.usage.total()), (2, 350));
    // The large agent's answer is one more sample: it agrees, or does not.
    assert!(near(metrics.confidence("/lines/0/quantity"), 0.5));
    let agreed = metrics.confidence("/lines/1/part").unwrap();
    assert!(near(Some(agreed), f64::midpoint(1.0, (-1.0_f64).exp())) && agreed.evidence.is_escalated);
    assert!(!metrics.confidence("/customer").unwrap().evidence.is_escalated);
}

#[test]
fn worked_examples_are_shown_with_the_same_leaves() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}},
        "required": ["city", "guests"],
    }));
    let contract = contract.unwrap();
    let reply = reply_of(&[
        (r#"{"city": "#, -9.0),
        (r#""Lyon""#, -0.01),
        (r#", "guests": "#, -9.0),
        ("12", -2.0),
        ("}", -9.0),
    ]);
    let (small, large) = (reporting([reply]), ScriptedAgent::new([r#"{"guests": 2}"#]));
    let extraction = contract
        .extract(&small, "Two of us come to Lyon.")
        .choose_shots(|_| vec![("Four of us go to Bari.".to_owned(), json!({"city": "Bari", "guests": 4}))]);
    let extraction = extraction.confidence(Confidence::Auto).escalate_below(0.9, &large);
    assert_eq!(block_on(extraction).unwrap().0, json!({"city": "Lyon", "guests": 2}));
    let request = large.requests().remove(0);
    let said: Vec<_> = request.conversation.turns().iter().map(extract::agent::Turn::text).collect();
    assert!(said.contains(&r#"{"guests":4}"#), "{said:?}");
}

#[test]
fn sure_values_ask_nobody() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (small, large) = (reporting([reply_of(&[("8", -0.01)])]), ScriptedAgent::new(["8"; 0]));
    let extraction = contract.extract(&small, "…").confidence(Confidence::Auto).escalate_below(0.9, &large);
    let (_, metrics) = block_on(extraction).unwrap();
    assert!(metrics.escalation.is_none() && large.requests().is_empty());
}

#[test]
fn an_answer_that_does_not_conform_is_repaired_and_else_not_used() {
    let bad = r#"{"lines_0_quantity": 0, "lines_1_part": "nut"}"#;
    let good = r#"{"lines_0_quantity": 2, "lines_1_part": "nut"}"#;
    let repaired = ScriptedAgent::new([bad, good]);
    assert_eq!(asked(&order(), &repaired).0["lines"][0]["quantity"], 2);
    let (value, metrics) = asked(&order(), &ScriptedAgent::new([bad, bad, bad]));
    assert_eq!(value["lines"][0]["quantity"], 12);
    let unused = metrics.escalation.unwrap().unused.unwrap();
    assert!(unused.contains("3 attempts"), "{unused}");
    assert_eq!(metrics.attempts, 4);
    assert!(metrics.warnings.is_empty());
}

#[test]
fn the_whole_has_to_satisfy_its_rules() {
    let contract =
        order().with_rule(
            |value: &Value| {
                if value["lines"][0]["quantity"] == 2 { Err("two are too few") } else { Ok(()) }
            },
        );
    let large = ScriptedAgent::new([r#"{"lines_0_quantity": 2, "lines_1_part": "nut"}"#]);
    let (value, metrics) = asked(&contract, &large);
    assert_eq!(value["lines"][0]["quantity"], 12);
    let escalation = metrics.escalation.as_ref().unwrap();
    assert!(escalation.changed.is_empty());
    assert_eq!(
        escalation.unused.as_deref(),
        Some("the value with its answer does not satisfy the contract and its rules")
    );
    assert!(near(metrics.confidence("/lines/0/quantity"), (-2.0_f64).exp()), "as it was");
}

#[test]
fn a_larger_agent_that_fails_leaves_the_value() {
    let large = ScriptedAgent::new(["8"; 0]).then_fail(AgentError::unavailable("no key"));
    let (value, metrics) = asked(&order(), &large);
    assert_eq!(value["lines"][0]["quantity"], 12);
    assert!(metrics.escalation.unwrap().unused.unwrap().contains("no key"));
}

#[test]
fn a_budget_that_is_spent_asks_no_larger_agent() {
    let (small, large) = (small(), ScriptedAgent::new(["8"; 0]));
    let contract = order();
    let extraction = contract.extract(&small, "…").confidence(Confidence::Auto).escalate_below(0.9, &large);
    let (_, metrics) = block_on(extraction.token_budget(140)).unwrap();
    assert!(metrics.escalation.unwrap().unused.unwrap().contains("budget"));
    assert!(large.requests().is_empty());
}

#[test]
fn it_needs_a_confidence_and_a_number_from_0_to_1() {
    let contract = order();
    let agent = ScriptedAgent::new(["8"; 0]);
    let ask = || contract.extract(&agent, "…");
    let message = |extraction: Extraction<'_, Value>| block_on(extraction).unwrap_err().to_string();
    assert!(message(ask().escalate_below(0.5, &agent)).ends_with("add `.confidence(...)`"));
    for below in [f64::NAN, -0.1, 1.5] {
        let extraction = ask().confidence(Confidence::Auto).escalate_below(below, &agent);
        assert!(message(extraction).ends_with("is not from 0 to 1"), "{below}");
    }
}
