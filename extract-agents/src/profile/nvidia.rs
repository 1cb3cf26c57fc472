//! NVIDIA NIM, hosted. Whether a schema is enforced depends on the model.

use super::Profile;

pub(super) const NVIDIA: Profile = Profile {
    name: "nvidia",
    title: "NVIDIA NIM",
    address: "https://integrate.api.nvidia.com/v1",
    key_variables: &["NVIDIA_API_KEY"],
    needs_key: true,
    log_probabilities: true,
    sources: &["https://docs.nvidia.com/nim/large-language-models/latest/structured-generation.html"],
    ..Profile::CHAT_COMPLETIONS
};
