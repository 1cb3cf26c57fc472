//! Mistral. It repeats the beginning of a reply that it continues.

use extract::schema::dialect::Dialect;

use super::{DocumentForm, Media, Prefill, Profile, SchemaSupport, batching};
use crate::format::{StopMeaning, ThinkingForm};

pub(super) const MISTRAL: Profile = Profile {
    name: "mistral",
    title: "Mistral",
    address: "https://api.mistral.ai/v1",
    key_variables: &["MISTRAL_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi),
    thinking: ThinkingForm::None,
    seed: Some("random_seed"),
    prefill: Prefill::Prefix,
    batch: Some(batching::MISTRAL),
    stop_reasons: &[("model_length", StopMeaning::Length), ("error", StopMeaning::Interrupted)],
    reports_usage_on_request: false,
    media: Media::ImagesAndDocuments,
    documents: DocumentForm::DocumentUrl,
    read: "November 2026",
    sources: &["https://docs.mistral.ai/api", "https://docs.mistral.ai/capabilities/structured_output"],
    ..Profile::CHAT_COMPLETIONS
};
