//! The definition of a profile.

use std::fmt;

use extract::{agent::FinishReason, schema::dialect::Dialect};

use super::{batching::BatchInterface, support::SchemaSupport};
use crate::format::{StopMeaning, ThinkingForm, WireFormat};

/// Facts known about a server.
///
/// ```
/// use extract_agents::Profile;
///
/// let profile = Profile::find("anthropic").unwrap();
/// assert_eq!(profile.key_variables, ["ANTHROPIC_API_KEY"]);
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Profile {
    /// The part of a model's name before the first slash, such as `openai`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The address that requests are sent below. `{NAME}` stands for the environment variable
    /// `NAME`, and `{NAME:default}` has a default.
    pub address: &'static str,
    /// The environment variable with another address, as the provider's own clients read it, and the
    /// version that they add to it.
    pub address_variable: Option<(&'static str, &'static str)>,
    /// The environment variables of the key; the first one that is set counts.
    pub key_variables: &'static [&'static str],
    /// How the key is sent.
    pub key_header: KeyHeader,
    /// Whether nothing is sent without a key.
    pub needs_key: bool,
    /// More headers of every request.
    pub headers: &'static [(&'static str, &'static str)],
    /// The wire format.
    pub wire: WireFormat,
    /// How a schema is sent, and who enforces it.
    pub schema: SchemaSupport,
    /// The same for one model, where models differ.
    pub schema_of_model: fn(SchemaSupport, &str) -> SchemaSupport,
    /// A member of the body that a schema requires, and its JSON.
    pub with_schema: Option<(&'static str, &'static str)>,
    /// The parameter that limits the tokens of a reply.
    pub token_limit: &'static str,
    /// How the server is told how much a model should think.
    pub thinking: ThinkingForm,
    /// How prompts are cached.
    pub caching: Caching,
    /// The parameter of the seed, if there is one.
    pub seed: Option<&'static str>,
    /// How the server is asked to continue a reply.
    pub prefill: Prefill,
    /// Whether a model continues replies, where models differ.
    pub continues: fn(&str) -> bool,
    /// Whether the server reports log probabilities of tokens on request.
    pub log_probabilities: bool,
    /// Whether they are requested as a number of likely tokens, and not by a flag.
    pub counts_log_probabilities: bool,
    /// The interface for batches, if the server has one that this library speaks.
    pub batch: Option<BatchInterface>,
    /// Stop reasons besides the ones of the [wire format](WireFormat::stop_reasons).
    pub stop_reasons: &'static [(&'static str, StopMeaning)],
    /// Whether a stream reports its usage only if asked, by `stream_options`.
    pub reports_usage_on_request: bool,
    /// Whether models can be offered tools.
    pub calls_tools: bool,
    /// Images and documents that models may take.
    pub media: Media,
    /// How a document is written in Chat Completions.
    pub documents: DocumentForm,
    /// The month in which parts of this were last compared with its sources; empty if it comes from
    /// other clients, and the sources are still to be compared.
    pub read: &'static str,
    /// The sources of these facts.
    pub sources: &'static [&'static str],
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyHeader {
    /// `authorization: Bearer …`
    Bearer,
    /// As it is, in the header of this name.
    Named(&'static str),
}

/// How prompts are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Caching {
    /// Not cached, or unknown.
    Unknown,
    /// By the server, for prompts that begin alike.
    Automatic,
    /// Up to breakpoints in the request.
    Breakpoints,
}

/// How a server is asked to continue a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Prefill {
    /// It cannot continue one.
    None,
    /// It continues a last turn of the model.
    LastTurn,
    /// The same, and a reply that is not streamed repeats the turn.
    RepeatedLastTurn,
    /// The same, with `continue_final_message`.
    ContinueFinalMessage,
    /// The same, with `prefix` in the turn, which the reply repeats.
    Prefix,
    /// The same, with `partial` in the turn.
    Partial,
}

/// Images and documents that the models of a server may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Media {
    /// Texts only.
    Nothing,
    /// Images.
    Images,
    /// Images and documents.
    ImagesAndDocuments,
}

/// How a document is written in Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DocumentForm {
    /// As a `file` with its name and data.
    File,
    /// As a `document_url` that holds the data.
    DocumentUrl,
    /// As a `file_url` with the data in base64, without a type.
    FileUrl,
}

impl Profile {
    /// A server that speaks Chat Completions, with no other known facts.
    pub const CHAT_COMPLETIONS: Self = Self {
        name: "openai-compatible",
        title: "OpenAI-compatible server",
        address: "",
        address_variable: None,
        key_variables: &[],
        key_header: KeyHeader::Bearer,
        needs_key: false,
        headers: &[],
        wire: WireFormat::ChatCompletions,
        schema: SchemaSupport::requested(Dialect::OpenAi),
        schema_of_model: |support, _| support,
        with_schema: None,
        token_limit: "max_tokens",
        thinking: ThinkingForm::Effort,
        caching: Caching::Unknown,
        seed: Some("seed"),
        prefill: Prefill::None,
        continues: |_| true,
        log_probabilities: false,
        counts_log_probabilities: false,
        batch: None,
        stop_reasons: &[],
        reports_usage_on_request: true,
        calls_tools: true,
        media: Media::Images,
        documents: DocumentForm::File,
        read: "",
        sources: &[],
    };

    /// Returns the address that the environment has instead of [`address`](Self::address).
    pub fn address_of_environment(&self) -> Option<String> {
        let (name, version) = self.address_variable?;
        let address = std::env::var(name).ok()?;
        let address = address.trim().trim_end_matches('/');
        (!address.is_empty()).then(|| [address, version].concat())
    }

    /// How a schema is sent to `model`.
    pub fn schema_of(&self, model: &str) -> SchemaSupport {
        (self.schema_of_model)(self.schema, model)
    }

    /// The finish reason for a server's own word, or for one of another format, as gateways pass it on.
    pub(crate) fn finish_reason(&self, reason: &str) -> FinishReason {
        let own = self.stop_reasons.iter().chain(self.wire.stop_reasons());
        let known = own.chain(WireFormat::all_stop_reasons());
        let meaning = known.clone().find(|(name, _)| *name == reason);
        // Gateways change the case.
        let meaning = meaning.or_else(|| known.clone().find(|(name, _)| name.eq_ignore_ascii_case(reason)));
        match meaning.map_or(StopMeaning::Interrupted, |(_, meaning)| *meaning) {
            StopMeaning::Whole => FinishReason::Stop,
            StopMeaning::Length => FinishReason::Length,
            StopMeaning::Filter => FinishReason::ContentFilter,
            StopMeaning::Repetition => FinishReason::Repetition,
            StopMeaning::Interrupted => FinishReason::Interrupted(reason.to_owned()),
        }
    }

    /// Returns whether `model` continues a reply that has begun.
    pub fn continues_replies(&self, model: &str) -> bool {
        self.prefill != Prefill::None && (self.continues)(model)
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile").field("name", &self.name).field("wire", &self.wire).finish_non_exhaustive()
    }
}
