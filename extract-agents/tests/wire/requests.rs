//! What is sent: paths, headers and bodies.

use std::sync::Arc;

use extract::agent::{Agent as _, Conversation, DeltaSink, Part, Request, Role, ThinkingLevel};
use extract_agents::{OpenAiCompatible, Prefill, Profile, ProviderAgent};
use serde_json::{Value, json};

use crate::{
    KEY, agent,
    formats::{PROVIDERS, replied, streamed},
    legs, request,
    server::{Received, Server},
};

/// What `provider` is sent for `request`.
async fn sent(provider: &str, request: &Request) -> Received {
    sent_by(provider, request, |agent| agent).await
}

async fn sent_by(
    provider: &str,
    request: &Request,
    change: impl FnOnce(ProviderAgent) -> ProviderAgent,
) -> Received {
    let server = Server::start([replied(provider, "{}")]);
    change(agent(provider, &server)).respond(request).await.unwrap();
    server.only()
}

#[tokio::test]
async fn the_path_and_the_key_are_those_of_the_provider() {
    for (provider, path, header, value) in [
        ("openai", "/api/chat/completions", "authorization", format!("Bearer {KEY}")),
        ("openai-responses", "/api/responses", "authorization", format!("Bearer {KEY}")),
        ("anthropic", "/api/messages", "x-api-key", KEY.to_owned()),
        ("gemini", "/api/models/some-model:generateContent", "x-goog-api-key", KEY.to_owned()),
        ("ollama", "/api/api/chat", "authorization", format!("Bearer {KEY}")),
        ("azure", "/api/chat/completions", "api-key", KEY.to_owned()),
    ] {
        let received = sent(provider, &request()).await;
        assert_eq!((&*received.path, received.header(header)), (path, Some(&*value)), "{provider}");
        assert_eq!(received.header("content-type"), Some("application/json"), "{provider}");
    }
    assert_eq!(sent("anthropic", &request()).await.header("anthropic-version"), Some("2023-06-01"));
    let server = Server::start([streamed("gemini", &["{}"])]);
    agent("gemini", &server).stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
    assert_eq!(server.only().path, "/api/models/some-model:streamGenerateContent?alt=sse");
}

#[tokio::test]
async fn a_plain_request_has_no_more_than_it_needs() {
    for (provider, expected) in [
        (
            "openai",
            json!({
                "model": "some-model",
                "messages": [
                    {"role": "system", "content": "Answer in JSON."},
                    {"role": "user", "content": "How many legs?"},
                ],
            }),
        ),
        (
            "openai-responses",
            json!({
                "model": "some-model",
                "input": [
                    {"role": "developer", "content": "Answer in JSON."},
                    {"role": "user", "content": "How many legs?"},
                ],
                "store": false,
            }),
        ),
        (
            "anthropic",
            json!({
                "model": "some-model",
                "system": [{"type": "text", "text": "Answer in JSON.", "cache_control": {"type": "ephemeral"}}],
                "messages": [{
                    "role": "user",
                    "content": [{"type": "text", "text": "How many legs?", "cache_control": {"type": "ephemeral"}}],
                }],
                "max_tokens": 64_000,
            }),
        ),
        (
            "gemini",
            json!({
                "systemInstruction": {"parts": [{"text": "Answer in JSON."}]},
                "contents": [{"role": "user", "parts": [{"text": "How many legs?"}]}],
            }),
        ),
        (
            "ollama",
            json!({
                "model": "some-model",
                "messages": [
                    {"role": "system", "content": "Answer in JSON."},
                    {"role": "user", "content": "How many legs?"},
                ],
                "stream": false,
                "truncate": false,
                "shift": false,
                "options": {"num_ctx": 8_192},
            }),
        ),
    ] {
        assert_eq!(sent(provider, &request()).await.body, expected, "{provider}");
    }
}

#[tokio::test]
async fn each_setting_has_the_name_that_the_provider_gives_it() {
    let mut request = request();
    (request.max_output_tokens, request.temperature) = (Some(100), Some(0.5));
    let all = |agent: ProviderAgent| {
        let agent = agent.seed(7).top_p(0.25).body(json!({"extra": {"a": 1}})).unwrap();
        agent.header("X-Team", "invoices").unwrap()
    };
    for (provider, expected) in [
        ("openai", json!({"max_completion_tokens": 100, "temperature": 0.5, "top_p": 0.25, "seed": 7})),
        ("mistral", json!({"max_tokens": 100, "temperature": 0.5, "top_p": 0.25, "random_seed": 7})),
        (
            "openai-responses",
            json!({"max_output_tokens": 100, "temperature": 0.5, "top_p": 0.25, "seed": null}),
        ),
        ("anthropic", json!({"max_tokens": 100, "temperature": 0.5, "top_p": 0.25, "seed": null})),
        (
            "gemini",
            json!({"generationConfig": {
                "maxOutputTokens": 100, "temperature": 0.5, "topP": 0.25, "seed": 7,
            }}),
        ),
        (
            "ollama",
            json!({"options": {
                "num_ctx": 4_096, "num_predict": 100, "temperature": 0.5, "top_p": 0.25, "seed": 7,
            }}),
        ),
    ] {
        let received = sent_by(provider, &request, all).await;
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(received.body.get(name).unwrap_or(&Value::Null), value, "{provider}: {name}");
        }
        assert_eq!(received.body["extra"], json!({"a": 1}), "{provider}");
        assert_eq!(received.header("x-team"), Some("invoices"), "{provider}");
    }
}

#[tokio::test]
async fn members_of_the_body_are_merged_into_those_of_the_agent() {
    let body = json!({"generationConfig": {"topK": 3}, "store": true});
    let request = request().with_schema(legs());
    let received = sent_by("gemini", &request, |agent| agent.body(body).unwrap()).await;
    let generation = &received.body["generationConfig"];
    assert_eq!(
        (&generation["topK"], &generation["responseMimeType"]),
        (&json!(3), &json!("application/json"))
    );
    assert_eq!(generation["responseJsonSchema"]["type"], "object");
    let received =
        sent_by("openai-responses", &request, |agent| agent.body(json!({"store": true})).unwrap()).await;
    assert_eq!(received.body["store"], true);
}

#[tokio::test]
async fn a_schema_is_sent_in_the_form_of_the_provider() {
    let request = request().with_schema(legs());
    let closed = json!({
        "type": "object", "title": "Legs", "properties": {"legs": {"type": "integer", "minimum": 0}},
        "required": ["legs"], "additionalProperties": false,
    });
    let same = |found: &Value, provider: &str| {
        for name in ["type", "required"] {
            assert_eq!(found[name], closed[name], "{provider}: {found}");
        }
        let is_closed = found.get("additionalProperties") == Some(&closed["additionalProperties"]);
        assert_eq!(is_closed, provider != "gemini", "{provider}: {found}");
        assert_eq!(found["properties"]["legs"]["type"], "integer", "{provider}: {found}");
    };
    for (provider, place, around) in [
        ("openai", "/response_format/json_schema/schema", json!(["json_schema", "Legs", true])),
        ("groq", "/response_format/json_schema/schema", json!(["json_schema", "Legs", false])),
        ("openai-responses", "/text/format/schema", json!(["json_schema", "Legs", true])),
        ("anthropic", "/output_config/format/schema", json!(["json_schema", null, null])),
        ("cohere", "/response_format/schema", json!(["json_object", null, null])),
        ("gemini", "/generationConfig/responseJsonSchema", json!(null)),
        ("ollama", "/format", json!(null)),
    ] {
        let body = sent(provider, &request).await.body;
        same(body.pointer(place).unwrap_or_else(|| panic!("{provider}: {body}")), provider);
        let format = ["/response_format", "/text/format", "/output_config/format"];
        let format = format.iter().find_map(|place| body.pointer(place));
        let found = format.map_or(Value::Null, |format| {
            let named = format.get("json_schema").unwrap_or(format);
            json!([format["type"], named.get("name"), named.get("strict")])
        });
        assert_eq!(found, around, "{provider}");
    }
    for provider in ["deepseek", "zai"] {
        let body = sent(provider, &request).await.body;
        assert!(body.get("response_format").is_none(), "{body}");
    }
    let body = sent("openrouter", &request).await.body;
    assert_eq!(body["provider"], json!({"require_parameters": true}));
}

#[tokio::test]
async fn azure_is_sent_no_keyword_that_it_refuses() {
    let body = sent("azure", &request().with_schema(legs())).await.body;
    let schema = &body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["legs"]["type"], "integer");
    assert!(!schema.to_string().contains("minimum"), "{schema}");
}

#[tokio::test]
async fn how_much_to_think_is_said_in_the_form_of_the_server() {
    use ThinkingLevel::{Budget, High, Low, Off};
    for (name, level, expected) in [
        ("openai/gpt", Low, json!({"reasoning_effort": "low"})),
        ("openai/gpt", Off, json!({"reasoning_effort": "none"})),
        ("openai-responses/gpt", High, json!({"reasoning": {"effort": "high"}})),
        ("openrouter/x", Budget(900), json!({"reasoning": {"max_tokens": 900}})),
        ("zai/glm", Off, json!({"thinking": {"type": "disabled"}})),
        ("qwen/qwen", Budget(900), json!({"enable_thinking": true, "thinking_budget": 900})),
        ("vllm/qwen", Off, json!({"chat_template_kwargs": {"enable_thinking": false}})),
        (
            "anthropic/claude-haiku-4-5",
            Budget(2_000),
            json!({"thinking": {"type": "enabled", "budget_tokens": 2_000}}),
        ),
        (
            "anthropic/claude-opus-5",
            Low,
            json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        ),
        ("anthropic/claude-opus-5", Off, json!({"thinking": {"type": "disabled"}})),
        (
            "gemini/gemini-2.5-flash",
            Off,
            json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}),
        ),
        (
            "gemini/gemini-3-flash",
            High,
            json!({"generationConfig": {"thinkingConfig": {"thinkingLevel": "HIGH"}}}),
        ),
        ("ollama/qwen3", Off, json!({"think": false})),
        ("ollama/gpt-oss", High, json!({"think": "high"})),
    ] {
        let provider = name.split('/').next().unwrap();
        let server = Server::start([replied(provider, "{}")]);
        let agent = ProviderAgent::at(server.url("/api"), name).unwrap();
        let mut request = request();
        request.thinking = Some(level);
        let reply = agent.respond(&request).await.unwrap();
        let body = server.only().body;
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(&body[member], value, "{name} {level}: {body}");
        }
        assert!(reply.notes().is_empty(), "{name}: {:?}", reply.notes());
    }
}

#[tokio::test]
async fn a_level_that_cannot_be_said_is_noted() {
    for (name, level, words) in [
        ("openai/gpt", ThinkingLevel::Budget(9), "takes a thinking level and no budget"),
        ("openai/gpt", ThinkingLevel::Max, "is told `high`"),
        ("openai-responses/gpt", ThinkingLevel::Max, "is told `high`"),
        ("mistral/m", ThinkingLevel::Low, "takes no thinking level"),
        ("gemini/gemini-3-pro", ThinkingLevel::Off, "cannot be told not to think"),
        ("vllm/qwen", ThinkingLevel::High, "only switches thinking on"),
    ] {
        let server = Server::start([replied(name.split('/').next().unwrap(), "{}")]);
        let mut request = request();
        request.thinking = Some(level);
        let reply = ProviderAgent::at(server.url("/api"), name).unwrap().respond(&request).await.unwrap();
        assert!(reply.notes().iter().any(|note| note.contains(words)), "{name}: {:?}", reply.notes());
    }
}

#[tokio::test]
async fn images_and_documents_are_sent_in_the_form_of_the_provider() {
    let image = || Part::image([1, 2].as_slice(), "image/png");
    let pdf = || Part::document([1, 2].as_slice(), "application/pdf").named("a.pdf");
    let (url, id) =
        (|| Part::url("https://e.org/a.png", "image/png"), || Part::url("file-7", "application/pdf"));
    for (provider, place, part, expected) in [
        (
            "openai",
            "/messages/0/content/1",
            image(),
            json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AQI="}}),
        ),
        (
            "openai",
            "/messages/0/content/1",
            url(),
            json!({"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}),
        ),
        (
            "openai",
            "/messages/0/content/1",
            pdf(),
            json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AQI="}}),
        ),
        ("openai", "/messages/0/content/1", id(), json!({"type": "file", "file": {"file_id": "file-7"}})),
        (
            "mistral",
            "/messages/0/content/1",
            pdf(),
            json!({"type": "document_url", "document_url": "data:application/pdf;base64,AQI="}),
        ),
        (
            "perplexity",
            "/messages/0/content/1",
            pdf(),
            json!({"type": "file_url", "file_url": {"url": "AQI="}, "file_name": "a.pdf"}),
        ),
        (
            "openai-responses",
            "/input/0/content/1",
            image(),
            json!({"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AQI="}),
        ),
        (
            "openai-responses",
            "/input/0/content/1",
            pdf(),
            json!({"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AQI="}),
        ),
        ("openai-responses", "/input/0/content/1", id(), json!({"type": "input_file", "file_id": "file-7"})),
        (
            "gemini",
            "/contents/0/parts/1",
            image(),
            json!({"inlineData": {"mimeType": "image/png", "data": "AQI="}}),
        ),
        (
            "gemini",
            "/contents/0/parts/1",
            url(),
            json!({"fileData": {"mimeType": "image/png", "fileUri": "https://e.org/a.png"}}),
        ),
        ("ollama", "/messages/0/images/0", image(), json!("AQI=")),
    ] {
        let parts = [Part::text("See this."), part];
        let request = Request::new(Conversation::new().with_parts(Role::User, parts));
        let body = sent(provider, &request).await.body;
        assert_eq!(body.pointer(place), Some(&expected), "{provider}: {body}");
    }
    let parts = [Part::text("See this."), pdf(), image()];
    let request = Request::new(Conversation::new().with_parts(Role::User, parts));
    let content = sent("anthropic", &request).await.body["messages"][0]["content"].clone();
    let source = |kind: &str| json!({"type": "base64", "media_type": kind, "data": "AQI="});
    assert_eq!(
        content[1],
        json!({"type": "document", "source": source("application/pdf"), "title": "a.pdf"})
    );
    let marked =
        json!({"type": "image", "source": source("image/png"), "cache_control": {"type": "ephemeral"}});
    assert_eq!(content[2], marked);
}

#[tokio::test]
async fn a_part_without_a_form_is_refused_before_anything_is_sent() {
    for (provider, part) in [
        ("ollama", Part::url("https://e.org/a.png", "image/png")),
        ("ollama", Part::document([1].as_slice(), "application/pdf")),
        ("openai", Part::url("https://e.org/a.pdf", "application/pdf")),
        ("deepseek", Part::image([1].as_slice(), "image/png")),
        ("groq", Part::document([1].as_slice(), "application/pdf")),
    ] {
        let server = Server::start([]);
        let request = Request::new(Conversation::new().with_parts(Role::User, [Part::text("a"), part]));
        let error = agent(provider, &server).respond(&request).await.unwrap_err();
        assert!(error.message().contains("is not sent"), "{provider}: {error}");
    }
    for role in [Role::System, Role::Assistant] {
        let image = Part::image([1].as_slice(), "image/png");
        let turns = Conversation::new().with(Role::User, "Look.").with_parts(role, [image]);
        let error = agent("openai", &Server::start([])).respond(&Request::new(turns)).await.unwrap_err();
        assert!(error.message().contains("from the user only"), "{error}");
    }
}

#[tokio::test]
async fn the_beginning_of_a_reply_is_sent_where_the_server_continues_it() {
    let mut request = request().with_schema(legs());
    request.prefill = Some(Arc::from("{\"legs\": 1"));
    let turn = |mark: Option<&str>| {
        let mut turn = json!({"role": "assistant", "content": "{\"legs\": 1"});
        if let Some(mark) = mark {
            turn[mark] = true.into();
        }
        turn
    };
    for (provider, mark) in [
        ("ollama", None),
        ("llama.cpp", None),
        ("vllm", None),
        ("mistral", Some("prefix")),
        ("kimi", Some("partial")),
    ] {
        let body = sent(provider, &request).await.body;
        assert_eq!(body["messages"][2], turn(mark), "{provider}");
        assert!(body.get("format").is_none() && body.get("response_format").is_none(), "{provider}: {body}");
        assert_eq!(body.get("continue_final_message").is_some(), provider == "vllm");
    }
    let server = Server::start([replied("anthropic", "2}")]);
    let agent = ProviderAgent::at(server.url("/api"), "anthropic/claude-haiku-4-5").unwrap();
    assert!(agent.capabilities().continues_replies);
    assert_eq!(agent.respond(&request).await.unwrap().text(), "2}");
    let body = server.only().body;
    assert_eq!(body["messages"][1], turn(None));
    assert!(body.get("output_config").is_none(), "{body}");
    let newer = ProviderAgent::new("anthropic/claude-opus-5").unwrap();
    assert!(!newer.capabilities().continues_replies);
    assert!(!ProviderAgent::new("openai/gpt").unwrap().capabilities().continues_replies);
}

#[tokio::test]
async fn a_continued_reply_is_only_what_was_added() {
    for (provider, prefill, replied_text, expected) in [
        ("mistral", "{\"legs\": 1", "{\"legs\": 12}", "2}"),
        ("llama.cpp", "{\"legs\": 1", "{\"legs\": 12}", "2}"),
        ("vllm", "[", "[1]]", "[1]]"),
        ("ollama", "{\"legs\": 1", "2}", "2}"),
        ("anthropic", "{\"name\": \"a ", " b\"}", "b\"}"),
        // It is not certain that there is one blank in the string.
        ("anthropic", "{\"name\": \"a ", "b\"}", ""),
    ] {
        let server = Server::start([replied(provider, replied_text)]);
        let name = if provider == "anthropic" { "anthropic/claude-3-5-haiku" } else { provider };
        let name = if name.contains('/') { name.to_owned() } else { format!("{name}/some-model") };
        let mut request = request();
        request.prefill = Some(Arc::from(prefill));
        let reply = ProviderAgent::at(server.url("/api"), name).unwrap().respond(&request).await.unwrap();
        assert_eq!(reply.text(), expected, "{provider}");
    }
    let server = Server::start([replied("mistral", "{\"legs\": 12}")]);
    let (mut deltas, mut request) = (String::new(), request());
    request.prefill = Some(Arc::from("{\"legs\": 1"));
    let sink = DeltaSink::new(|delta: extract::agent::Delta<'_>| deltas.push_str(delta.text));
    let reply = agent("mistral", &server).stream(&request, sink).await.unwrap();
    assert_eq!((reply.text(), &*deltas), ("2}", "2}"));
}

#[tokio::test]
async fn the_context_of_ollama_grows_with_the_question() {
    let of = async |text: String| {
        let request = Request::new(Conversation::new().with(Role::User, text));
        let server = Server::start([crate::Answer::json(&json!({
            "message": {"content": "{}"}, "done": true, "done_reason": "stop",
        }))]);
        agent("ollama", &server).respond(&request).await.unwrap();
        server.only().body["options"]["num_ctx"].as_u64().unwrap()
    };
    assert_eq!(of("a".to_owned()).await, 8_192);
    let long = of("word ".repeat(24_000)).await;
    assert!(long >= 48_000 && long.is_power_of_two(), "{long}");
    let server = Server::start([replied("ollama", "{}")]);
    agent("ollama", &server).context_length(5_000).respond(&request()).await.unwrap();
    assert_eq!(server.only().body["options"]["num_ctx"], 5_000);
}

#[tokio::test]
async fn a_stream_is_asked_for_with_its_usage() {
    for provider in PROVIDERS {
        let server = Server::start([streamed(provider, &["{}"])]);
        agent(provider, &server).stream(&request(), DeltaSink::new(|_| {})).await.unwrap();
        let body = server.only().body;
        let stream = if provider == "gemini" { Value::Null } else { true.into() };
        assert_eq!(body["stream"], stream, "{provider}");
        let usage = if provider == "openai" { json!({"include_usage": true}) } else { Value::Null };
        assert_eq!(body["stream_options"], usage, "{provider}");
    }
}

#[tokio::test]
async fn a_server_without_a_profile_is_described_in_code() {
    let server = Server::start([replied("openai", "{}")]);
    let agent = OpenAiCompatible::at(server.url("/v1"), "my/model")
        .token_limit("max_new_tokens")
        .prefill(Prefill::Partial)
        .build()
        .unwrap();
    let mut request = request();
    request.max_output_tokens = Some(5);
    request.prefill = Some(Arc::from("{"));
    agent.respond(&request).await.unwrap();
    let received = server.only();
    assert_eq!((&*received.path, received.header("authorization")), ("/v1/chat/completions", None));
    assert_eq!((&received.body["model"], &received.body["max_new_tokens"]), (&json!("my/model"), &json!(5)));
    assert_eq!(received.body["messages"][2]["partial"], true);
    let named = OpenAiCompatible::at("http://localhost/v1", "m").profile(Profile::find("vllm").unwrap());
    assert!(named.build().unwrap().capabilities().continues_replies);
    let keyless =
        OpenAiCompatible::at("http://localhost/v1", "m").key_variable("NO_SUCH_VARIABLE_KEY").build();
    assert!(keyless.unwrap_err().message().contains("`NO_SUCH_VARIABLE_KEY` is not set"));
}

#[test]
fn case_and_separators_of_a_provider_do_not_matter() {
    for (written, name) in [
        ("OpenAI/gpt", "openai/gpt"),
        ("open_router/a/b", "openrouter/a/b"),
        ("llama_cpp/x", "llama.cpp/x"),
        (" openai-responses/Gpt ", "openai-responses/Gpt"),
    ] {
        assert_eq!(ProviderAgent::new(written).unwrap().name(), name);
    }
    for (wrong, says) in [
        ("gpt", "`gpt` names no provider; write `provider/gpt`"),
        ("opnai/gpt", "unknown provider `opnai`; known are anthropic, azure, "),
        ("openai/", "names no model"),
        ("openai::gpt", "names no provider"),
    ] {
        let error = ProviderAgent::new(wrong).unwrap_err();
        assert!(error.message().contains(says), "{error}");
    }
}

#[tokio::test]
async fn without_a_key_nothing_is_sent_and_the_variable_is_named() {
    for profile in Profile::ALL.iter().filter(|profile| profile.needs_key) {
        let is_set = |name: &&str| std::env::var_os(name).is_some();
        if profile.key_variables.iter().any(is_set) || profile.address.contains("ENDPOINT}") {
            continue;
        }
        let agent = ProviderAgent::new(format!("{}/m", profile.name)).unwrap();
        let error = agent.respond(&request()).await.unwrap_err();
        let says = |words: &str| error.message().contains(words);
        let variable = profile.key_variables[0];
        assert!(says("is not set") && (says(variable) || profile.address.contains("PROJECT}")), "{error}");
        assert!(!error.is_transient());
    }
}
