//! LiteLLM, a gateway to other providers. It drops or refuses parameters that the provider does not
//! take, so nothing is known to be enforced.

use super::{Media, Profile};

pub(super) const LITELLM: Profile = Profile {
    name: "litellm",
    title: "LiteLLM",
    address: "{LITELLM_BASE_URL:http://localhost:4000}",
    key_variables: &["LITELLM_API_KEY"],
    media: Media::ImagesAndDocuments,
    sources: &["https://docs.litellm.ai/docs/completion/json_mode"],
    ..Profile::CHAT_COMPLETIONS
};
