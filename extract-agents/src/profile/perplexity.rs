//! Perplexity. The first request with a new schema takes longer.

use extract::schema::dialect::Dialect;

use super::{DocumentForm, Media, Profile, SchemaSupport};

pub(super) const PERPLEXITY: Profile = Profile {
    name: "perplexity",
    title: "Perplexity",
    address: "https://api.perplexity.ai",
    key_variables: &["PERPLEXITY_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi),
    seed: None,
    reports_usage_on_request: false,
    calls_tools: false,
    media: Media::ImagesAndDocuments,
    documents: DocumentForm::FileUrl,
    sources: &["https://docs.perplexity.ai/guides/structured-outputs"],
    ..Profile::CHAT_COMPLETIONS
};
