//! Gemini.

use extract::schema::dialect::Dialect;

use super::{Caching, KeyHeader, Media, Profile, SchemaSupport, batching};
use crate::format::{ThinkingForm, WireFormat};

pub(super) const GEMINI: Profile = Profile {
    name: "gemini",
    title: "Gemini",
    address: "https://generativelanguage.googleapis.com/v1beta",
    address_variable: Some(("GOOGLE_GEMINI_BASE_URL", "/v1beta")),
    key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    key_header: KeyHeader::Named("x-goog-api-key"),
    needs_key: true,
    wire: WireFormat::GenerateContent,
    schema: SchemaSupport::by_provider(Dialect::Gemini),
    token_limit: "maxOutputTokens",
    thinking: ThinkingForm::ThinkingConfig,
    caching: Caching::Automatic,
    log_probabilities: true,
    batch: Some(batching::GEMINI),
    reports_usage_on_request: false,
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://ai.google.dev/api/generate-content",
        "https://ai.google.dev/gemini-api/docs/thinking",
        "https://ai.google.dev/gemini-api/docs/caching",
    ],
    ..Profile::CHAT_COMPLETIONS
};
