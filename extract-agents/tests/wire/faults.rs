//! What goes wrong between an extraction and a server, in each wire format: no attempt is counted
//! for it, it ends in time, the error says what happened, and no key is seen.

use std::{
    error::Error,
    fmt::Write as _,
    time::{Duration, Instant, SystemTime},
};

use extract::{
    Extraction, ExtractionError,
    agent::{Agent as _, AgentErrorKind, DeltaSink},
    settings::TransportOptions,
};
use extract_agents::{ProviderAgent, StructuredOutput};
use serde_json::{Value, json};

use crate::{
    KEY, agent, contract,
    formats::{FORMATS, PROVIDERS, events, kind, replied, stop, streamed, whole},
    request,
    server::{Answer, Server},
};

/// How long the extractions here wait for a reply.
const LIMIT: Duration = Duration::from_millis(700);

/// Bytes that sockets hold on both sides before anybody reads them, and then some.
const BUFFERS: usize = 28 << 20;

struct Fault {
    name: &'static str,
    answer: Answer,
    kind: AgentErrorKind,
    /// Has to be in the error.
    says: &'static str,
}

const JSON: &str = "application/json";

/// Everything that is transient.
fn faults(provider: &str) -> Vec<Fault> {
    use AgentErrorKind::{Garbled, RateLimited, Timeout, Transport};
    let fault = |name, answer, kind, says| Fault { name, answer, kind, says };
    let echo = json!({"error": {"message": format!("slow down, {KEY} in `Bearer {KEY}`")}});
    let busy = || Answer::status("429 Too Many Requests", &echo);
    let half = || whole(provider, "{\"legs\"", "x").to_string().into_bytes()[..20].to_vec();
    let mut bytes = whole(provider, "caf?", stop(provider)).to_string().into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xE9;
    let flood = |is_announced| Answer::Flood { status: "200 OK", kind: JSON, megabytes: 200, is_announced };
    vec![
        fault("reset before the response", Answer::Reset, Transport, "error sending request to 127.0.0.1:"),
        fault("closed in the middle", Answer::Cut(JSON, half()), Transport, "body of the response broke off"),
        fault("stalled body", Answer::Stall(JSON, half(), 3 * LIMIT), Timeout, "no reply within"),
        fault("429 alone", busy(), RateLimited, "HTTP 429 Too Many Requests: slow down"),
        fault("429 with seconds", busy().header("Retry-After", "0"), RateLimited, "slow down"),
        fault(
            "429 with a date",
            busy().header("Retry-After", httpdate::fmt_http_date(SystemTime::now())),
            RateLimited,
            "slow down",
        ),
        fault("500", Answer::status("500 Internal Server Error", &echo), Transport, "HTTP 500"),
        fault(
            "502 with a page",
            Answer::bytes("502 Bad Gateway", "text/html", "<h1>no</h1>"),
            Transport,
            "<h1>no</h1>",
        ),
        fault("503 with nothing", Answer::bytes("503 Service Unavailable", JSON, ""), Transport, "HTTP 503"),
        fault("504", Answer::status("504 Gateway Timeout", &json!({})), Transport, "HTTP 504"),
        fault("408", Answer::status("408 Request Timeout", &json!({})), Timeout, "HTTP 408"),
        fault("truncated JSON", Answer::bytes("200 OK", JSON, half()), Garbled, "not JSON"),
        fault("garbled JSON", Answer::bytes("200 OK", JSON, format!("\u{1}{{{KEY}]]")), Garbled, "not JSON"),
        fault("an empty body", Answer::bytes("200 OK", JSON, ""), Garbled, "not JSON"),
        fault("not UTF-8", Answer::bytes("200 OK", JSON, bytes), Garbled, "UTF-8"),
        fault(
            "a page",
            Answer::bytes("200 OK", "text/html", "<h1>Hello</h1>"),
            Garbled,
            "text/html: <h1>Hello</h1>",
        ),
        fault("JSON that is no reply", Answer::json(&json!({"hello": "world"})), Garbled, "no reply"),
        fault(
            "200 with an error",
            Answer::json(&echo),
            Transport,
            "an error in a successful response: slow down",
        ),
        fault("a flood", flood(false), Garbled, "longer than"),
        fault("an announced flood", flood(true), Garbled, "longer than"),
    ]
}

/// What only a stream has.
fn faults_of_streams(provider: &str) -> Vec<Fault> {
    use AgentErrorKind::{Garbled, Timeout, Transport};
    let kind = kind(provider);
    let start = events(provider, &["{\"legs\"", ":", " "], "x")[..2].concat();
    let error = format!("data: {}\n\n", json!({"error": {"message": format!("crashed with {KEY}")}}));
    let error = if provider == "ollama" { error["data: ".len()..].to_owned() } else { error };
    let fault = |name, answer, kind, says| Fault { name, answer, kind, says };
    let events = |more: &str| Answer::bytes("200 OK", kind, [&*start, more.as_bytes()].concat());
    vec![
        fault("closed stream", Answer::Cut(kind, start.clone()), Transport, "broke off"),
        fault("stalled stream", Answer::Stall(kind, start.clone(), 3 * LIMIT), Timeout, "no reply within"),
        fault("stream without an end", events(""), Transport, "without its end marker"),
        fault(
            "error in the stream",
            events(&error),
            Transport,
            "an error in a successful response: crashed with",
        ),
        fault("half an event", events(&format!("data: {{{KEY}")), Garbled, "broke off"),
        fault("an event that is not JSON", events("data: {]\n\n"), Garbled, "not a reply"),
        fault(
            "a flood without lines",
            Answer::Flood { status: "200 OK", kind, megabytes: 200, is_announced: false },
            Garbled,
            "longer than",
        ),
    ]
}

/// With a schema, a failure with the status 500 may be about that.
fn asking(provider: &str, server: &Server) -> ProviderAgent {
    agent(provider, server).structured_output(StructuredOutput::Off).max_body(4 << 20)
}

fn extraction<'a>(contract: &extract::Contract, agent: &'a ProviderAgent) -> Extraction<'a, Value> {
    let options = TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::ZERO);
    contract.extract(agent, "A spider.").timeout(LIMIT).transport_options(options)
}

/// All that can be printed of an error and of what caused it.
pub(crate) fn everything(error: &dyn Error) -> String {
    let mut text = format!("{error} {error:?} {error:#?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, " {error} {error:?}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn no_fault_costs_an_attempt() {
    for provider in FORMATS {
        for Fault { name, answer, .. } in faults(provider) {
            let server = Server::start([answer, replied(provider, "{\"legs\": 8}")]);
            let (agent, contract) = (asking(provider, &server), contract());
            let result = extraction(&contract, &agent).await;
            let (value, metrics) = result.unwrap_or_else(|error| panic!("{provider}, {name}: {error}"));
            assert_eq!(value, json!({"legs": 8}), "{provider}, {name}");
            assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1), "{provider}, {name}");
            assert_eq!(
                (metrics.usage.input_tokens, metrics.usage.output_tokens),
                (21, 7),
                "{provider}, {name}"
            );
            assert!(server.sent() < BUFFERS, "{provider}, {name}: {}", server.sent());
        }
    }
}

#[tokio::test]
async fn no_fault_of_a_stream_costs_an_attempt() {
    for provider in PROVIDERS {
        for Fault { name, answer, .. } in faults(provider).into_iter().chain(faults_of_streams(provider)) {
            let server = Server::start([answer, streamed(provider, &["{\"legs\"", ": 8}"])]);
            let (agent, contract) = (asking(provider, &server), contract());
            let result = extraction(&contract, &agent).stream(true).await;
            let (value, metrics) = result.unwrap_or_else(|error| panic!("{provider}, {name}: {error}"));
            assert_eq!(value, json!({"legs": 8}), "{provider}, {name}");
            assert_eq!((metrics.attempts, metrics.transport_retries), (1, 1), "{provider}, {name}");
            assert!(server.sent() < BUFFERS, "{provider}, {name}: {}", server.sent());
        }
    }
}

#[tokio::test]
async fn a_fault_that_stays_ends_in_time_and_says_what_it_was() {
    for provider in PROVIDERS {
        let plain = faults(provider).into_iter().map(|fault| (false, fault));
        let of_streams =
            faults(provider).into_iter().chain(faults_of_streams(provider)).map(|fault| (true, fault));
        for (is_streamed, Fault { name, answer, kind, says }) in plain.chain(of_streams) {
            let server = Server::start([answer.clone(), answer]);
            let (agent, contract) = (asking(provider, &server), contract());
            let start = Instant::now();
            let error = extraction(&contract, &agent).stream(is_streamed).await.unwrap_err();
            assert!(start.elapsed() < 10 * LIMIT, "{provider}, {name}: {:?}", start.elapsed());
            assert!(!everything(&error).contains(KEY), "{provider}, {name}: {}", everything(&error));
            let ExtractionError::Agent { source, .. } = &error else { panic!("{provider}, {name}: {error}") };
            assert_eq!(source.kind(), kind, "{provider}, {name}: {source}");
            assert!(source.message().contains(says), "{provider}, {name}: {source} does not say {says}");
        }
    }
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_is_in_the_error() {
    let now = "Sun, 06 Nov 1994 08:49:37 GMT";
    let body = json!({"error": {"message": "slow down"}});
    let delay = json!({"error": {"message": "slow down", "details": [{"retryDelay": "34.5s"}]}});
    let answer = || Answer::status("429 Too Many Requests", &body);
    for provider in FORMATS {
        for (answer, wait) in [
            (answer().header("Retry-After", "7"), 7_000),
            (answer().header("Retry-After-Ms", "250").header("Retry-After", "1"), 250),
            (answer().header("Retry-After", "Sun, 06 Nov 1994 08:49:40 GMT").header("Date", now), 3_000),
            (answer().header("Retry-After", "Sunday, 06-Nov-94 08:49:40 GMT").header("Date", now), 3_000),
            (Answer::status("429 Too Many Requests", &delay), 34_500),
        ] {
            let server = Server::start([answer]);
            let error = agent(provider, &server).respond(&request()).await.unwrap_err();
            assert_eq!(error.retry_after(), Some(Duration::from_millis(wait)), "{provider}: {error}");
            assert_eq!(error.status(), Some(429));
        }
    }
}

#[tokio::test]
async fn a_permanent_failure_is_called_so() {
    use AgentErrorKind::{Refused, TooLong};
    let error = |message: &str, code: &str| json!({"error": {"message": message, "code": code}});
    for (status, body, kind) in [
        ("401 Unauthorized", error("Incorrect API key", "invalid_api_key"), Refused),
        ("403 Forbidden", error("no", "permission_error"), Refused),
        ("404 Not Found", json!({"error": "model 'x' not found"}), Refused),
        ("429 Too Many Requests", error("You exceeded your quota", "insufficient_quota"), Refused),
        ("413 Payload Too Large", json!({}), TooLong),
        ("400 Bad Request", error("This model's maximum context length is 8192 tokens", ""), TooLong),
        (
            "400 Bad Request",
            json!({"type": "error", "error": {"message": "prompt is too long: 210000 tokens"}}),
            TooLong,
        ),
        ("400 Bad Request", json!({"error": "the input length exceeds the context length"}), TooLong),
        ("400 Bad Request", error("", "context_length_exceeded"), TooLong),
    ] {
        for provider in FORMATS {
            let server = Server::start([Answer::status(status, &body)]);
            let error = agent(provider, &server).respond(&request()).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{provider} {status} {body}: {error}");
            // The address of the server may be wrong.
            let is_located = error.to_string().contains("404 Not Found from 127.0.0.1:");
            assert_eq!(is_located, status.starts_with("404"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_silent_server_is_given_up_on() {
    for provider in PROVIDERS {
        let stalled =
            || Answer::Stall(kind(provider), events(provider, &["a", "b"], "x")[..1].concat(), 5 * LIMIT);
        let server = Server::start([stalled(), stalled()]);
        let agent = agent(provider, &server).silence_timeout(Duration::from_millis(100));
        for is_streamed in [false, true] {
            let (start, request) = (Instant::now(), request());
            let asking = if is_streamed {
                agent.stream(&request, DeltaSink::new(|_| {}))
            } else {
                agent.respond(&request)
            };
            let error = asking.await.unwrap_err();
            assert_eq!(error.kind(), AgentErrorKind::Timeout, "{provider}: {error}");
            assert!(start.elapsed() < 4 * LIMIT, "{provider}");
        }
    }
}

#[test]
fn without_a_runtime_it_is_an_error_and_no_panic() {
    let agent = ProviderAgent::at("http://127.0.0.1:9", "ollama/m").unwrap();
    let error = extract::testing::block_on(agent.respond(&request())).unwrap_err();
    assert!(error.message().contains("no tokio runtime"), "{error}");
}
