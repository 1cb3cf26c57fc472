//! xAI. It reports reasoning separately from the output.

use extract::schema::dialect::Dialect;

use super::{Caching, Profile, SchemaSupport};

pub(super) const XAI: Profile = Profile {
    name: "xai",
    title: "xAI",
    address: "https://api.x.ai/v1",
    key_variables: &["XAI_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_provider(Dialect::OpenAi),
    token_limit: "max_completion_tokens",
    caching: Caching::Automatic,
    log_probabilities: true,
    sources: &["https://docs.x.ai/docs/guides/structured-outputs", "https://docs.x.ai/docs/api-reference"],
    ..Profile::CHAT_COMPLETIONS
};
