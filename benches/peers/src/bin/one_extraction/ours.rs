//! This project, through its agent for providers.

use extract::Extractable as _;
use extract_agents::ProviderAgent;
use peers::{invoice::Invoice, server::Server};

pub(crate) struct Asker(ProviderAgent);

impl Asker {
    pub(crate) fn new(server: &Server) -> Self {
        let model = format!("openai/{}", crate::MODEL);
        let agent = ProviderAgent::at(server.url(), model).expect("OpenAI has a profile");
        Self(agent.key("a key"))
    }

    pub(crate) async fn ask(&self) -> Invoice {
        Invoice::extract(&self.0, crate::PROMPT).await.expect("the reply conforms").0
    }
}
