//! What a call came to, in words: those of the feedback, but for what to do next.

use std::fmt::Write as _;

use super::{ToolkitState, report::Status};
use crate::{
    attempt::AttemptRecord,
    extraction::End,
    feedback::{again, format_violations_for_display, listing},
    text::{counted, excerpt},
};

const DONE: &str = "Nothing more is to be done.";

const STOP: &str = "Do not call this tool again; tell the user what is wrong.";

fn hand_in(submit: &str) -> String {
    format!("Call `{submit}` with the same value to hand it in.")
}

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
pub(super) fn closed_by(record: &AttemptRecord, max_attempts: u32, end: &End) -> String {
    let number = record.number;
    let why = match end {
        End::Exhausted | End::Truncated | End::Deadline | End::Agent(_) => {
            format!("This was attempt {number} of {max_attempts}, the last one.")
        }
        End::Stalled => format!("Attempt {number} of {max_attempts} won nothing over the one before."),
        End::TokenBudget => {
            format!("The budget of tokens is used up after {}.", counted(number as usize, "attempt"))
        }
        End::Fatal => format!("It was rejected for good in attempt {number} of {max_attempts}."),
        End::Panicked(_) => {
            return format!("The program that judges the value failed, which no other value mends. {STOP}");
        }
    };
    format!("{}\n{why} {STOP}", listing(&record.violations))
}

/// A value that is as it should be.
pub(crate) fn valid(record: &AttemptRecord, submit: &str) -> String {
    format!("Valid. {}{}", hand_in(submit), remarks(record))
}

/// The submission that was accepted.
pub(super) fn accepted(record: &AttemptRecord, max_attempts: u32) -> String {
    let number = record.number;
    format!("Accepted in attempt {number} of {max_attempts}. {DONE}{}", remarks(record))
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

/// Warnings, and what was changed in reading.
fn remarks(record: &AttemptRecord) -> String {
    let mut text = String::new();
    if !record.violations.is_empty() {
        let warnings = &record.violations[..record.violations.len().min(MAX_REMARKS)];
        text = format!(
            "\n{}:\n{}",
            counted(record.violations.len(), "warning"),
            format_violations_for_display(warnings)
        );
    }
    if !record.changes.is_empty() {
        let count = counted(record.changes.len(), "change");
        let _ = write!(text, "\nIt was read with {count}:");
        for change in record.changes.iter().take(MAX_REMARKS) {
            let _ = write!(text, "\n{}: {}", change.path, excerpt(&change.before));
            let _ = match &*change.after {
                "" => write!(text, " was left out"),
                after => write!(text, " was read as {}", excerpt(after)),
            };
        }
    }
    text
}

/// Warnings and changes that are told; the structured result has more.
const MAX_REMARKS: usize = 10;
