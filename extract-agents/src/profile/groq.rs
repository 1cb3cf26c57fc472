//! Groq. With `strict`, which some models have, the schema is enforced; for the others it is a request.

use extract::schema::dialect::Dialect;

use super::{Caching, Profile, SchemaForm, SchemaSupport, batching};

pub(super) const GROQ: Profile = Profile {
    name: "groq",
    title: "Groq",
    address: "https://api.groq.com/openai/v1",
    key_variables: &["GROQ_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::requested(Dialect::OpenAi).in_form(SchemaForm::JsonSchema { strict: Some(false) }),
    schema_of_model: |support, model| {
        if model.contains("gpt-oss") { SchemaSupport::by_decoder(Dialect::OpenAi) } else { support }
    },
    token_limit: "max_completion_tokens",
    caching: Caching::Automatic,
    batch: Some(batching::GROQ),
    read: "November 2026",
    sources: &[
        "https://console.groq.com/docs/structured-outputs",
        "https://console.groq.com/docs/api-reference",
    ],
    ..Profile::CHAT_COMPLETIONS
};
