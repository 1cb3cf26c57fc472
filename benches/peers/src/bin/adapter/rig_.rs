//! rig's `Extractor`, at the version that this project goes with.

use extract_rig::{
    BoundedHttp,
    rig_agent::extractor::ExtractorBuilder,
    rig_core::{
        Model,
        providers::openai::{OpenAIConfig, wire::Chat},
    },
};

use crate::order::Order;

pub(crate) struct Asker(Model<Chat>);

impl Asker {
    pub(crate) fn new(url: &str) -> Self {
        let http = BoundedHttp::new().expect("a client");
        Self(OpenAIConfig::new("a key").with_base_url(url).connect(http).chat(crate::MODEL))
    }

    /// The first attempt is not a retry.
    pub(crate) async fn ask(&self, attempts: u32) -> Result<Order, String> {
        let extractor = ExtractorBuilder::<Order>::new(self.0.clone()).retries(attempts as usize - 1).build();
        extractor.extract(crate::PROMPT).await.map(|answer| answer.output).map_err(|error| error.to_string())
    }
}
