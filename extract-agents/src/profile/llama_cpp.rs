//! The server of llama.cpp, seen in November 2026. It turns a schema into a grammar, as Ollama does, and continues a last turn
//! of the model.

use extract::schema::dialect::Dialect;

use super::{Caching, Prefill, Profile, SchemaSupport};
use crate::format::ThinkingForm;

pub(super) const LLAMA_CPP: Profile = Profile {
    name: "llama.cpp",
    title: "llama.cpp",
    address: "{LLAMA_CPP_BASE_URL:http://localhost:8080/v1}",
    key_variables: &["LLAMA_API_KEY"],
    schema: SchemaSupport::by_decoder(Dialect::Ollama),
    thinking: ThinkingForm::TemplateArguments,
    caching: Caching::Automatic,
    prefill: Prefill::RepeatedLastTurn,
    log_probabilities: true,
    reports_usage_on_request: true,
    read: "November 2026",
    sources: &["https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md"],
    ..Profile::CHAT_COMPLETIONS
};
