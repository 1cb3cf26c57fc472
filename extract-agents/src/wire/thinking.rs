//! How much a model should think, in the form of each server.

use extract::agent::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::{question::Question, usage::count};
use crate::format::{ThinkingForm, claude};

/// Stands for thinking before a reply that is not streamed, which some models of Qwen refuse, even if
/// nothing is said of thinking.
pub(crate) const THINKING_IN_WHOLE: &str = "thinking in a whole reply";

/// Turns thinking off where the server refused it for replies that are not streamed. Returns a note
/// if it did.
pub(super) fn turn_off_in_whole(members: &mut Map<String, Value>, question: &Question<'_>) -> Option<String> {
    if question.is_streamed() || !question.is_refused(THINKING_IN_WHOLE) {
        return None;
    }
    members.remove("thinking_budget");
    members.insert("enable_thinking".to_owned(), false.into());
    Some(format!("`{}` thinks only before a reply that is streamed, so it is told not to", question.model))
}

/// The budget of a model of Anthropic that thinks: 0 if it chooses, `None` if it does not think.
pub(super) fn budget_of_messages(thinking: Option<&Value>) -> Option<u64> {
    let thinking = thinking.filter(|thinking| thinking["type"] != "disabled")?;
    Some(count(thinking, &["budget_tokens"]).unwrap_or(0))
}

/// Removes the temperature, which a model of Anthropic that thinks does not take. Returns a note if
/// there was one.
pub(super) fn remove_temperature(members: &mut Map<String, Value>) -> Option<String> {
    let note = |_| "a model that thinks takes no temperature, so it is not sent".to_owned();
    members.remove("temperature").map(note)
}

/// Adds `request.thinking` to `members`. Returns a note if the server gets something else.
pub(super) fn add(members: &mut Map<String, Value>, question: &Question<'_>) -> Option<String> {
    let level = question.request.thinking?;
    let name = question.model;
    let no_budget =
        || Some(format!("`{name}` takes a thinking level and no budget, so the `{level}` is not sent"));
    let on_or_off = || {
        let is_exact = matches!(level, ThinkingLevel::Off | ThinkingLevel::Medium);
        (!is_exact)
            .then(|| format!("`{name}` takes no thinking level, so `{level}` only switches thinking on"))
    };
    let title = question.profile.title;
    let capped = || {
        let is_capped = level == ThinkingLevel::Max;
        is_capped.then(|| format!("`{name}` is told `high`, the most that all models of {title} take"))
    };
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    let is_on = level != ThinkingLevel::Off;
    match question.profile.thinking {
        ThinkingForm::None => {
            return Some(format!("`{name}` takes no thinking level, so `{level}` is not sent"));
        }
        ThinkingForm::Effort | ThinkingForm::ReasoningEffort if matches!(level, ThinkingLevel::Budget(_)) => {
            return no_budget();
        }
        ThinkingForm::Effort => {
            set("reasoning_effort", effort(level).into());
            return capped();
        }
        ThinkingForm::ReasoningEffort => {
            set("reasoning", json!({"effort": effort(level)}));
            return capped();
        }
        ThinkingForm::Reasoning => set(
            "reasoning",
            match level {
                ThinkingLevel::Budget(tokens) => json!({"max_tokens": tokens}),
                level => json!({"effort": effort(level)}),
            },
        ),
        ThinkingForm::Toggle => {
            set("thinking", json!({"type": if is_on { "enabled" } else { "disabled" }}));
            return on_or_off();
        }
        ThinkingForm::TemplateArguments => {
            set("chat_template_kwargs", json!({"enable_thinking": is_on}));
            return on_or_off();
        }
        ThinkingForm::EnableThinking => {
            set("enable_thinking", is_on.into());
            if let ThinkingLevel::Budget(tokens) = level {
                set("thinking_budget", tokens.into());
                return None;
            }
            return on_or_off();
        }
        ThinkingForm::Think => match level {
            ThinkingLevel::Off => set("think", false.into()),
            ThinkingLevel::Budget(_) => return no_budget(),
            level => set("think", low_to_high(level).into()),
        },
        ThinkingForm::Messages => return of_messages(members, question, level),
        ThinkingForm::ConverseMessages if claude::thinks(name) => {
            let mut fields = Map::new();
            let note = of_messages(&mut fields, question, level);
            if !fields.is_empty() {
                members.insert("additionalModelRequestFields".to_owned(), fields.into());
            }
            return note;
        }
        ThinkingForm::ConverseMessages => {
            return Some(format!("`{name}` is not known to take a thinking level, so `{level}` is not sent"));
        }
        ThinkingForm::ThinkingConfig => return of_generate(members, question, level),
    };
    None
}

fn effort(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "none",
        ThinkingLevel::Minimal => "minimal",
        _ => low_to_high(level),
    }
}

fn low_to_high(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        _ => "high",
    }
}

/// Returns the tokens for a level, where a server takes only a number: the numbers in the libraries
/// of OpenAI's and Anthropic's formats at Google.
fn budget(level: ThinkingLevel) -> u32 {
    match level {
        ThinkingLevel::Off => 0,
        ThinkingLevel::Minimal | ThinkingLevel::Low => 1_024,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::Budget(tokens) => tokens,
        _ => 24_576,
    }
}

/// Since version 4.6 models choose how much they think, within an effort; older ones take a number
/// of tokens (<https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking>, 2026).
fn of_messages(
    members: &mut Map<String, Value>,
    question: &Question<'_>,
    level: ThinkingLevel,
) -> Option<String> {
    let is_adaptive = claude::version(question.model).is_none_or(|version| version >= (4, 6));
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    match level {
        ThinkingLevel::Off => set("thinking", json!({"type": "disabled"})),
        ThinkingLevel::Budget(_) if is_adaptive => {
            let name = question.model;
            return Some(format!(
                "`{name}` takes a thinking level and no budget, so the `{level}` is not sent"
            ));
        }
        level if is_adaptive => {
            let effort = if level == ThinkingLevel::Max { "max" } else { low_to_high(level) };
            set("output_config", json!({"effort": effort}));
            set("thinking", json!({"type": "adaptive"}))
        }
        // The smallest budget that is accepted.
        level => set("thinking", json!({"type": "enabled", "budget_tokens": budget(level).max(1_024)})),
    };
    None
}

/// Gemini 3 takes levels, and its thinking cannot be turned off; Gemini 2.5 takes a number of
/// tokens
/// (<https://ai.google.dev/gemini-api/docs/thinking>, 2026).
fn of_generate(
    members: &mut Map<String, Value>,
    question: &Question<'_>,
    level: ThinkingLevel,
) -> Option<String> {
    let name = question.model;
    let takes_budget = ["gemini-1", "gemini-2", "flash-latest"].iter().any(|part| name.contains(part));
    let (config, note) = match level {
        level if takes_budget => (json!({"thinkingBudget": budget(level)}), None),
        ThinkingLevel::Budget(_) => {
            return Some(format!(
                "`{name}` takes a thinking level and no budget, so the `{level}` is not sent"
            ));
        }
        ThinkingLevel::Off => {
            let note =
                format!("`{name}` cannot be told not to think, so it is told to think as little as it can");
            (json!({"thinkingLevel": "MINIMAL"}), Some(note))
        }
        ThinkingLevel::Minimal => (json!({"thinkingLevel": "MINIMAL"}), None),
        level => (json!({"thinkingLevel": low_to_high(level).to_uppercase()}), None),
    };
    let generation = members.entry("generationConfig").or_insert_with(|| json!({}));
    generation["thinkingConfig"] = config;
    note
}
