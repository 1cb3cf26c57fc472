//! Kimi of Moonshot AI.

use extract::schema::dialect::Dialect;

use super::{Caching, Prefill, Profile, SchemaSupport};
use crate::format::ThinkingForm;

pub(super) const KIMI: Profile = Profile {
    name: "kimi",
    title: "Kimi",
    address: "https://api.moonshot.ai/v1",
    key_variables: &["MOONSHOT_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::requested(Dialect::OpenAi),
    thinking: ThinkingForm::Toggle,
    caching: Caching::Automatic,
    seed: None,
    prefill: Prefill::Partial,
    sources: &["https://platform.moonshot.ai/docs/api/chat", "https://platform.moonshot.ai/docs/api/partial"],
    ..Profile::CHAT_COMPLETIONS
};
