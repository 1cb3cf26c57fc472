//! OpenAI's models on Azure, by the interface `v1`: the name of the model is the name of a
//! deployment.
//!
//! The token limit's name depends on the deployed model, so the name in an error of the server is
//! used from then on.

use extract::schema::dialect::{Dialect, REFUSED_BY_AZURE};

use super::{Caching, KeyHeader, Media, Profile, SchemaSupport, batching};

pub(super) const AZURE: Profile = Profile {
    name: "azure",
    title: "Azure OpenAI",
    address: "{AZURE_OPENAI_ENDPOINT}/openai/v1",
    key_variables: &["AZURE_OPENAI_API_KEY"],
    key_header: KeyHeader::Named("api-key"),
    needs_key: true,
    schema: SchemaSupport {
        without: &REFUSED_BY_AZURE,
        max_properties: Some(100),
        max_levels: Some(5),
        ..SchemaSupport::by_provider(Dialect::OpenAi)
    },
    token_limit: "max_completion_tokens",
    caching: Caching::Automatic,
    log_probabilities: true,
    batch: Some(batching::AZURE),
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs",
        "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
    ],
    ..Profile::CHAT_COMPLETIONS
};
