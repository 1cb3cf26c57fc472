//! Cerebras.

use extract::schema::dialect::Dialect;

use super::{Profile, SchemaSupport};

/// Keywords of OpenAI's dialect that Cerebras refuses with the whole schema: `Invalid fields for schema
/// with types ['array']: {'maxItems'}`. Its documentation has no list; these are in reports and other
/// clients of 2025 and 2026, which say that it takes `pattern`. Read in November 2026.
const REFUSED: [&str; 7] =
    ["format", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

pub(super) const CEREBRAS: Profile = Profile {
    name: "cerebras",
    title: "Cerebras",
    address: "https://api.cerebras.ai/v1",
    key_variables: &["CEREBRAS_API_KEY"],
    needs_key: true,
    schema: SchemaSupport { without: &REFUSED, ..SchemaSupport::by_decoder(Dialect::OpenAi) },
    token_limit: "max_completion_tokens",
    log_probabilities: true,
    sources: &[
        "https://inference-docs.cerebras.ai/capabilities/structured-outputs",
        "https://inference-docs.cerebras.ai/api-reference/chat-completions",
        "https://github.com/musistudio/claude-code-router/issues/708",
    ],
    ..Profile::CHAT_COMPLETIONS
};
