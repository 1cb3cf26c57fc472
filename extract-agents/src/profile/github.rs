//! GitHub Models. Whether a schema is enforced depends on the model's own host.

use super::Profile;

pub(super) const GITHUB: Profile = Profile {
    name: "github",
    title: "GitHub Models",
    address: "https://models.github.ai/inference",
    key_variables: &["GITHUB_TOKEN"],
    needs_key: true,
    sources: &["https://docs.github.com/rest/models/inference"],
    ..Profile::CHAT_COMPLETIONS
};
