//! SGLang, which turns a schema into a grammar of XGrammar.

use extract::schema::dialect::Dialect;

use super::{Caching, Prefill, Profile, SchemaSupport};
use crate::format::ThinkingForm;

pub(super) const SGLANG: Profile = Profile {
    name: "sglang",
    title: "SGLang",
    address: "{SGLANG_BASE_URL:http://localhost:30000/v1}",
    key_variables: &["SGLANG_API_KEY"],
    schema: SchemaSupport::by_decoder(Dialect::Ollama),
    thinking: ThinkingForm::TemplateArguments,
    caching: Caching::Automatic,
    prefill: Prefill::ContinueFinalMessage,
    log_probabilities: true,
    sources: &[
        "https://docs.sglang.ai/advanced_features/structured_outputs.html",
        "https://docs.sglang.ai/basic_usage/openai_api_completions.html",
    ],
    ..Profile::CHAT_COMPLETIONS
};
