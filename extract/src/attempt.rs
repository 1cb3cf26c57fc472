//! One question to the agent and its judged reply, as the history keeps it.

use std::{fmt, sync::OnceLock, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{
    agent::{FinishReason, TokenProbability},
    metrics::ReplyOrigin,
    vocabulary::{
        attempt_status::AttemptStatus,
        change::Change,
        path::{Path, Segment},
        redaction::VALUE_MARKER,
        usage::TokenUsage,
        violation::Violation,
    },
};

/// One question to the agent and its judged reply.
///
/// If the contract has sensitive values, `Debug` omits the reply and everything read from it. The
/// fields [`raw_output`](Self::raw_output) and [`refusal`](Self::refusal),
/// [`patch`](Self::patch) and the value [`submitted`](Self::submitted) keep the original values, and
/// so does their serialized form. Violations, changes and regressions never contain sensitive values.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Its number, from 1. Each pass over a [chunk](Self::chunk) starts at 1 again, and so do the
    /// attempts after the answers were merged. The merged value itself has the number 0: no agent
    /// wrote it.
    pub number: u32,
    /// The chunk of the document, counted from 0; `None` if the question was not about a chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
    /// Name of the agent that replied.
    pub agent: String,
    /// Where the reply came from: model, request id and more, if the provider reported it.
    #[serde(default, skip_serializing_if = "ReplyOrigin::is_empty")]
    pub origin: ReplyOrigin,
    /// The reply, exactly as the agent wrote it; for a tool call, its arguments.
    pub raw_output: String,
    /// Why the agent stopped.
    pub finish_reason: FinishReason,
    /// The words in which the agent or its provider refused to answer, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// The outcome of the attempt.
    #[serde(default)]
    pub verdict: AttemptStatus,
    #[serde(default)]
    pub(crate) submitted: Submission,
    /// The patch of the previous submission (RFC 6902), if one was requested and given.
    pub patch: Option<Value>,
    /// Where the attempt continues the previous reply, if that reply was cut. The value then
    /// includes the part that was already complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
    /// Everything wrong with the submission, warnings included.
    pub violations: Vec<Violation>,
    /// The changes and omissions of reading.
    pub changes: Vec<Change>,
    /// Tokens.
    pub usage: TokenUsage,
    /// The agent's notes on how it was asked, for example that the schema could not be sent in the
    /// provider's native form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How likely the model found the tokens of its reply, if the agent reported it. Their ranges
    /// are bytes of [`raw_output`](Self::raw_output).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_probabilities: Vec<TokenProbability>,
    /// Wall time, from sending the question to the judgement.
    pub elapsed: Duration,
    /// Whether it made no progress over the previous attempt: the same submission, or none of its
    /// violations fixed.
    pub is_stalled: bool,
    /// Violations at paths that were right in the previous attempt.
    pub regressions: Vec<Regression>,
    /// Whether the contract has sensitive values (`#[extract(sensitive)]`). The values that changes
    /// quote are then redacted.
    pub has_sensitive_values: bool,
}

impl fmt::Debug for AttemptRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, agent, raw_output, finish_reason, refusal, verdict, .. } = self;
        let Self { submitted, patch, violations, changes, .. } = self;
        let shown = |value: &dyn fmt::Debug| {
            if self.has_sensitive_values { VALUE_MARKER.to_owned() } else { format!("{value:?}") }
        };
        f.debug_struct("AttemptRecord")
            .field("number", number)
            .field("agent", agent)
            .field("origin", &self.origin)
            .field("raw_output", &format_args!("{}", shown(raw_output)))
            .field("finish_reason", finish_reason)
            .field("refusal", &format_args!("{}", shown(refusal)))
            .field("verdict", verdict)
            .field("submitted", &format_args!("{}", shown(&submitted.value())))
            .field("patch", &format_args!("{}", shown(patch)))
            .field("continuation", &self.continuation)
            .field("violations", violations)
            .field("changes", changes)
            .field("usage", &self.usage)
            .field("notes", &self.notes)
            .field("elapsed", &self.elapsed)
            .field("is_stalled", &self.is_stalled)
            .field("regressions", &self.regressions)
            .finish_non_exhaustive()
    }
}

impl AttemptRecord {
    /// Redacts the reply and everything read from it, which may quote sensitive values. What is
    /// left says how the attempt ended, but not how it was answered.
    ///
    /// ```
    /// use extract::Extractable as _;
    ///
    /// let error = Vec::<u8>::from_reply("[300]").unwrap_err();
    /// let mut attempt = error.history()[0].clone();
    /// attempt.redact_reply();
    /// assert!(!attempt.raw_output.contains("300") && attempt.submitted().is_none());
    /// ```
    pub fn redact_reply(&mut self) {
        VALUE_MARKER.clone_into(&mut self.raw_output);
        (self.submitted, self.patch, self.refusal) = (Submission::default(), None, None);
    }

    /// Returns the JSON value that was read from the reply, if any; after a patch, the patched
    /// value. A reply that needed no reading is parsed when this is called for the first time.
    ///
    /// ```
    /// use extract::Extractable as _;
    ///
    /// let error = Vec::<u8>::from_reply("[300]").unwrap_err();
    /// assert_eq!(error.history()[0].submitted(), Some(&serde_json::json!([300])));
    /// ```
    pub fn submitted(&self) -> Option<&Value> {
        self.submitted.value()
    }

    /// A record of a reply before it is read.
    pub(crate) fn new(number: u32, raw_output: String, has_sensitive_values: bool) -> Self {
        Self {
            number,
            chunk: None,
            agent: String::new(),
            origin: ReplyOrigin::default(),
            raw_output,
            finish_reason: FinishReason::Stop,
            refusal: None,
            verdict: AttemptStatus::Rejected,
            submitted: Submission::default(),
            patch: None,
            continuation: None,
            violations: Vec::new(),
            changes: Vec::new(),
            usage: TokenUsage::default(),
            notes: Vec::new(),
            token_probabilities: Vec::new(),
            elapsed: Duration::ZERO,
            is_stalled: false,
            regressions: Vec::new(),
            has_sensitive_values,
        }
    }

    /// Returns the paths of the submission that have no violations, each as close to the root as
    /// possible. Only the root if nothing is wrong; empty without a submission.
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
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn holding(&self) -> Vec<Path> {
        let mut holding = Vec::new();
        if let Some(value) = self.submitted() {
            let errors = self.violations.iter().filter(|violation| !violation.is_warning());
            let broken: Vec<_> = errors.map(|violation| &violation.path).collect();
            hold(value, Path::root(), &broken, &mut holding);
        }
        holding
    }
}

/// Appends the paths of the largest parts of `value`, itself at `path`, that neither contain a path
/// in `broken` nor lie in one.
fn hold(value: &Value, path: Path, broken: &[&Path], holding: &mut Vec<Path>) {
    let broken: Vec<_> = broken.iter().copied().filter(|place| place.is_within(&path)).collect();
    if broken.is_empty() {
        return holding.push(path);
    }
    if broken.contains(&&path) {
        return;
    }
    // There should be no violation inside a scalar; if there is one, the scalar is not right.
    for (step, part) in Segment::parts(value) {
        hold(part, path.clone().step(step), &broken, holding);
    }
}

/// Where an attempt continues a reply that was cut; see
/// [`max_continuations`](crate::Extraction::max_continuations).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Continuation {
    /// The list, the string or the object that was cut.
    pub path: Path,
    /// How much is already there: elements of a list, characters of a string, members of an object.
    /// A list therefore continues with the element at this index.
    pub from: usize,
    /// Whether the agent [continued the text](crate::agent::Capabilities::continues_replies) of the
    /// reply. Otherwise the question was for the rest. If no part of the value was usable by
    /// itself, `path` is the root and `from` is 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues_text: bool,
}

impl Continuation {
    pub(crate) fn new(path: Path, from: usize) -> Self {
        Self { path, from, continues_text: false }
    }

    /// The same for an agent that continues the text of the reply.
    pub(crate) fn of_text(self) -> Self {
        Self { continues_text: true, ..self }
    }
}

/// A path that was right in one attempt and wrong in the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Regression {
    /// Where.
    pub path: Path,
    /// The value when it was right, as JSON of limited length.
    pub before: String,
}

/// The value that was read from a reply, if any. It is compared, printed and serialized as the
/// `Option<Value>` that it stands for.
#[derive(Clone, Default)]
pub(crate) struct Submission {
    value: OnceLock<Value>,
    /// The text of the value, if it is strict JSON that was judged without building the value.
    text: Option<Box<str>>,
}

impl Submission {
    /// The value of a strict JSON `text`.
    pub(crate) fn of_text(text: &str) -> Self {
        Self { value: OnceLock::new(), text: Some(text.into()) }
    }

    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.text {
            Some(text) => Some(self.value.get_or_init(|| serde_json::from_str(text).unwrap_or_default())),
            None => self.value.get(),
        }
    }
}

impl From<Option<Value>> for Submission {
    fn from(value: Option<Value>) -> Self {
        Self { value: value.map_or_else(OnceLock::new, OnceLock::from), text: None }
    }
}

impl PartialEq for Submission {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl Serialize for Submission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Submission {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_stands_for_its_value() {
        let value = json!({"b": [1, 2.5], "a": "\u{e9}"});
        let built = Submission::from(Some(value.clone()));
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let submission = Submission::of_text(&text);
            assert_eq!(submission, built);
            assert_eq!(format!("{submission:?}"), format!("{:?}", Some(&value)));
            let stored = serde_json::to_string(&submission).unwrap();
            assert_eq!(stored, value.to_string());
            assert_eq!(serde_json::from_str::<Submission>(&stored).unwrap(), submission);
        }
        assert_ne!(Submission::of_text("1"), built);
        let nothing = Submission::default();
        assert_eq!((nothing.value(), serde_json::to_value(&nothing).unwrap()), (None, Value::Null));
        assert_eq!(serde_json::from_str::<Submission>("null").unwrap(), nothing);
    }
}
