//! Fireworks.

use extract::schema::dialect::Dialect;

use super::{Caching, Profile, SchemaSupport};

pub(super) const FIREWORKS: Profile = Profile {
    name: "fireworks",
    title: "Fireworks",
    address: "https://api.fireworks.ai/inference/v1",
    key_variables: &["FIREWORKS_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi),
    caching: Caching::Automatic,
    log_probabilities: true,
    sources: &[
        "https://docs.fireworks.ai/structured-responses/structured-response-formatting",
        "https://docs.fireworks.ai/api-reference/post-chatcompletions",
    ],
    ..Profile::CHAT_COMPLETIONS
};
