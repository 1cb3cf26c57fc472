//! Messages about the result of a call: the messages of the feedback, except for the next step.

use super::{ToolkitState, report::ReportStatus};
use crate::{
    attempt::AttemptRecord,
    feedback::{again, listing},
    judging::{
        EndReason,
        tools::messages::{DONE, hand_in},
    },
    vocabulary::text::counted,
};

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
