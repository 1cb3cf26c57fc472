//! Messages to the agent about acceptable values.

use std::fmt::Write as _;

use crate::{
    attempt::AttemptRecord,
    feedback::format_violations_for_display,
    vocabulary::text::{counted, excerpt},
};

pub(crate) const DONE: &str = "No further action is needed.";

pub(crate) fn hand_in(submit: &str) -> String {
    format!("Call `{submit}` with the same value to submit it.")
}

/// The message about a valid value.
pub(crate) fn valid(record: &AttemptRecord, submit: &str) -> String {
    format!("Valid. {}{}", hand_in(submit), remarks(record))
}

/// The message about the accepted submission.
pub(crate) fn accepted(record: &AttemptRecord, max_attempts: u32) -> String {
    let number = record.number;
    format!("Accepted in attempt {number} of {max_attempts}. {DONE}{}", remarks(record))
}

/// Warnings, and the changes that reading made.
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

/// How many warnings and changes a message lists; the structured result has more.
const MAX_REMARKS: usize = 10;
