//! What goes wrong between an extraction and a provider, for every adapter that asks providers.
//!
//! One table: each fault is met by each adapter in a whole extraction. What has to hold is the same
//! for all: no attempt is counted for it, every request is, it ends in time, the error says what
//! happened, and no key is seen. [`faults_of`] makes tests of it, in any package with an adapter.

#![allow(clippy::missing_panics_doc, reason = "a test that fails panics")]

pub mod server;

use std::{
    error::Error,
    fmt::Write as _,
    sync::LazyLock,
    time::{Duration, Instant, SystemTime},
};

use extract::{
    Contract, Event, Extraction, ExtractionError,
    agent::{Agent, AgentErrorKind},
    settings::TransportOptions,
};
use serde_json::{Value, json};

use self::server::{Answer, Server};

/// The key with which the server is asked. It must not be in any error.
pub const KEY: &str = "topsecretkey0123456789";

/// Loading the root certificates takes longer than a test. No connection is kept for the next
/// runtime: the server closes each.
pub static HTTP: LazyLock<reqwest::Client> =
    LazyLock::new(|| reqwest::Client::builder().no_proxy().build().unwrap());

/// Bytes that sockets hold on both sides before anybody reads them, and then some.
pub const BUFFERS: usize = 24 << 20;

/// How long the extractions here wait for a reply.
const LIMIT: Duration = Duration::from_millis(700);

struct Fault {
    name: &'static str,
    answer: Answer,
    /// One of these it is called; the text that comes out of rig's agents tells some things only.
    kinds: &'static [AgentErrorKind],
    /// One of these has to be in the error.
    says: &'static [&'static str],
}

/// The response of an OpenAI-compatible server.
pub fn openai(text: &str, finish_reason: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "some-model-2026-01-01",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": null},
            "finish_reason": finish_reason,
        }],
        "usage": {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28},
    })
}

/// The contract of a number of legs.
pub fn contract() -> Contract {
    let schema = json!({
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}},
        "required": ["legs"],
    });
    Contract::from_schema(schema).unwrap()
}

fn right() -> Answer {
    Answer::json(&openai(r#"{"legs": 8}"#, "stop"))
}

/// Everything that is transient, whatever the adapter.
fn faults() -> Vec<Fault> {
    use AgentErrorKind::{Garbled, RateLimited, Timeout, Transport};
    let fault = |name, answer, kinds, says| Fault { name, answer, kinds, says };
    let echo = json!({"error": {"message": format!("slow down, {KEY} in `Bearer {KEY}`")}});
    let busy = || Answer::status("429 Too Many Requests", &echo);
    let now = httpdate::fmt_http_date(SystemTime::now());
    let json = "application/json";
    let mut bytes = openai("caf?", "stop").to_string().into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xE9;
    vec![
        fault("reset before the response", Answer::Reset, &[Transport], &["error sending request"]),
        fault("reset in the middle", Answer::Cut(r#"{"choices": [{"mess"#), &[Transport], &["body"]),
        fault("stalled body", Answer::Stall(r#"{"choices": ["#, 3 * LIMIT), &[Timeout], &["no reply within"]),
        fault("slow drip", Answer::Drip(vec![b' '; 200], LIMIT / 20), &[Timeout], &["no reply within"]),
        fault("429 alone", busy(), &[RateLimited], &["HTTP 429 Too Many Requests: slow down"]),
        fault("429 with seconds", busy().header("Retry-After", "0"), &[RateLimited], &["slow down"]),
        fault("429 with a date", busy().header("Retry-After", now), &[RateLimited], &["slow down"]),
        fault("500", Answer::status("500 Internal Server Error", &echo), &[Transport], &["HTTP 500"]),
        fault(
            "502 with a page",
            Answer::bytes("502 Bad Gateway", "text/html", "<h1>no</h1>"),
            &[Transport],
            &["<h1>no</h1>"],
        ),
        fault("503", Answer::status("503 Service Unavailable", &json!({})), &[Transport], &["HTTP 503"]),
        fault(
            "truncated JSON",
            Answer::bytes("200 OK", json, r#"{"choices": [{"message": "#),
            &[Garbled],
            &["EOF", "end of"],
        ),
        fault(
            "garbled JSON",
            Answer::bytes("200 OK", json, format!("\u{1}{{{KEY}]]")),
            &[Garbled],
            &["expected", "value"],
        ),
        fault("an empty body", Answer::bytes("200 OK", json, ""), &[Garbled], &["EOF", "ended"]),
        fault("not UTF-8", Answer::bytes("200 OK", json, bytes), &[Garbled], &["UTF-8", "not JSON"]),
        fault(
            "wrong content type",
            Answer::bytes("200 OK", "text/html", "<h1>Hello</h1>"),
            &[Garbled],
            &["text/html", "expected value"],
        ),
        fault("JSON that is no reply", Answer::json(&json!({"hello": "world"})), &[Garbled], &["repl"]),
        fault(
            "200 with an error",
            Answer::json(&echo),
            &[Transport],
            &["an error in a successful response: slow down"],
        ),
        fault(
            "200 with an error in the choice",
            Answer::json(
                &json!({"choices": [{"error": {"code": 502, "message": "upstream"}, "message": {"content": "{"}}]}),
            ),
            &[Transport, Garbled],
            &["an error in a successful response: upstream", "the provider failed the turn"],
        ),
    ]
}

/// Adapters, each with its name for messages.
pub type Agents = Vec<(&'static str, Box<dyn Agent>)>;

/// Makes the adapters, each asking a URL as a server that speaks like OpenAI. Names of those that do
/// not stream begin with `rig agent`.
pub type Connect = fn(&str) -> Agents;

fn number_of(connect: Connect) -> usize {
    connect("http://127.0.0.1:9/v1").len()
}

/// The tests of this table, for the adapters that a [`Connect`] makes. Needs tokio with `macros`
/// and `rt`.
#[macro_export]
macro_rules! faults_of {
    ($connect:path) => {
        $crate::faults_of! {
            $connect:
            no_fault_costs_an_attempt
            a_fault_that_stays_ends_in_time_and_says_what_it_was
            a_refused_connection_is_transient_and_says_so
            what_is_refused_is_not_asked_again
            a_wait_is_obeyed_in_both_forms
            no_fault_of_a_stream_costs_an_attempt
            a_fault_of_a_stream_that_stays_ends_in_time_and_says_what_it_was
            a_flood_ends_in_time
        }
    };
    ($connect:path: $($test:ident)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                $crate::$test($connect).await;
            }
        )*
    };
}

fn extraction<'a>(contract: &Contract, agent: &'a dyn Agent) -> Extraction<'a, Value> {
    let extraction = contract.extract(agent, "A spider.").timeout(LIMIT);
    extraction.transport_options(TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::ZERO))
}

/// All that can be printed of an error and of what caused it.
pub fn everything(error: &dyn Error) -> String {
    let mut text = format!("{error} {error:?} {error:#?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, " {error} {error:?}");
        cause = error.source();
    }
    text
}

/// A fault costs a retry of the transport, and no attempt.
pub async fn no_fault_costs_an_attempt(connect: Connect) {
    for index in 0..number_of(connect) {
        for Fault { name, answer, .. } in faults() {
            let server = Server::start([answer, right()]);
            let (adapter, agent) = connect(&server.url("v1")).swap_remove(index);
            let contract = contract();
            let (value, metrics) = extraction(&contract, &*agent).await.unwrap_or_else(|error| {
                panic!("{adapter}, {name}: {error}");
            });
            assert_eq!(value, json!({"legs": 8}), "{adapter}, {name}");
            assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1), "{adapter}, {name}");
            assert_eq!(
                (metrics.usage.input_tokens, metrics.usage.output_tokens),
                (21, 7),
                "{adapter}, {name}"
            );
            assert_eq!(server.connections(), 2, "{adapter}, {name}");
            assert_asked(&server, adapter);
        }
    }
}

/// The question that was asked again is the same.
fn assert_asked(server: &Server, adapter: &str) {
    for received in server.received() {
        assert_eq!(received.path, "/v1/chat/completions", "{adapter}");
        let key = ("authorization".to_owned(), format!("Bearer {KEY}"));
        assert!(received.headers.contains(&key), "{adapter}: {:?}", received.headers);
        let messages = received.body["messages"].to_string();
        assert!(messages.contains("A spider."), "{adapter}: {messages}");
    }
}

/// A fault that stays is an error that says what happened, without the key.
pub async fn a_fault_that_stays_ends_in_time_and_says_what_it_was(connect: Connect) {
    for index in 0..number_of(connect) {
        for Fault { name, answer, kinds, says } in faults() {
            let server = Server::start([answer.clone(), answer.clone(), answer]);
            let (adapter, agent) = connect(&server.url("v1")).swap_remove(index);
            let contract = contract();
            let start = Instant::now();

            let error = extraction(&contract, &*agent).await.unwrap_err();

            assert!(start.elapsed() < 10 * LIMIT, "{adapter}, {name}: {:?}", start.elapsed());
            assert_eq!(server.connections(), 2, "{adapter}, {name}");
            let shown = format!("{} {agent}", everything(&error), agent = agent.name());
            assert!(!shown.contains(KEY), "{adapter}, {name}: {shown}");
            let ExtractionError::Agent { source, .. } = &error else {
                panic!("{adapter}, {name}: {error}");
            };
            assert_eq!((error.attempts(), error.metrics().transport_retries), (0, 1), "{adapter}, {name}");
            assert!(kinds.contains(&source.kind()), "{adapter}, {name}: {source}");
            let is_said = says.iter().any(|words| source.message().contains(words));
            assert!(is_said, "{adapter}, {name}: {source} says none of {says:?}");
        }
    }
}

/// Nobody listens.
pub async fn a_refused_connection_is_transient_and_says_so(connect: Connect) {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (adapter, agent) in connect(&format!("http://{nobody}/v1?key={KEY}")) {
        let contract = contract();
        let error = extraction(&contract, &*agent).await.unwrap_err();
        let ExtractionError::Agent { source, .. } = &error else { panic!("{adapter}: {error}") };
        assert_eq!((error.attempts(), error.metrics().transport_retries), (0, 1), "{adapter}");
        assert_eq!(source.kind(), AgentErrorKind::Transport, "{adapter}: {source}");
        assert!(source.message().contains("error sending request"), "{adapter}: {source}");
        assert!(!everything(&error).contains(KEY), "{adapter}: {}", everything(&error));
    }
}

/// A wrong key is not tried twice.
pub async fn what_is_refused_is_not_asked_again(connect: Connect) {
    for index in 0..number_of(connect) {
        let echo = json!({"error": {"message": format!("wrong key {KEY}"), "code": "invalid_api_key"}});
        let server = Server::start([Answer::status("401 Unauthorized", &echo), right()]);
        let (adapter, agent) = connect(&server.url("v1")).swap_remove(index);
        let contract = contract();
        let error = extraction(&contract, &*agent).await.unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("request refused: HTTP 401 Unauthorized: wrong key"),
            "{adapter}: {message}"
        );
        assert!(!everything(&error).contains(KEY), "{adapter}: {message}");
        assert_eq!(server.connections(), 1, "{adapter}");
    }
}

/// A server that asks to wait is obeyed, in both forms of the header.
pub async fn a_wait_is_obeyed_in_both_forms(connect: Connect) {
    for index in 0..number_of(connect) {
        let busy = || Answer::status("429 Too Many Requests", &json!({}));
        let dated = busy()
            .header("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
            .header("Retry-After", "Sun, 06 Nov 1994 08:49:38 GMT");
        for answer in [busy().header("Retry-After", "1"), dated] {
            let server = Server::start([answer, right()]);
            let (adapter, agent) = connect(&server.url("v1")).swap_remove(index);
            let contract = contract();
            let start = Instant::now();
            let extraction = extraction(&contract, &*agent);
            let options = TransportOptions::new().retries(1).backoff(Duration::ZERO, 5 * LIMIT);
            let extraction = extraction.transport_options(options);
            let (_, metrics) = extraction.await.unwrap();
            assert!(start.elapsed() >= Duration::from_secs(1), "{adapter}: {:?}", start.elapsed());
            assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1), "{adapter}");
        }
    }
}

/// A reply that arrives as a stream.
fn right_stream() -> Answer {
    let chunk = |delta: Value, reason: Value| json!({"choices": [{"delta": delta, "finish_reason": reason}]});
    let events = [
        chunk(json!({"content": "{\"legs\""}), Value::Null),
        chunk(json!({"content": ": 8}"}), Value::Null),
        chunk(json!({}), "stop".into()),
        json!({"choices": [], "usage": {"prompt_tokens": 21, "completion_tokens": 7}}),
    ];
    let events = events.map(|event| format!("data: {event}\n\n")).concat();
    Answer::bytes("200 OK", "text/event-stream", events + "data: [DONE]\n\n")
}

/// The adapters that stream.
fn streaming(connect: Connect, url: &str) -> Agents {
    let mut agents = connect(url);
    agents.retain(|(name, _)| !name.starts_with("rig agent"));
    agents
}

/// What a server does wrong when it is asked for a stream, besides everything in [`faults`].
fn faults_of_streams() -> Vec<Fault> {
    use AgentErrorKind::{Garbled, Timeout, Transport};
    const START: &str = "data: {\"choices\": [{\"delta\": {\"content\": \"{\"}}]}\n\n";
    let fault = |name, answer, kinds, says| Fault { name, answer, kinds, says };
    let events = |text: String| Answer::bytes("200 OK", "text/event-stream", text);
    let error = json!({"error": {"message": format!("crashed with {KEY}"), "code": 500}});
    vec![
        fault("stream reset in the middle", Answer::Cut(START), &[Transport], &["body"]),
        fault(
            "a flood without an event",
            Answer::Flood { status: "200 OK", megabytes: 100, is_announced: false },
            &[Timeout, Garbled],
            &["no reply within", "content type"],
        ),
        fault("stalled stream", Answer::Stall(START, 3 * LIMIT), &[Timeout], &["no reply within"]),
        fault(
            "stream without an end",
            events(START.to_owned()),
            &[Transport, Garbled],
            &["without its end marker", "ended before the reply did"],
        ),
        fault(
            "error in the stream",
            events(format!("{START}data: {error}\n\n{START}data: [DONE]\n\n")),
            &[Transport],
            &["an error in a successful response: crashed with"],
        ),
        fault(
            "half an event",
            events(format!("{START}data: {{{KEY}")),
            &[Garbled],
            &["not a reply", "ended before the reply did"],
        ),
    ]
}

/// As [`no_fault_costs_an_attempt`], for a stream.
pub async fn no_fault_of_a_stream_costs_an_attempt(connect: Connect) {
    for index in 0..streaming(connect, "http://127.0.0.1:9/v1").len() {
        for Fault { name, answer, .. } in faults().into_iter().chain(faults_of_streams()) {
            let server = Server::start([answer, right_stream()]);
            let (adapter, agent) = streaming(connect, &server.url("v1")).swap_remove(index);
            let contract = contract();
            let (mut text, mut failures) = (String::new(), 0);
            let extraction = extraction(&contract, &*agent).stream(true).observe(|event| match event {
                Event::Delta { text: delta, is_first, .. } => {
                    if *is_first {
                        text.clear();
                    }
                    text.push_str(delta);
                }
                Event::TransportFailed { .. } => failures += 1,
                _ => {}
            });
            let (value, metrics) =
                extraction.await.unwrap_or_else(|error| panic!("{adapter}, {name}: {error}"));
            assert_eq!(value, json!({"legs": 8}), "{adapter}, {name}");
            assert_eq!((text.as_str(), failures), (r#"{"legs": 8}"#, 1), "{adapter}, {name}");
            assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1), "{adapter}, {name}");
            let usage = (metrics.usage.input_tokens, metrics.usage.output_tokens);
            assert_eq!(usage, (21, 7), "{adapter}, {name}");
            assert_asked(&server, adapter);
        }
    }
}

/// As [`a_fault_that_stays_ends_in_time_and_says_what_it_was`], for a stream.
pub async fn a_fault_of_a_stream_that_stays_ends_in_time_and_says_what_it_was(connect: Connect) {
    for index in 0..streaming(connect, "http://127.0.0.1:9/v1").len() {
        let plain = faults().into_iter().map(|fault| (true, fault));
        let of_streams = faults_of_streams().into_iter().map(|fault| (false, fault));
        for (is_plain, Fault { name, answer, kinds, says }) in plain.chain(of_streams) {
            // Of a successful response that is no stream, nothing may be left to tell.
            let is_lost = is_plain
                && match &answer {
                    Answer::Http { status, .. } => *status == "200 OK",
                    answer => !matches!(answer, Answer::Reset),
                };
            let server = Server::start([answer.clone(), answer]);
            let (adapter, agent) = streaming(connect, &server.url("v1")).swap_remove(index);
            let contract = contract();
            let start = Instant::now();

            let error = extraction(&contract, &*agent).stream(true).await.unwrap_err();

            assert!(start.elapsed() < 10 * LIMIT, "{adapter}, {name}: {:?}", start.elapsed());
            assert!(!everything(&error).contains(KEY), "{adapter}, {name}: {}", everything(&error));
            let ExtractionError::Agent { source, .. } = &error else {
                panic!("{adapter}, {name}: {error}");
            };
            let is_kind = kinds.contains(&source.kind());
            assert!(is_kind || is_lost && source.is_transient(), "{adapter}, {name}: {source}");
            let is_said = says.iter().any(|words| source.message().contains(words));
            assert!(is_said || is_lost, "{adapter}, {name}: {source} says none of {says:?}");
        }
    }
}

/// Of a flood nothing is bounded but the time, unless the HTTP client bounds it.
pub async fn a_flood_ends_in_time(connect: Connect) {
    for index in 0..number_of(connect) {
        let flood = Answer::Flood { status: "200 OK", megabytes: 100, is_announced: true };
        let server = Server::start([flood, right()]);
        let (adapter, agent) = connect(&server.url("v1")).swap_remove(index);
        let contract = contract();
        let start = Instant::now();
        let (_, metrics) = extraction(&contract, &*agent).timeout(10 * LIMIT).await.unwrap();
        assert!(start.elapsed() < 12 * LIMIT, "{adapter}: {:?}", start.elapsed());
        assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1), "{adapter}");
        if adapter.ends_with("bounded") {
            assert!(server.sent() < BUFFERS, "{adapter}: {}", server.sent());
        }
    }
}
