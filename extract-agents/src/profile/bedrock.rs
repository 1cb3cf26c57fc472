//! Amazon Bedrock with an API key: by its interface of Chat Completions, which the models of OpenAI
//! and some others have, and by Converse, which all have. Models without structured output refuse a
//! schema, which is then left to the prompt. Breakpoints for the cache are sent to Claude since 3.7
//! (and 3.5 Haiku) and to Nova, and thinking levels to Claude since 3.7: other models refuse them.

use extract::schema::dialect::Dialect;

use super::{Caching, Media, Profile, SchemaSupport};
use crate::format::{ThinkingForm, WireFormat};

pub(super) const BEDROCK: Profile = Profile {
    name: "bedrock",
    title: "Amazon Bedrock",
    address: "https://bedrock-runtime.{AWS_REGION:us-east-1}.amazonaws.com/openai/v1",
    key_variables: &["AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_API_KEY"],
    needs_key: true,
    token_limit: "max_completion_tokens",
    sources: &[
        "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html",
    ],
    ..Profile::CHAT_COMPLETIONS
};

pub(super) const BEDROCK_CONVERSE: Profile = Profile {
    name: "bedrock-converse",
    title: "Amazon Bedrock (Converse)",
    address: "https://bedrock-runtime.{AWS_REGION:us-east-1}.amazonaws.com",
    key_variables: &["AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_API_KEY"],
    needs_key: true,
    wire: WireFormat::Converse,
    schema: SchemaSupport::by_decoder(Dialect::Anthropic),
    token_limit: "maxTokens",
    thinking: ThinkingForm::ConverseMessages,
    caching: Caching::Breakpoints,
    seed: None,
    reports_usage_on_request: false,
    media: Media::ImagesAndDocuments,
    read: "November 2026",
    sources: &[
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html",
    ],
    ..Profile::CHAT_COMPLETIONS
};
