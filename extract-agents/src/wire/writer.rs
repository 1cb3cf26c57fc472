//! The parts of a body, in each format.

use extract::agent::{Role, Turn};
use serde_json::{Map, Value};

use super::{
    chat, converse, generate,
    json::Serialized,
    messages, ollama,
    question::{CacheBreakpoint, Question},
    responses,
};
use crate::format::WireFormat;

/// The part of the body that is the same in each request, up to the list of turns, which is open.
pub(super) fn write_start(out: &mut Vec<u8>, question: &Question<'_>) {
    match question.profile.wire {
        WireFormat::ChatCompletions => chat::start(out, question),
        WireFormat::Responses => responses::start(out, question),
        WireFormat::Messages => messages::start(out, question),
        WireFormat::GenerateContent => generate::start(out, question),
        WireFormat::OllamaChat => ollama::start(out, question),
        WireFormat::Converse => converse::start(out, question),
    }
}

pub(super) fn write_turn(out: &mut Vec<u8>, question: &Question<'_>, turn: &Turn, end: CacheBreakpoint) {
    match question.profile.wire {
        WireFormat::ChatCompletions => chat::turn(out, turn, question.profile),
        WireFormat::Responses => responses::turn(out, turn),
        WireFormat::Messages => messages::turn(out, turn, end),
        WireFormat::GenerateContent => generate::turn(out, turn),
        WireFormat::OllamaChat => ollama::turn(out, turn),
        WireFormat::Converse => converse::turn(out, turn, end),
    }
}

/// The beginning of the reply as the last turn, for servers that continue it.
pub(super) fn write_prefill(out: &mut Vec<u8>, question: &Question<'_>, prefill: &str) {
    match question.profile.wire {
        WireFormat::ChatCompletions => chat::prefill(out, question, prefill),
        WireFormat::Messages => messages::prefill(out, prefill),
        WireFormat::OllamaChat => chat::message(out, Role::Assistant, prefill),
        // No profile of these formats continues replies.
        WireFormat::Responses | WireFormat::GenerateContent | WireFormat::Converse => {}
    }
}

pub(super) fn parameters(question: &Question<'_>) -> (Map<String, Value>, Vec<String>) {
    match question.profile.wire {
        WireFormat::ChatCompletions => chat::parameters(question),
        WireFormat::Responses => responses::parameters(question),
        WireFormat::Messages => messages::parameters(question),
        WireFormat::GenerateContent => generate::parameters(question),
        WireFormat::OllamaChat => ollama::parameters(question),
        WireFormat::Converse => converse::parameters(question),
    }
}

/// Returns the schema, and its path among the parameters.
pub(super) fn serialized_schema<'q>(question: &'q Question<'_>) -> Option<Serialized<'q>> {
    let json = &*question.schema()?.format;
    match question.profile.wire {
        WireFormat::Messages => Some(Serialized { object: "output_config", name: "format", json }),
        WireFormat::Converse => Some(Serialized { object: "outputConfig", name: "textFormat", json }),
        WireFormat::GenerateContent => {
            Some(Serialized { object: "generationConfig", name: "responseJsonSchema", json })
        }
        _ => None,
    }
}
