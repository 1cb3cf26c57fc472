//! What is learned from a refusal.

use std::sync::Arc;

use extract::{
    agent::{Agent as _, AgentErrorKind, ConstraintLevel, Delta, DeltaSink, ThinkingLevel},
    schema::dialect::Dialect,
};
use extract_agents::{ProviderAgent, StructuredOutput};
use serde_json::{Value, json};

use crate::{
    agent,
    formats::{FORMATS, replied},
    legs, request,
    server::{Answer, Server},
};

fn refused(status: &'static str) -> Answer {
    let message = "Invalid schema for response_format: something";
    Answer::status(status, &json!({"error": {"message": message, "type": "invalid_request_error"}}))
}

/// Where each format has the schema.
pub(crate) fn has_schema(body: &Value) -> bool {
    [
        "/response_format",
        "/text/format",
        "/output_config/format",
        "/generationConfig/responseJsonSchema",
        "/outputConfig/textFormat",
        "/format",
    ]
    .iter()
    .any(|place| body.pointer(place).is_some())
}

#[tokio::test]
async fn a_refused_schema_is_left_to_the_prompt_and_remembered_for_the_model() {
    for provider in FORMATS {
        for status in ["400 Bad Request", "422 Unprocessable Entity"] {
            let answers =
                [refused(status), replied(provider, "{}"), replied(provider, "{}"), replied(provider, "{}")];
            let server = Server::start(answers);
            let request = request().with_schema(legs());
            let agent = agent(provider, &server);
            assert!(agent.constraint(&request).await.is_to_schema(), "{provider}");
            let reply = agent.respond(&request).await.unwrap();
            assert!(
                reply.notes().iter().any(|note| note.contains("the schema was refused")),
                "{:?}",
                reply.notes()
            );
            let sent: Vec<_> = server.received().iter().map(|received| has_schema(&received.body)).collect();
            assert_eq!(sent, [true, false], "{provider}");
            // Another instance knows it too.
            let other = crate::agent(provider, &server);
            assert_eq!(other.constraint(&request).await.level, ConstraintLevel::Nothing, "{provider}");
            let reply = other.respond(&request).await.unwrap();
            assert!(reply.notes()[0].contains("has refused the schema before"), "{:?}", reply.notes());
            assert!(!has_schema(&server.received()[2].body), "{provider}");
            // Another schema may be right.
            let another = request.with_schema(Arc::new(json!({"type": "object", "properties": {}})));
            other.respond(&another).await.unwrap();
            assert!(has_schema(&server.received()[3].body), "{provider}");
        }
    }
}

#[tokio::test]
async fn a_request_that_is_refused_with_a_schema_is_suspected_once_and_known_the_second_time() {
    let failed = || Answer::status("400 Bad Request", &json!({"error": "failed to load model vocabulary"}));
    let right = || replied("ollama", "{}");
    let server = Server::start([failed(), right(), failed(), right(), right()]);
    let request = request().with_schema(legs());
    for _ in 0..3 {
        agent("ollama", &server).respond(&request).await.unwrap();
    }
    let sent: Vec<_> = server.received().iter().map(|received| has_schema(&received.body)).collect();
    assert_eq!(sent, [true, false, true, false, false]);
}

#[tokio::test]
async fn a_failure_that_names_the_schema_is_believed_and_one_of_a_reply_only_suspected() {
    let failed = |status, message: &str| Answer::status(status, &json!({"error": {"message": message}}));
    let of_groq =
        "Failed to validate JSON. Please adjust your prompt. See 'failed_generation' for more details.";
    for (provider, status, message, is_remembered) in [
        ("ollama", "500 Internal Server Error", "failed to load model vocabulary required for format", true),
        ("vllm", "500 Internal Server Error", "Failed to compile the grammar", true),
        ("llama.cpp", "400 Bad Request", "out of memory", false),
        ("groq", "400 Bad Request", of_groq, false),
    ] {
        let right = || replied(provider, "{}");
        let server = Server::start([failed(status, message), right(), right()]);
        let request = request().with_schema(legs());
        for _ in 0..2 {
            agent(provider, &server).respond(&request).await.unwrap();
        }
        let sent: Vec<_> = server.received().iter().map(|received| has_schema(&received.body)).collect();
        assert_eq!(sent, [true, false, !is_remembered], "{provider}");
    }
}

/// A server that fails is asked again as it was, after a wait.
#[tokio::test]
async fn a_failure_that_does_not_speak_of_the_schema_keeps_it() {
    let failed = || {
        let message = "The server had an error while processing your request";
        Answer::status("500 Internal Server Error", &json!({"error": {"message": message}}))
    };
    let right = || replied("openai", "{}");
    let server = Server::start([failed(), right(), failed(), right()]);
    let (agent, request) = (agent("openai", &server), request().with_schema(legs()));
    for _ in 0..2 {
        let error = agent.respond(&request).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (AgentErrorKind::Transport, Some(500)));
        assert!(agent.respond(&request).await.unwrap().notes().is_empty());
    }
    assert!(server.received().iter().all(|received| has_schema(&received.body)));
}

#[tokio::test]
async fn without_a_schema_the_error_is_the_error() {
    let server = Server::start([refused("400 Bad Request"), replied("openai", "{}")]);
    let error = agent("openai", &server).respond(&request()).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (AgentErrorKind::Refused, Some(400)));
    assert_eq!(server.received().len(), 1);
    for message in [
        "Your credit balance is too low to access the Anthropic API.",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
        "API key not valid. Please pass a valid API key.",
        "The provided model identifier is invalid.",
    ] {
        let refused = Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
        let server = Server::start([refused, replied("openai", "{}")]);
        let error = agent("openai", &server).respond(&request().with_schema(legs())).await.unwrap_err();
        assert_eq!(error.message(), format!("HTTP 400 Bad Request: {message}"));
        assert_eq!(server.received().len(), 1, "{message}");
    }
    // Nor does anything else say that the schema was the reason.
    for status in ["401 Unauthorized", "404 Not Found", "429 Too Many Requests", "503 Service Unavailable"] {
        let server = Server::start([refused(status), replied("openai", "{}")]);
        agent("openai", &server).respond(&request().with_schema(legs())).await.unwrap_err();
        assert_eq!(server.received().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn the_token_limit_that_the_server_names_is_used() {
    let message = "Unsupported parameter: 'max_completion_tokens' is not supported with this model. Use 'max_tokens' instead.";
    let refused = json!({"error": {"message": message, "param": "max_completion_tokens", "code": "unsupported_parameter"}});
    let refused = Answer::status("400 Bad Request", &refused);
    let server = Server::start([refused, replied("azure", "{}"), replied("azure", "{}")]);
    let mut request = request().with_schema(legs());
    request.max_output_tokens = Some(9);
    for _ in 0..2 {
        agent("azure", &server).respond(&request).await.unwrap();
    }
    let limits: Vec<_> = server
        .received()
        .iter()
        .map(|received| {
            (received.body.get("max_completion_tokens").is_some(), received.body.get("max_tokens").is_some())
        })
        .collect();
    assert_eq!(limits, [(true, false), (false, true), (false, true)]);
    assert!(server.received().iter().all(|received| has_schema(&received.body)));
}

#[tokio::test]
async fn a_newer_token_limit_that_the_server_does_not_know_becomes_the_older_one() {
    let unknown = json!({"detail": [{"loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}]});
    let too_large = json!({"error": {"message": "max_completion_tokens is too large: 9", "param": "max_completion_tokens"}});
    for (body, is_learned) in [(unknown, true), (too_large, false)] {
        let refused = Answer::status("422 Unprocessable Entity", &body);
        let server = Server::start([refused, replied("vllm", "{}")]);
        let mut request = request();
        request.max_output_tokens = Some(9);
        assert_eq!(agent("vllm", &server).respond(&request).await.is_ok(), is_learned, "{body}");
        let received = server.received();
        assert_eq!(received.len(), 1 + usize::from(is_learned), "{body}");
        if let [_, second] = &*received {
            assert_eq!(
                (&second.body["max_tokens"], second.body.get("max_completion_tokens")),
                (&json!(9), None)
            );
        }
    }
}

#[tokio::test]
async fn log_probabilities_that_the_server_refuses_are_not_asked_for_again() {
    for (provider, status, message, place) in [
        ("openai", "403 Forbidden", "You are not allowed to request logprobs from this model", "/logprobs"),
        (
            "openai-responses",
            "400 Bad Request",
            "logprobs are not supported with reasoning models",
            "/include",
        ),
        (
            "gemini",
            "400 Bad Request",
            "Logprobs is not enabled for this model",
            "/generationConfig/responseLogprobs",
        ),
    ] {
        let refused = Answer::status(status, &json!({"error": {"message": message}}));
        let server = Server::start([refused, replied(provider, "{}"), replied(provider, "{}")]);
        let request = request().with_schema(legs());
        for _ in 0..2 {
            let reply = agent(provider, &server).log_probabilities(true).respond(&request).await.unwrap();
            let expected = "`some-model` refused to report log probabilities";
            assert_eq!(reply.notes(), [expected], "{provider}");
        }
        let received = server.received();
        let asked: Vec<_> = received.iter().map(|received| received.body.pointer(place).is_some()).collect();
        assert_eq!(asked, [true, false, false], "{provider}");
        assert!(received.iter().all(|received| has_schema(&received.body)), "{provider}");
    }
}

/// Words of Ollama, Gemini, Anthropic, Bedrock and OpenRouter; the last two requests are without the setting.
#[tokio::test]
async fn a_refused_thinking_setting_is_left_out_and_the_schema_stays() {
    use ThinkingLevel::{Low, Off};
    const CONFIG: &str = "/generationConfig/thinkingConfig";
    for (model, level, message, place) in [
        ("ollama/gemma3", Low, "\"gemma3\" does not support thinking", "/think"),
        ("ollama/qwen3", Low, "think value \"low\" is not supported for this model", "/think"),
        (
            "gemini/gemini-2.5-pro",
            Low,
            "Budget 1024 is invalid. This model only works in thinking mode.",
            CONFIG,
        ),
        ("gemini/gemini-3", Low, "Thinking level is not supported for this model.", CONFIG),
        ("gemini/gemini-3-pro", Off, "Thinking level MINIMAL is not supported for this model.", CONFIG),
        ("gemini/gemini-3.1", Low, "thinking_level is not supported by this model", CONFIG),
        (
            "gemini/gemini-3.2",
            Low,
            "thinking is not configurable in this model; please remove the thinking_config setting",
            CONFIG,
        ),
        ("gemini/gemini-2.0", Low, "Thinking is not enabled for models/gemini-2.0", CONFIG),
        (
            "anthropic/claude-fable-5",
            Off,
            "\"thinking.type.disabled\" is not supported for this model",
            "/thinking",
        ),
        ("anthropic/alias", Low, "adaptive thinking is not supported on this model", "/thinking"),
        (
            "anthropic/claude-opus-5",
            Low,
            "This model does not support the effort parameter.",
            "/output_config/effort",
        ),
        (
            "anthropic/claude-opus-6",
            Low,
            "output_config.effort: Extra inputs are not permitted",
            "/output_config/effort",
        ),
        (
            "bedrock-converse/anthropic.claude-sonnet-4",
            Low,
            "The model returned the following errors: extraneous key [thinking] is not permitted",
            "/additionalModelRequestFields/thinking",
        ),
        (
            "openrouter/a/b",
            Off,
            "Reasoning is mandatory for this endpoint and cannot be disabled.",
            "/reasoning",
        ),
    ] {
        let (provider, _) = model.split_once('/').unwrap();
        let refused = Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
        let server = Server::start([refused, replied(provider, "{}"), replied(provider, "{}")]);
        let mut request = request().with_schema(legs());
        request.thinking = Some(level);
        for _ in 0..2 {
            let asked = ProviderAgent::at(server.url(""), model).unwrap();
            let reply = asked.key(crate::KEY).respond(&request).await.unwrap();
            assert!(reply.notes().iter().any(|note| note.contains("so it is not sent")), "{message}");
        }
        let received = server.received();
        let sent: Vec<_> = received.iter().map(|received| received.body.pointer(place).is_some()).collect();
        assert_eq!(sent, [true, false, false], "{message}");
        assert!(received.iter().all(|received| has_schema(&received.body)), "{message}");
    }
}

/// Open models of Qwen on Alibaba Cloud.
#[tokio::test]
async fn a_model_that_thinks_only_in_streams_is_told_not_to_think_in_a_whole_reply() {
    for level in [None, Some(ThinkingLevel::Budget(2_000))] {
        let message = "parameter.enable_thinking must be set to false for non-streaming calls";
        let refused = json!({"error": {"message": message, "type": "invalid_request_error"}});
        let refused = Answer::status("400 Bad Request", &refused);
        let streamed = crate::formats::streamed("qwen", &["{}"]);
        let server = Server::start([refused, replied("qwen", "{}"), replied("qwen", "{}"), streamed]);
        let (agent, mut request) = (agent("qwen", &server), request().with_schema(legs()));
        request.thinking = level;
        for _ in 0..2 {
            let reply = agent.respond(&request).await.unwrap();
            let note = "`some-model` thinks only before a reply that is streamed, so it is told not to";
            assert!(reply.notes().iter().any(|known| known == note), "{:?}", reply.notes());
        }
        agent.stream(&request, DeltaSink::new(|_| {})).await.unwrap();
        let received = server.received();
        let sent: Vec<_> = received.iter().map(|received| received.body.get("enable_thinking")).collect();
        let (given, off) = (level.map(|_| json!(true)), json!(false));
        assert_eq!(sent, [given.as_ref(), Some(&off), Some(&off), given.as_ref()]);
        assert_eq!(received[1].body.get("thinking_budget"), None);
    }
}

#[tokio::test]
async fn instructions_are_in_the_turn_of_the_user_where_there_is_none_of_the_system() {
    const MESSAGE: &str = "Developer instruction is not enabled for models/gemma-3-27b-it";
    for (provider, message, place) in [
        ("gemini", MESSAGE, "/contents/0/parts/0/text"),
        ("vllm", "System role not supported", "/messages/0/content"),
        (
            "vllm",
            "Conversation roles must alternate user/assistant/user/assistant/...",
            "/messages/0/content",
        ),
        (
            "bedrock-converse",
            "This model doesn't support system messages. Try again without a system message.",
            "/messages/0/content/0/text",
        ),
    ] {
        let refused = Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
        let server = Server::start([refused, replied(provider, "{}"), replied(provider, "{}")]);
        for _ in 0..2 {
            let reply = agent(provider, &server).respond(&request().with_schema(legs())).await.unwrap();
            let note = "`some-model` takes no turn of the system, so its instructions are at the start of the user's";
            assert!(reply.notes().iter().any(|known| known == note), "{provider}: {:?}", reply.notes());
        }
        for received in &server.received()[1..] {
            assert_eq!(received.body.pointer(place), Some(&json!("Answer in JSON.\n\nHow many legs?")));
            let body = received.body.to_string();
            assert_eq!(body.matches("Answer in JSON.").count(), 1, "{body}");
            assert!(has_schema(&received.body), "{provider}");
        }
    }
}

#[tokio::test]
async fn a_limit_of_tokens_that_anthropic_names_is_kept() {
    let message = "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for m";
    let refused = Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
    let server = Server::start([refused, replied("anthropic", "{}")]);
    agent("anthropic", &server).respond(&request().with_schema(legs())).await.unwrap();
    let received = server.received();
    assert_eq!(received[1].body["max_tokens"], 8192);
    assert!(has_schema(&received[1].body));
}

/// Three requests that are refused at once are each sent again without the parameter, and keep the
/// schema.
#[tokio::test]
async fn what_another_request_has_learned_meanwhile_counts() {
    let message = "Unsupported value: 'temperature' does not support 0.7 with this model.";
    let refused = || Answer::status("400 Bad Request", &json!({"error": {"message": message}}));
    let answers = (0..3).map(|_| refused()).chain((0..3).map(|_| replied("openai", "{}")));
    let server = Server::start(answers.collect::<Vec<_>>());
    let mut request = request().with_schema(legs());
    request.temperature = Some(0.7);
    let agent = agent("openai", &server);
    let ask = || agent.respond(&request);
    let replies = tokio::join!(ask(), ask(), ask());
    assert!(replies.0.is_ok() && replies.1.is_ok() && replies.2.is_ok(), "{replies:?}");
    let received = server.received();
    assert!(received.iter().all(|received| has_schema(&received.body)));
}

/// A refusal that says nothing of the schema may be about something else that has passed.
#[tokio::test]
async fn one_refusal_without_a_reason_costs_the_schema_once() {
    let refused = Answer::status("400 Bad Request", &json!({"error": {"message": "try again"}}));
    let server = Server::start([refused, replied("openai", "{}"), replied("openai", "{}")]);
    let agent = agent("openai", &server);
    let request = request().with_schema(legs());
    for _ in 0..2 {
        agent.respond(&request).await.unwrap();
    }
    let sent: Vec<_> = server.received().iter().map(|received| has_schema(&received.body)).collect();
    assert_eq!(sent, [true, false, true]);
}

#[tokio::test]
async fn a_gateway_without_a_server_for_the_schema_is_asked_without_it() {
    let message = "No endpoints found that can handle the requested parameters.";
    let refused = Answer::status("404 Not Found", &json!({"error": {"code": 404, "message": message}}));
    let server = Server::start([refused, replied("openrouter", "{}")]);
    agent("openrouter", &server).respond(&request().with_schema(legs())).await.unwrap();
    let sent: Vec<_> = server.received().iter().map(|received| has_schema(&received.body)).collect();
    assert_eq!(sent, [true, false]);
}

/// A message about a schema may name a property of it like a parameter.
#[tokio::test]
async fn a_parameter_that_was_not_sent_or_is_a_property_is_not_left_out() {
    let about_a_property =
        "Invalid schema for response_format: In context=('properties', 'temperature'), no type";
    let refused = || Answer::status("400 Bad Request", &json!({"error": {"message": about_a_property}}));
    let server = Server::start([refused(), replied("openai", "{}")]);
    let mut warm = request().with_schema(legs());
    warm.temperature = Some(0.5);
    agent("openai", &server).respond(&warm).await.unwrap();
    assert_eq!(server.received()[1].body["temperature"], 0.5);
    let named = json!({"error": {"message": "'seed' is wrong"}});
    let server = Server::start([Answer::status("400 Bad Request", &named), replied("openai", "{}")]);
    agent("openai", &server).respond(&request()).await.unwrap_err();
    assert_eq!(server.received().len(), 1);
    // Nor has the token limit another name because it is spelled differently.
    let named = Answer::status("400 Bad Request", &json!({"message": "inferenceConfig.maxTokens is wrong"}));
    let server = Server::start([named, replied("bedrock-converse", "{}")]);
    let mut limited = request();
    limited.max_output_tokens = Some(9);
    agent("bedrock-converse", &server).respond(&limited).await.unwrap_err();
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_asked_a_few_times_and_no_more() {
    let refused =
        |name: &str| Answer::status("400 Bad Request", &json!({"error": {"message": format!("'{name}'")}}));
    let names =
        ["temperature", "top_p", "seed", "reasoning_effort", "thinking", "stream_options", "reasoning"];
    let server = Server::start(names.into_iter().chain(names).map(refused));
    agent("openai", &server).respond(&request().with_schema(legs())).await.unwrap_err();
    assert!(server.received().len() <= 10, "{}", server.received().len());
}

#[tokio::test]
async fn what_constrains_a_reply_is_what_the_profile_says() {
    let request = request().with_schema(legs());
    for (name, level) in [
        ("openai/gpt", ConstraintLevel::Provider),
        ("anthropic/claude", ConstraintLevel::Provider),
        ("gemini/gemini", ConstraintLevel::Provider),
        ("ollama/gemma3", ConstraintLevel::Decoder),
        ("ollama/gpt-oss:120b-cloud", ConstraintLevel::Nothing),
        ("vllm/qwen", ConstraintLevel::Decoder),
        ("groq/openai/gpt-oss-120b", ConstraintLevel::Decoder),
        ("groq/llama", ConstraintLevel::Nothing),
        ("openrouter/a/b", ConstraintLevel::Decoder),
        ("litellm/x", ConstraintLevel::Nothing),
        ("deepseek/chat", ConstraintLevel::Nothing),
    ] {
        let agent = ProviderAgent::new(name).unwrap();
        assert_eq!(agent.constraint(&request).await.level, level, "{name}");
        let off = agent.clone().structured_output(StructuredOutput::Off);
        assert_eq!(off.constraint(&request).await.level, ConstraintLevel::Nothing, "{name}");
        let other = agent.structured_output(StructuredOutput::As(Dialect::Ollama));
        assert_eq!(other.constraint(&request).await.level, ConstraintLevel::Decoder, "{name}");
    }
    for (url, name, level) in [
        ("http://localhost:8000/v1", "openai/my-model", ConstraintLevel::Decoder),
        ("https://gateway.example/v1", "anthropic/claude", ConstraintLevel::Decoder),
        ("http://localhost:4000/v1", "litellm/x", ConstraintLevel::Nothing),
        ("https://ollama.com", "ollama/gpt-oss:120b", ConstraintLevel::Nothing),
        ("https://api.openai.com/v2", "openai/gpt", ConstraintLevel::Provider),
        ("http://gpu-1:8000/v1", "vllm/my-model", ConstraintLevel::Decoder),
        ("https://mine.openai.azure.com/openai/v1", "azure/x", ConstraintLevel::Provider),
    ] {
        let agent = ProviderAgent::at(url, name).unwrap();
        assert_eq!(agent.constraint(&request).await.level, level, "{name} at {url}");
    }
    let pattern = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^a$"}}, "required": ["a"]});
    let request = request.with_schema(Arc::new(pattern));
    let azure = ProviderAgent::at("http://localhost", "azure/x").unwrap();
    let constraint = azure.constraint(&request).await;
    assert_eq!(
        constraint.unenforced[0].to_string(),
        "$.properties.a: `pattern` is not among the supported keywords"
    );
    let cerebras = ProviderAgent::at("http://localhost", "cerebras/x").unwrap();
    let list = json!({"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 3});
    let constraint = cerebras.constraint(&request.with_schema(Arc::new(list))).await;
    let keywords: Vec<_> = constraint.unenforced.iter().map(|unenforced| &*unenforced.keyword).collect();
    assert_eq!((constraint.level, keywords), (ConstraintLevel::Decoder, vec!["maxItems", "minimum"]));
}

/// OpenAI streams the replies of some models only to verified organizations.
#[tokio::test]
async fn a_stream_that_is_refused_becomes_a_whole_reply_and_is_remembered() {
    for provider in ["openai", "openai-responses"] {
        let message = "Your organization must be verified to stream this model. Please go to the settings.";
        let error = json!({"message": message, "param": "stream", "code": "unsupported_value"});
        let refused = Answer::status("400 Bad Request", &json!({"error": error}));
        let server = Server::start([refused, replied(provider, "{}"), replied(provider, "{}")]);
        let request = request().with_schema(legs());
        for _ in 0..2 {
            let mut text = String::new();
            let sink = DeltaSink::new(|delta: Delta<'_>| text.push_str(delta.text));
            let reply = agent(provider, &server).stream(&request, sink).await.unwrap();
            assert_eq!((reply.notes(), &*text), (&[][..], "{}"), "{provider}");
        }
        let received = server.received();
        let sent: Vec<_> = received.iter().map(|received| received.body.get("stream").is_some()).collect();
        assert_eq!(sent, [true, false, false], "{provider}");
        assert!(received.iter().all(|received| has_schema(&received.body)), "{provider}");
    }
}
