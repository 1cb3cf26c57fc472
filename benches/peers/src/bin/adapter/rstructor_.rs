//! `rstructor`.

use rstructor::{LLMClient as _, OpenAIClient};

use crate::order::Order;

pub(crate) struct Asker(OpenAIClient);

impl Asker {
    pub(crate) fn new(url: &str) -> Self {
        let client = OpenAIClient::new("a key").expect("a client");
        Self(client.base_url(url).model(crate::MODEL))
    }

    /// One attempt is no retry.
    pub(crate) async fn ask(&self, attempts: u32) -> Result<Order, String> {
        let client = self.0.clone().max_retries(attempts as usize - 1);
        client.extract(crate::PROMPT).await.map_err(|error| error.to_string())
    }
}
