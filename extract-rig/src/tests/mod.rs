//! rig's own client of an OpenAI-compatible provider against a server on this machine.

mod bounds;
mod calls;
mod extraction;
mod origin;
mod refusals;
mod replies;
mod secrets;
mod stream;
mod thinking;

use rig_agent::AgentBuilder;
use rig_core::{
    Model,
    http_client::HttpClientExt,
    providers::openai::{OpenAI, OpenAIConfig, wire::Chat},
};
use rig_reqwest::ReqwestClient;
use serde_json::{Value, json};

use extract::agent::{
    Agent, AgentError, AgentErrorKind, Conversation, DeltaSink, FinishReason, Reply, Request, Role,
};
use extractable_faults::{
    Agents, BUFFERS, HTTP, KEY, contract, everything, openai,
    server::{Answer, Server},
};

use super::*;

/// rig's own HTTP client and ours; neither uses a proxy of the environment.
fn client(url: &str, http: impl HttpClientExt + 'static) -> OpenAI {
    OpenAIConfig::new(KEY).with_base_url(url).connect(http)
}

/// rig's own model, over rig's HTTP client and over ours.
fn chat(url: &str) -> Model<Chat> {
    client(url, ReqwestClient::from(HTTP.clone())).chat("some-model")
}

fn bounded_chat(url: &str) -> Model<Chat> {
    client(url, BoundedHttp::with_client(HTTP.clone()).max_body_bytes(1 << 20)).chat("some-model")
}

fn model(url: &str) -> RigModel {
    chat(url).into()
}

fn bounded(url: &str) -> RigModel {
    bounded_chat(url).into()
}

fn clerk(model: Model<Chat>) -> RigAgent {
    AgentBuilder::new(model).name("clerk").preamble("You count legs.").build().into()
}

/// A model, an agent, and both with our HTTP client.
fn agents(url: &str) -> Agents {
    vec![
        ("rig model", Box::new(model(url).redacting(KEY))),
        ("rig agent", Box::new(clerk(chat(url)).redacting(KEY))),
        ("rig model, bounded", Box::new(bounded(url).redacting(KEY))),
        ("rig agent, bounded", Box::new(clerk(bounded_chat(url)).redacting(KEY))),
    ]
}

extractable_faults::faults_of!(agents);

fn request() -> Request {
    let conversation =
        Conversation::new().with(Role::System, "Answer in JSON.").with(Role::User, "How many legs?");
    Request::new(conversation)
}

/// Asks a model. Returns the reply and the body of the request.
async fn ask(body: &Value) -> Result<Reply, AgentError> {
    let server = Server::start([Answer::json(body)]);
    model(&server.url("v1")).respond(&request()).await
}

/// Asks an agent.
async fn ask_clerk(body: &Value) -> Result<Reply, AgentError> {
    let server = Server::start([Answer::json(body)]);
    clerk(chat(&server.url("v1"))).respond(&request()).await
}

/// The conversation in the form in which rig sends it to OpenAI.
fn said(body: &Value) -> Vec<(String, String)> {
    let text = |content: &Value| match content.as_array() {
        Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        None => content.as_str().unwrap_or_default().to_owned(),
    };
    let messages = body["messages"].as_array().unwrap().iter();
    messages
        .map(|message| (message["role"].as_str().unwrap().to_owned(), text(&message["content"])))
        .collect()
}
