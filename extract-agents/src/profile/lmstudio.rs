//! LM Studio, which turns a schema into a grammar of llama.cpp or, for MLX, of Outlines.

use extract::schema::dialect::Dialect;

use super::{Caching, Profile, SchemaSupport};

pub(super) const LMSTUDIO: Profile = Profile {
    name: "lmstudio",
    title: "LM Studio",
    address: "{LMSTUDIO_BASE_URL:http://localhost:1234/v1}",
    key_variables: &["LMSTUDIO_API_KEY"],
    schema: SchemaSupport::by_decoder(Dialect::Ollama),
    caching: Caching::Automatic,
    sources: &["https://lmstudio.ai/docs/developer/openai-compat/structured-output"],
    ..Profile::CHAT_COMPLETIONS
};
