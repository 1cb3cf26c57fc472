//! Z.ai. Its JSON mode knows no schema.

use super::{Caching, Profile, SchemaSupport};
use crate::format::{StopMeaning, ThinkingForm};

pub(super) const ZAI: Profile = Profile {
    name: "zai",
    title: "Z.ai",
    address: "https://api.z.ai/api/paas/v4",
    key_variables: &["ZAI_API_KEY"],
    needs_key: true,
    schema: SchemaSupport::NONE,
    thinking: ThinkingForm::Toggle,
    caching: Caching::Automatic,
    seed: None,
    stop_reasons: &[("sensitive", StopMeaning::Filter), ("network_error", StopMeaning::Interrupted)],
    reports_usage_on_request: false,
    sources: &["https://docs.z.ai/api-reference/llm/chat-completion"],
    ..Profile::CHAT_COMPLETIONS
};
