//! OpenRouter. Without `require_parameters`, it also asks a provider that does not know a schema,
//! which ignores it.

use extract::schema::dialect::Dialect;

use super::{Caching, Media, Profile, SchemaSupport};
use crate::format::ThinkingForm;

pub(super) const OPENROUTER: Profile = Profile {
    name: "openrouter",
    title: "OpenRouter",
    address: "https://openrouter.ai/api/v1",
    key_variables: &["OPENROUTER_API_KEY", "OPEN_ROUTER_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi),
    with_schema: Some(("provider", r#"{"require_parameters": true}"#)),
    thinking: ThinkingForm::Reasoning,
    caching: Caching::Automatic,
    log_probabilities: true,
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://openrouter.ai/docs/features/structured-outputs",
        "https://openrouter.ai/docs/features/provider-routing",
        "https://openrouter.ai/docs/api-reference/overview",
    ],
    ..Profile::CHAT_COMPLETIONS
};
