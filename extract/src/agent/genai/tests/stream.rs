//! Replies that are streamed in the wire format of each provider.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    task::Poll,
    time::Duration,
};

use super::{
    providers::{ollama, openai_resp},
    server::{End, LONGEST_WAIT},
    *,
};
use crate::{
    agent::{Delta, DeltaSink, FinishReason},
    contract::Contract,
    judging::Event,
    settings::TransportOptions,
    usage::TokenUsage,
};

const KINDS: [AdapterKind; 5] = [
    AdapterKind::OpenAI,
    AdapterKind::OpenAIResp,
    AdapterKind::Anthropic,
    AdapterKind::Gemini,
    AdapterKind::Ollama,
];

const DELTAS: [&str; 3] = ["{\"legs\"", ": ", "8}"];
const WHOLE: &str = "{\"legs\": 8}";

pub(super) type Told = Vec<(String, bool)>;

/// An event on the wire: with its name, if the provider names events.
pub(super) fn event(kind: AdapterKind, data: &Value) -> String {
    match (kind, data["type"].as_str()) {
        (AdapterKind::Ollama, _) => format!("{data}\n"),
        (AdapterKind::Anthropic | AdapterKind::OpenAIResp, Some(name)) => {
            format!("event: {name}\ndata: {data}\n\n")
        }
        _ => format!("data: {data}\n\n"),
    }
}

/// The origin that the events below report.
fn whose(kind: AdapterKind) -> ReplyOrigin {
    match kind {
        AdapterKind::OpenAI => origin(Some("some-model-2026-01-01"), Some("chatcmpl-1")),
        AdapterKind::OpenAIResp => origin(Some("some-model"), Some("resp_1")),
        AdapterKind::Anthropic => origin(Some("some-model"), Some("msg_1")),
        AdapterKind::Gemini => origin(Some("some-model"), Some("r-1")),
        _ => origin(Some("m"), None),
    }
}

fn content_type(kind: AdapterKind) -> &'static str {
    if kind == AdapterKind::Ollama { "application/x-ndjson" } else { "text/event-stream" }
}

fn beginning(kind: AdapterKind) -> Vec<Value> {
    match kind {
        AdapterKind::OpenAI => vec![json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "some-model-2026-01-01",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}],
        })],
        AdapterKind::OpenAIResp => vec![json!({
            "type": "response.created",
            "response": {"id": "resp_1", "status": "in_progress", "error": null, "output": []},
        })],
        AdapterKind::Anthropic => vec![
            json!({"type": "message_start", "message": {
                "id": "msg_1", "model": "some-model", "role": "assistant", "content": [], "stop_reason": null,
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 16, "output_tokens": 1},
            }}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
        ],
        _ => Vec::new(),
    }
}

fn delta(kind: AdapterKind, text: &str) -> Value {
    match kind {
        AdapterKind::OpenAI => json!({
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}],
        }),
        AdapterKind::OpenAIResp => json!({
            "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0,
            "delta": text,
        }),
        AdapterKind::Anthropic => json!({
            "type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text},
        }),
        AdapterKind::Gemini => json!({
            "modelVersion": "some-model", "responseId": "r-1",
            "candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}],
            "usageMetadata": {"promptTokenCount": 21, "totalTokenCount": 21},
        }),
        _ => json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": false}),
    }
}

/// Everything after the text `whole`; the last event is the end marker.
fn ending(kind: AdapterKind, whole: &str, reason: &str) -> Vec<String> {
    let data = match kind {
        AdapterKind::OpenAI => vec![
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
            json!({"choices": [], "usage": {
                "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28,
                "prompt_tokens_details": {"cached_tokens": 16},
            }}),
        ],
        AdapterKind::OpenAIResp => {
            let (status, why) = match reason {
                "completed" => (reason, None),
                why => ("incomplete", Some(why)),
            };
            let mut response = openai_resp(whole, status, why);
            response["usage"]["input_tokens_details"] = json!({"cached_tokens": 16});
            vec![json!({"type": format!("response.{status}"), "response": response})]
        }
        AdapterKind::Anthropic => vec![
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}}),
            json!({"type": "message_stop"}),
        ],
        AdapterKind::Gemini => vec![json!({
            "candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": reason}],
            "usageMetadata": {
                "promptTokenCount": 21, "candidatesTokenCount": 7, "totalTokenCount": 28,
                "cachedContentTokenCount": 16,
            },
        })],
        _ => {
            let mut last = ollama("", reason);
            last["prompt_eval_cached_count"] = json!(16);
            vec![last]
        }
    };
    let mut events: Vec<String> = data.iter().map(|data| event(kind, data)).collect();
    if kind == AdapterKind::OpenAI {
        events.push("data: [DONE]\n\n".to_owned());
    }
    events
}

/// The events of a reply up to its ending.
pub(super) fn open(kind: AdapterKind) -> Vec<String> {
    let start = beginning(kind).into_iter().chain(DELTAS.map(|text| delta(kind, text)));
    start.map(|data| event(kind, &data)).collect()
}

pub(super) fn closed(kind: AdapterKind, reason: &str) -> Vec<String> {
    open(kind).into_iter().chain(ending(kind, WHOLE, reason)).collect()
}

fn chunks(kind: AdapterKind, events: Vec<String>, end: End) -> Answer {
    Answer::Chunks(content_type(kind), events.into_iter().map(String::into_bytes).collect(), end)
}

pub(super) fn streamed(kind: AdapterKind, events: Vec<String>) -> Answer {
    chunks(kind, events, End::Whole)
}

fn reasons(kind: AdapterKind) -> [(&'static str, FinishReason); 2] {
    let (stop, length) = match kind {
        AdapterKind::OpenAIResp => ("completed", "max_output_tokens"),
        AdapterKind::Anthropic => ("end_turn", "max_tokens"),
        AdapterKind::Gemini => ("STOP", "MAX_TOKENS"),
        _ => ("stop", "length"),
    };
    [(stop, FinishReason::Stop), (length, FinishReason::Length)]
}

fn stop(kind: AdapterKind) -> &'static str {
    reasons(kind)[0].0
}

async fn hear_request(
    kind: AdapterKind,
    request: &Request,
    server: &Server,
) -> (Told, Result<Reply, AgentError>) {
    let mut told = Told::new();
    let sink = DeltaSink::new(|Delta { text, is_first, .. }| told.push((text.to_owned(), is_first)));
    let reply = agent(kind, server).stream(request, sink).await;
    (told, reply)
}

pub(super) async fn hear(kind: AdapterKind, answer: Answer) -> (Told, Result<Reply, AgentError>) {
    hear_request(kind, &request(), &Server::start([answer])).await
}

async fn fail_of(kind: AdapterKind, answer: Answer) -> AgentError {
    hear(kind, answer).await.1.unwrap_err()
}

fn all_deltas() -> Told {
    DELTAS.iter().enumerate().map(|(index, text)| ((*text).to_owned(), index == 0)).collect()
}

#[tokio::test]
async fn the_deltas_make_up_the_reply_that_would_have_come_without_a_stream() {
    for kind in KINDS {
        for (said, reason) in reasons(kind) {
            let (told, reply) = hear(kind, streamed(kind, closed(kind, said))).await;
            assert_eq!(told, all_deltas(), "{kind}");
            let usage = TokenUsage::new(21, 7).cached(16);
            let expected = Reply::new(WHOLE).finished(reason).with_usage(usage).with_origin(whose(kind));
            assert_eq!(reply.unwrap(), expected, "{kind}");
        }
    }
}

#[tokio::test]
async fn says_that_a_reply_was_filtered() {
    for (kind, said) in [
        (AdapterKind::OpenAI, "content_filter"),
        (AdapterKind::OpenAIResp, "content_filter"),
        (AdapterKind::Anthropic, "refusal"),
        (AdapterKind::Gemini, "SAFETY"),
    ] {
        let (_, reply) = hear(kind, streamed(kind, closed(kind, said))).await;
        assert_eq!(reply.unwrap().finish_reason(), &FinishReason::ContentFilter, "{kind}");
    }
}

#[tokio::test]
async fn invents_neither_usage_nor_finish_reason() {
    let kind = AdapterKind::OpenAI;
    let mut events = open(kind);
    events.push("data: [DONE]\n\n".to_owned());
    let (_, reply) = hear(kind, streamed(kind, events)).await;
    assert_eq!(reply.unwrap(), Reply::new(WHOLE).with_origin(whose(kind)));

    let kind = AdapterKind::Ollama;
    let mut events = open(kind);
    events.push(event(kind, &json!({"message": {"content": ""}, "done": true})));
    let (_, reply) = hear(kind, streamed(kind, events)).await;
    assert_eq!(reply.unwrap(), Reply::new(WHOLE).with_origin(whose(kind)));
}

#[tokio::test]
async fn asks_for_a_stream_and_its_usage_and_for_nothing_else() {
    let server = Server::start([streamed(AdapterKind::OpenAI, closed(AdapterKind::OpenAI, "stop"))]);
    hear_request(AdapterKind::OpenAI, &request(), &server).await.1.unwrap();
    let received = server.received().remove(0);
    assert_eq!(received.path, "/api/chat/completions");
    let expected = json!({
        "model": "some-model",
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "Answer in JSON."},
            {"role": "user", "content": "How many legs?"},
        ],
    });
    assert_eq!(received.body, expected);
}

/// The server sends nothing more until the client has received what it sent.
#[tokio::test]
async fn each_delta_is_sent_on_before_the_next_one_is_written() {
    for kind in KINDS {
        let (go, gate) = mpsc::channel();
        let mut chunks = vec![open(kind)[..=beginning(kind).len()].concat()];
        chunks.extend_from_slice(&open(kind)[beginning(kind).len() + 1..]);
        chunks.push(ending(kind, WHOLE, stop(kind)).concat());
        let server = Server::start([self::chunks(kind, chunks, End::Gated(Arc::new(Mutex::new(gate))))]);
        let mut count = 0;
        let sink = DeltaSink::new(|_| {
            count += 1;
            go.send(()).unwrap();
        });
        let reply = agent(kind, &server).stream(&request(), sink).await;
        assert_eq!((reply.unwrap().text(), count), (WHOLE, DELTAS.len()), "{kind}");
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_no_short_reply() {
    for kind in KINDS {
        let mut all = closed(kind, stop(kind));
        all.pop();
        for events in [open(kind), all] {
            let error = fail_of(kind, streamed(kind, events.clone())).await;
            assert_eq!(
                error.to_string(),
                "transport failure: the stream ended without its end marker, so the reply may be cut",
                "{kind}"
            );
            let (told, reply) = hear(kind, chunks(kind, events, End::Broken)).await;
            assert_eq!(told, all_deltas(), "{kind}");
            let error = reply.unwrap_err();
            assert_kind(&error, AgentErrorKind::Transport);
            assert!(error.message().contains("body"), "{kind}: {error}");
        }
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_called_what_it_is() {
    use AgentErrorKind::{RateLimited, Transport};
    let openai = json!({"error": {"message": "Overloaded", "type": "server_error", "code": null}});
    let limited = json!({"error": {"message": "slow down", "code": 429}});
    let in_choice = json!({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error", "error": {"code": 502, "message": "upstream"}}]});
    let anthropic = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let flat = json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": null});
    let mut failed = openai_resp("", "failed", None);
    failed["error"] = json!({"code": "server_error", "message": "Overloaded"});
    let failed = json!({"type": "response.failed", "response": failed});
    let gemini = json!({"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}});
    for (kind, error, expected, says) in [
        (AdapterKind::OpenAI, openai, Transport, "an error in a successful response: Overloaded"),
        (AdapterKind::OpenAI, limited, RateLimited, "an error in a successful response: slow down"),
        (AdapterKind::OpenAI, in_choice, Transport, "an error in a successful response: upstream"),
        (AdapterKind::OpenAIResp, flat, RateLimited, "an error in a successful response: slow down"),
        (AdapterKind::OpenAIResp, failed, Transport, "an error in a successful response: Overloaded"),
        (AdapterKind::Anthropic, anthropic, Transport, "an error in a successful response: Overloaded"),
        (AdapterKind::Gemini, gemini, Transport, "an error in a successful response: Overloaded"),
        (
            AdapterKind::Ollama,
            json!({"error": "model crashed"}),
            Transport,
            "an error in a successful response: model crashed",
        ),
    ] {
        let mut events = open(kind);
        events.push(event(kind, &error));
        events.extend(ending(kind, WHOLE, stop(kind)));
        let (told, reply) = hear(kind, streamed(kind, events)).await;
        let error = reply.unwrap_err();
        assert_kind(&error, expected);
        assert_eq!(error.message(), says, "{kind}");
        assert_eq!(told, all_deltas(), "{kind}");
    }
}

#[tokio::test]
async fn statuses_are_what_they_are_without_a_stream() {
    for kind in KINDS {
        let busy = Answer::status("429 Too Many Requests", &json!({"error": {"message": "slow down"}}));
        let error = fail_of(kind, busy.header("Retry-After", "7")).await;
        assert_eq!(error.to_string(), "rate limited: HTTP 429 Too Many Requests: slow down", "{kind}");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)), "{kind}");
    }
    let refused = Answer::status("401 Unauthorized", &json!({"error": {"message": "wrong key"}}));
    assert_kind(&fail_of(AdapterKind::OpenAI, refused).await, AgentErrorKind::Refused);
    let reset = fail_of(AdapterKind::OpenAI, Answer::Reset).await;
    assert_kind(&reset, AgentErrorKind::Transport);
    assert!(reset.message().contains("error sending request"), "{reset}");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_told_from_a_broken_one() {
    for kind in [AdapterKind::OpenAI, AdapterKind::OpenAIResp, AdapterKind::Anthropic, AdapterKind::Gemini] {
        let error = fail_of(kind, Answer::json(&openai(WHOLE, "stop"))).await;
        assert_eq!(
            error.to_string(),
            "garbled reply: the response holds no events; where the server does not stream, ask without `stream`",
            "{kind}"
        );
    }
    let (told, reply) = hear(AdapterKind::Ollama, Answer::json(&ollama(WHOLE, "stop"))).await;
    assert_eq!((told.len(), reply.unwrap().text()), (1, WHOLE));
}

#[tokio::test]
async fn what_is_not_utf8_is_garbled_and_half_a_character_is_waited_for() {
    let kind = AdapterKind::OpenAI;
    let events = |text: &str| {
        let text = event(kind, &delta(kind, text)) + &ending(kind, text, "stop").concat();
        text.into_bytes()
    };
    let answer = |bytes: Vec<Vec<u8>>| Answer::Chunks(content_type(kind), bytes, End::Whole);

    let mut bytes = events("caf?");
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xE9;
    let error = fail_of(kind, answer(vec![bytes])).await;
    assert_eq!(error.to_string(), "garbled reply: the reply is not UTF-8");

    let bytes = events("café");
    let middle = bytes.iter().position(|byte| *byte == 0xC3).unwrap() + 1;
    let (start, rest) = bytes.split_at(middle);
    let (told, reply) = hear(kind, answer(vec![start.to_vec(), rest.to_vec()])).await;
    assert_eq!((told[0].0.as_str(), reply.unwrap().text()), ("café", "café"));
}

#[tokio::test]
async fn what_was_lost_on_the_way_is_not_lost_for_the_reply() {
    let kind = AdapterKind::OpenAIResp;
    let mut events = closed(kind, "completed");
    // `genai` leaves out events of this API that it cannot read.
    events[2] =
        "event: response.output_text.delta\ndata: {\"type\": \"response.output_text.delta\"}\n\n".to_owned();
    let (told, reply) = hear(kind, streamed(kind, events)).await;
    assert_eq!(reply.unwrap().text(), WHOLE);
    assert_eq!(told.last().unwrap(), &(WHOLE.to_owned(), true));

    let kind = AdapterKind::Anthropic;
    let events = closed(kind, "end_turn").concat().replace('\n', "\r\n").into_bytes();
    let name = b"event: content_block_delta\r";
    let at = events.windows(name.len()).position(|bytes| bytes == name).unwrap() + name.len();
    let (start, rest) = events.split_at(at);
    // The pause is long enough that the two parts are not read as one.
    let (go, gate) = mpsc::channel();
    let end = End::Gated(Arc::new(Mutex::new(gate)));
    let later = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(200));
        go.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(200));
    });
    let error =
        fail_of(kind, Answer::Chunks(content_type(kind), vec![start.to_vec(), rest.to_vec()], end)).await;
    later.await.unwrap();
    assert_eq!(error.to_string(), "garbled reply: an event of the stream came without its name");
}

#[tokio::test]
async fn a_response_that_does_not_repeat_its_text_is_the_text_that_was_told() {
    let kind = AdapterKind::OpenAIResp;
    let thought = json!({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm."}]});
    for output in [json!([]), json!([thought])] {
        let mut response = openai_resp("", "completed", None);
        response["output"] = output;
        let mut events = open(kind);
        events.push(event(kind, &json!({"type": "response.completed", "response": response})));
        let (told, reply) = hear(kind, streamed(kind, events)).await;
        assert_eq!((told, reply.unwrap().text()), (all_deltas(), WHOLE));
    }
}

#[tokio::test]
async fn what_a_model_thinks_is_not_told() {
    for (kind, thought) in [
        (AdapterKind::OpenAI, json!({"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]})),
        (AdapterKind::OpenAIResp, json!({"type": "response.reasoning_text.delta", "delta": "Hm."})),
        (
            AdapterKind::Gemini,
            json!({"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": true}]}}]}),
        ),
        (AdapterKind::Ollama, json!({"message": {"content": "", "thinking": "Hm."}, "done": false})),
    ] {
        let mut events = closed(kind, stop(kind));
        events.insert(beginning(kind).len(), event(kind, &thought));
        let (told, reply) = hear(kind, streamed(kind, events)).await;
        assert_eq!((told, reply.unwrap().text()), (all_deltas(), WHOLE), "{kind}");
    }
}

#[tokio::test]
async fn the_schema_is_sent_and_left_to_the_prompt_as_without_a_stream() {
    let kind = AdapterKind::OpenAI;
    let schema = json!({
        "type": "object", "properties": {"legs": {"type": "integer"}}, "required": ["legs"],
        "additionalProperties": false,
    });
    let request = request().with_schema(Arc::new(schema));
    let refusal = Answer::status("400 Bad Request", &json!({"error": {"message": "no schemas here"}}));
    let server = Server::start([refusal, streamed(kind, closed(kind, "stop"))]);
    let (told, reply) = hear_request(kind, &request, &server).await;
    assert_eq!(told, all_deltas());
    let notes = reply.unwrap().notes().concat();
    assert!(notes.contains("the schema was refused") && notes.contains("no schemas here"), "{notes}");
    let received = server.received();
    assert_eq!(received[0].body["response_format"]["type"], "json_schema");
    assert!(received[1].body.get("response_format").is_none());
}

/// All that can be printed of an error and its causes.
fn everything(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(|error| format!("{error} {error:?} {error:#?}")).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn keys_are_seen_in_no_error_of_a_stream() {
    for kind in KINDS {
        let echo = json!({"type": "error", "error": {"message": format!("wrong key {KEY}, `Bearer {KEY}`")}});
        for answer in [
            streamed(kind, vec![event(kind, &echo)]),
            streamed(kind, vec![format!("data: {{{KEY}\n\n")]),
            Answer::bytes("200 OK", "text/plain", KEY),
            Answer::status("500 Internal Server Error", &echo),
        ] {
            let server = Server::start([answer]);
            let agent = agent_at(kind, server.url(&format!("api/?key={KEY}&path=/")));
            let error = agent.stream(&request(), DeltaSink::new(|_| ())).await.unwrap_err();
            let shown = everything(&error);
            assert!(!shown.contains(KEY), "{kind}: {shown}");
        }
    }
}

/// Dropping the future closes the connection, so that the provider stops writing.
#[tokio::test]
async fn a_reply_that_nobody_waits_for_is_not_written_to_its_end() {
    for kind in KINDS {
        let (gone, is_gone) = mpsc::channel();
        let server = Server::start([chunks(kind, open(kind), End::Never(gone))]);
        let agent = agent(kind, &server);
        let (request, is_received) = (request(), AtomicBool::new(false));
        let mut reply = agent.stream(&request, DeltaSink::new(|_| is_received.store(true, Ordering::SeqCst)));
        poll_fn(|context| {
            assert!(reply.as_mut().poll(context).is_pending(), "{kind}");
            if is_received.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        drop(reply);
        let waiting = tokio::task::spawn_blocking(move || is_gone.recv_timeout(LONGEST_WAIT));
        waiting.await.unwrap().unwrap_or_else(|_| panic!("{kind}: the server still writes"));
    }
}

#[tokio::test]
async fn an_extraction_tells_an_interrupted_reply_apart() {
    let kind = AdapterKind::OpenAI;
    let stalled = chunks(kind, open(kind), End::Stalled(Duration::from_millis(1300)));
    let broken = chunks(kind, open(kind), End::Broken);
    let server = Server::start([broken, stalled, streamed(kind, closed(kind, "stop"))]);
    let agent = agent(kind, &server);
    let contract = Contract::from_schema(json!({"type": "object", "required": ["legs"]})).unwrap();
    let mut lines = Vec::new();
    let extraction = contract.extract(&agent, "A spider.").stream(true).timeout(Duration::from_secs(1));
    let extraction = extraction
        .transport_options(TransportOptions::new().backoff(Duration::ZERO, Duration::ZERO))
        .observe(|event| match event {
            Event::Delta { text, is_first, .. } => lines.push(format!("{is_first} {text}")),
            Event::TransportFailed { error, .. } => lines.push(error.kind().to_string()),
            _ => {}
        });

    let (value, metrics) = extraction.await.unwrap();

    assert_eq!(value, json!({"legs": 8}));
    assert_eq!((metrics.attempts, metrics.transport_retries), (1, 2));
    assert_eq!((metrics.usage.input_tokens, metrics.usage.output_tokens), (21, 7));
    let deltas = ["true {\"legs\"", "false : ", "false 8}"];
    let expected = [&deltas[..], &["transport failure"], &deltas, &["timeout"], &deltas].concat();
    assert_eq!(lines, expected);
}

/// A server that would write forever is no longer read.
#[tokio::test]
async fn a_reply_that_only_repeats_itself_is_ended() {
    for kind in KINDS {
        let (gone, is_gone) = mpsc::channel();
        let mut events = open(kind);
        events.push(event(kind, &delta(kind, r#""Ondricka", "#)).repeat(4));
        let server = Server::start([chunks(kind, events, End::Never(gone))]);
        let (agent, request) = (agent(kind, &server), request());
        let mut text = String::new();
        let sink = DeltaSink::new(|delta| text.push_str(delta.text)).watching(&request);
        let reply = agent.stream(&request, sink).await.unwrap();
        assert_eq!(reply.finish_reason(), &FinishReason::Repetition, "{kind}");
        assert_eq!(reply.text(), text, "{kind}");
        assert!((2_048..4_000).contains(&text.len()), "{kind}: {}", text.len());
        let waiting = tokio::task::spawn_blocking(move || is_gone.recv_timeout(LONGEST_WAIT));
        waiting.await.unwrap().unwrap_or_else(|_| panic!("{kind}: the server still writes"));
    }
}

#[tokio::test]
async fn a_server_can_end_a_repetition_itself() {
    let kind = AdapterKind::OpenAI;
    let (_, reply) = hear(kind, streamed(kind, closed(kind, "repetition"))).await;
    assert_eq!(reply.unwrap().finish_reason(), &FinishReason::Repetition);
}

/// The events of one call of `submit` in three deltas.
fn calling(kind: AdapterKind) -> Vec<String> {
    let data: Vec<Value> = match kind {
        AdapterKind::OpenAI => {
            let part = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
            let function = json!({"name": "submit", "arguments": ""});
            let first = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
            let rest = DELTAS.map(|text| part(json!({"index": 0, "function": {"arguments": text}})));
            [part(first)].into_iter().chain(rest).collect()
        }
        AdapterKind::Anthropic => {
            let block = json!({"type": "tool_use", "id": "toolu_1", "name": "submit", "input": {}});
            let first = json!({"type": "content_block_start", "index": 1, "content_block": block});
            let rest = DELTAS.map(|text| {
                let delta = json!({"type": "input_json_delta", "partial_json": text});
                json!({"type": "content_block_delta", "index": 1, "delta": delta})
            });
            let end = json!({"type": "content_block_stop", "index": 0});
            [end, first].into_iter().chain(rest).collect()
        }
        _ => {
            let call = json!({"functionCall": {"name": "submit", "args": {"legs": 8}}});
            vec![json!({"candidates": [{"content": {"parts": [call], "role": "model"}, "index": 0}]})]
        }
    };
    let reason = match kind {
        AdapterKind::OpenAI => "tool_calls",
        AdapterKind::Anthropic => "tool_use",
        _ => stop(kind),
    };
    let events = beginning(kind).into_iter().chain(data).map(|data| event(kind, &data));
    events.chain(ending(kind, "", reason)).collect()
}

#[tokio::test]
async fn the_arguments_of_calls_are_streamed_as_they_are_written() {
    for (kind, expected) in [
        (AdapterKind::OpenAI, DELTAS.as_slice()),
        (AdapterKind::Anthropic, DELTAS.as_slice()),
        (AdapterKind::Gemini, ["{\"legs\":8}"].as_slice()),
    ] {
        let server = Server::start([streamed(kind, calling(kind))]);
        let mut told = Vec::new();
        let request = request();
        let sink = DeltaSink::new(|Delta { text, call, .. }| {
            told.push((call.map(|call| (call.index, call.name.to_owned())), text.to_owned()));
        });
        let agent = agent(kind, &server);
        let reply = agent.stream(&request, sink).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!((reply.text(), reply.calls().len()), ("", 1), "{kind}");
        assert_eq!(reply.calls()[0].arguments, json!({"legs": 8}), "{kind}");
        let submit = |text: &&str| (Some((0, "submit".to_owned())), (*text).to_owned());
        assert_eq!(told, expected.iter().map(submit).collect::<Vec<_>>(), "{kind}");
    }
}
