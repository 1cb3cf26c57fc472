//! Inference providers of Hugging Face. The provider that answers decides whether a schema is
//! enforced.

use super::Profile;

pub(super) const HUGGINGFACE: Profile = Profile {
    name: "huggingface",
    title: "Hugging Face",
    address: "https://router.huggingface.co/v1",
    key_variables: &["HF_TOKEN"],
    needs_key: true,
    sources: &["https://huggingface.co/docs/inference-providers/tasks/chat-completion"],
    ..Profile::CHAT_COMPLETIONS
};
