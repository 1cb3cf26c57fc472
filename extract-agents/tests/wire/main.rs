//! The agents against a local server that speaks each wire format.

mod batches;
mod broken;
mod calls;
mod connections;
mod converse;
mod extraction;
mod faults;
mod formats;
mod head;
mod learning;
mod loose;
mod observed;
mod odd;
mod oracle;
mod parameters;
mod real;
mod refusals;
mod replies;
mod requests;
mod reuse;
mod secrets;
mod server;
mod streams;
mod tolerated;

use std::sync::Arc;

use extract::{
    Contract,
    agent::{Agent as _, AgentError, Conversation, Delta, DeltaSink, Reply, Request, Role},
};
use extract_agents::ProviderAgent;
use serde_json::{Value, json};

use self::server::{Answer, Server};

const KEY: &str = "topsecretkey0123456789";

/// An agent that asks `server` for a model that no other test asks for.
fn agent(provider: &str, server: &Server) -> ProviderAgent {
    ProviderAgent::at(server.url("/api"), format!("{provider}/some-model")).unwrap().key(KEY)
}

fn request() -> Request {
    Request::new(Conversation::new().with(Role::System, "Answer in JSON.").with(Role::User, "How many legs?"))
}

fn legs() -> Arc<Value> {
    Arc::new(json!({
        "title": "Legs",
        "type": "object",
        "properties": {"legs": {"type": "integer", "minimum": 0}},
        "required": ["legs"],
    }))
}

fn contract() -> Contract {
    Contract::from_schema(Value::clone(&legs())).unwrap()
}

async fn ask(provider: &str, answer: Answer) -> Result<Reply, AgentError> {
    let server = Server::start([answer]);
    agent(provider, &server).respond(&request()).await
}

/// The reply to a streamed request, and its deltas.
async fn stream(provider: &str, answer: Answer) -> (Result<Reply, AgentError>, Vec<String>) {
    let server = Server::start([answer]);
    let mut deltas = Vec::new();
    let request = request();
    let record = |delta: Delta<'_>| deltas.push(delta.text.to_owned());
    let reply = agent(provider, &server).stream(&request, DeltaSink::new(record)).await;
    (reply, deltas)
}
