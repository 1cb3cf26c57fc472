//! One question to the agent and its judged reply, as the history keeps it.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    agent::FinishReason, change::Change, path::Path, redaction::VALUE_MARKER, usage::TokenUsage,
    violation::Violation,
};

/// One question to the agent and its judged reply.
///
/// Where the contract has sensitive values, `Debug` shows neither the reply nor what was read of it. They are in the
/// fields [`raw_output`](Self::raw_output), [`submitted`](Self::submitted) and [`patch`](Self::patch), as they were written, and in what
/// serde writes of those; the violations, changes and regressions do not have them.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub number: u32,
    /// Name of the agent that replied.
    pub agent: String,
    /// The reply, exactly as the agent wrote it; where it handed in a value by calling a tool, the arguments of the call.
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
    /// Whether it made no progress over the attempt before: the same submission, or none of its violations fixed.
    pub is_stalled: bool,
    /// Violations where nothing was wrong with the attempt before.
    pub regressions: Vec<Regression>,
    /// Whether the contract has values that are not to be repeated (`#[extract(sensitive)]`). What the changes quote is
    /// hidden then.
    pub has_sensitive_values: bool,
}

impl fmt::Debug for AttemptRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, agent, raw_output, finish_reason, submitted, patch, violations, changes, .. } =
            self;
        let shown = |value: &dyn fmt::Debug| {
            if self.has_sensitive_values { VALUE_MARKER.to_owned() } else { format!("{value:?}") }
        };
        f.debug_struct("AttemptRecord")
            .field("number", number)
            .field("agent", agent)
            .field("raw_output", &format_args!("{}", shown(raw_output)))
            .field("finish_reason", finish_reason)
            .field("submitted", &format_args!("{}", shown(submitted)))
            .field("patch", &format_args!("{}", shown(patch)))
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
    /// # Ok::<(), extract::schema::SchemaError>(())
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
