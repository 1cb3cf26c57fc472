//! vLLM, which turns a schema into a grammar of XGrammar or Guidance.

use extract::schema::dialect::Dialect;

use super::{Caching, Prefill, Profile, SchemaSupport};
use crate::format::{StopMeaning, ThinkingForm};

pub(super) const VLLM: Profile = Profile {
    name: "vllm",
    title: "vLLM",
    address: "{VLLM_BASE_URL:http://localhost:8000/v1}",
    key_variables: &["VLLM_API_KEY"],
    schema: SchemaSupport::by_decoder(Dialect::Ollama),
    token_limit: "max_completion_tokens",
    thinking: ThinkingForm::TemplateArguments,
    caching: Caching::Automatic,
    prefill: Prefill::ContinueFinalMessage,
    log_probabilities: true,
    stop_reasons: &[("abort", StopMeaning::Interrupted), ("repetition", StopMeaning::Repetition)],
    read: "November 2026",
    sources: &[
        "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
        "https://docs.vllm.ai/en/latest/features/structured_outputs.html",
    ],
    ..Profile::CHAT_COMPLETIONS
};
