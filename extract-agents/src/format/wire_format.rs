//! The form of requests and replies.

use std::fmt;

use crate::http::{escaped, joined};

/// The form of requests and replies that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireFormat {
    /// Chat Completions of OpenAI, and of most other servers.
    /// Source: <https://platform.openai.com/docs/api-reference/chat>
    ChatCompletions,
    /// Responses of OpenAI. Source: <https://platform.openai.com/docs/api-reference/responses>
    Responses,
    /// Messages of Anthropic. Source: <https://platform.claude.com/docs/en/api/messages>
    Messages,
    /// `generateContent` of Gemini and Vertex AI.
    /// Source: <https://ai.google.dev/api/generate-content>
    GenerateContent,
    /// `/api/chat` of Ollama. Source: <https://github.com/ollama/ollama/blob/main/docs/api.md>
    OllamaChat,
    /// Converse of Amazon Bedrock.
    /// Source: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>
    Converse,
}

impl fmt::Display for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ChatCompletions => "Chat Completions",
            Self::Responses => "Responses",
            Self::Messages => "Messages",
            Self::GenerateContent => "generateContent",
            Self::OllamaChat => "/api/chat",
            Self::Converse => "Converse",
        })
    }
}

/// How a reply arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyTransfer {
    Whole,
    Streamed,
}

impl WireFormat {
    /// All wire formats.
    pub const ALL: [Self; 6] = [
        Self::ChatCompletions,
        Self::Responses,
        Self::Messages,
        Self::GenerateContent,
        Self::OllamaChat,
        Self::Converse,
    ];

    /// The URL of a request, below `address`.
    pub(crate) fn url(self, address: &str, model: &str, transfer: ReplyTransfer) -> String {
        let path = match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
            Self::OllamaChat => "/api/chat",
            Self::GenerateContent => {
                let method = match transfer {
                    ReplyTransfer::Streamed => "streamGenerateContent?alt=sse",
                    ReplyTransfer::Whole => "generateContent",
                };
                return joined(address, &Self::of_model(model, method));
            }
            Self::Converse => {
                let method = match transfer {
                    ReplyTransfer::Streamed => "converse-stream",
                    ReplyTransfer::Whole => "converse",
                };
                return joined(address, &format!("/model/{}/{method}", escaped(model, b".~")));
            }
        };
        joined(address, path)
    }

    /// The path of a method of a Gemini model.
    pub(crate) fn of_model(model: &str, method: &str) -> String {
        let models = if model.contains('/') { "" } else { "models/" };
        format!("/{models}{}:{method}", escaped(model, b".~/@:"))
    }
}
