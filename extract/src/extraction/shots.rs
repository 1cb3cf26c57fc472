//! Worked examples, checked before anything is asked.

use serde::Serialize;
use serde_json::Value;

use crate::{
    agent::{Parts, Role, Turn},
    contract::Contract,
    document::Document,
    error::SettingsError,
    feedback::format_violations_for_display,
    judging::{ValueChecks, ValueJudge, judge_given},
    prompt::WorkedExample,
    vocabulary::context::ErasedContext,
};

/// A shot as the user gave it.
pub(super) struct GivenShot {
    pub(super) parts: Parts,
    pub(super) answer: serde_json::Result<Value>,
}

/// Returns texts and their right answers for the text in question.
pub(super) type ShotChooser<'a> = Box<dyn FnOnce(&str) -> Vec<(String, Value)> + Send + 'a>;

impl GivenShot {
    pub(super) fn new(parts: Parts, answer: &impl Serialize) -> Self {
        Self { parts, answer: serde_json::to_value(answer) }
    }
}

/// The shots, each with a right answer.
pub(super) fn checked<T: Send>(
    shots: Vec<GivenShot>,
    contract: &Contract,
    checks: ValueChecks<T>,
    context: ErasedContext<'_>,
) -> Result<Vec<WorkedExample>, SettingsError> {
    let check = |(number, GivenShot { parts, answer }): (usize, GivenShot)| {
        let wrong = |message, violations| SettingsError::Shot { number, message, violations };
        let answer =
            answer.map_err(|error| wrong(format!("it cannot be serialized: {error}"), Vec::new()))?;
        let answer = contract.without_places(&answer).into_owned();
        // Its quotes are from its own text.
        let text = Turn::of_parts(Role::User, &parts).text().to_owned();
        let contract = &contract.document(&Document::from_text(text));
        let mut judge = ValueJudge::new(checks, contract, context, &mut []);
        let mut violations = judge_given(&answer, contract, &mut judge)
            .map_err(|panic| wrong(format!("a rule or a check panicked: {panic}"), Vec::new()))?;
        violations.retain(|violation| !violation.is_warning());
        if violations.is_empty() {
            return Ok(WorkedExample { parts, answer });
        }
        Err(wrong(format_violations_for_display(&violations), violations))
    };
    (1..).zip(shots).map(check).collect()
}
