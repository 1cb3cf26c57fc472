//! How much a model should think, in the form of `genai`.

use genai::{adapter::AdapterKind, chat::ReasoningEffort};

use super::model::Model;
use crate::agent::ThinkingLevel;

/// Returns whether `genai` can send a level to the provider.
pub(super) fn is_sent(kind: AdapterKind) -> bool {
    kind != AdapterKind::Cohere
}

/// Returns the effort sent for `level`, and a note if it differs from the request. `genai` silently
/// drops what a provider has no form for.
pub(super) fn effort(model: &Model, level: ThinkingLevel) -> (Option<ReasoningEffort>, Option<String>) {
    let name = model.name();
    if !is_sent(model.kind()) {
        // The extraction adds the note.
        return (None, None);
    }
    if is_in_the_name(model) {
        return (
            None,
            Some(format!("the name of `{name}` sets how much it thinks, so `{level}` is not sent")),
        );
    }
    match (level, Scale::of(model)) {
        (_, Scale::Nothing) => {
            (None, Some(format!("`{name}` takes no thinking level, so `{level}` is not sent")))
        }
        (ThinkingLevel::Budget(_), Scale::Levels | Scale::LevelsWithoutOff) => {
            let note = format!("`{name}` takes a thinking level and no budget, so the `{level}` is not sent");
            (None, Some(note))
        }
        (ThinkingLevel::Off, Scale::LevelsWithoutOff) => {
            let note =
                format!("`{name}` cannot be told not to think, so it is told to think as little as it can");
            (Some(ReasoningEffort::Minimal), Some(note))
        }
        (ThinkingLevel::Off, Scale::Budget) => (Some(ReasoningEffort::Budget(0)), None),
        (level, _) => (Some(to_effort(level)), None),
    }
}

/// The levels that the provider of a model understands.
enum Scale {
    Nothing,
    Levels,
    LevelsWithoutOff,
    /// A number of tokens. `genai` turns a level into one, but not `Off`.
    Budget,
    LevelsAndBudget,
}

impl Scale {
    fn of(model: &Model) -> Self {
        let is_named = |part: &str| model.bare_name().contains(part);
        match model.kind() {
            AdapterKind::Anthropic => Self::LevelsAndBudget,
            AdapterKind::Vertex if is_named("claude") => Self::LevelsAndBudget,
            AdapterKind::BedrockApi if is_named("anthropic.") || is_named("amazon.") => Self::LevelsAndBudget,
            AdapterKind::BedrockApi if is_named("openai.") => Self::Levels,
            AdapterKind::BedrockApi => Self::Nothing,
            AdapterKind::GeminiIx => Self::LevelsWithoutOff,
            AdapterKind::Gemini | AdapterKind::Vertex if is_named("gemini-3") || is_named("gemma-4") => {
                Self::LevelsWithoutOff
            }
            AdapterKind::Gemini | AdapterKind::Vertex => Self::Budget,
            _ => Self::Levels,
        }
    }
}

/// Returns whether the name ends with a level. `genai` then sends it, and removes it from the name
/// only if no other level is set.
fn is_in_the_name(model: &Model) -> bool {
    let keeps_names =
        matches!(model.kind(), AdapterKind::Ollama | AdapterKind::OllamaCloud | AdapterKind::BedrockApi);
    !keeps_names && ReasoningEffort::from_model_name(model.bare_name()).0.is_some()
}

fn to_effort(level: ThinkingLevel) -> ReasoningEffort {
    match level {
        ThinkingLevel::Off => ReasoningEffort::Zero,
        ThinkingLevel::Minimal => ReasoningEffort::Minimal,
        ThinkingLevel::Low => ReasoningEffort::Low,
        ThinkingLevel::Medium => ReasoningEffort::Medium,
        ThinkingLevel::High => ReasoningEffort::High,
        ThinkingLevel::Max => ReasoningEffort::Max,
        ThinkingLevel::Budget(tokens) => ReasoningEffort::Budget(tokens),
    }
}
