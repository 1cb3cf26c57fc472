//! Anthropic.

use extract::schema::dialect::Dialect;

use super::{Caching, KeyHeader, Media, Prefill, Profile, SchemaSupport, batching};
use crate::format::{ThinkingForm, WireFormat, claude};

pub(super) const ANTHROPIC: Profile = Profile {
    name: "anthropic",
    title: "Anthropic",
    address: "https://api.anthropic.com/v1",
    address_variable: Some(("ANTHROPIC_BASE_URL", "/v1")),
    key_variables: &["ANTHROPIC_API_KEY"],
    key_header: KeyHeader::Named("x-api-key"),
    needs_key: true,
    headers: &[("anthropic-version", "2023-06-01")],
    wire: WireFormat::Messages,
    schema: SchemaSupport::by_provider(Dialect::Anthropic),
    thinking: ThinkingForm::Messages,
    caching: Caching::Breakpoints,
    seed: None,
    prefill: Prefill::LastTurn,
    continues: claude::continues,
    batch: Some(batching::ANTHROPIC),
    reports_usage_on_request: false,
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://platform.claude.com/docs/en/api/messages",
        "https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
        "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
    ],
    ..Profile::CHAT_COMPLETIONS
};
