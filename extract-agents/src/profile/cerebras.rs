//! Cerebras.

use extract::schema::dialect::Dialect;

use super::{Profile, SchemaSupport};

pub(super) const CEREBRAS: Profile = Profile {
    name: "cerebras",
    title: "Cerebras",
    address: "https://api.cerebras.ai/v1",
    key_variables: &["CEREBRAS_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi),
    token_limit: "max_completion_tokens",
    log_probabilities: true,
    sources: &[
        "https://inference-docs.cerebras.ai/capabilities/structured-outputs",
        "https://inference-docs.cerebras.ai/api-reference/chat-completions",
    ],
    ..Profile::CHAT_COMPLETIONS
};
