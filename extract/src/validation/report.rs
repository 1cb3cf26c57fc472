//! The violations of one value, up to a number.

use super::{MAX_VIOLATIONS, more};
use crate::{text::cut, violation::Violation};

/// Characters of a message and of what would be acceptable. Lists of allowed values stay below it; names in the schema and
/// alternatives of alternatives need not.
const MAX_CHARS: usize = 8_000;

/// Violations as they are found. Those for which there is no room are not made, only counted.
#[derive(Default)]
pub(super) struct Report {
    violations: Vec<Violation>,
    left_out: usize,
}

impl Report {
    /// A report of about `count` violations.
    pub(super) fn of(count: usize) -> Self {
        Self { violations: Vec::with_capacity(count), left_out: 0 }
    }

    pub(super) fn has_room(&self) -> bool {
        self.violations.len() < MAX_VIOLATIONS
    }

    pub(super) fn push(&mut self, mut violation: Violation) {
        if !self.has_room() {
            return self.leave_out(1);
        }
        for text in [Some(&mut violation.message), violation.expected.as_mut()].into_iter().flatten() {
            if text.len() > MAX_CHARS {
                *text = cut(text, MAX_CHARS);
            }
        }
        self.violations.push(violation);
    }

    /// Counts violations that are not listed.
    pub(super) fn leave_out(&mut self, count: usize) {
        self.left_out += count;
    }

    /// All violations, and the number of those that are not among them.
    pub(super) fn into_violations(mut self) -> Vec<Violation> {
        if self.left_out > 0 {
            self.violations.push(more(self.left_out));
        }
        self.violations
    }
}
