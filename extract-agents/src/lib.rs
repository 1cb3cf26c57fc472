#![doc = include_str!("../README.md")]
//!
//! # Which server
//!
//! | you have | you write |
//! |---|---|
//! | a key of a provider | [`ProviderAgent::new`]`("anthropic/claude-…")` |
//! | a variable that says which | [`ProviderAgent::from_env`] |
//! | a server with the software of a profile, at an address of your own | [`ProviderAgent::at`]`("http://gpu-1:11434", "ollama/gemma3")` |
//! | another server that speaks Chat Completions | [`OpenAiCompatible::at`]`("http://gpu-1:8000/v1", "my-model")` |
//! | a program that prints a reply, such as `claude -p` | `CommandAgent::new("claude").arg("-p")`, feature `command` |
//!
//! Each server has a [`Profile`]: address, variable of the key, [wire format](WireFormat), how a
//! [schema is sent and who enforces it](SchemaSupport), and what its stop reasons mean. A name
//! without a provider is refused, and never sent anywhere by guess.
//!
//! # What a reply says
//!
//! - A reply that the server broke off, or with a stop reason that is not known, is
//!   [interrupted](extract::agent::FinishReason::Interrupted), and never taken for whole. Filters and
//!   guardrails are refusals.
//! - A server that reports far fewer input tokens than were sent has cut the prompt, and the reply is
//!   an error with both numbers. Ollama is told how long the context has to be.
//! - [Usage](extract::agent::Reply::usage) includes tokens cached, written to a cache and thought.
//!   [Origin](extract::agent::Reply::origin) has status and request id, of successes too.
//! - [Notes](extract::agent::Reply::notes) say what was not sent as requested.
//!
//! # What is sent
//!
//! Instructions, schema, tools and worked examples are serialized once for each contract and agent.
//! They come first, so that providers find them in their caches, and so do later attempts and other
//! questions about the same document.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "providers")]
mod agent;
#[cfg(feature = "providers")]
mod batch;
#[cfg(feature = "command")]
mod command;
#[cfg(feature = "providers")]
mod events;
#[cfg(feature = "providers")]
mod format;
#[cfg(feature = "providers")]
mod http;
#[cfg(feature = "providers")]
mod profile;
#[cfg(feature = "redb")]
mod redb_store;
#[cfg(feature = "providers")]
mod wire;

/// The examples of pages of the book, for the tests.
#[cfg(all(doctest, feature = "providers"))]
mod book {
    #[doc = include_str!("../../README.md")]
    struct ReadmePage;
    #[doc = include_str!("../../docs/providers.md")]
    struct ProvidersPage;
}

#[cfg(feature = "command")]
pub use self::command::CommandAgent;
#[cfg(feature = "redb")]
pub use self::redb_store::{OpenStoreError, RedbStore};
#[cfg(feature = "providers")]
pub use self::{
    agent::{Answered, OpenAiCompatible, ProviderAgent, StructuredOutput},
    batch::{DirectoryBatches, ProviderBatches},
    format::{StopMeaning, ThinkingForm, WireFormat},
    profile::{
        BatchEndpoint, BatchForm, BatchInterface, BatchMark, Caching, DocumentForm, Enforcement, KeyHeader,
        Media, Prefill, Profile, SchemaForm, SchemaSupport, markdown,
    },
};
