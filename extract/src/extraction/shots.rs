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
pub(super) type ChooseShots<'a> = Box<dyn FnOnce(&str) -> Vec<(String, Value)> + Send + 'a>;

/// Chooses shots when the extraction starts.
pub(super) struct ShotChooser<'a> {
    pub(super) choose: ChooseShots<'a>,
    /// Known if the choice is part of the fingerprint.
    pub(super) source: Option<ShotSource>,
}

/// From what and how shots are chosen, for [`Extraction::choose_shots_from`].
///
/// ```
/// use extract::ShotSource;
///
/// let source = ShotSource::new("letters.jsonl of May, the nearest three").chars(1_200);
/// # let _ = source;
/// ```
///
/// [`Extraction::choose_shots_from`]: crate::Extraction::choose_shots_from
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct ShotSource {
    pub(super) fingerprint: String,
    pub(super) chars: usize,
}

impl ShotSource {
    /// Creates a source. `fingerprint` changes whenever other shots may be chosen for a text: a
    /// hash of all candidates, and the rule of the choice.
    pub fn new(fingerprint: impl Into<String>) -> Self {
        Self { fingerprint: fingerprint.into(), chars: 0 }
    }

    /// Sets about how many characters the chosen texts and answers have together, to estimate the
    /// tokens of a question.
    pub fn chars(self, chars: usize) -> Self {
        Self { chars, ..self }
    }
}

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
        let answer = contract.without_spans(&answer).into_owned();
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
