//! How much a model should think, in rig's form.

use rig_agent::completion::PromptError;
use rig_core::{
    ProviderError,
    completion::{Effort, Reasoning},
};

use crate::agent::ThinkingLevel;

/// The option of rig; its errors name it.
const OPTION: &str = "reasoning";

pub(super) fn to_reasoning(level: ThinkingLevel) -> Reasoning {
    match level {
        ThinkingLevel::Off => Reasoning::Off,
        ThinkingLevel::Minimal => Effort::Minimal.into(),
        ThinkingLevel::Low => Effort::Low.into(),
        ThinkingLevel::Medium => Effort::Medium.into(),
        ThinkingLevel::High => Effort::High.into(),
        ThinkingLevel::Max => Effort::Max.into(),
        ThinkingLevel::Budget(tokens) => Reasoning::Budget { tokens },
    }
}

/// Why the level could not be sent to a model, if that is what `error` says. Nothing was sent then.
pub(super) fn refusal(error: &ProviderError) -> Option<String> {
    match error {
        ProviderError::UnsupportedOption(refused) if refused.option == OPTION => Some(refused.to_string()),
        _ => None,
    }
}

/// As [`refusal`], for an agent, through whose bus an error may travel as text.
pub(super) fn refusal_of_agent(error: &PromptError) -> Option<String> {
    match error {
        PromptError::Provider(error) => refusal(error),
        PromptError::Report(report) => {
            let start = report.message.find(&format!("`{OPTION}` is not supported by "))?;
            Some(report.message[start..].to_owned())
        }
        _ => None,
    }
}

/// The note about a level that is not sent.
pub(super) fn note(level: ThinkingLevel, reason: &str) -> String {
    format!("the thinking level `{level}` is not sent: {reason}")
}
