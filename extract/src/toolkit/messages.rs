//! What a call came to, in words: those of the feedback, but for what to do next.

use super::{ToolkitState, report::Status};
use crate::{
    attempt::AttemptRecord,
    feedback::{again, listing},
    judging::{
        EndReason,
        tools::messages::{DONE, hand_in},
    },
    text::counted,
};

const STOP: &str = "Do not call this tool again; tell the user what is wrong.";

/// What the agent should do next, for agents that are shown the structured result only.
pub(super) fn next(status: Status, state: ToolkitState, submit: &str) -> String {
    match (status, state) {
        (Status::Valid, _) => hand_in(submit),
        (_, ToolkitState::Open { .. }) => {
            format!("Fix all violations and keep what was right. {}", again(submit))
        }
        (_, ToolkitState::Accepted) => DONE.to_owned(),
        (_, ToolkitState::Failed) => STOP.to_owned(),
    }
}

/// A failed attempt after which none follows.
pub(super) fn closed_by(record: &AttemptRecord, max_attempts: u32, end: &EndReason) -> String {
    let number = record.number;
    let why = match end {
        EndReason::Exhausted | EndReason::Truncated | EndReason::Deadline | EndReason::Agent(_) => {
            format!("This was attempt {number} of {max_attempts}, the last one.")
        }
        EndReason::Stalled => {
            format!("Attempt {number} of {max_attempts} made no progress over the one before.")
        }
        EndReason::TokenBudget => {
            format!("The budget of tokens is used up after {}.", counted(number as usize, "attempt"))
        }
        EndReason::Fatal => format!("It was rejected for good in attempt {number} of {max_attempts}."),
        EndReason::Panicked(_) => {
            return format!("The program that judges the value failed, which no other value mends. {STOP}");
        }
    };
    format!("{}\n{why} {STOP}", listing(&record.violations))
}

/// Any call after the end.
pub(super) fn closed(state: ToolkitState) -> String {
    match state {
        ToolkitState::Accepted => {
            format!("This call was not looked at: a value was accepted before. {DONE}")
        }
        _ => format!("This call was not looked at: no attempt is left. {STOP}"),
    }
}
