//! What an agent is told about a value that is as it should be.

use std::fmt::Write as _;

use crate::{
    attempt::AttemptRecord,
    feedback::format_violations_for_display,
    text::{counted, excerpt},
};

pub(crate) const DONE: &str = "Nothing more is to be done.";

pub(crate) fn hand_in(submit: &str) -> String {
    format!("Call `{submit}` with the same value to hand it in.")
}

/// A value that is as it should be.
pub(crate) fn valid(record: &AttemptRecord, submit: &str) -> String {
    format!("Valid. {}{}", hand_in(submit), remarks(record))
}

/// The submission that was accepted.
pub(crate) fn accepted(record: &AttemptRecord, max_attempts: u32) -> String {
    let number = record.number;
    format!("Accepted in attempt {number} of {max_attempts}. {DONE}{}", remarks(record))
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
