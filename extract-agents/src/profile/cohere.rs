//! Cohere, by its interface of Chat Completions, which refuses `stream_options`.

use extract::schema::dialect::Dialect;

use super::{Profile, SchemaForm, SchemaSupport};
use crate::format::StopMeaning;

pub(super) const COHERE: Profile = Profile {
    name: "cohere",
    title: "Cohere",
    address: "https://api.cohere.ai/compatibility/v1",
    key_variables: &["COHERE_API_KEY", "CO_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::by_decoder(Dialect::OpenAi).in_form(SchemaForm::JsonObject),
    reports_usage_on_request: false,
    stop_reasons: &[
        ("complete", StopMeaning::Whole),
        ("error_toxic", StopMeaning::Filter),
        ("error_limit", StopMeaning::Length),
    ],
    read: "November 2026",
    sources: &[
        "https://docs.cohere.com/docs/compatibility-api",
        "https://docs.cohere.com/docs/structured-outputs",
    ],
    ..Profile::CHAT_COMPLETIONS
};
