//! The meanings of the stop reasons of servers.

use std::fmt;

use super::WireFormat;

/// The meaning of a stop reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopMeaning {
    /// The reply is whole.
    Whole,
    /// The token limit was reached.
    Length,
    /// A filter or a guardrail stopped the reply.
    Filter,
    /// The server ended a reply that repeated itself.
    Repetition,
    /// The reply was broken off. So is one with a reason that is not known.
    Interrupted,
}

impl fmt::Display for StopMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "whole",
            Self::Length => "token limit",
            Self::Filter => "filter",
            Self::Repetition => "repetition",
            Self::Interrupted => "interrupted",
        })
    }
}

use StopMeaning::{Filter, Interrupted, Length, Repetition, Whole};

/// Reasons of OpenAI, and of servers that speak like it. `eos_token` and `stop_sequence` are of
/// text-generation-inference, `model_length` is Mistral's. Gateways pass on the reasons of Messages,
/// Converse and `generateContent`.
const CHAT: &[(&str, StopMeaning)] = &[
    ("stop", Whole),
    ("tool_calls", Whole),
    ("function_call", Whole),
    ("eos", Whole),
    ("eos_token", Whole),
    ("stop_sequence", Whole),
    ("end_turn", Whole),
    ("tool_use", Whole),
    ("length", Length),
    ("max_tokens", Length),
    ("model_length", Length),
    ("model_context_window_exceeded", Length),
    ("content_filter", Filter),
    ("refusal", Filter),
    ("safety", Filter),
    ("prohibited_content", Filter),
    ("guardrail_intervened", Filter),
    ("content_filtered", Filter),
    ("repetition", Repetition),
    ("error", Interrupted),
    ("abort", Interrupted),
    ("cancelled", Interrupted),
];

/// Statuses and the reasons of `incomplete_details`.
const RESPONSES: &[(&str, StopMeaning)] = &[
    ("completed", Whole),
    ("max_output_tokens", Length),
    ("content_filter", Filter),
    ("incomplete", Interrupted),
    ("cancelled", Interrupted),
    ("failed", Interrupted),
    ("in_progress", Interrupted),
    ("queued", Interrupted),
];

const MESSAGES: &[(&str, StopMeaning)] = &[
    ("end_turn", Whole),
    ("stop_sequence", Whole),
    ("tool_use", Whole),
    ("max_tokens", Length),
    ("model_context_window_exceeded", Length),
    ("refusal", Filter),
    ("pause_turn", Interrupted),
];

/// `Candidate.FinishReason` of the API reference.
const GENERATE: &[(&str, StopMeaning)] = &[
    ("STOP", Whole),
    ("MAX_TOKENS", Length),
    ("SAFETY", Filter),
    ("RECITATION", Filter),
    ("LANGUAGE", Filter),
    ("BLOCKLIST", Filter),
    ("PROHIBITED_CONTENT", Filter),
    ("SPII", Filter),
    ("MODEL_ARMOR", Filter),
    ("IMAGE_SAFETY", Filter),
    ("IMAGE_PROHIBITED_CONTENT", Filter),
    ("IMAGE_RECITATION", Filter),
    ("OTHER", Interrupted),
    ("FINISH_REASON_UNSPECIFIED", Interrupted),
    ("MALFORMED_FUNCTION_CALL", Interrupted),
    ("UNEXPECTED_TOOL_CALL", Interrupted),
    ("TOO_MANY_TOOL_CALLS", Interrupted),
    ("MISSING_THOUGHT_SIGNATURE", Interrupted),
    ("MALFORMED_RESPONSE", Interrupted),
];

/// `done_reason` of Ollama. `load` and `unload` answer requests without a question.
const OLLAMA: &[(&str, StopMeaning)] =
    &[("stop", Whole), ("length", Length), ("load", Interrupted), ("unload", Interrupted)];

/// `StopReason` of the API reference.
const CONVERSE: &[(&str, StopMeaning)] = &[
    ("end_turn", Whole),
    ("stop_sequence", Whole),
    ("tool_use", Whole),
    ("max_tokens", Length),
    ("model_context_window_exceeded", Length),
    ("guardrail_intervened", Filter),
    ("content_filtered", Filter),
    ("malformed_model_output", Interrupted),
    ("malformed_tool_use", Interrupted),
];

impl WireFormat {
    /// The stop reasons of the format, and their meanings. Any other is
    /// [`Interrupted`](StopMeaning::Interrupted).
    pub fn stop_reasons(self) -> &'static [(&'static str, StopMeaning)] {
        match self {
            Self::ChatCompletions => CHAT,
            Self::Responses => RESPONSES,
            Self::Messages => MESSAGES,
            Self::GenerateContent => GENERATE,
            Self::OllamaChat => OLLAMA,
            Self::Converse => CONVERSE,
        }
    }

    /// The stop reasons of all formats.
    pub(crate) fn all_stop_reasons() -> impl Iterator<Item = &'static (&'static str, StopMeaning)> + Clone {
        Self::ALL.into_iter().flat_map(Self::stop_reasons)
    }

    /// Returns whether any format has a reason, in any case of its letters.
    pub(crate) fn has_reason(reason: &str) -> bool {
        Self::all_stop_reasons().any(|(name, _)| name.eq_ignore_ascii_case(reason))
    }

    /// Returns whether a reason means a filter.
    pub(crate) fn is_filter(self, reason: &str) -> bool {
        self.stop_reasons().iter().any(|(name, meaning)| *name == reason && *meaning == Filter)
    }
}
