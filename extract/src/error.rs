//! How an extraction fails, with the story of every attempt.

use std::{fmt::Write as _, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Path, Violation,
    agent::{AgentError, FinishReason},
    feedback::format_violations_for_display,
    metrics::{ExtractionMetrics, TokenUsage},
    reading::Change,
    text::counted,
};

/// One question to the agent and its judged reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub number: u32,
    /// Name of the agent that replied.
    pub agent: String,
    /// The reply, exactly as the agent wrote it.
    pub raw_output: String,
    /// Why the agent stopped.
    pub finish_reason: FinishReason,
    /// The JSON value that was read from it, if one was; after a patch the patched value.
    pub submitted: Option<Value>,
    /// The patch of the submission before (RFC 6902), if one was asked for and given.
    pub patch: Option<Value>,
    /// Everything that was wrong with it, and warnings.
    pub violations: Vec<Violation>,
    /// What was changed or left out in reading it.
    pub changes: Vec<Change>,
    /// Tokens.
    pub usage: TokenUsage,
    /// What the agent noted of how it was asked, such as that the schema could not be sent in its provider's own form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Wall time, from asking until it was judged.
    pub elapsed: Duration,
    /// Whether it won nothing over the attempt before: the same submission, or none of its violations mended.
    pub is_stalled: bool,
    /// Violations where nothing was wrong with the attempt before.
    pub regressions: Vec<Regression>,
}

impl AttemptRecord {
    /// The places of the submission that no violation touches, each as far up as it holds; empty without a
    /// submission. The root alone when nothing is wrong.
    ///
    /// ```
    /// # use extract::{Contract, testing::{ScriptedAgent, block_on}};
    /// let schema = serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"a": {"type": "integer"}, "b": {"items": {"type": "integer"}}},
    /// });
    /// let agent = ScriptedAgent::new([r#"{"a": 1, "b": [1, true, 3]}"#]);
    /// let extraction = Contract::from_schema(schema)?.extract(&agent, "…").max_attempts(1);
    /// let error = block_on(extraction).unwrap_err();
    /// let holding: Vec<_> = error.best().unwrap().holding().iter().map(ToString::to_string).collect();
    /// assert_eq!(holding, ["$.a", "$.b[0]", "$.b[2]"]);
    /// # Ok::<(), extract::SchemaError>(())
    /// ```
    pub fn holding(&self) -> Vec<Path> {
        let mut holding = Vec::new();
        if let Some(value) = &self.submitted {
            let errors = self.violations.iter().filter(|violation| !violation.is_warning());
            let broken: Vec<_> = errors.map(|violation| &violation.path).collect();
            hold(value, Path::root(), &broken, &mut holding);
        }
        holding
    }
}

/// Appends the places in `value`, which stands at `path`, that lie outside of all in `broken`.
fn hold(value: &Value, path: Path, broken: &[&Path], holding: &mut Vec<Path>) {
    let broken: Vec<_> = broken.iter().copied().filter(|place| place.is_within(&path)).collect();
    if broken.is_empty() {
        return holding.push(path);
    }
    if broken.contains(&&path) {
        return;
    }
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                hold(value, path.clone().key(key), &broken, holding);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                hold(value, path.clone().index(index), &broken, holding);
            }
        }
        // A violation inside of a scalar cannot be; it is not taken for right.
        _ => {}
    }
}

/// A place that was right in one attempt and wrong in the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Regression {
    /// Where.
    pub path: Path,
    /// What stood there when it was right; as JSON, cut to a bounded size.
    pub before: String,
}

impl Regression {
    pub(crate) fn new(path: Path, before: String) -> Self {
        Self { path, before }
    }
}

/// Why there is no value, and everything that happened before.
///
/// ```
/// # use extract::{ExtractionError, testing::{ScriptedAgent, block_on}, Contract};
/// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
/// let agent = ScriptedAgent::new(["one", "\"two\"", "3.5"]);
/// let error = block_on(contract.extract(&agent, "How many?")).unwrap_err();
///
/// assert_eq!(error.history().len(), 3);
/// assert_eq!(error.raw_output(), Some("3.5"));
/// assert_eq!(
///     error.to_string(),
///     "no acceptable answer after 3 of 3 attempts; 1 violation in the last one:\n\
///      [WRONG_TYPE] $: wrong type (expected an integer, got the number 3.5)",
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractionError {
    /// The budget of attempts is used up.
    #[error("no acceptable answer after {attempts} of {max_attempts} attempts{}", last_violations(history))]
    MaxRetriesExceeded {
        /// Attempts made.
        attempts: u32,
        /// Attempts allowed.
        max_attempts: u32,
        /// Every attempt, in order.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// A rule, a check or a callback said that retrying is pointless.
    #[error(
        "the answer was rejected for good in attempt {attempts} of {max_attempts}{}",
        last_violations(history)
    )]
    Fatal {
        /// Attempts made.
        attempts: u32,
        /// Attempts allowed.
        max_attempts: u32,
        /// Every attempt, in order; the last one holds the fatal violation.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// The last reply within the budget was cut before its end.
    #[error(
        "the answer was cut off before its end in attempt {attempts} of {max_attempts}; \
         give the agent more output tokens or ask for less at a time{}",
        last_violations(history)
    )]
    Truncated {
        /// Attempts made.
        attempts: u32,
        /// Attempts allowed.
        max_attempts: u32,
        /// Every attempt, in order.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// An attempt won nothing over the one before, and [`stop_on_stall`](crate::Extraction::stop_on_stall) was set.
    #[error(
        "attempt {attempts} of {max_attempts} won nothing over the one before{}",
        last_violations(history)
    )]
    Stalled {
        /// Attempts made.
        attempts: u32,
        /// Attempts allowed.
        max_attempts: u32,
        /// Every attempt, in order.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// The [`token_budget`](crate::Extraction::token_budget) was used up before an answer was acceptable.
    #[error(
        "{} tokens were used up after {}; the budget is {budget}{}",
        metrics.usage.total(),
        counted(*attempts as usize, "attempt"),
        last_violations(history)
    )]
    TokenBudgetExceeded {
        /// The budget, in tokens.
        budget: u64,
        /// Attempts made.
        attempts: u32,
        /// Every attempt, in order.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// The [`deadline`](crate::Extraction::deadline) passed before an answer was acceptable.
    #[error(
        "no acceptable answer within {deadline:?}, after {}{}",
        counted(*attempts as usize, "attempt"),
        last_violations(history)
    )]
    DeadlineExceeded {
        /// The limit.
        deadline: Duration,
        /// Attempts made; a reply that was waited for is none.
        attempts: u32,
        /// Every attempt, in order.
        history: Vec<AttemptRecord>,
        /// The last reply, if there was one.
        raw_output: Option<String>,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// The agent gave no reply.
    #[error("the agent gave no reply to attempt {} of {max_attempts}{}: {source}", attempts + 1, retried(metrics))]
    Agent {
        /// Why.
        source: Box<AgentError>,
        /// Attempts made before.
        attempts: u32,
        /// Attempts allowed.
        max_attempts: u32,
        /// Every attempt made before, in order.
        history: Vec<AttemptRecord>,
        /// The last reply before, if there was one.
        raw_output: Option<String>,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// A rule, a check or a callback of the user panicked. That is a mistake in the program, which no other
    /// answer mends, so the extraction ends and its story is kept.
    #[error("a rule, a check or `on_submit` panicked in attempt {attempts}: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
        /// Attempts made.
        attempts: u32,
        /// Every attempt, in order; the last one is that which met the panic.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// What it took.
        metrics: Box<ExtractionMetrics>,
    },
    /// The schema of the contract does not compile. The agent was not asked.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A setting makes no sense. The agent was not asked.
    #[error("{0}")]
    Settings(#[from] SettingsError),
}

impl ExtractionError {
    /// Every attempt, in order.
    pub fn history(&self) -> &[AttemptRecord] {
        match self {
            Self::MaxRetriesExceeded { history, .. }
            | Self::Fatal { history, .. }
            | Self::Truncated { history, .. }
            | Self::Stalled { history, .. }
            | Self::TokenBudgetExceeded { history, .. }
            | Self::DeadlineExceeded { history, .. }
            | Self::Agent { history, .. }
            | Self::Panicked { history, .. } => history,
            Self::Schema(_) | Self::Settings(_) => &[],
        }
    }

    /// What it took; all zero when the agent was not asked.
    pub fn metrics(&self) -> &ExtractionMetrics {
        static NOTHING: ExtractionMetrics = ExtractionMetrics::NOTHING;
        match self {
            Self::MaxRetriesExceeded { metrics, .. }
            | Self::Fatal { metrics, .. }
            | Self::Truncated { metrics, .. }
            | Self::Stalled { metrics, .. }
            | Self::TokenBudgetExceeded { metrics, .. }
            | Self::DeadlineExceeded { metrics, .. }
            | Self::Agent { metrics, .. }
            | Self::Panicked { metrics, .. } => metrics,
            Self::Schema(_) | Self::Settings(_) => &NOTHING,
        }
    }

    /// The last reply, exactly as the agent wrote it; `None` when there was none.
    pub fn raw_output(&self) -> Option<&str> {
        match self {
            Self::MaxRetriesExceeded { raw_output, .. }
            | Self::Fatal { raw_output, .. }
            | Self::Truncated { raw_output, .. }
            | Self::Stalled { raw_output, .. }
            | Self::TokenBudgetExceeded { raw_output, .. }
            | Self::Panicked { raw_output, .. } => Some(raw_output),
            Self::DeadlineExceeded { raw_output, .. } | Self::Agent { raw_output, .. } => {
                raw_output.as_deref()
            }
            Self::Schema(_) | Self::Settings(_) => None,
        }
    }

    /// The violations of the last attempt.
    pub fn violations(&self) -> &[Violation] {
        self.history().last().map_or(&[], |attempt| &attempt.violations)
    }
}

impl ExtractionError {
    /// The attempt that came nearest: of those with a value the one with the fewest violations, the later one of
    /// equals. What it submitted breaks the contract; see [`AttemptRecord::holding`] for what does not.
    pub fn best(&self) -> Option<&AttemptRecord> {
        let errors = |attempt: &AttemptRecord| attempt.violations.iter().filter(|v| !v.is_warning()).count();
        let with_value = self.history().iter().filter(|attempt| attempt.submitted.is_some());
        with_value.rev().min_by_key(|attempt| errors(attempt))
    }
}

/// Violations that `Display` lists; `history` has them all.
const SHOWN: usize = 10;

fn last_violations(history: &[AttemptRecord]) -> String {
    let Some(last) = history.last().filter(|last| !last.violations.is_empty()) else {
        return String::new();
    };
    let count = last.violations.len();
    let shown = &last.violations[..count.min(SHOWN)];
    let mut text = format!(
        "; {} in the last one:\n{}",
        counted(count, "violation"),
        format_violations_for_display(shown)
    );
    if count > SHOWN {
        let _ = write!(text, "\n… and {} more", count - SHOWN);
    }
    text
}

fn retried(metrics: &ExtractionMetrics) -> String {
    match metrics.transport_retries {
        0 => String::new(),
        1 => " (1 transport retry)".to_owned(),
        retries => format!(" ({retries} transport retries)"),
    }
}

/// A schema that does not compile.
///
/// ```
/// use extract::Contract;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"id": {"type": "strnig"}}});
/// let error = Contract::from_schema(schema).unwrap_err();
/// assert_eq!(error.path().to_string(), "$.properties.id.type");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the JSON Schema does not compile at {path}: {message}")]
pub struct SchemaError {
    path: Path,
    message: String,
}

impl SchemaError {
    pub(crate) fn new(path: Path, message: impl Into<String>) -> Self {
        Self { path, message: message.into() }
    }

    /// Where in the schema.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong there.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// `max_attempts(0)`: the agent could never be asked.
    #[error("`max_attempts` is 0, so the agent could never be asked; set it to 1 or more")]
    NoAttempts,
}
