//! `genai` with the same question, and serde for the reply.

use extract::{Contract, schema::dialect::Dialect};
use genai::{
    Client, ModelIden,
    adapter::AdapterKind,
    chat::{ChatMessage, ChatOptions, ChatRequest, JsonSpec},
    resolver::{AuthData, Endpoint},
};
use peers::{invoice::Invoice, server::Server};
use serde_json::Value;

pub(crate) struct Asker {
    client: Client,
    model: ModelIden,
    chat: ChatRequest,
    options: ChatOptions,
}

impl Asker {
    /// Asks the question of `body`, a request to Chat Completions, once more.
    pub(crate) fn new(server: &Server, body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).expect("a body is JSON");
        let system = body["messages"][0]["content"].as_str().expect("the instructions");
        let contract = Contract::of::<Invoice>().expect("the schema compiles");
        let native = Dialect::OpenAi.project(contract.schema()).expect("OpenAI takes the schema");
        let chat = ChatRequest::new(vec![ChatMessage::user(crate::PROMPT)]);
        Self {
            client: client(server),
            model: ModelIden::new(AdapterKind::OpenAI, crate::MODEL),
            chat: chat.with_system(system),
            options: ChatOptions::default().with_response_format(JsonSpec::new("Invoice", native.schema)),
        }
    }

    pub(crate) async fn ask(&self) -> Invoice {
        let reply = self.client.exec_chat(self.model.clone(), self.chat.clone(), Some(&self.options)).await;
        let reply = reply.expect("the server replies");
        serde_json::from_str(reply.first_text().expect("a text")).expect("the reply conforms")
    }
}

fn client(server: &Server) -> Client {
    let endpoint = Endpoint::from_owned(format!("{}/", server.url()));
    Client::builder()
        .append_provider_config(AdapterKind::OpenAI, (endpoint, AuthData::from_single("a key")))
        .build()
        .expect("a client")
}
