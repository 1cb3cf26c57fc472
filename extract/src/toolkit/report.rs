//! The result of a call, for programs and for the agent.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::ToolkitState;
use crate::{
    attempt::AttemptRecord,
    feedback::{again, listing},
    judging::{
        EndReason,
        tools::{DONE, hand_in},
    },
    metrics::Confidences,
    vocabulary::{change::Change, text::counted, violation::Violation},
};

/// Maximum number of violations and changes that are listed; the rest is only counted.
const MAX_LISTED: usize = 50;

/// Maximum bytes of the JSON Pointers of those violations.
const MAX_POINTER_BYTES: usize = 65_536;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReportStatus {
    Valid,
    Accepted,
    Rejected,
    Closed,
}

pub(super) struct ToolReport<'a> {
    pub(super) status: ReportStatus,
    pub(super) attempts: u32,
    pub(super) attempts_left: u32,
    pub(super) next: String,
    pub(super) violations: &'a [Violation],
    pub(super) changes: &'a [Change],
    /// The accepted value.
    pub(super) value: Option<&'a Value>,
    /// Those of the accepted value, if they are measured.
    pub(super) confidences: Option<&'a Confidences>,
}

impl ToolReport<'_> {
    pub(super) fn to_json(&self) -> Value {
        let mut report = json!({
            "status": self.status,
            "attempts": self.attempts,
            "attempts_left": self.attempts_left,
            "next": self.next,
            "violation_count": self.violations.len(),
            "violations": listed(self.violations).map(violation).collect::<Vec<_>>(),
            "change_count": self.changes.len(),
            "changes": self.changes.iter().take(MAX_LISTED).map(change).collect::<Vec<_>>(),
        });
        if let Some(value) = self.value {
            report["value"] = value.clone();
        }
        let leaves = self.confidences.into_iter().flat_map(Confidences::by_pointer);
        let numbers: Map<_, _> = leaves.filter_map(|(leaf, number)| Some((leaf, json!(number?)))).collect();
        if !numbers.is_empty() {
            report["confidence"] = numbers.into();
        }
        report
    }
}

/// The first violations. Their pointers are exact, so one may be as long as the reply.
fn listed(violations: &[Violation]) -> impl Iterator<Item = &Violation> {
    let mut bytes = 0;
    violations.iter().take(MAX_LISTED).take_while(move |violation| {
        let is_first = bytes == 0;
        bytes += 1 + violation.path.pointer_bytes();
        is_first || bytes <= MAX_POINTER_BYTES
    })
}

fn violation(violation: &Violation) -> Value {
    let mut report = json!({
        "path": violation.path.to_string(),
        "pointer": violation.path.to_pointer(),
        "code": violation.code,
        "message": violation.message_with_hint(),
        "severity": violation.severity,
    });
    // Absent instead of `null`, which not every client's dialect of JSON Schema supports.
    for (name, text) in [("expected", &violation.expected), ("actual", &violation.actual)] {
        if let Some(text) = text {
            report[name] = json!(text);
        }
    }
    report
}

fn change(change: &Change) -> Value {
    json!({
        "path": change.path.to_string(),
        "kind": change.kind,
        "before": change.before,
        "after": change.after,
        "loss": change.loss,
    })
}

const STOP: &str = "Do not call this tool again; tell the user what is wrong.";

/// The next step for the agent, if it sees only the structured result.
pub(super) fn next(status: ReportStatus, state: ToolkitState, submit: &str) -> String {
    match (status, state) {
        (ReportStatus::Valid, _) => hand_in(submit),
        (_, ToolkitState::Open { .. }) => {
            format!("Fix all violations and keep what was right. {}", again(submit))
        }
        (_, ToolkitState::Accepted) => DONE.to_owned(),
        (_, ToolkitState::Failed) => STOP.to_owned(),
    }
}

/// The message about the last failed attempt.
pub(super) fn closed_by(record: &AttemptRecord, max_attempts: u32, end: &EndReason) -> String {
    let number = record.number;
    let why = match end {
        EndReason::Exhausted | EndReason::Truncated | EndReason::Deadline | EndReason::Agent(_) => {
            format!("This was attempt {number} of {max_attempts}, the last one.")
        }
        EndReason::Stalled => {
            format!("Attempt {number} of {max_attempts} made no progress over the one before.")
        }
        EndReason::Refused => format!("Attempt {number} of {max_attempts} was a refusal."),
        EndReason::TokenBudget => {
            format!("The budget of tokens is used up after {}.", counted(number as usize, "attempt"))
        }
        EndReason::Fatal => format!("It was rejected for good in attempt {number} of {max_attempts}."),
        EndReason::Panicked(_) => {
            return format!("The program that judges the value failed; no other value will fix that. {STOP}");
        }
    };
    format!("{}\n{why} {STOP}", listing(&record.violations))
}

/// The message about a call after the end.
pub(super) fn closed(state: ToolkitState) -> String {
    match state {
        ToolkitState::Accepted => {
            format!("This call was ignored: a value was already accepted. {DONE}")
        }
        _ => format!("This call was ignored: no attempt is left. {STOP}"),
    }
}
