//! Why an extraction fails, with the record of every attempt.

use std::{
    fmt::{self, Write as _},
    ops::Range,
    sync::LazyLock,
    time::Duration,
};

use serde_json::Value;

use crate::{
    agent::{AgentError, AgentErrorKind, FinishReason, Role},
    attempt::AttemptRecord,
    document::ChunkError,
    feedback::format_violations_for_display,
    metrics::{ExtractionMetrics, counted_retries},
    schema::{NarrowingError, SchemaError},
    vocabulary::{
        redaction::VALUE_MARKER,
        text::{counted, cut, said},
        violation::Violation,
    },
};

/// The result of an extraction: the value and its metrics, or the error.
pub type ExtractionResult<T> = Result<(T, ExtractionMetrics), ExtractionError>;

/// The error of an extraction, with everything that happened before.
///
/// `Display` has a limited length: the first ten violations of the last attempt, one per line. The
/// fields have everything.
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
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ExtractionError {
    /// The budget of attempts is used up.
    #[error("no acceptable answer after {attempts} of {max_attempts} attempts{}", last_violations(history))]
    #[non_exhaustive]
    MaxRetriesExceeded {
        /// Attempts made.
        attempts: u32,
        /// Attempts allowed, including those that are continued.
        max_attempts: u32,
        /// Every attempt, in order.
        history: Vec<AttemptRecord>,
        /// The last reply.
        raw_output: String,
        /// The metrics.
        metrics: Box<ExtractionMetrics>,
    },
    /// A rule, a check or a callback rejected the value and said that a retry is pointless.
    #[error(
        "the answer was rejected for good in attempt {} of {}{}",
        record.attempts,
        record.max_attempts,
        last_violations(&record.history)
    )]
    #[non_exhaustive]
    Fatal {
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// The last reply of the budget was cut before its end.
    #[error(
        "the answer was cut off before its end in attempt {} of {}; {}{}",
        record.attempts,
        record.max_attempts,
        cut_by(record),
        last_violations(&record.history)
    )]
    #[non_exhaustive]
    Truncated {
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// The agent refused to answer, or a content filter of its provider withheld the answer, and
    /// there was no other agent to ask. Asking the same agent again rarely helps.
    ///
    /// Only a reply that the agent [marks as a refusal](crate::agent::Reply::is_refusal) counts. A
    /// refusal in plain text is an attempt like any other.
    #[error(
        "the agent refused to answer in attempt {} of {}: {}",
        record.attempts,
        record.max_attempts,
        told(message, record)
    )]
    #[non_exhaustive]
    Refused {
        /// The words of the agent or its provider, such as `I can't help with that.` or `SAFETY`. If
        /// it gave none: `a content filter withheld the answer`. They may quote the prompt, so
        /// `Display` omits them if the contract has sensitive values.
        message: String,
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// An attempt made no progress over the one before, and
    /// [`stop_on_stall`](crate::Extraction::stop_on_stall) was set.
    #[error(
        "attempt {} of {} made no progress over the one before{}",
        record.attempts,
        record.max_attempts,
        last_violations(&record.history)
    )]
    #[non_exhaustive]
    Stalled {
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// The [`token_budget`](crate::Extraction::token_budget) was used up before an answer was
    /// acceptable.
    #[error(
        "{} tokens were used up after {}; the budget is {budget}{}",
        record.metrics.usage.total(),
        counted(record.attempts as usize, "attempt"),
        last_violations(&record.history)
    )]
    #[non_exhaustive]
    TokenBudgetExceeded {
        /// The budget, in tokens.
        budget: u64,
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// The [`deadline`](crate::Extraction::deadline) passed before an answer was acceptable.
    #[error(
        "no acceptable answer within {deadline:?}, after {}{}",
        counted(record.attempts as usize, "attempt"),
        last_violations(&record.history)
    )]
    #[non_exhaustive]
    DeadlineExceeded {
        /// The limit.
        deadline: Duration,
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// The agent gave no reply.
    #[error(
        "the agent gave no reply to attempt {} of {}{}: {}",
        record.attempts + 1,
        record.max_attempts,
        retried(&record.metrics),
        cut(&source.to_string(), MAX_SOURCE_CHARS)
    )]
    #[non_exhaustive]
    Agent {
        /// Why.
        source: Box<AgentError>,
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// A rule, a check or a callback of the user panicked. No other answer fixes a bug in the
    /// program, so the extraction ends.
    #[error("a rule, a check or `on_submit` panicked in attempt {}: {}", record.attempts, said(message))]
    #[non_exhaustive]
    Panicked {
        /// The message of the panic.
        message: String,
        /// The record of the extraction.
        record: Box<ExtractionRecord>,
    },
    /// The document was extracted [in chunks](crate::Extraction::chunks), and at least one of them
    /// has no acceptable answer. Nothing found is lost: it is in [`Coverage::found`]. See
    /// [`accept_gaps`](crate::Extraction::accept_gaps).
    #[error(
        "chunk {} of {} has no answer, which leaves {} of the document uncovered: {source}",
        coverage.chunk + 1,
        record.metrics.chunks.len(),
        coverage.uncovered_bytes()
    )]
    #[non_exhaustive]
    Incomplete {
        /// The error of the first chunk that failed, with its attempts.
        source: Box<ExtractionError>,
        /// The coverage, with the values found.
        coverage: Box<Coverage>,
        /// The record, with the failed attempts of all chunks.
        record: Box<ExtractionRecord>,
    },
    /// The schema of the contract does not compile. The agent was not asked.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The contract cannot be [narrowed](crate::Extraction::one_of) as asked: the path does not
    /// exist, a value does not fit there, or no value is left. The agent was not asked.
    #[error(transparent)]
    Narrowing(#[from] NarrowingError),
    /// A setting makes no sense. The agent was not asked.
    #[error("{0}")]
    Settings(#[from] SettingsError),
}

/// The answered part of a document that was not answered in full. `{:?}` omits the answers, which may be
/// sensitive.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Coverage {
    /// The first chunk that failed, counted from 0. `record.metrics.gaps` has the others.
    pub chunk: usize,
    /// The bytes of the document that were answered, in order.
    pub covered: Vec<Range<usize>>,
    /// The bytes of the chunks that failed or were never sent, in order.
    pub uncovered: Vec<Range<usize>>,
    /// The merged answers in the form that agents write, without the spans of quotes. `null`
    /// without answers. This value was not judged as a whole.
    pub found: Value,
}

impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunk, covered, uncovered, found: _ } = self;
        let mut shown = f.debug_struct("Coverage");
        shown.field("chunk", chunk).field("covered", covered).field("uncovered", uncovered);
        shown.finish_non_exhaustive()
    }
}

impl Coverage {
    fn uncovered_bytes(&self) -> String {
        let bytes = self.uncovered.iter().map(Range::len).sum();
        counted(bytes, "byte")
    }
}

/// The record of an extraction that ended without a value.
///
/// ```
/// # use extract::{Contract, ExtractionError, testing::{ScriptedAgent, block_on}};
/// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
/// let agent = ScriptedAgent::new(["one"]);
/// match block_on(contract.extract(&agent, "How many?").max_attempts(2)) {
///     Err(ExtractionError::Agent { source, record, .. }) => {
///         assert_eq!((record.attempts, record.max_attempts), (1, 2));
///         assert_eq!(record.history[0].raw_output, "one");
///         assert!(source.to_string().contains("script"));
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExtractionRecord {
    /// Attempts made, that is, questions that were answered.
    pub attempts: u32,
    /// Attempts allowed, including those that are continued.
    pub max_attempts: u32,
    /// Every attempt, in order, with the replies as the agent wrote them.
    pub history: Vec<AttemptRecord>,
    /// The metrics.
    pub metrics: ExtractionMetrics,
}

/// `{:?}` prints the name and the text of `Display`; `unwrap` and a `main` that returns the error
/// print it. `{:#?}` adds the history and the metrics; see [`AttemptRecord`] for what its `Debug`
/// omits.
impl fmt::Debug for ExtractionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return write!(f, "{}: {self}", self.name());
        }
        let mut debug = f.debug_struct(self.name());
        debug.field("message", &self.to_string());
        if !self.history().is_empty() {
            debug.field("history", &self.history()).field("metrics", self.metrics());
        }
        debug.finish_non_exhaustive()
    }
}

impl ExtractionError {
    /// Returns the name of the variant, such as `MaxRetriesExceeded`; for logs and counters.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MaxRetriesExceeded { .. } => "MaxRetriesExceeded",
            Self::Fatal { .. } => "Fatal",
            Self::Truncated { .. } => "Truncated",
            Self::Refused { .. } => "Refused",
            Self::Stalled { .. } => "Stalled",
            Self::TokenBudgetExceeded { .. } => "TokenBudgetExceeded",
            Self::DeadlineExceeded { .. } => "DeadlineExceeded",
            Self::Agent { .. } => "Agent",
            Self::Panicked { .. } => "Panicked",
            Self::Incomplete { .. } => "Incomplete",
            Self::Schema(_) => "Schema",
            Self::Narrowing(_) => "Narrowing",
            Self::Settings(_) => "Settings",
        }
    }

    /// The record, for the variants that have one.
    fn record(&self) -> Option<&ExtractionRecord> {
        match self {
            Self::Fatal { record }
            | Self::Truncated { record }
            | Self::Refused { record, .. }
            | Self::Stalled { record }
            | Self::TokenBudgetExceeded { record, .. }
            | Self::DeadlineExceeded { record, .. }
            | Self::Agent { record, .. }
            | Self::Panicked { record, .. }
            | Self::Incomplete { record, .. } => Some(record),
            Self::MaxRetriesExceeded { .. } | Self::Schema(_) | Self::Narrowing(_) | Self::Settings(_) => {
                None
            }
        }
    }

    /// Prepends the attempts made `before` to the history, and replaces the metrics by the metrics
    /// of `all` attempts.
    pub(crate) fn after(mut self, before: Vec<AttemptRecord>, all: ExtractionMetrics) -> Self {
        let (history, metrics) = match &mut self {
            Self::MaxRetriesExceeded { history, metrics, .. } => (history, &mut **metrics),
            Self::Fatal { record }
            | Self::Truncated { record }
            | Self::Refused { record, .. }
            | Self::Stalled { record }
            | Self::TokenBudgetExceeded { record, .. }
            | Self::DeadlineExceeded { record, .. }
            | Self::Agent { record, .. }
            | Self::Panicked { record, .. }
            | Self::Incomplete { record, .. } => (&mut record.history, &mut record.metrics),
            Self::Schema(_) | Self::Narrowing(_) | Self::Settings(_) => return self,
        };
        history.splice(0..0, before);
        *metrics = all;
        self
    }

    /// Returns the number of attempts made, that is, questions that were answered.
    pub fn attempts(&self) -> u32 {
        self.metrics().attempts
    }

    /// Returns the number of attempts allowed, including those that are continued; 0 when the agent was not asked.
    pub fn max_attempts(&self) -> u32 {
        match self {
            Self::MaxRetriesExceeded { max_attempts, .. } => *max_attempts,
            _ => self.record().map_or(0, |record| record.max_attempts),
        }
    }

    /// Returns why the agent could not be asked: it replied nothing, and not because the prompt is
    /// too long. Another document most likely ends in the same way.
    ///
    /// ```
    /// use extract::{Contract, agent::AgentError, testing::block_on};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = |_: String| async { Err::<String, _>(AgentError::refused("no such model")) };
    /// let error = block_on(contract.extract(&agent, "How many?")).unwrap_err();
    /// assert_eq!(error.unasked().map(AgentError::message), Some("no such model"));
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn unasked(&self) -> Option<&AgentError> {
        let error = self.agent_error().filter(|error| error.kind() != AgentErrorKind::TooLong);
        error.filter(|_| self.attempts() == 0)
    }

    /// Returns the error of the agent that ended the extraction, also of the first chunk that failed.
    pub fn agent_error(&self) -> Option<&AgentError> {
        match self {
            Self::Agent { source, .. } => Some(source),
            Self::Incomplete { source, .. } => source.agent_error(),
            _ => None,
        }
    }

    /// Returns every attempt, in order.
    pub fn history(&self) -> &[AttemptRecord] {
        match self {
            Self::MaxRetriesExceeded { history, .. } => history,
            _ => self.record().map_or(&[], |record| &record.history),
        }
    }

    /// Returns the metrics; all zero if the agent was not asked.
    pub fn metrics(&self) -> &ExtractionMetrics {
        static NOTHING: LazyLock<ExtractionMetrics> = LazyLock::new(ExtractionMetrics::default);
        match self {
            Self::MaxRetriesExceeded { metrics, .. } => metrics,
            _ => self.record().map_or(&NOTHING, |record| &record.metrics),
        }
    }

    /// Returns the last reply, exactly as the agent wrote it; `None` if there was none.
    pub fn raw_output(&self) -> Option<&str> {
        self.history().last().map(|attempt| &*attempt.raw_output)
    }

    /// Returns the violations of the last attempt.
    pub fn violations(&self) -> &[Violation] {
        self.history().last().map_or(&[], |attempt| &attempt.violations)
    }
}

impl ExtractionError {
    /// Returns the best attempt: of those with a value, the one with the fewest violations; of
    /// equals, the latest. Its submission breaks the contract; [`AttemptRecord::holding`] lists the
    /// parts without violations.
    pub fn best(&self) -> Option<&AttemptRecord> {
        let errors = |attempt: &AttemptRecord| attempt.violations.iter().filter(|v| !v.is_warning()).count();
        let with_value = self.history().iter().filter(|attempt| attempt.submitted().is_some());
        with_value.rev().min_by_key(|attempt| errors(attempt))
    }
}

/// Maximum number of characters of the agent's error; the error itself has the full text.
const MAX_SOURCE_CHARS: usize = 4_000;

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

fn told(message: &str, record: &ExtractionRecord) -> String {
    let is_sensitive = record.history.last().is_some_and(|last| last.has_sensitive_values);
    if is_sensitive { VALUE_MARKER.to_owned() } else { said(message) }
}

/// Why the last reply was cut, or what to do about it.
fn cut_by(record: &ExtractionRecord) -> String {
    match record.history.last() {
        Some(AttemptRecord { finish_reason: FinishReason::Interrupted(reason), .. }) => {
            format!("it was interrupted: {}", told(reason, record))
        }
        Some(AttemptRecord { finish_reason: FinishReason::Stop, .. }) => {
            "the agent ended it itself, so more output tokens do not help: ask for less at a time".to_owned()
        }
        _ => "give the agent more output tokens or ask for less at a time".to_owned(),
    }
}

fn retried(metrics: &ExtractionMetrics) -> String {
    match metrics.transport_retries {
        0 => String::new(),
        retries => format!(" ({})", counted_retries(retries)),
    }
}

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// `max_attempts(0)`: the agent could never be asked.
    #[error("`max_attempts` is 0, so the agent could never be asked; set it to 1 or more")]
    NoAttempts,
    /// A number that no agent can be asked with, such as a temperature that is not a number.
    #[error("`{setting}` is {given}; set it to {allowed}")]
    OutOfRange {
        /// The name of the method.
        setting: &'static str,
        /// The number that was given, as `NaN`.
        given: String,
        /// The numbers that make sense, in words.
        allowed: &'static str,
    },
    /// The prompt is a [conversation](crate::agent::Prompt#a-conversation) that asks nothing.
    #[error("the conversation ends with {}; end it with a turn of the user that says what to extract", ended(*last))]
    NothingAsked {
        /// Who speaks last; `None` if it has no turns.
        last: Option<Role>,
    },
    /// The value of a [shot](crate::Extraction::shot) could not be serialized, or is not a right
    /// answer.
    #[error("shot {number} is not a right answer: {message}")]
    Shot {
        /// Its number, from 1.
        number: usize,
        /// The error, in words.
        message: String,
        /// The violations of the contract; empty if the value could not be judged.
        violations: Vec<Violation>,
    },
    /// The answer has quotes, but there is no document to look them up in.
    #[error(
        "the answer has quotes, so it needs the text that they are from; give it with `.document(&document)`"
    )]
    NoDocument,
    /// [Chunks](crate::Extraction::chunks) are set, but there is no document to divide into them.
    #[error("`chunks` is set, but there is no document to divide; give it with `.document(&document)`")]
    ChunksWithoutDocument,
    /// The [chunks](crate::Extraction::chunks) do not fit the document.
    #[error("the chunks do not fit the document: {0}")]
    Chunks(ChunkError),
    /// `keep_valid_items(true)`, but the answer is not a list, and no list in it is marked.
    #[error(
        "`keep_valid_items` is set, but the answer is not a list and no list in it is marked; \
         add `#[extract(keep_valid_items)]` to the field whose broken items may be left out"
    )]
    NoItemsToKeep,
    /// The [confidence](crate::Extraction::confidence) that was asked for cannot be measured.
    #[error("confidence cannot be measured: {message}")]
    Confidence {
        /// Why not.
        message: String,
    },
    /// The [calibration](crate::Extraction::calibrated) is for another schema.
    #[error(
        "the calibration was fitted to answers of another schema ({fitted}) than the one asked for ({schema}); \
         fit one to answers of this schema"
    )]
    Calibration {
        /// The [fingerprint](crate::Contract::fingerprint) of the schema that is asked for.
        schema: String,
        /// The fingerprint of the schema that the calibration is for.
        fitted: String,
    },
    /// The path given to [`items_of`](crate::Extraction::items_of) is not a single list, or its
    /// items cannot be read one by one.
    #[error("the items of `{place}` cannot be delivered: {message}")]
    Items {
        /// The path, as in `$.findings`.
        place: String,
        /// Why not.
        message: String,
    },
}

fn ended(last: Option<Role>) -> String {
    last.map_or_else(|| "nothing, it has no turns".to_owned(), |role| format!("a turn of the {role}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Coverage;

    #[test]
    fn debug_output_has_no_answers() {
        let coverage = Coverage {
            chunk: 1,
            covered: vec![0..4, 6..7],
            uncovered: vec![4..6, 7..9],
            found: json!({"pin": "secret"}),
        };
        let shown = format!("{coverage:?}");
        assert_eq!(shown, "Coverage { chunk: 1, covered: [0..4, 6..7], uncovered: [4..6, 7..9], .. }");
    }
}
