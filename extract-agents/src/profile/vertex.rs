//! Gemini on Vertex AI. The key is an access token, as `gcloud auth print-access-token` prints it; it
//! lives for an hour. Each location has a host of its own.

use extract::schema::dialect::Dialect;

use super::{Caching, Media, Profile, SchemaSupport};
use crate::format::{ThinkingForm, WireFormat};

pub(super) const VERTEX: Profile = Profile {
    name: "vertex",
    title: "Vertex AI",
    address: "https://{GOOGLE_CLOUD_LOCATION:aiplatform.googleapis.com}/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION:global}/publishers/google",
    key_variables: &["VERTEX_ACCESS_TOKEN"],
    needs_key: true,
    wire: WireFormat::GenerateContent,
    schema: SchemaSupport::by_provider(Dialect::Gemini),
    token_limit: "maxOutputTokens",
    thinking: ThinkingForm::ThinkingConfig,
    caching: Caching::Automatic,
    log_probabilities: true,
    reports_usage_on_request: false,
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &["https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference"],
    ..Profile::CHAT_COMPLETIONS
};
