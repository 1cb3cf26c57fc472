//! OpenAI, by Chat Completions and by Responses.

use extract::schema::dialect::Dialect;

use super::{Caching, Media, Profile, SchemaSupport, batching};
use crate::format::{ThinkingForm, WireFormat};

pub(super) const OPENAI: Profile = Profile {
    name: "openai",
    title: "OpenAI",
    address: "https://api.openai.com/v1",
    address_variable: Some(("OPENAI_BASE_URL", "")),
    key_variables: &["OPENAI_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_provider(Dialect::OpenAi),
    token_limit: "max_completion_tokens",
    caching: Caching::Automatic,
    log_probabilities: true,
    batch: Some(batching::OPENAI),
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://platform.openai.com/docs/api-reference/chat",
        "https://platform.openai.com/docs/guides/prompt-caching",
    ],
    ..Profile::CHAT_COMPLETIONS
};

pub(super) const OPENAI_RESPONSES: Profile = Profile {
    name: "openai-responses",
    title: "OpenAI (Responses)",
    address: "https://api.openai.com/v1",
    address_variable: Some(("OPENAI_BASE_URL", "")),
    key_variables: &["OPENAI_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_provider(Dialect::OpenAi),
    wire: WireFormat::Responses,
    token_limit: "max_output_tokens",
    thinking: ThinkingForm::ReasoningEffort,
    caching: Caching::Automatic,
    seed: None,
    log_probabilities: true,
    batch: Some(batching::OPENAI),
    reports_usage_on_request: false,
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://platform.openai.com/docs/api-reference/responses",
        "https://platform.openai.com/docs/guides/prompt-caching",
    ],
    ..Profile::CHAT_COMPLETIONS
};
