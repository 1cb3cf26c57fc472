//! This project, through its agent for `genai`.

use extract::{
    Extractable as _,
    agent::{GenaiAgent, genai_crate as genai},
};
use genai::{
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};
use peers::{invoice::Invoice, server::Server};

pub(crate) struct Asker(GenaiAgent);

impl Asker {
    pub(crate) fn new(server: &Server) -> Self {
        let model = format!("openai/{}", crate::MODEL);
        Self(GenaiAgent::with_client(client(server), model).expect("genai knows OpenAI"))
    }

    pub(crate) async fn ask(&self) -> Invoice {
        Invoice::extract(&self.0, crate::PROMPT).await.expect("the reply conforms").0
    }
}

pub(crate) fn client(server: &Server) -> genai::Client {
    let endpoint = Endpoint::from_owned(format!("{}/", server.url()));
    genai::Client::builder()
        .append_provider_config(AdapterKind::OpenAI, (endpoint, AuthData::from_single("a key")))
        .build()
        .expect("a client")
}
