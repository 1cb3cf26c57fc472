//! Ollama, by its own interface: the one of Chat Completions has neither the length of the context nor
//! `truncate`. Models in its cloud accept a schema and do not enforce it.

use extract::schema::dialect::Dialect;

use super::{Caching, Prefill, Profile, SchemaSupport};
use crate::format::{ThinkingForm, WireFormat};

pub(super) const OLLAMA: Profile = Profile {
    name: "ollama",
    title: "Ollama",
    address: "{OLLAMA_HOST:http://localhost:11434}",
    key_variables: &["OLLAMA_API_KEY"],
    wire: WireFormat::OllamaChat,
    schema: SchemaSupport::by_decoder(Dialect::Ollama),
    schema_of_model: |support, model| {
        if model.ends_with("cloud") { SchemaSupport::requested(Dialect::Ollama) } else { support }
    },
    token_limit: "num_predict",
    thinking: ThinkingForm::Think,
    caching: Caching::Automatic,
    prefill: Prefill::LastTurn,
    log_probabilities: true,
    reports_usage_on_request: false,
    read: "November 2026",
    sources: &[
        "https://github.com/ollama/ollama/blob/main/docs/api.md",
        "https://github.com/ollama/ollama/blob/main/docs/context-length.mdx",
        "https://github.com/ollama/ollama/blob/main/api/types.go",
    ],
    ..Profile::CHAT_COMPLETIONS
};
