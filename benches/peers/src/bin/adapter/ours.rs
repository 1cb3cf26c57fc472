//! This project, through its agent for `genai`.

use extract::{
    Extractable as _,
    agent::{GenaiAgent, genai_crate as genai},
};
use genai::{
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};

use crate::order::Order;

pub(crate) struct Asker(GenaiAgent);

impl Asker {
    pub(crate) fn new(url: &str) -> Self {
        let endpoint = Endpoint::from_owned(format!("{url}/"));
        let client = genai::Client::builder()
            .append_provider_config(AdapterKind::OpenAI, (endpoint, AuthData::from_single("a key")))
            .build()
            .expect("a client");
        Self(GenaiAgent::with_client(client, format!("openai/{}", crate::MODEL)).expect("genai knows OpenAI"))
    }

    pub(crate) async fn ask(&self, attempts: u32) -> Result<Order, String> {
        let asked = Order::extract(&self.0, crate::PROMPT).max_attempts(attempts).await;
        asked.map(|(order, _)| order).map_err(|error| error.to_string())
    }
}
