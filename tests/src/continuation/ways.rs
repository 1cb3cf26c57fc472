//! Continuations with agents of every kind.

use extract::agent::{Constraint, FinishReason, Reply, ToolCall};
use extract::partials::PartialStep;
use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Contract, Extractable, Feedback};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CUT, REST, asked, cut, table, verdicts, whole};

#[test]
fn a_constrained_agent_is_constrained_to_the_rest_and_told_of_the_value() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(REST).constrained(Constraint::by_decoder([]));
    assert_eq!(block_on(table().extract(&agent, "…")).unwrap().0, whole());
    let requests = agent.requests();
    assert!(requests[0].schema.as_ref().unwrap()["properties"].get("rows").is_some());
    assert!(requests[1].schema.as_ref().unwrap()["properties"].get("rest").is_some());
    // The opening stays, so that it is still cached, and the last turn describes the value.
    let turns = |number: usize| requests[number].conversation.turns();
    assert_eq!(turns(0)[0], turns(1)[0]);
    let last = turns(1).last().unwrap().text();
    assert!(!turns(0)[0].text().contains("\"rows\"") && last.contains("\"rows\""), "{last}");
}

#[test]
fn another_agent_goes_on_where_the_first_one_was_cut() {
    let gap = r#"{"from": 9, "rest": [], "after": {"total": 3}}"#;
    let first = ScriptedAgent::new([cut(CUT)]).then(gap).then(gap);
    let second = ScriptedAgent::new([cut(CUT)]).then(REST);
    let (value, metrics) = block_on(table().extract(&first, "…").escalate_to(&second)).unwrap();
    assert_eq!((value, metrics.attempts), (whole(), 5));

    // Stalled by a reply that adds nothing, it hands over as well.
    let nothing = || cut(r#"{"from": 2, "rest": [{"id"#);
    let first = ScriptedAgent::new([cut(CUT), nothing()]);
    let second = ScriptedAgent::new([cut(CUT)]).then(REST);
    let (value, _) = block_on(table().extract(&first, "…").escalate_to(&second)).unwrap();
    assert_eq!(value, whole());
    assert!(asked(&second, 1).contains("Your answer was cut off"), "{}", asked(&second, 1));
}

#[test]
fn every_way_of_asking_again_is_asked_for_the_rest_alike() {
    for way in [Feedback::Auto, Feedback::Continue, Feedback::Fresh, Feedback::Patch] {
        let agent = ScriptedAgent::new([cut(CUT)]).then(REST);
        assert_eq!(block_on(table().extract(&agent, "…").feedback(way)).unwrap().0, whole());
        assert!(asked(&agent, 1).contains("Go on with index 2"));
    }
}

#[test]
fn with_tools_the_rest_is_asked_for_as_text() {
    let call = ToolCall::new("submit", Value::from(CUT)).with_id("1");
    let first = Reply::new("").with_calls([call]).finished(FinishReason::Length);
    let agent = ScriptedAgent::new([first]).then(REST).calling_tools();
    let (value, metrics) = block_on(table().extract(&agent, "…").tools()).unwrap();
    assert_eq!(value, whole());
    assert_eq!(
        metrics.per_attempt[1].notes,
        ["the rest of a value that was cut was asked for as text, without tools"]
    );
    let request = &agent.requests()[1];
    assert!(request.tools.is_none() && request.schema.is_some());
    assert!(!request.conversation.to_text().contains("submit"), "{}", request.conversation.to_text());
}

#[test]
fn after_the_rest_the_tools_are_back() {
    let call = |value: Value| Reply::new("").with_calls([ToolCall::new("submit", value).with_id("1")]);
    let wrong = REST.replace("3}", "\"three\"}");
    let agent = ScriptedAgent::new([call(CUT.into()).finished(FinishReason::Length)]);
    let agent = agent.then(wrong).then(call(whole())).calling_tools();
    let (value, metrics) = block_on(table().extract(&agent, "…").tools()).unwrap();
    assert_eq!((value, verdicts(&metrics)[1]), (whole(), AttemptStatus::Rejected));
    assert!(agent.requests()[2].tools.is_some());
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Patients {
    names: Vec<Patient>,
    count: u32,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Patient {
    #[extract(sensitive)]
    name: String,
    age: u32,
}

#[test]
fn sensitive_values_reach_neither_violations_nor_another_agent() {
    let text = r#"{"names": [{"name": "Ann Ondricka", "age": 4}, {"name": "Bob Marlowe", "age": 5}, {"na"#;
    let changed = r#"{"from": 1, "rest": [{"name": "Zoe Farrow", "age": 6}], "after": {"count": 2}}"#;
    let nothing = || cut(r#"{"from": 2, "rest": [{"na"#);
    let first = ScriptedAgent::new([cut(text)]).then(changed).then(nothing());
    let second = ScriptedAgent::new([r#"{"names": [], "count": 0}"#]);
    let mut told = Vec::new();
    let extraction = Patients::extract(&first, "…").escalate_to(&second).observe(|event| {
        if let extract::Event::Judged { record, .. } = event {
            told.push(format!("{:?} {:?}", record.violations, record.changes));
        }
    });
    let _ = block_on(extraction.max_attempts(4));
    let (names, told) = (["Ondricka", "Marlowe", "Farrow"], told.concat());
    assert!(names.iter().all(|name| !told.contains(name)), "{told}");
    assert!(asked(&first, 1).contains("Marlowe"), "the agent that wrote them sees them");
    for request in second.requests() {
        let seen = request.conversation.to_text();
        assert!(names.iter().all(|name| !seen.contains(name)), "{seen}");
    }
}

#[test]
fn partials_show_the_value_and_never_the_form_of_the_rest() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"rest": {"type": "array", "items": {"type": "integer"}}, "from": {"type": "integer"}},
    }));
    let contract = contract.unwrap();
    let agent = ScriptedAgent::new([cut(r#"{"rest": [7, 8, 9"#)])
        .streaming([r#"{"rest": [7, 8"#])
        .then(r#"{"from": 2, "rest": [9, 10], "after": {"from": 5}}"#)
        .streaming([r#"{"from": 2, "rest": [9, "#]);
    let shown = block_on(async {
        let mut shown = Vec::new();
        let mut steps = contract.extract(&agent, "…").partials();
        while let Some(step) = steps.next().await {
            shown.push(match step.unwrap() {
                PartialStep::Partial(partial) => partial.to_value().to_string(),
                PartialStep::Restarted { attempt, .. } => format!("restarted {attempt}"),
                PartialStep::Finished(value, _) => format!("finished {value}"),
                _ => unreachable!(),
            });
        }
        shown
    });
    let value = r#"{"rest":[7,8,9,10],"from":5}"#;
    let [there, more] = [r#"{"rest":[7,8]}"#, r#"{"rest":[7,8,9]}"#];
    assert_eq!(shown, [r#"{"rest":[7]}"#, "restarted 2", there, more, value, &format!("finished {value}")]);
}
