#![doc = include_str!("../README.md")]
//!
//! # What is sent and what comes back
//!
//! System, user and assistant turns, temperature, and the limit of output tokens are sent. For an
//! agent, the last turn is the prompt, and the turns before it are its history, after its own
//! preamble. Explicit history bypasses the agent's memory. Its documents, tools and hooks work as
//! usual, and its own temperature and limit apply if the extraction sets none.
//!
//! A model gets the schema as native structured output (rig's `output_schema`), in the
//! [dialect](extract::schema::dialect::Dialect) of its provider: OpenAI, Azure, OpenRouter, Groq,
//! xAI, Mistral, Together, Anthropic, Gemini, Ollama and llama.cpp. A
//! [note](extract::agent::Reply::notes) lists the unenforced constraints, or says why the schema is
//! not sent. If a provider accepts only objects, any other answer is requested as `{"answer": …}`
//! and taken out of that object. The prompt has the schema in any case, and the whole schema judges
//! the reply. Agents of rig fix their schema when they are built, so they do not get it.
//!
//! With [`tools`](extract::Extraction::tools) a model gets `example`, `validate` and `submit`. An
//! agent has tools of its own, so it is asked for text.
//!
//! Replies have text, finish reason and the reported tokens; for an agent, the tokens of all its
//! turns and the finish reason of the last. If the run of an agent fails, its tokens are lost,
//! because rig does not report them. rig also fails the run of an agent if the provider gives no
//! finish reason or an unknown one; such a reply of a model is judged as usual.
//!
//! The [origin](extract::agent::Reply::origin) of a reply has the model, the response id and, from
//! the headers, the request id, if the provider names them; for an agent, they are from its last
//! turn. For a model it also has the HTTP status, which rig does not pass on from an agent.
//!
//! A [thinking level](extract::agent::ThinkingLevel) is rig's option `reasoning`. If the model does
//! not accept it, it is asked without the level, and a note has the reason.
//!
//! A [refusal](extract::agent::Reply::is_refusal) of a model is recognised by what its provider
//! reports:
//!
//! - OpenAI: `refusal` in a message or one of its parts; its words are also the text of the reply
//! - Anthropic: the stop reason `refusal` with its explanation
//! - Gemini: a block reason, or a finish reason such as `SAFETY`
//! - the finish reason `content_filter`, without words
//! - an error with the code `content_filter` or `content_policy_violation`
//!
//! If Gemini blocks a prompt for the reason `OTHER`, rig reports a transient failure. For a
//! failed turn of an agent, rig reports only a text, which names the finish reason but not always
//! the words. If Anthropic refuses in the middle of an answer and explains it, the text does not
//! say so, and the reply is [garbled](extract::agent::AgentErrorKind::Garbled).
//!
//! When a reply is [streamed](extract::agent::Agent::stream), a model sends text as it arrives from
//! the provider, without its thoughts, and the reply is the same as without streaming. The
//! exception is a reply that [only repeats itself](extract::agent::RepetitionWatch): it is ended,
//! and its tokens are estimated, because rig has them only at the end. An agent, which may take
//! several turns, sends its reply as one delta.
//!
//! There are no retries and no time limits here: the extraction has both. The HTTP client decides
//! how much of a response is read: rig's own client reads everything, [`BoundedHttp`] does not.
//!
//! # Keys
//!
//! `Debug` omits the model. Errors contain no URLs, nothing that looks like a key, and no values of
//! variables that are named like keys (`OPENAI_API_KEY`). If a server might repeat any other key in
//! an error, name the key with [`redacting`](RigModel::redacting), because rig does not expose it.
//! [`BoundedHttp`] sees the keys that it sends, and redacts them in failures. The logs of rig
//! itself (`tracing`), such as the message of an error in a 200, are not redacted.
//!
//! # Errors
//!
//! - [`Refused`](extract::agent::AgentErrorKind::Refused): 4xx, such as a wrong key or an unknown
//!   model, an exhausted quota, a turn that the provider failed, an agent that is out of turns or
//!   was stopped
//! - [`TooLong`](extract::agent::AgentErrorKind::TooLong): 413, and a 4xx that speaks of the length
//!   of the prompt
//! - [`RateLimited`](extract::agent::AgentErrorKind::RateLimited): 429, with the wait that
//!   `Retry-After` or the body asks for
//! - [`Transport`](extract::agent::AgentErrorKind::Transport): no connection, a broken one, 5xx, an
//!   error in a 200
//! - [`Timeout`](extract::agent::AgentErrorKind::Timeout): 408, and a time limit of the HTTP
//!   client; from an agent the latter is [`Transport`](extract::agent::AgentErrorKind::Transport)
//! - [`Garbled`](extract::agent::AgentErrorKind::Garbled): a body that is not JSON, not a reply,
//!   not UTF-8, or too long; a call of a tool that does not exist
//!
//! # In tests
//!
//! In a process that called [`deny_real_agents`](extract::testing::deny_real_agents), it refuses
//! before anything is sent.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod agent;
mod calls;
mod convert;
mod error;
mod http;
mod model;
mod seen;
mod stream;
mod structured;
#[cfg(test)]
mod tests;
mod thinking;

/// The crates of rig, in the version that this package uses.
pub use {rig_agent, rig_core};

pub use self::{agent::RigAgent, http::BoundedHttp, model::RigModel};
