//! The violations of one value, up to a number.

use super::{
    subject::Subject,
    walk::{Fault, Walk},
};
use crate::{
    path::Path,
    text::{counted, cut},
    violation::{Code, Violation},
};

/// Violations that are collected of one value; beyond them a value is wrong enough.
pub(super) const MAX_VIOLATIONS: usize = 1_000;

/// Characters of a message and of what would be acceptable. Lists of allowed values stay below it; names in the schema and
/// alternatives of alternatives need not.
const MAX_CHARS: usize = 8_000;

/// Violations as they are found. Those for which there is no room are not made, only counted.
pub(super) struct Report {
    violations: Vec<Violation>,
    left_out: usize,
    subject: Subject,
    explain: Explain,
}

/// Adds the violations of a fault. A report holds this function so that a kind of fault which contains others does not have to
/// import every kind.
pub(super) type Explain = for<'a> fn(&Fault<'a>, &Walk<'a>, &mut Report);

impl Report {
    /// An empty report with room for `count` violations. `explain` adds the violations of a fault.
    pub(super) fn of(count: usize, explain: Explain) -> Self {
        let violations = Vec::with_capacity(count);
        Self { violations, left_out: 0, subject: Subject::Value, explain }
    }

    /// An empty report whose expectations become part of another violation.
    pub(super) fn anew(&self) -> Self {
        Self { subject: self.subject, ..Self::of(0, self.explain) }
    }

    /// The same for a key of an object.
    pub(super) fn anew_for_key(&self) -> Self {
        Self { subject: Subject::Key, ..self.anew() }
    }

    pub(super) fn subject(&self) -> Subject {
        self.subject
    }

    /// Adds the violations of `fault`.
    pub(super) fn explain<'a>(&mut self, fault: &Fault<'a>, walk: &Walk<'a>) {
        (self.explain)(fault, walk, self);
    }

    pub(super) fn has_room(&self) -> bool {
        self.violations.len() < MAX_VIOLATIONS
    }

    pub(super) fn push(&mut self, mut violation: Violation) {
        if !self.has_room() {
            return self.leave_out(1);
        }
        for text in [Some(&mut violation.message), violation.hint.as_mut(), violation.expected.as_mut()]
            .into_iter()
            .flatten()
        {
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

/// The violation that stands for those that are not listed.
fn more(count: usize) -> Violation {
    Violation::new(
        Path::root(),
        Code::More,
        format!("{} more that are not listed", counted(count, "violation")),
    )
}
