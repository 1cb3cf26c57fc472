//! `rstructor`.

use peers::{invoice::Invoice, server::Server};
use rstructor::{LLMClient as _, OpenAIClient};

pub(crate) struct Asker(OpenAIClient);

impl Asker {
    pub(crate) fn new(server: &Server) -> Self {
        let client = OpenAIClient::new("a key").expect("a client");
        Self(client.base_url(server.url()).model(crate::MODEL))
    }

    pub(crate) async fn ask(&self) -> Invoice {
        self.0.extract(crate::PROMPT).await.expect("the reply conforms")
    }
}
