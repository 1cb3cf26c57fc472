//! Parameters that a server refuses, always or with this value or in this combination.

use extract::{
    Toolkit,
    agent::{Agent as _, AgentErrorKind, Request, ThinkingLevel},
};
use serde_json::{Value, json};

use crate::{
    agent, contract,
    formats::replied,
    learning::has_schema,
    legs, request,
    server::{Answer, Server},
};

#[tokio::test]
async fn a_parameter_that_the_server_refuses_is_left_out_with_a_note() {
    for (provider, message, param) in [
        (
            "openai",
            "Unsupported value: 'temperature' does not support 0 with this model.",
            json!("temperature"),
        ),
        ("anthropic", "`temperature` is deprecated for this model.", Value::Null),
        ("cohere", "temperature: Extra inputs are not permitted", Value::Null),
        ("kimi", "Temperature must be 1 for this model", Value::Null),
    ] {
        let refused = json!({"error": {"message": message, "param": param, "type": "invalid_request_error"}});
        let refused = Answer::status("400 Bad Request", &refused);
        let server = Server::start([refused, replied(provider, "{}"), replied(provider, "{}")]);
        let mut request = request().with_schema(legs());
        request.temperature = Some(0.0);
        for _ in 0..2 {
            let reply = agent(provider, &server).respond(&request).await.unwrap();
            let notes = reply.notes();
            assert!(notes.iter().any(|note| note.contains("refused `temperature`")), "{provider}: {notes:?}");
        }
        let sent: Vec<_> =
            server.received().iter().map(|received| received.body.get("temperature").is_some()).collect();
        assert_eq!(sent, [true, false, false], "{provider}");
    }
}

#[tokio::test]
async fn a_refused_cache_breakpoint_is_left_out() {
    let message = "system.0.cache_control: Extra inputs are not permitted";
    let refused = Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
    let server = Server::start([refused, replied("anthropic", "{}"), replied("anthropic", "{}")]);
    for _ in 0..2 {
        agent("anthropic", &server).respond(&request().with_schema(legs())).await.unwrap();
    }
    let received = server.received();
    let place = "/system/0/cache_control";
    let sent: Vec<_> = received.iter().map(|received| received.body.pointer(place).is_some()).collect();
    assert_eq!(sent, [true, false, false]);
    assert!(received.iter().all(|received| has_schema(&received.body)));
}

#[tokio::test]
async fn a_prompt_that_leaves_less_room_than_the_agents_own_limit_gets_what_it_leaves() {
    let refused = |prompt: u32, limit: u32| {
        let message =
            format!("input length and `max_tokens` exceed context limit: {prompt} + {limit} > 200000");
        let message = message + ", decrease input length or `max_tokens` and try again";
        Answer::status("400 Bad Request", &json!({"error": {"message": message}}))
    };
    let limits = |server: &Server| -> Vec<_> {
        server.received().iter().map(|received| received.body["max_tokens"].clone()).collect()
    };
    let request = request().with_schema(legs());
    // Another prompt leaves more.
    let right = || replied("anthropic", "{}");
    let server = Server::start([refused(190_000, 64_000), right(), right()]);
    for _ in 0..2 {
        agent("anthropic", &server).respond(&request).await.unwrap();
    }
    assert_eq!(limits(&server), [64_000, 10_000, 64_000]);
    assert!(server.received().iter().all(|received| has_schema(&received.body)));
    // A limit of the caller's, a prompt that leaves nothing, and one that is refused again.
    let mut limited = request.clone();
    limited.max_output_tokens = Some(20_000);
    for (request, answers, asked) in [
        (&limited, vec![refused(190_000, 20_000)], 1),
        (&request, vec![refused(199_999, 64_000)], 1),
        (&request, vec![refused(201_000, 64_000)], 1),
        (&request, vec![refused(190_000, 64_000), refused(199_000, 10_000)], 2),
    ] {
        let server = Server::start(answers);
        let error = agent("anthropic", &server).respond(request).await.unwrap_err();
        assert_eq!((error.kind(), server.received().len()), (AgentErrorKind::TooLong, asked), "{error}");
    }
}

#[tokio::test]
async fn thoughts_that_a_model_cannot_send_are_not_asked_for_again() {
    let message = "Encrypted content is not supported with this model.";
    let error =
        json!({"message": message, "type": "invalid_request_error", "param": "include", "code": null});
    let refused = Answer::status("400 Bad Request", &json!({"error": error}));
    let right = || replied("openai-responses", "{}");
    let server = Server::start([refused, right(), right()]);
    let request = request().with_tools(Toolkit::untyped(contract()).tools());
    for _ in 0..2 {
        agent("openai-responses", &server).log_probabilities(true).respond(&request).await.unwrap();
    }
    let (thoughts, tokens) = ("reasoning.encrypted_content", "message.output_text.logprobs");
    let sent: Vec<_> = server.received().iter().map(|received| received.body["include"].clone()).collect();
    assert_eq!(sent, [json!([thoughts, tokens]), json!([tokens]), json!([tokens])]);
}

#[tokio::test]
async fn the_refusal_of_a_value_or_a_combination_is_not_one_of_the_parameter() {
    let temperature = |temperature: f64| move |request: &mut Request| request.temperature = Some(temperature);
    let refused = |message: &str| Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
    let right = || replied("openai", "{}");
    let server = Server::start([
        refused("temperature must be less than or equal to 1"),
        right(),
        right(),
        right(),
        refused("Invalid value for reasoning_effort: 'none' is not supported"),
        right(),
        right(),
        refused("Unsupported parameter: 'temperature' is not supported with this model."),
        right(),
        right(),
    ]);
    let agent = agent("openai", &server);
    let thinking = |level: ThinkingLevel| move |request: &mut Request| request.thinking = Some(level);
    let asked: [&dyn Fn(&mut Request); 7] = [
        &temperature(1.5),
        &temperature(1.5),
        &temperature(0.5),
        &thinking(ThinkingLevel::Off),
        &thinking(ThinkingLevel::Low),
        &temperature(0.25),
        &temperature(0.75),
    ];
    for set in asked {
        let mut request = request();
        set(&mut request);
        agent.respond(&request).await.unwrap();
    }
    let received = server.received();
    let sent: Vec<_> = received
        .iter()
        .map(|received| ["temperature", "reasoning_effort"].map(|name| received.body.get(name).cloned()))
        .collect();
    let warm = |value: f64| [Some(json!(value)), None];
    let effort = |value: &str| [None, Some(json!(value))];
    let neither = || [None, None];
    assert_eq!(
        sent,
        [
            warm(1.5),
            neither(),
            neither(),
            warm(0.5),
            effort("none"),
            neither(),
            effort("low"),
            warm(0.25),
            neither(),
            neither(),
        ]
    );
}

#[tokio::test]
async fn a_combination_that_is_refused_leaves_the_parameter_to_others() {
    let refused = Answer::status(
        "400 Bad Request",
        &json!({"error": {"message": "'reasoning_effort' is not supported with tools", "param": "reasoning_effort"}}),
    );
    let right = || replied("openai", "{}");
    let server = Server::start([refused, right(), right(), right()]);
    let mut plain = request();
    plain.thinking = Some(ThinkingLevel::Low);
    let called = plain.clone().with_tools(Toolkit::untyped(contract()).tools());
    for request in [&called, &called, &plain] {
        agent("openai", &server).respond(request).await.unwrap();
    }
    let sent: Vec<_> =
        server.received().iter().map(|received| received.body.get("reasoning_effort").is_some()).collect();
    assert_eq!(sent, [true, false, false, true]);
}
