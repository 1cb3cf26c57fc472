//! The agent against a local server with the API of each provider.

mod calls;
mod enveloped;
mod extraction;
mod faults;
mod guard;
mod keys;
mod origin;
mod parts;
mod providers;
mod refusals;
mod server;
mod stream;
mod structured;
mod thinking;

use std::sync::LazyLock;

use genai::{
    Client,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};
use serde_json::{Value, json};

use self::server::{Answer, Server};
use super::GenaiAgent;
use crate::{
    agent::{Agent, AgentError, AgentErrorKind, Conversation, Reply, Request, Role},
    metrics::ReplyOrigin,
};

const KEY: &str = "topsecretkey0123456789";

/// Loading the root certificates takes longer than a test. No connection outlives its runtime: the
/// server closes each one.
static HTTP: LazyLock<reqwest::Client> =
    LazyLock::new(|| reqwest::Client::builder().no_proxy().build().unwrap());

/// An agent that asks `url` in the dialect of `kind`, without any proxy of the environment.
fn agent_at(kind: AdapterKind, url: String) -> GenaiAgent {
    agent_through(HTTP.clone(), kind, url)
}

fn agent_through(http: reqwest::Client, kind: AdapterKind, url: String) -> GenaiAgent {
    let target = (Endpoint::from_owned(url), AuthData::from_single(KEY));
    let client = Client::builder().with_reqwest(http).append_provider_config(kind, target).build().unwrap();
    GenaiAgent::with_client(client, format!("{}/some-model", kind.as_lower_str())).unwrap()
}

fn agent(kind: AdapterKind, server: &Server) -> GenaiAgent {
    agent_at(kind, server.url("api/"))
}

fn request() -> Request {
    let conversation =
        Conversation::new().with(Role::System, "Answer in JSON.").with(Role::User, "How many legs?");
    Request::new(conversation)
}

async fn ask(kind: AdapterKind, answer: Answer) -> Result<Reply, AgentError> {
    let server = Server::start([answer]);
    agent(kind, &server).respond(&request()).await
}

/// Asks a server with the API of OpenAI.
async fn fail(answer: Answer) -> AgentError {
    ask(AdapterKind::OpenAI, answer).await.unwrap_err()
}

fn openai(text: &str, finish_reason: &str) -> Value {
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

/// The origin of a response.
fn origin(model: Option<&str>, response_id: Option<&str>) -> ReplyOrigin {
    ReplyOrigin {
        model: model.map(str::to_owned),
        response_id: response_id.map(str::to_owned),
        ..ReplyOrigin::default()
    }
}

fn assert_kind(error: &AgentError, kind: AgentErrorKind) {
    assert_eq!(error.kind(), kind, "{error}");
}
