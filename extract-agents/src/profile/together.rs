//! Together AI.

use extract::schema::dialect::Dialect;

use super::{Profile, SchemaSupport, batching};

pub(super) const TOGETHER: Profile = Profile {
    name: "together",
    title: "Together AI",
    address: "https://api.together.xyz/v1",
    key_variables: &["TOGETHER_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi),
    log_probabilities: true,
    counts_log_probabilities: true,
    batch: Some(batching::TOGETHER),
    sources: &[
        "https://docs.together.ai/docs/json-mode",
        "https://docs.together.ai/reference/chat-completions-1",
    ],
    ..Profile::CHAT_COMPLETIONS
};
