//! The cases that the official SDKs judge: every request that is sent, and every reply with what was
//! read from it. `extract-agents/oracle/run` has them checked.

use std::{env, fmt::Write as _, fs, path::PathBuf};

use extract::agent::{
    Agent as _, AgentError, Conversation, DeltaSink, Part, Reply, Request, Role, ThinkingLevel, ToolCall,
    Turn,
};
use extract_agents::{ProviderAgent, WireFormat};
use serde_json::{Value, json};

use crate::{
    calls, contract,
    formats::{FORMATS, events, kind, stop, whole},
    legs,
    server::{Answer, Server},
};

/// A model of each provider that takes all of the settings.
fn model(provider: &str) -> String {
    let model = match provider {
        "anthropic" => "claude-haiku-4-5",
        "gemini" => "gemini-3-flash",
        _ => "some-model",
    };
    format!("{provider}/{model}")
}

fn question(parts: impl IntoIterator<Item = Part>) -> Request {
    let parts: Vec<_> = [Part::text("How many legs?")].into_iter().chain(parts).collect();
    Request::new(Conversation::new().with(Role::System, "Answer in JSON.").with_parts(Role::User, parts))
}

/// The requests of the table, by name.
fn requests() -> Vec<(&'static str, Request)> {
    let tools = || question([]).with_tools(extract::Toolkit::untyped(contract()).tools());
    let with = |change: fn(&mut Request)| {
        let mut request = question([]);
        change(&mut request);
        request
    };
    let called = Reply::new("I submit it.")
        .with_calls([ToolCall::new("submit", json!({"legs": 6})).with_id("call_1")]);
    let answered = Conversation::new()
        .with(Role::User, "How many legs?")
        .with_turn(Turn::of_calls(&called))
        .with_turn(Turn::of_results([called.calls()[0].answered("six is wrong", true)]));
    let later = Conversation::new()
        .with(Role::System, "Answer in JSON.")
        .with(Role::User, "A worked example.")
        .with(Role::Assistant, "{\"legs\": 6}")
        .with(Role::User, "How many legs? \u{1F577} \"quoted\"")
        .with(Role::Assistant, "{\"legs\": \"8\"}")
        .with(Role::User, "Wrong.");
    let mut answered = Request::new(answered);
    answered.tools = tools().tools;
    vec![
        ("plain", question([])),
        ("schema", question([]).with_schema(legs())),
        ("list", question([]).with_schema(json!({"type": "array", "items": {"type": "integer"}}).into())),
        ("limits", with(|request| (request.max_output_tokens, request.temperature) = (Some(100), Some(0.5)))),
        ("thinking", with(|request| request.thinking = Some(ThinkingLevel::Low))),
        ("thinking less", with(|request| request.thinking = Some(ThinkingLevel::Minimal))),
        ("thinking more", with(|request| request.thinking = Some(ThinkingLevel::Max))),
        ("thinking off", with(|request| request.thinking = Some(ThinkingLevel::Off))),
        ("thinking with a budget", with(|request| request.thinking = Some(ThinkingLevel::Budget(2_000)))),
        ("image", question([Part::image([1, 2].as_slice(), "image/png")])),
        ("image by URL", question([Part::url("https://example.org/a.png", "image/png")])),
        ("document", question([Part::document([1, 2].as_slice(), "application/pdf").named("a.pdf")])),
        ("document by URL", question([Part::url("https://example.org/a.pdf", "application/pdf")])),
        ("tools", tools()),
        ("answered call", answered),
        ("later attempt", Request::new(later).with_schema(legs())),
        ("beginning", with(|request| request.prefill = Some("{\"legs\": ".into()))),
    ]
}

fn format(provider: &str) -> WireFormat {
    extract_agents::Profile::find(provider).unwrap().wire
}

/// What is sent for `request`; `None` if the format has no place for a part of it.
async fn sent(provider: &str, request: &Request, is_streamed: bool) -> Option<Value> {
    let server = Server::start([reply(provider, is_streamed, "{\"legs\": 8}", stop(provider))]);
    let agent = ProviderAgent::at(server.url("/api"), model(provider)).unwrap().top_p(0.5);
    ask(&agent, request, is_streamed).await.ok().map(|_| server.only().body)
}

async fn ask(agent: &ProviderAgent, request: &Request, is_streamed: bool) -> Result<Reply, AgentError> {
    if is_streamed {
        agent.stream(request, DeltaSink::new(|_| {})).await
    } else {
        agent.respond(request).await
    }
}

fn reply(provider: &str, is_streamed: bool, text: &str, reason: &str) -> Answer {
    if is_streamed {
        let (start, end) = text.split_at(text.len() / 2);
        Answer::bytes("200 OK", kind(provider), events(provider, &[start, end], reason).concat())
    } else {
        Answer::json(&whole(provider, text, reason))
    }
}

/// The replies of the table: their name, and whether and what the server answers.
fn replies(provider: &str) -> Vec<(&'static str, bool, Answer)> {
    let length = match provider {
        "openai-responses" => "max_output_tokens",
        "anthropic" | "bedrock-converse" => "max_tokens",
        "gemini" => "MAX_TOKENS",
        _ => "length",
    };
    let mut replies = Vec::new();
    // The binary frames of Converse are no text.
    let is_text = provider != "bedrock-converse";
    for is_streamed in [false, true].into_iter().filter(|is_streamed| is_text || !is_streamed) {
        let mut add = |name, text, reason| {
            replies.push((name, is_streamed, reply(provider, is_streamed, text, reason)));
        };
        add("whole", "{\"legs\": 8, \"name\": \"\u{1F577} spider\"}", stop(provider));
        add("cut", "{\"legs\": 8, \"na", length);
        add("blanks", "\n {\"legs\": 8}\n\n", stop(provider));
    }
    replies.push(("calls", false, Answer::json(&calls::called(provider))));
    replies
}

#[tokio::test]
async fn the_cases_of_the_oracle_are_written() {
    let folder =
        env::var_os("EXTRACT_ORACLE").map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
    let (mut asked, mut read) = (String::new(), String::new());
    for provider in FORMATS {
        let format = format(provider).to_string();
        for (name, request) in requests() {
            for is_streamed in [false, true] {
                let Some(body) = sent(provider, &request, is_streamed).await else { continue };
                let case = json!({"format": format, "name": name, "streamed": is_streamed, "body": body});
                let _ = writeln!(asked, "{case}");
            }
        }
        for (name, is_streamed, answer) in replies(provider) {
            let Answer::Http { headers, body, .. } = &answer else { unreachable!("each has a body") };
            let (kind, body) = (headers[0].1.clone(), String::from_utf8(body.clone()).unwrap());
            let server = Server::start([answer]);
            let agent = ProviderAgent::at(server.url("/api"), model(provider)).unwrap();
            let request = requests().into_iter().find(|(name, _)| *name == "tools").unwrap().1;
            let reply = ask(&agent, &request, is_streamed).await.unwrap();
            let usage = reply.usage().map(|usage| [usage.input_tokens, usage.output_tokens]);
            let calls: Vec<_> = reply.calls().iter().map(|call| json!([call.name, call.arguments])).collect();
            let finish = format!("{:?}", reply.finish_reason());
            let case = json!({"format": format, "name": name, "streamed": is_streamed, "kind": kind, "body": body,
                "text": reply.text(), "usage": usage, "finish": finish, "calls": calls});
            let _ = writeln!(read, "{case}");
        }
    }
    assert!(asked.lines().count() >= 120, "{}", asked.lines().count());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("requests.jsonl"), asked).unwrap();
    fs::write(folder.join("replies.jsonl"), read).unwrap();
}
