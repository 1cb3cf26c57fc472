//! Values that an agent submits by calling tools, in an extraction.

use extract::agent::{FinishReason, Reply, Request, Role, ToolCall};
use extract::reading::{ChangeKind, Loss};
use extract::testing::{Cassette, ScriptedAgent, block_on};
use extract::toolkit::Toolkit;
use extract::{Code, Contract, Event, Extractable, ExtractionError, Feedback, TokenUsage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::{Invoice, good, with};

fn call(tool: &str, arguments: Value) -> Reply {
    Reply::new("")
        .with_calls([ToolCall::new(tool, arguments).with_id(format!("id of {tool}"))])
        .finished(FinishReason::Stop)
}

fn submit(arguments: Value) -> Reply {
    call("submit", arguments)
}

fn wrong(pointer: &str, value: Value) -> Value {
    serde_json::from_str(&with(pointer, value)).unwrap()
}

fn agent(replies: impl IntoIterator<Item = Reply>) -> ScriptedAgent {
    ScriptedAgent::new(replies).calling_tools()
}

fn roles(request: &Request) -> Vec<Role> {
    request.conversation.turns().iter().map(extract::agent::Turn::role).collect()
}

#[test]
fn an_accepted_submit_ends_it() {
    let agent = agent([submit(good())]);
    let (invoice, metrics) = block_on(Invoice::extract(&agent, "Read the invoice.").tools()).unwrap();
    assert_eq!((&*invoice.number, metrics.attempts), ("INV-0007", 1));
    assert_eq!(metrics.per_attempt[0].notes, Vec::<String>::new());

    let [request] = &agent.requests()[..] else { panic!("asked more than once") };
    let names: Vec<_> = request.tools.as_ref().unwrap().iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["example", "validate", "submit"]);
    assert_eq!(request.schema, None, "the tools have the schema, once");
    let told = request.conversation.turns()[0].text();
    assert!(
        told.starts_with(
            "Answer with one JSON object by calling the tool `submit` with it as its arguments."
        ),
        "{told}"
    );
    assert!(!told.contains("unitPrice"), "the schema stands in the tools: {told}");
}

#[test]
fn a_value_that_is_not_an_object_becomes_an_argument() {
    let agent = agent([submit(json!({"value": [8]}))]);
    let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?").tools()).unwrap();
    assert_eq!(legs, [8]);
    assert!(agent.requests()[0].conversation.turns()[0].text().contains("with it as its argument `value`"));
}

#[test]
fn a_rejected_submit_is_answered_by_the_tool() {
    let agent = agent([submit(wrong("/currency", json!("DM"))), submit(good())]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    assert_eq!(metrics.attempts, 2);

    let second = &agent.requests()[1];
    assert_eq!(roles(second), [Role::System, Role::User, Role::Assistant, Role::Tool]);
    let turns = second.conversation.turns();
    assert_eq!(turns[2].calls()[0].arguments["currency"], "DM");
    let [result] = turns[3].results() else { panic!("one result for each call") };
    assert_eq!((&*result.id, &*result.name, result.is_error), ("id of submit", "submit", true));
    assert!(
        result.text.starts_with("Attempt 2 of 3. Your answer was not accepted: 1 violation."),
        "{}",
        result.text
    );
    assert!(
        result.text.ends_with("keep what was right. Then call `submit` with the whole value."),
        "{}",
        result.text
    );
    assert!(second.tools.is_some());
}

#[test]
fn a_failed_validate_is_an_attempt_of_the_same_budget() {
    let agent =
        agent([call("validate", wrong("/currency", json!("DM"))), submit(wrong("/total", json!(-1)))]);
    let error = block_on(Invoice::extract(&agent, "…").tools().max_attempts(2)).unwrap_err();
    let ExtractionError::MaxRetriesExceeded { attempts, history, .. } = &error else { panic!("{error}") };
    assert_eq!((*attempts, history.len()), (2, 2));
    assert!(
        !agent.requests()[1].conversation.turns()[3].results()[0].is_error,
        "it did what it was asked to"
    );
    assert_eq!(history[0].submitted().unwrap()["currency"], "DM");
}

#[test]
fn examples_and_values_that_are_valid_cost_tokens_but_no_attempt() {
    let used = |reply: Reply| reply.with_usage(TokenUsage::new(100, 10));
    let agent = agent([
        used(call("example", json!({}))),
        used(call("validate", good())),
        used(call("sbmit", good())),
        used(submit(good())),
    ]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools().max_attempts(1)).unwrap();
    assert_eq!((metrics.attempts, metrics.usage.total()), (1, 440));
    assert_eq!(
        metrics.per_attempt[0].notes,
        ["example", "validate", "sbmit"].map(|tool| format!("called `{tool}` before it submitted a value"))
    );

    let requests = agent.requests();
    let told = |number: usize| requests[number].conversation.turns().last().unwrap().results()[0].clone();
    assert!(
        told(1).text.starts_with("An example, to show the form:\n{\"number\":\"INV-2041\""),
        "{}",
        told(1).text
    );
    assert_eq!(told(2).text, "Valid. Call `submit` with the same value to submit it.");
    assert_eq!(told(3).text, "There is no tool `sbmit`; there are `example`, `validate`, `submit`.");
    assert!(told(3).is_error);
    assert_eq!(requests[3].conversation.turns().len(), 2 + 3 * 2, "all of it is still in the conversation");
}

#[test]
fn requests_for_examples_are_limited() {
    let agent = agent(std::iter::repeat_with(|| call("example", json!({}))).take(20));
    let error = block_on(Invoice::extract(&agent, "…").tools().max_attempts(2)).unwrap_err();
    assert!(matches!(error, ExtractionError::MaxRetriesExceeded { attempts: 2, .. }), "{error}");
    assert_eq!(agent.requests().len(), 6, "four go by, two are attempts");
}

#[test]
fn a_value_that_is_validated_again_and_again_is_taken_in_the_end() {
    let agent = agent(std::iter::repeat_with(|| call("validate", good())).take(20));
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    assert_eq!((metrics.attempts, agent.requests().len()), (1, 5));
}

#[test]
fn callbacks_run_for_submitted_values_only() {
    let mut asked = 0;
    let agent =
        agent([call("validate", good()), submit(good()), submit(wrong("/number", json!("INV-0008")))]);
    let extraction = Invoice::extract(&agent, "…").tools().on_submit(|invoice: &Invoice| {
        asked += 1;
        if invoice.number == "INV-0008" { Ok(()) } else { Err("it is booked already") }
    });
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!((metrics.attempts, asked), (2, 2));
}

#[test]
fn an_answer_in_text_is_read_as_usual() {
    let agent = agent([Reply::new("It has no number."), Reply::new(format!("```json\n{}\n```", good()))]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    assert_eq!(metrics.attempts, 2);
    let second = &agent.requests()[1];
    assert_eq!(roles(second), [Role::System, Role::User, Role::Assistant, Role::User]);
    assert!(second.conversation.turns()[3].text().ends_with("Then call `submit` with the whole value."));
}

#[test]
fn an_agent_that_calls_no_tools_is_asked_for_text() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    assert_eq!(metrics.per_attempt[0].notes, ["`scripted` calls no tools, so it was asked for text"]);
    let request = &agent.requests()[0];
    assert!(request.tools.is_none() && request.schema.is_some());
    assert!(request.conversation.turns()[0].text().contains("unitPrice"));
}

#[test]
fn of_several_calls_one_is_judged_and_the_others_are_ignored() {
    let both = |id: &str| ToolCall::new("submit", wrong("/currency", json!("DM"))).with_id(id);
    let first = Reply::new("Two of them.").with_calls([
        both("a"),
        ToolCall::new("example", json!({})).with_id("x"),
        both("b"),
    ]);
    let agent = agent([first, submit(good())]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    assert_eq!(metrics.attempts, 2);
    assert_eq!(metrics.per_attempt[0].notes, ["2 calls of the reply were ignored: another one was judged"]);
    let second = &agent.requests()[1].conversation;
    assert_eq!(second.turns()[2].said(), "Two of them.");
    let results = second.turns()[3].results();
    assert_eq!(results.iter().map(|result| &*result.id).collect::<Vec<_>>(), ["a", "x", "b"]);
    assert!(results[0].text.contains("$.currency"));
    assert!(results[1..].iter().all(|result| result.text.starts_with("This call was ignored")));
}

/// A reply with one call of `submit` for each of `values`.
fn submits(values: impl IntoIterator<Item = Value>) -> Reply {
    let calls = values.into_iter().enumerate();
    Reply::new("")
        .with_calls(calls.map(|(index, value)| ToolCall::new("submit", value).with_id(format!("id {index}"))))
        .finished(FinishReason::Stop)
}

/// A list of people.
fn people() -> Contract {
    let person = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
        "required": ["name"],
    });
    Contract::from_schema(json!({"type": "array", "items": {"$ref": "#/$defs/Person"}, "$defs": {"Person": person}, "minItems": 2}))
        .unwrap()
}

#[test]
fn several_submits_for_a_list_are_one_list() {
    let (ann, bob, eve) = (json!({"name": "Ann"}), json!({"name": "Bob", "age": 4}), json!({"name": "Eve"}));
    for calls in [
        vec![json!({"value": ann}), json!({"value": bob}), json!({"value": eve})],
        vec![json!({"value": [ann]}), json!({"value": [bob, eve]})],
        vec![json!({"value": [ann, bob]}), json!({"value": eve})],
        vec![ann.clone(), bob.clone(), eve.clone()],
        vec![json!(json!({"value": ann}).to_string()), json!({"value": json!([bob, eve]).to_string()})],
    ] {
        let agent = agent([submits(calls.clone())]);
        let people = people();
        let (value, metrics) = block_on(people.extract(&agent, "…").tools()).unwrap();
        assert_eq!(value, json!([ann, bob, eve]), "{calls:?}");
        assert_eq!(metrics.attempts, 1);
        assert!(metrics.per_attempt[0].notes.is_empty(), "{:?}", metrics.per_attempt[0].notes);
        let change = &metrics.changes[0];
        assert_eq!((change.kind, change.loss), (ChangeKind::Wrapper, Loss::Lossless));
        assert_eq!(
            (&*change.before, &*change.after),
            (&*format!("{} calls of `submit`", calls.len()), "one list")
        );
    }
}

#[test]
fn numbers_in_several_submits_stay_as_often_as_they_are_submitted() {
    let agent = agent([submits([json!({"value": 8}), json!({"value": [8]}), json!({"value": 6})])]);
    let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs?").tools()).unwrap();
    assert_eq!(legs, [8, 8, 6]);
}

#[test]
fn what_is_wrong_with_a_part_is_reported_at_its_place_in_the_list() {
    let first = submits([json!({"value": [{"name": "Ann"}]}), json!({"value": {"name": "Bob", "age": -4}})]);
    let second =
        submits([json!({"value": [{"name": "Ann"}]}), json!({"value": {"name": "Bob", "age": "4"}})]);
    let agent = agent([first, second]);
    let people = people();
    let (value, metrics) = block_on(people.extract(&agent, "…").tools()).unwrap();
    assert_eq!(value, json!([{"name": "Ann"}, {"name": "Bob", "age": 4}]));
    assert!(
        metrics.changes.iter().any(|change| change.path.to_string() == "$[1].age"),
        "{:?}",
        metrics.changes
    );
    let results = agent.requests()[1].conversation.turns()[3].results().to_vec();
    assert!(results[0].text.contains("$[1].age"), "{}", results[0].text);
    assert!(results[1].text.contains("judged together with the first one"), "{}", results[1].text);
    assert!(results.iter().all(|result| result.is_error));
}

#[test]
fn a_part_of_a_list_that_is_submitted_twice_is_asked_about() {
    let ann = json!({"value": [{"name": "Ann"}, {"name": "Bob"}]});
    let agent = agent([submits([ann.clone(), ann.clone()]), submits([ann])]);
    let people = people();
    let (value, metrics) = block_on(people.extract(&agent, "…").tools()).unwrap();
    assert_eq!((value.as_array().unwrap().len(), metrics.attempts), (2, 2));
    let result = agent.requests()[1].conversation.turns()[3].results()[0].clone();
    assert!(result.text.contains("two calls submit the same part of the list"), "{}", result.text);
}

#[test]
fn several_submits_that_differ_are_a_violation_and_equal_ones_are_one() {
    let other = wrong("/number", json!("INV-0008"));
    let same = agent([submits([good(), good(), good()])]);
    assert_eq!(block_on(Invoice::extract(&same, "…").tools()).unwrap().0.number, "INV-0007");

    let agent = agent([submits([good(), other, good()]), submit(good())]);
    let mut codes = Vec::new();
    let extraction = Invoice::extract(&agent, "…").tools().observe(|event| {
        if let Event::Judged { record, .. } = event {
            codes.extend(
                record
                    .violations
                    .iter()
                    .map(|violation| (violation.path.to_string(), violation.code.clone())),
            );
        }
    });
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!(metrics.attempts, 2);
    assert_eq!(codes, [("$".to_owned(), Code::NotJson)]);
    let results = agent.requests()[1].conversation.turns()[3].results().to_vec();
    assert!(results[0].text.contains("`submit` was called with several values"), "{}", results[0].text);
    assert!(results[0].text.contains("3 calls"), "{}", results[0].text);
    assert_eq!(results.len(), 3);
}

#[test]
fn parts_of_a_list_that_was_cut_are_not_the_whole_list() {
    let (ann, bob) = (json!({"name": "Ann"}), json!({"name": "Bob"}));
    let rest = json!({"from": 2, "rest": [{"name": "Eve"}]}).to_string();
    // The third call may have been cut before its first byte, or after some.
    let whole = vec![json!({"value": ann}), json!({"value": bob})];
    let broken = [whole.clone(), vec![json!(r#"{"value": {"name": "E"#)]].concat();
    for calls in [whole, broken] {
        let agent = agent([submits(calls).finished(FinishReason::Length), Reply::new(rest.clone())]);
        let people = people();
        let (value, metrics) = block_on(people.extract(&agent, "…").tools()).unwrap();
        assert_eq!(value, json!([ann, bob, {"name": "Eve"}]));
        assert_eq!(metrics.continuations, 1);
    }
}

#[test]
fn a_tuple_is_not_submitted_in_parts() {
    let schema = json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]});
    let contract = Contract::from_schema(schema).unwrap();
    let agent =
        agent([submits([json!({"value": 1}), json!({"value": 2})]), submit(json!({"value": [1, 2]}))]);
    let (value, metrics) = block_on(contract.extract(&agent, "…").tools()).unwrap();
    assert_eq!((value, metrics.attempts), (json!([1, 2]), 2));
}

/// An object without required members: any object is one.
fn optional() -> Contract {
    let properties = json!({"answer": {"type": ["string", "null"]}, "n": {"type": ["integer", "null"]}});
    Contract::from_schema(json!({"type": "object", "properties": properties})).unwrap()
}

fn person() -> Contract {
    let properties = json!({"name": {"type": "string"}, "age": {"type": ["integer", "null"]}});
    Contract::from_schema(json!({"type": "object", "properties": properties, "required": ["name"]})).unwrap()
}

#[test]
fn a_value_is_taken_out_of_what_is_wrapped_around_it() {
    let answer = json!({"answer": "a", "n": 1});
    let ann = json!({"name": "Ann", "age": 4});
    let list = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    for (contract, arguments, expected) in [
        (optional(), json!({"value": answer.to_string()}), &answer),
        (optional(), json!({"value": answer}), &answer),
        (optional(), json!({"value": {"name": "submit", "arguments": answer.to_string()}}), &answer),
        (person(), json!({"value": {"name": "submit", "arguments": ann}}), &ann),
        (person(), json!({"name": "submit", "arguments": ann}), &ann),
        (person(), json!({"type": "function", "name": "submit", "parameters": ann}), &ann),
        (person(), json!(json!({"name": "submit", "arguments": ann}).to_string()), &ann),
        (list.clone(), json!({"value": {"name": "submit", "arguments": {"value": [1, 2]}}}), &json!([1, 2])),
    ] {
        let agent = agent([submit(arguments.clone())]);
        let (value, metrics) = block_on(contract.extract(&agent, "…").tools().max_attempts(1)).unwrap();
        assert_eq!(value, *expected, "{arguments}");
        assert_eq!(metrics.changes[0].kind, ChangeKind::Wrapper, "{arguments}");

        let mut toolkit = Toolkit::untyped(contract);
        block_on(toolkit.call(ToolCall::new("submit", arguments)));
        assert_eq!(toolkit.finish().unwrap().0, *expected);
    }
}

#[test]
fn what_the_contract_names_is_no_wrapper() {
    let properties =
        json!({"name": {"type": "string"}, "arguments": {"type": "object"}, "value": {"type": "string"}});
    let command = Contract::from_schema(json!({"type": "object", "properties": properties})).unwrap();
    let others =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true});
    let others = Contract::from_schema(others).unwrap();
    for (contract, arguments) in [
        (command.clone(), json!({"name": "submit", "arguments": {"name": "x"}})),
        (command, json!({"value": "{\"name\": \"x\"}"})),
        (others, json!({"value": "{\"a\": \"x\"}"})),
        (person(), json!({"name": "submit", "arguments": {"surname": "Bob"}})),
    ] {
        let agent = agent([submit(arguments.clone())]);
        if let Ok((value, _)) = block_on(contract.extract(&agent, "…").tools().max_attempts(1)) {
            assert_eq!(value, arguments);
        }
    }
}

#[test]
fn validate_and_submit_in_one_reply_is_done() {
    let reply = Reply::new("")
        .with_calls(["validate", "submit"].map(|tool| ToolCall::new(tool, good()).with_id(tool)));
    let (_, metrics) = block_on(Invoice::extract(&agent([reply]), "…").tools()).unwrap();
    assert_eq!(metrics.attempts, 1);
}

#[test]
fn messy_arguments_are_read_as_a_reply_is() {
    let messy = format!("{},", good().to_string().replace("\"EUR\"", "'EUR'"));
    let (_, metrics) = block_on(Invoice::extract(&agent([submit(json!(messy))]), "…").tools()).unwrap();
    assert_eq!(metrics.attempts, 1);
    assert!(!metrics.changes.is_empty());
}

#[test]
fn arguments_that_cannot_be_given_back_are_shown_as_text() {
    let agent = agent([submit(json!("{\"number\": \"INV-1\"")), submit(good())]);
    block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    assert_eq!(roles(&agent.requests()[1]), [Role::System, Role::User, Role::Assistant, Role::User]);
}

#[test]
fn arguments_that_were_cut_are_not_taken_for_whole() {
    let cut = submit(json!("{\"number\": \"INV-0007\", \"curr")).finished(FinishReason::Length);
    let agent = agent([cut, submit(good())]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").tools().max_output_tokens(100)).unwrap();
    assert_eq!(metrics.attempts, 2);
    let second = &agent.requests()[1];
    assert_eq!(second.max_output_tokens, Some(200));
    let told = second.conversation.turns().last().unwrap().text();
    assert!(
        told.contains("was cut off") && told.ends_with("Then call `submit` with the whole value."),
        "{told}"
    );
}

#[test]
fn a_stall_asks_afresh_and_still_offers_the_tools() {
    let same = || submit(wrong("/currency", json!("DM")));
    let agent = agent([same(), same(), submit(good())]);
    block_on(Invoice::extract(&agent, "…").tools()).unwrap();
    let third = &agent.requests()[2];
    assert_eq!(roles(third), [Role::System, Role::User]);
    assert!(third.tools.is_some());
    assert!(third.conversation.turns()[1].text().ends_with("Then call `submit` with the whole value."));
}

#[test]
fn an_agent_that_takes_over_is_asked_in_its_own_way() {
    let same = || submit(wrong("/currency", json!("DM")));
    let (small, large) = (agent([same(), same()]), ScriptedAgent::new([good().to_string()]));
    let (_, metrics) = block_on(Invoice::extract(&small, "…").tools().escalate_to(&large)).unwrap();
    assert_eq!(metrics.attempts, 3);
    let request = &large.requests()[0];
    assert!(request.tools.is_none() && request.schema.is_some());
    let told = request.conversation.to_text();
    assert!(told.contains("unitPrice?") || told.contains("\"unitPrice\""), "{told}");
    assert!(told.ends_with("Answer with the JSON only: no markdown fences, no explanation."), "{told}");
}

#[test]
fn no_patch_is_asked_for() {
    let agent = agent([submit(wrong("/currency", json!("DM"))), submit(good())]);
    block_on(Invoice::extract(&agent, "…").tools().feedback(Feedback::Patch)).unwrap();
    assert!(!agent.requests()[1].conversation.to_text().contains("6902"));
}

#[test]
fn calls_of_tools_that_were_not_offered_are_noted() {
    let reply = Reply::new(good().to_string()).with_calls([ToolCall::new("search", json!({})).with_id("1")]);
    let (_, metrics) = block_on(Invoice::extract(&ScriptedAgent::new([reply]), "…")).unwrap();
    assert_eq!(metrics.per_attempt[0].notes, ["1 call of the reply was ignored: no tool was offered"]);
}

#[test]
fn observers_see_every_question_and_judgement() {
    let agent = agent([call("example", json!({})), submit(wrong("/total", json!(-1))), submit(good())]);
    let mut sink = Vec::new();
    let extraction = Invoice::extract(&agent, "…").tools().observe(|event| {
        sink.push(match event {
            Event::Asked { .. } => "asked",
            Event::Replied { .. } => "replied",
            Event::Judged { .. } => "judged",
            Event::FeedingBack { .. } => "feeding back",
            Event::Done { .. } => "done",
            _ => "",
        });
    });
    block_on(extraction).unwrap();
    sink.retain(|event| !event.is_empty());
    assert_eq!(
        sink.join(", "),
        "asked, replied, asked, replied, judged, feeding back, asked, replied, judged, done"
    );
}

#[test]
fn cassettes_replay_calls() {
    let folder = std::env::temp_dir().join(format!("extract-calls-{}", std::process::id()));
    let path = folder.join("calls.json");
    let real = || agent([submit(wrong("/currency", json!("DM"))), submit(good())]);
    let recorded = block_on(Invoice::extract(&Cassette::record(real(), &path), "…").tools()).unwrap();
    let cassette = Cassette::replay(&path).unwrap();
    let (replayed, metrics) = block_on(Invoice::extract(&cassette, "…").tools()).unwrap();
    cassette.assert_finished();
    assert_eq!((replayed, metrics.attempts), (recorded.0, 2));

    let without_tools = block_on(Invoice::extract(&Cassette::replay(&path).unwrap(), "…")).unwrap_err();
    assert!(without_tools.to_string().contains("the tools"), "{without_tools}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A person with a sensitive name.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Person {
    #[extract(sensitive)]
    name: String,
    #[extract(range(max = 120))]
    age: u8,
}

#[test]
fn sensitive_values_of_calls_are_not_sent_to_another_agent() {
    let same = || submit(json!({"name": "Rumpelstiltskin", "age": 300}));
    let (small, large) = (agent([same(), same()]), agent([submit(json!({"name": "R.", "age": 30}))]));
    block_on(Person::extract(&small, "…").tools().escalate_to(&large)).unwrap();
    let told = large.requests()[0].conversation.to_text();
    assert!(!told.contains("Rumpelstiltskin") && told.contains("$.age"), "{told}");
}

#[test]
fn sensitive_values_of_calls_are_not_recorded() {
    let folder = std::env::temp_dir().join(format!("extract-sensitive-calls-{}", std::process::id()));
    let path = folder.join("calls.json");
    let wrong =
        submit(json!({"name": "Rumpelstiltskin", "age": 300})).with_provider_data(json!("Rumpelstiltskin"));
    let real = agent([wrong, submit(json!({"name": "Rumpelstiltskin", "age": 30}))]);
    block_on(Person::extract(&Cassette::record(real, &path), "…").tools()).unwrap();
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!(!recorded.contains("Rumpel"), "{recorded}");

    let cassette = Cassette::replay(&path).unwrap();
    let (person, metrics) = block_on(Person::extract(&cassette, "…").tools()).unwrap();
    assert_eq!((person.age, metrics.attempts), (30, 2));
    cassette.assert_finished();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn arguments_in_a_string_are_judged_and_answered_as_a_call() {
    for (arguments, expected, given_back) in [
        ("", "the answer is empty", json!({})),
        (" \n", "the answer is empty", json!({})),
        ("{}", "required, but absent", json!({})),
        (r#"{"number": 7}"#, "required, but absent", json!({"number": 7})),
    ] {
        let agent = agent([submit(json!(arguments)), submit(json!(good().to_string()))]);
        let mut messages = Vec::new();
        let extraction = Invoice::extract(&agent, "…").tools().observe(|event| {
            if let Event::Judged { record, .. } = event {
                messages.extend(record.violations.first().map(|violation| violation.message.clone()));
            }
        });
        block_on(extraction).unwrap();
        assert_eq!(messages, [expected], "{arguments:?}");
        let requests = agent.requests();
        assert_eq!(roles(&requests[1])[2..], [Role::Assistant, Role::Tool], "{arguments:?}");
        assert_eq!(requests[1].conversation.turns()[2].calls()[0].arguments, given_back);
    }
}
