//! Answers that are not objects, from providers that accept only schemas of objects.

use std::sync::{Arc, Mutex};

use super::*;
use crate::{contract::Contract, judging::Event};

fn contract() -> Contract {
    let schema = json!({
        "type": "array",
        "items": {"$ref": "#/$defs/Part"},
        "$defs": {"Part": {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1}},
            "required": ["name"],
        }},
    });
    Contract::from_schema(schema).unwrap()
}

#[tokio::test]
async fn a_list_is_asked_for_in_an_object_and_taken_out_of_it() {
    let server = Server::start([Answer::json(&openai(r#"{"answer": [{"name": "bolt"}]}"#, "stop"))]);
    let (value, metrics) =
        contract().extract(&agent(AdapterKind::OpenAI, &server), "All parts.").await.unwrap();
    assert_eq!((value, metrics.attempts), (json!([{"name": "bolt"}]), 1));
    assert!(metrics.changes.is_empty(), "{:?}", metrics.changes);
    let body = &server.received()[0].body;
    let sent = &body["response_format"]["json_schema"]["schema"];
    assert_eq!(sent["required"], json!(["answer"]));
    assert_eq!(sent["properties"]["answer"]["type"], "array");
    assert_eq!(sent["$defs"]["Part"]["required"], json!(["name"]));
    // The decoder does not enforce it, so the prompt mentions it, at its position in the answer.
    let system = body["messages"][0]["content"].to_string();
    assert!(system.contains("at least 1 character") && !system.contains("answer."), "{system}");
}

#[tokio::test]
async fn so_are_scalars_and_alternatives() {
    for (schema, answer) in [
        (json!({"enum": ["red", "green"]}), json!("red")),
        (json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}), json!(3)),
    ] {
        let server = Server::start([Answer::json(&openai(&json!({"answer": answer}).to_string(), "stop"))]);
        let contract = Contract::from_schema(schema).unwrap();
        let (value, _) = contract.extract(&agent(AdapterKind::OpenAI, &server), "Which?").await.unwrap();
        assert_eq!(value, answer);
        assert!(server.received()[0].body["response_format"]["json_schema"]["schema"].is_object());
    }
}

#[tokio::test]
async fn the_constraints_that_are_left_are_those_of_the_answer() {
    let schema = json!({"type": "array", "items": {"type": "string", "minLength": 1}});
    let server = Server::start([Answer::json(&openai(r#"{"answer": ["bolt"]}"#, "stop"))]);
    let request = request().with_schema(Arc::new(schema));
    let reply = agent(AdapterKind::OpenAI, &server).respond(&request).await.unwrap();
    assert_eq!(reply.text(), r#"["bolt"]"#);
    let note = "the decoder does not enforce: $.items: `minLength` is not among the supported keywords";
    assert_eq!(reply.notes(), [note]);
}

#[tokio::test]
async fn a_server_that_ignores_the_schema_is_understood_too() {
    for said in [r#"[{"name": "bolt"}]"#, "Here you are:\n```json\n[{\"name\": \"bolt\"}]\n```"] {
        let server = Server::start([Answer::json(&openai(said, "stop"))]);
        let (value, _) =
            contract().extract(&agent(AdapterKind::OpenAI, &server), "All parts.").await.unwrap();
        assert_eq!(value, json!([{"name": "bolt"}]));
    }
}

#[tokio::test]
async fn a_list_that_was_cut_goes_on() {
    let server = Server::start([
        Answer::json(&openai(r#"{"answer": [{"name": "bolt"}, {"name": "nut"}, {"na"#, "length")),
        Answer::json(&openai(r#"{"from": 2, "rest": [{"name": "screw"}]}"#, "stop")),
    ]);
    let (value, metrics) =
        contract().extract(&agent(AdapterKind::OpenAI, &server), "All parts.").await.unwrap();
    assert_eq!(value, json!([{"name": "bolt"}, {"name": "nut"}, {"name": "screw"}]));
    assert_eq!((metrics.attempts, metrics.continuations), (2, 1));
}

#[tokio::test]
async fn a_number_that_was_cut_is_no_answer() {
    // Whatever the server says of its end.
    let server = Server::start([
        Answer::json(&openai(r#"{"answer": 12"#, "stop")),
        Answer::json(&openai(r#"{"answer": 1200}"#, "stop")),
    ]);
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (value, metrics) = contract.extract(&agent(AdapterKind::OpenAI, &server), "How many?").await.unwrap();
    assert_eq!((value, metrics.attempts), (json!(1200), 2));
}

#[tokio::test]
async fn the_deltas_are_those_of_the_answer() {
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        format!("data: {}\n\n", json!({"id": "c", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let texts = ["{\"ans", "wer\": [{\"name\"", ": \"bolt\"}", "]}"];
    let mut events: String = texts.iter().map(|text| chunk(json!({"content": text}), Value::Null)).collect();
    events += &(chunk(json!({}), json!("stop")) + "data: [DONE]\n\n");
    let server = Server::start([Answer::bytes("200 OK", "text/event-stream", events)]);
    let deltas = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&deltas);
    let agent = agent(AdapterKind::OpenAI, &server);
    let extraction = contract().extract(&agent, "All parts.").stream(true).observe(move |event| {
        if let Event::Delta { text, is_first, .. } = event {
            seen.lock().unwrap().push(((*text).to_owned(), *is_first));
        }
    });
    assert_eq!(extraction.await.unwrap().0, json!([{"name": "bolt"}]));
    let expected = [("[{\"name\"", true), (": \"bolt\"}", false), ("]", false)];
    assert_eq!(*deltas.lock().unwrap(), expected.map(|(text, is_first)| (text.to_owned(), is_first)));
}
