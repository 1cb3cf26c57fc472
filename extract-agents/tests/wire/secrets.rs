//! Keys are seen nowhere, and redirects do not carry them to another server.

use extract::{
    agent::{Agent as _, AgentErrorKind, FinishReason},
    testing::Cassette,
};
use serde_json::json;

use crate::{
    KEY, agent, ask,
    calls::called,
    faults::everything,
    formats::{FORMATS, replied, stop, whole},
    request,
    server::{Answer, Server},
    stream,
};

fn redirect(status: &'static str, to: &str) -> Answer {
    Answer::bytes(status, "text/plain", "").header("Location", to)
}

#[tokio::test]
async fn a_redirect_to_another_server_loses_the_key() {
    for provider in FORMATS {
        let other = Server::start([replied(provider, "{}")]);
        let server = Server::start([redirect("307 Temporary Redirect", &other.url("/elsewhere"))]);
        let agent = agent(provider, &server).header("X-Team", "secretheader1").unwrap();
        agent.respond(&request()).await.unwrap();
        let received = other.only();
        assert_eq!(received.path, "/elsewhere");
        for name in ["authorization", "x-api-key", "x-goog-api-key", "x-team"] {
            assert_eq!(received.header(name), None, "{provider}: {name}");
        }
        assert!(received.body.is_object(), "the request itself arrives");
    }
}

#[tokio::test]
async fn a_redirect_on_the_same_server_keeps_the_key() {
    for (to, path) in [
        ("/v2/chat", "/v2/chat"),
        ("completions/?v=2", "/api/chat/completions/?v=2"),
        ("../v2/./chat?to=/../x", "/api/v2/chat?to=/../x"),
        ("../../../../v2/", "/v2/"),
        ("?v=2", "/api/chat/completions?v=2"),
    ] {
        let server = Server::start([redirect("308 Permanent Redirect", to), replied("openai", "{}")]);
        agent("openai", &server).respond(&request()).await.unwrap();
        let received = &server.received()[1];
        assert_eq!(
            (&*received.path, received.header("authorization")),
            (path, Some(&*format!("Bearer {KEY}")))
        );
    }
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_is_an_error() {
    for (status, to) in [
        ("301 Moved Permanently", "http://127.0.0.1:9/"),
        ("302 Found", "/other"),
        ("307 Temporary Redirect", "ftp://127.0.0.1/"),
        ("307 Temporary Redirect", "//evil.example/"),
        ("307 Temporary Redirect", "http:///"),
    ] {
        let server = Server::start([redirect(status, to)]);
        let error = agent("openai", &server).respond(&request()).await.unwrap_err();
        assert!(!error.is_transient(), "{status} {to}: {error}");
    }
    for (to, says) in [
        ("https://me:pa55word@host.example/v1/?api_key=querysecret", "`host.example/v1/`"),
        ("/v2/chat#top", "`/v2/chat`"),
    ] {
        let server = Server::start([redirect("301 Moved Permanently", to)]);
        let error = agent("openai", &server).respond(&request()).await.unwrap_err();
        let expected =
            format!("HTTP 301 Moved Permanently: the server redirects to {says}, which is not followed");
        assert_eq!(error.message(), expected);
    }
    let server = Server::start((0..9).map(|_| redirect("307 Temporary Redirect", "/again")));
    let error = agent("openai", &server).respond(&request()).await.unwrap_err();
    assert!(error.message().contains("more than 3 redirects"), "{error}");
}

#[tokio::test]
async fn neither_debug_output_nor_an_error_shows_a_secret() {
    for provider in FORMATS {
        let message = format!("{KEY}, `Bearer {KEY}`, secretheader1 and secretquery1 are wrong");
        for status in ["401 Unauthorized", "500 Internal Server Error", "200 OK"] {
            let server =
                Server::start([Answer::status(status, &json!({"error": {"message": message}}))
                    .header("X-Request-Id", KEY)]);
            let url = server.url("/api?token=secretquery1");
            let agent = extract_agents::ProviderAgent::at(url, format!("{provider}/m")).unwrap();
            let agent = agent.key(KEY).header("X-Team", "secretheader1").unwrap();
            let error = agent.respond(&request()).await.unwrap_err();
            let shown = format!("{} {agent:?} {agent:#?}", everything(&error));
            for secret in [KEY, "secretheader1", "secretquery1"] {
                assert!(!shown.contains(secret), "{provider}: {shown}");
            }
            assert!(shown.contains("are wrong"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_short_secret_is_redacted_where_it_is_a_word() {
    let message = "`sk-1234`, hunter2, pa55w and s3cr3t are wrong, risk-1234 and words are not";
    let redacted =
        "`[redacted]`, [redacted], [redacted] and [redacted] are wrong, risk-1234 and words are not";
    let server = Server::start([Answer::status("401 Unauthorized", &json!({"error": message}))]);
    let url = server.url("/api").replace("http://", "http://me:pa55w@");
    let agent = extract_agents::ProviderAgent::at(url, "vllm/m").unwrap();
    let agent = agent.key("sk-1234").header("X-Word", "hunter2").unwrap();
    let agent = agent.header("X-Proxy", "Basic s3cr3t").unwrap();
    let error = agent.respond(&request()).await.unwrap_err();
    assert_eq!(error.message(), format!("HTTP 401 Unauthorized: {redacted}"));
}

/// What is said about a reply goes into errors, spans and cassettes.
#[tokio::test]
async fn a_success_that_repeats_the_key_shows_it_only_where_the_caller_asked_for_it() {
    let echoed = format!("{{\"said\": \"Bearer {KEY}\"}}");
    for provider in FORMATS {
        for is_unknown in [false, true] {
            let mut body = whole(provider, &echoed, if is_unknown { KEY } else { stop(provider) });
            for name in ["id", "model", "responseId", "modelVersion", "request_id"] {
                body[name] = KEY.into();
            }
            body["usage"]["note"] = format!("of {KEY}").into();
            if provider == "gemini" {
                body["candidates"][0]["finishMessage"] = format!("wrong {KEY}").into();
            }
            let answer = Answer::json(&body).header("X-Request-Id", KEY);
            let reply = ask(provider, answer.clone()).await.unwrap();
            assert!(reply.text().is_empty() || reply.text() == echoed, "{provider}: {reply:?}");
            let shown = format!("{reply:?} {}", serde_json::to_string(&reply).unwrap());
            let shown = shown.replace(&format!("Bearer {KEY}"), "");
            assert!(!shown.contains(KEY), "{provider}: {shown}");
            let server = Server::start([answer]);
            let contract = extract::Contract::from_schema(json!({"type": "boolean"})).unwrap();
            let error = contract.extract(&agent(provider, &server), "?").max_attempts(1).await.unwrap_err();
            // A violation quotes the reply, and nothing else of the response is shown.
            let shown = format!("{error} {:?}", error.metrics()).replace(&format!("Bearer {KEY}"), "");
            assert!(!shown.contains(KEY), "{provider}: {shown}");
        }
    }
}

#[tokio::test]
async fn an_earlier_stop_reason_that_is_the_key_is_redacted() {
    let chunk = |reason: &str| {
        let choice = json!({"index": 0, "delta": {"content": "3"}, "finish_reason": reason});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let body = format!("{}{}data: [DONE]\n\n", chunk(KEY), chunk("stop"));
    let (reply, _) = stream("openai", Answer::bytes("200 OK", "text/event-stream", body)).await;
    let reply = reply.unwrap();
    assert!(matches!(reply.finish_reason(), FinishReason::Interrupted(_)), "{reply:?}");
    assert!(!format!("{reply:?}").contains(KEY), "{reply:?}");
}

/// Conversations go into cassettes with the ids of calls, and with what the server wants back.
#[tokio::test]
async fn a_cassette_has_no_key_that_the_server_repeats_in_a_call() {
    for provider in FORMATS {
        let mut body = called(provider).to_string();
        for part in ["call_1", "sig", "abc"] {
            body = body.replace(&format!("\"{part}\""), &format!("\"{KEY}\""));
        }
        let server = Server::start([Answer::bytes("200 OK", "application/json", body)]);
        let path =
            std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("repeated-{provider}.json"));
        let cassette = Cassette::record(agent(provider, &server), &path);
        let reply = cassette.respond(&request()).await.unwrap();
        assert_eq!(reply.calls().len(), 1, "{provider}: {reply:?}");
        let shown = format!("{reply:?} {}", std::fs::read_to_string(path).unwrap());
        assert!(!shown.contains(KEY), "{provider}: {shown}");
    }
}

/// The key may be where the message is cut.
#[tokio::test]
async fn an_error_does_not_show_half_of_a_key() {
    for padding in [455, 462, 470, 478, 485] {
        let body = format!("{}{KEY}", "-".repeat(padding));
        let server = Server::start([Answer::bytes("403 Forbidden", "text/plain", body)]);
        let error = agent("openai", &server).respond(&request()).await.unwrap_err();
        assert!(!everything(&error).contains(&KEY[..6]), "{error}");
    }
}

/// Runs in a process of its own, because the variable applies to the whole process.
#[tokio::test]
async fn nothing_is_sent_where_real_agents_are_denied() {
    const INNER: &str = "EXTRACT_TEST_OF_THE_GUARD";
    if std::env::var_os(INNER).is_some() {
        let server = Server::start([replied("openai", "{}")]);
        let error = agent("openai", &server).respond(&request()).await.unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Refused);
        assert!(error.message().starts_with("`openai/some-model` is a real agent"), "{error}");
        assert!(server.received().is_empty());
        return;
    }
    let name = "secrets::nothing_is_sent_where_real_agents_are_denied";
    let mut inner = std::process::Command::new(std::env::current_exe().unwrap());
    let inner = inner.args(["--exact", name]).env(INNER, "1").env("EXTRACT_ALLOW_REAL_AGENTS", "0");
    let output = inner.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn a_key_that_no_header_can_have_is_an_error_without_it() {
    let server = Server::start([]);
    let error = agent("openai", &server).key("secret\nkey0123456789").respond(&request()).await.unwrap_err();
    assert!(!everything(&error).contains("key0123456789"), "{error:?}");
}

/// Of a long body, the beginning is read.
#[tokio::test]
async fn an_error_does_not_show_half_of_a_key_where_its_body_is_cut() {
    for limit in [64 << 10, 65 << 10] {
        for shown in [6, 12, KEY.len()] {
            let body = format!("wrong:{}{KEY} {}", " ".repeat(limit - 6 - shown), "-".repeat(4 << 10));
            let server = Server::start([Answer::bytes("403 Forbidden", "text/plain", body)]);
            let error = agent("openai", &server).respond(&request()).await.unwrap_err();
            assert!(error.message().contains("wrong:"), "{error}");
            assert!(!everything(&error).contains(&KEY[..6]), "{limit} {shown}: {error}");
        }
    }
}

#[tokio::test]
async fn an_error_of_a_proxy_does_not_show_its_login() {
    let message = "hunter22hunter of me:hunter22hunter and bWU6aHVudGVyMjJodW50ZXI= are wrong";
    let server = Server::start([Answer::bytes("407 Proxy Authentication Required", "text/plain", message)]);
    let agent = extract_agents::ProviderAgent::at("http://provider.example/v1", "openai/m").unwrap().key(KEY);
    let agent = agent.proxy(server.url("").replace("http://", "http://me:hunter22hunter@")).unwrap();
    let error = agent.respond(&request()).await.unwrap_err();
    let shown = everything(&error);
    assert!(!shown.contains("hunter22") && !shown.contains("bWU6aHVudGVy"), "{shown}");
    assert!(shown.contains("are wrong"), "{shown}");
}

/// Runs in a process of its own, because the variable applies to the whole process.
#[tokio::test]
async fn the_login_of_a_proxy_in_the_environment_is_not_shown() {
    const INNER: &str = "EXTRACT_TEST_OF_A_PROXY_LOGIN";
    if std::env::var_os(INNER).is_some() {
        let agent = extract_agents::ProviderAgent::at("http://provider.example/v1", "openai/m").unwrap();
        let error = agent.key(KEY).respond(&request()).await.unwrap_err();
        assert_eq!(error.message(), "HTTP 407 Proxy Authentication Required: [redacted] is wrong");
        return;
    }
    let answer = Answer::bytes("407 Proxy Authentication Required", "text/plain", "hunter22hunter is wrong");
    let server = Server::start([answer]);
    let name = "secrets::the_login_of_a_proxy_in_the_environment_is_not_shown";
    let mut inner = std::process::Command::new(std::env::current_exe().unwrap());
    // Without a scheme, as curl takes it too.
    let proxy = server.url("").replace("http://", "me:hunter22hunter@");
    let inner = inner.args(["--exact", name]).env(INNER, "1").env("HTTP_PROXY", proxy);
    let inner = inner.env_remove("http_proxy").env_remove("NO_PROXY").env_remove("no_proxy");
    let output = inner.env_remove("REQUEST_METHOD").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
