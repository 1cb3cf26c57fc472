//! The schema in the native form of each provider.

use std::sync::Arc;

use super::{
    super::StructuredOutput,
    providers::{anthropic, gemini, ollama, openai_resp},
    *,
};
use crate::{
    agent::{AgentErrorKind, Constraint, ConstraintLevel},
    contract::Contract,
    schema::dialect::Dialect,
};

fn schema() -> Value {
    json!({
        "title": "A spider",
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}, "name": {"type": "string", "minLength": 1}},
        "required": ["legs"],
    })
}

fn with_schema(schema: Value) -> Request {
    request().with_schema(Arc::new(schema))
}

/// The request that a server gets, if it answers `body`, for a request with [`schema`]. The notes
/// of the reply list the unenforced constraints.
async fn sent(kind: AdapterKind, dialect: Dialect, body: Value) -> server::Received {
    let server = Server::start([Answer::json(&body)]);
    let reply = agent(kind, &server).respond(&with_schema(schema())).await.unwrap();
    let left_out = dialect.project(&schema()).unwrap().note();
    assert_eq!((reply.text(), reply.notes()), ("8", left_out.as_slice()), "{kind}");
    server.received().remove(0)
}

/// [`schema`] with every property required.
fn strict(name: &Value) -> Value {
    json!({
        "title": "A spider",
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}, "name": name},
        "required": ["legs", "name"],
        "additionalProperties": false,
    })
}

#[tokio::test]
async fn openai_is_sent_a_strict_schema() {
    let schema = strict(&json!({"type": ["string", "null"]}));
    let body = sent(AdapterKind::OpenAI, Dialect::OpenAi, openai("8", "stop")).await.body;
    let format =
        json!({"type": "json_schema", "json_schema": {"name": "A_spider", "strict": true, "schema": schema}});
    assert_eq!(body["response_format"], format);
    let body = sent(AdapterKind::OpenAIResp, Dialect::OpenAi, openai_resp("8", "completed", None)).await.body;
    let format = json!({"type": "json_schema", "name": "A_spider", "strict": true, "schema": schema});
    assert_eq!(body["text"]["format"], format);
}

#[tokio::test]
async fn anthropic_is_sent_a_closed_schema_without_bounds() {
    let body = sent(AdapterKind::Anthropic, Dialect::Anthropic, anthropic("8", "end_turn")).await.body;
    let schema = json!({
        "title": "A spider",
        "type": "object",
        "properties": {"legs": {"type": "integer"}, "name": {"type": "string"}},
        "required": ["legs"],
        "additionalProperties": false,
    });
    assert_eq!(body["output_config"], json!({"format": {"type": "json_schema", "schema": schema}}));
}

#[tokio::test]
async fn gemini_is_sent_a_json_schema() {
    let body = sent(AdapterKind::Gemini, Dialect::Gemini, gemini("8", "STOP")).await.body;
    let schema = json!({
        "title": "A spider",
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}, "name": {"type": "string"}},
        "required": ["legs"],
    });
    let format = json!({"responseMimeType": "application/json", "responseJsonSchema": schema});
    assert_eq!(body["generationConfig"], format);
}

#[tokio::test]
async fn ollama_is_sent_a_grammar_over_its_other_api() {
    let sent = sent(AdapterKind::Ollama, Dialect::Ollama, openai("8", "stop")).await;
    assert_eq!(sent.path, "/api/v1/chat/completions");
    let schema = strict(&json!({"type": ["string", "null"], "minLength": 1}));
    assert_eq!(sent.body["response_format"]["json_schema"]["schema"], schema);
    assert_eq!(sent.body["model"], "some-model");
}

#[tokio::test]
async fn what_a_dialect_cannot_say_stands_in_the_prompt_with_a_note() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let server = Server::start([Answer::json(&openai("{}", "stop"))]);
    let reply = agent(AdapterKind::OpenAI, &server).respond(&with_schema(map)).await.unwrap();
    let note = "OpenAI cannot express the schema, so it is left to the prompt: $: a map with free keys";
    assert_eq!(reply.notes(), [note]);
    assert!(server.received()[0].body.get("response_format").is_none());
}

#[tokio::test]
async fn an_unknown_provider_gets_no_schema_and_a_note() {
    let server = Server::start([Answer::json(&openai("8", "stop"))]);
    let reply = agent(AdapterKind::DeepSeek, &server).respond(&with_schema(schema())).await.unwrap();
    assert_eq!(
        reply.notes(),
        ["`deepseek/some-model` is not known to take a schema; it is left to the prompt"]
    );
    assert!(server.received()[0].body.get("response_format").is_none());
}

#[tokio::test]
async fn it_can_be_turned_off() {
    let server = Server::start([Answer::json(&openai("8", "stop"))]);
    let agent = agent(AdapterKind::OpenAI, &server).structured_output(StructuredOutput::Off);
    let reply = agent.respond(&with_schema(schema())).await.unwrap();
    assert!(reply.notes().is_empty() && server.received()[0].body.get("response_format").is_none());
}

#[tokio::test]
async fn a_refused_schema_is_left_out_once_and_for_all() {
    let message = format!("Invalid schema, {KEY}");
    let refusal = Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
    let right = Answer::json(&openai(r#"{"legs": 8}"#, "stop"));
    let server = Server::start([refusal, right.clone(), right]);
    let agent = agent(AdapterKind::OpenAI, &server);
    let contract = Contract::from_schema(schema()).unwrap();

    let (_, metrics) = contract.extract(&agent, "A spider.").await.unwrap();

    let note = "the schema was refused, so it is left to the prompt: HTTP 400 Bad Request: Invalid schema, [redacted]";
    assert_eq!(metrics.per_attempt[0].notes, [note]);
    assert_eq!(metrics.transport_retries, 0);
    let (_, metrics) = contract.extract(&agent, "Another spider.").await.unwrap();
    assert!(metrics.per_attempt[0].notes[0].contains("has refused the schema before"), "{metrics:?}");
    let schemas = server
        .received()
        .iter()
        .map(|request| request.body.get("response_format").is_some())
        .collect::<Vec<_>>();
    assert_eq!(schemas, [true, false, false]);
    // An unconstrained agent gets the types, in the same request.
    let types = server
        .received()
        .iter()
        .map(|request| {
            request.body["messages"][0]["content"]
                .as_str()
                .unwrap()
                .matches("The answer must be of the type")
                .count()
        })
        .collect::<Vec<_>>();
    assert_eq!(types, [0, 1, 1]);
}

#[tokio::test]
async fn it_says_how_replies_are_constrained() {
    let asked = with_schema(schema());
    let own = |model: &str| GenaiAgent::new(model).unwrap();
    let level = async |agent: GenaiAgent| agent.constraint(&asked).await.level;
    assert_eq!(level(own("openai/gpt-6-luna")).await, ConstraintLevel::Provider);
    assert_eq!(level(own("groq/some-model")).await, ConstraintLevel::Decoder);
    assert_eq!(level(own("deepseek/some-model")).await, ConstraintLevel::Nothing);
    let off = own("openai/gpt-6-luna").structured_output(StructuredOutput::Off);
    assert_eq!(level(off).await, ConstraintLevel::Nothing);
    // It may be any server with the API of OpenAI.
    let server = Server::start([]);
    assert_eq!(level(agent(AdapterKind::OpenAI, &server)).await, ConstraintLevel::Decoder);
    let bounded =
        with_schema(json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 2}}}));
    let constraint = own("openai/gpt-6-luna").constraint(&bounded).await;
    assert_eq!(constraint.unenforced[0].keyword, "minLength");
    let map = with_schema(json!({"type": "object", "additionalProperties": {"type": "integer"}}));
    assert_eq!(own("openai/gpt-6-luna").constraint(&map).await, Constraint::nothing());
}

#[tokio::test]
async fn a_refusal_for_another_reason_stays_one() {
    let refusal = |message: &str| Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
    let server = Server::start([refusal("no such parameter"), refusal("no such parameter at all")]);
    let agent = agent(AdapterKind::OpenAI, &server);
    let error = agent.respond(&with_schema(schema())).await.unwrap_err();
    assert_eq!(error.to_string(), "request refused: HTTP 400 Bad Request: no such parameter at all");
    assert_eq!(server.received().len(), 2);

    for (status, message) in [("401 Unauthorized", "who?"), ("400 Bad Request", "maximum context length")] {
        let server = Server::start([Answer::status(status, &json!({"error": {"message": message}}))]);
        let agent = super::agent(AdapterKind::OpenAI, &server);
        agent.respond(&with_schema(schema())).await.unwrap_err();
        assert_eq!(server.received().len(), 1, "{message}");
    }
}

#[tokio::test]
async fn a_server_that_fails_on_the_schema_is_asked_once_without_it() {
    let failed =
        |message: &str| Answer::status("500 Internal Server Error", &json!({"error": {"message": message}}));
    let sent = |server: &Server| -> Vec<bool> {
        server.received().iter().map(|request| request.body.get("response_format").is_some()).collect()
    };
    let server = Server::start([failed("cannot compile the grammar"), Answer::json(&openai("8", "stop"))]);
    let reply = agent(AdapterKind::OpenAI, &server).respond(&with_schema(schema())).await.unwrap();
    let note = "the schema was refused, so it is left to the prompt: \
                HTTP 500 Internal Server Error: cannot compile the grammar";
    assert_eq!((reply.text(), reply.notes()), ("8", &[note.to_owned()][..]));
    assert_eq!(sent(&server), [true, false]);

    // The schema is left out for good after the second time, unless it was accepted in between.
    let fault = || failed("out of order");
    let right = || Answer::json(&openai("8", "stop"));
    let server =
        Server::start([fault(), right(), right(), fault(), right(), fault(), right(), right(), right()]);
    let agent_of_all = agent(AdapterKind::OpenAI, &server);
    for _ in 0..5 {
        assert_eq!(agent_of_all.respond(&with_schema(schema())).await.unwrap().text(), "8");
    }
    assert_eq!(sent(&server), [true, false, true, true, false, true, false, false]);

    // A server that fails anyway is left to those who wait and try again.
    let server = Server::start([failed("out of order"), failed("still out of order")]);
    let error = agent(AdapterKind::OpenAI, &server).respond(&with_schema(schema())).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Transport);
    assert!(error.to_string().contains("still out of order"), "{error}");
    assert_eq!(sent(&server), [true, false]);

    let unavailable = Answer::status("503 Service Unavailable", &json!({"error": {"message": "busy"}}));
    let server = Server::start([unavailable]);
    agent(AdapterKind::OpenAI, &server).respond(&with_schema(schema())).await.unwrap_err();
    assert_eq!(sent(&server), [true]);
}

#[tokio::test]
async fn an_ollama_that_refuses_is_asked_over_its_own_api() {
    for status in ["400 Bad Request", "404 Not Found"] {
        let refusal = Answer::status(status, &json!({"error": {"message": "no"}}));
        let server = Server::start([refusal, Answer::json(&ollama("8", "stop"))]);
        let reply = agent(AdapterKind::Ollama, &server).respond(&with_schema(schema())).await.unwrap();
        let note = format!("the schema was refused, so it is left to the prompt: HTTP {status}: no");
        assert_eq!((reply.text(), reply.notes()), ("8", &[note][..]));
        let paths: Vec<_> = server.received().into_iter().map(|request| request.path).collect();
        assert_eq!(paths, ["/api/v1/chat/completions", "/api/api/chat"]);
    }
}

#[tokio::test]
async fn null_for_an_optional_field_is_absent() {
    let server = Server::start([Answer::json(&openai(r#"{"legs": 8, "name": null}"#, "stop"))]);
    let contract = Contract::from_schema(schema()).unwrap();
    let extraction = contract.extract(&agent(AdapterKind::OpenAI, &server), "A spider.").await;
    let (value, metrics) = extraction.unwrap();
    assert_eq!((value, metrics.attempts), (json!({"legs": 8}), 1));
}

#[test]
fn ollama_is_left_alone_by_clients_that_take_every_request_elsewhere() {
    use genai::{ServiceTarget, resolver::ServiceTargetResolver};
    let elsewhere = |mut target: ServiceTarget| {
        target.endpoint = Endpoint::from_static("http://127.0.0.1:9/api/");
        Ok(target)
    };
    let client = Client::builder()
        .with_reqwest(HTTP.clone())
        .with_service_target_resolver(ServiceTargetResolver::from_resolver_fn(elsewhere))
        .build()
        .unwrap();
    let agent = GenaiAgent::with_client(client, "ollama/some-model").unwrap();
    let request = with_schema(schema());
    let plan = crate::testing::block_on(agent.plan(&request));
    assert!(
        matches!(plan, Some(super::super::Plan::Prompt(note)) if note.contains("leaves `ollama/some-model` no way"))
    );
}
