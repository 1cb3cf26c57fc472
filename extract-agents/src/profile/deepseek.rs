//! DeepSeek. Its JSON mode knows no schema, and JSON of any form adds nothing to a described
//! schema, so neither is used.

use super::{Caching, Media, Profile, SchemaSupport};
use crate::format::{StopMeaning, ThinkingForm};

pub(super) const DEEPSEEK: Profile = Profile {
    name: "deepseek",
    title: "DeepSeek",
    address: "https://api.deepseek.com",
    key_variables: &["DEEPSEEK_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::NONE,
    thinking: ThinkingForm::Toggle,
    caching: Caching::Automatic,
    seed: None,
    log_probabilities: true,
    media: Media::Nothing,
    stop_reasons: &[("insufficient_system_resource", StopMeaning::Interrupted)],
    read: "November 2026",
    sources: &[
        "https://api-docs.deepseek.com/api/create-chat-completion",
        "https://api-docs.deepseek.com/guides/thinking_mode",
    ],
    ..Profile::CHAT_COMPLETIONS
};
