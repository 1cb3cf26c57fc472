//! Whether an attempt was better than the one before.

use crate::{AttemptRecord, Violation};

/// Whether nothing was won: the same submission again, or not one violation mended.
///
/// Two attempts without a value are alike only when their text is: each may be unreadable in a way of its own.
pub(super) fn is_stalled(before: &AttemptRecord, now: &AttemptRecord) -> bool {
    match (&before.submitted, &now.submitted) {
        (Some(old), Some(new)) => old == new || keeps_all(&before.violations, &now.violations),
        (None, None) => before.raw_output == now.raw_output,
        _ => false,
    }
}

fn keeps_all(before: &[Violation], now: &[Violation]) -> bool {
    let mut errors = before.iter().filter(|violation| !violation.is_warning());
    errors.all(|old| now.iter().any(|new| (&old.path, &old.code) == (&new.path, &new.code)))
}
