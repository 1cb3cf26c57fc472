//! Amazon Bedrock, by its interface of Chat Completions, which the models of OpenAI and some others
//! have. Its other models speak Converse, which is not supported here.

use super::Profile;
use crate::format::StopMeaning;

pub(super) const BEDROCK: Profile = Profile {
    name: "bedrock",
    title: "Amazon Bedrock",
    address: "https://bedrock-runtime.{AWS_REGION:us-east-1}.amazonaws.com/openai/v1",
    key_variables: &["AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_API_KEY"],
    needs_key: true,
    token_limit: "max_completion_tokens",
    stop_reasons: &[("guardrail_intervened", StopMeaning::Filter), ("content_filtered", StopMeaning::Filter)],
    sources: &[
        "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html",
    ],
    ..Profile::CHAT_COMPLETIONS
};
