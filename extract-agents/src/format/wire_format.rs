//! The form of requests and replies.

use std::fmt::{self, Write as _};

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
}

impl fmt::Display for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ChatCompletions => "Chat Completions",
            Self::Responses => "Responses",
            Self::Messages => "Messages",
            Self::GenerateContent => "generateContent",
            Self::OllamaChat => "/api/chat",
        })
    }
}

impl WireFormat {
    /// All wire formats.
    pub const ALL: [Self; 5] =
        [Self::ChatCompletions, Self::Responses, Self::Messages, Self::GenerateContent, Self::OllamaChat];

    /// The URL of a request, below `address`.
    pub(crate) fn url(self, address: &str, model: &str, is_streamed: bool) -> String {
        let (address, query) = address.split_once('?').map_or((address, ""), |(path, query)| (path, query));
        let address = address.trim_end_matches('/');
        let mut url = match self {
            Self::ChatCompletions => format!("{address}/chat/completions"),
            Self::Responses => format!("{address}/responses"),
            Self::Messages => format!("{address}/messages"),
            Self::OllamaChat => format!("{address}/api/chat"),
            Self::GenerateContent => {
                let method = if is_streamed { "streamGenerateContent?alt=sse" } else { "generateContent" };
                let models = if model.contains('/') { "" } else { "models/" };
                format!("{address}/{models}{}:{method}", escaped(model))
            }
        };
        if !query.is_empty() {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(query);
        }
        url
    }
}

/// A model's name as a path, which must not end it.
fn escaped(model: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/@:".contains(&byte);
    let mut path = String::new();
    for byte in model.bytes() {
        if is_plain(byte) {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path
}
