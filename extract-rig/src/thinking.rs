//! How much a model should think, in rig's form.

use extract::agent::{Reply, Request, ThinkingLevel};
use rig_agent::completion::PromptError;
use rig_core::{
    ProviderError,
    completion::{CompletionRequest, Effort, Reasoning},
};

/// The option of rig; its errors name it.
const OPTION: &str = "reasoning";

/// `None` for a level that is newer than this package.
pub(super) fn to_reasoning(level: ThinkingLevel) -> Option<Reasoning> {
    Some(match level {
        ThinkingLevel::Off => Reasoning::Off,
        ThinkingLevel::Minimal => Effort::Minimal.into(),
        ThinkingLevel::Low => Effort::Low.into(),
        ThinkingLevel::Medium => Effort::Medium.into(),
        ThinkingLevel::High => Effort::High.into(),
        ThinkingLevel::Max => Effort::Max.into(),
        ThinkingLevel::Budget(tokens) => Reasoning::Budget { tokens },
        _ => return None,
    })
}

/// The note about a level that is not known here.
pub(super) fn unknown(request: &Request) -> Option<String> {
    let level = request.thinking?;
    to_reasoning(level).is_none().then(|| note(level, "this version of `extractable-rig` does not know it"))
}

/// Returns why the level could not be sent to a model, if `error` says so. Nothing was sent then.
fn refusal(error: &ProviderError) -> Option<String> {
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

/// Takes the level out of `asked` if that caused the `error`, and then returns a note.
pub(super) fn left_out(
    asked: &mut CompletionRequest,
    request: &Request,
    error: Option<&ProviderError>,
) -> Option<String> {
    let note = note(request.thinking?, &refusal(error?)?);
    asked.options.reasoning = None;
    Some(note)
}

/// The reply with these notes.
pub(super) fn noted<const N: usize>(reply: Reply, notes: [Option<String>; N]) -> Reply {
    notes.into_iter().flatten().fold(reply, Reply::with_note)
}
