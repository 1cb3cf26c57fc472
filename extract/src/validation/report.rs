//! Collects the violations of one value, up to a limit.

use super::{
    subject::ExpectationSubject,
    walk::{KeywordFailure, ValidationWalk},
};
use crate::vocabulary::{
    path::Path,
    text::{counted, cut},
    violation::{Code, Violation},
};

/// Maximum number of violations of one value.
pub(super) const MAX_VIOLATIONS: usize = 1_000;

/// Maximum characters of a message and of an expectation. Lists of allowed values stay below it;
/// names in the schema and nested alternatives need not.
const MAX_CHARS: usize = 8_000;

/// The violation of a value that the schema rejects for an unknown reason.
pub(super) fn unexplained(path: Path) -> Violation {
    Violation::new(path, Code::InvalidValue, "not what the schema asks for")
}

/// The violations found so far. Beyond the limit they are only counted.
pub(super) struct ViolationReport {
    violations: Vec<Violation>,
    omitted: usize,
    subject: ExpectationSubject,
    explain: ExplainFailure,
}

/// Adds the violations of a failure. A report holds this function so that a kind of failure which
/// contains others does not have to import every kind.
pub(super) type ExplainFailure = for<'a> fn(&KeywordFailure<'a>, &ValidationWalk<'a>, &mut ViolationReport);

impl ViolationReport {
    /// An empty report with room for `count` violations. `explain` adds the violations of a
    /// failure.
    pub(super) fn of(count: usize, explain: ExplainFailure) -> Self {
        let violations = Vec::with_capacity(count);
        Self { violations, omitted: 0, subject: ExpectationSubject::Value, explain }
    }

    /// An empty report whose expectations become part of another violation.
    pub(super) fn fresh(&self) -> Self {
        Self { subject: self.subject, ..Self::of(0, self.explain) }
    }

    /// The same for a key of an object.
    pub(super) fn fresh_for_key(&self) -> Self {
        Self { subject: ExpectationSubject::Key, ..self.fresh() }
    }

    pub(super) fn subject(&self) -> ExpectationSubject {
        self.subject
    }

    /// Adds the violations of `failure`.
    pub(super) fn explain<'a>(&mut self, failure: &KeywordFailure<'a>, walk: &ValidationWalk<'a>) {
        (self.explain)(failure, walk, self);
    }

    pub(super) fn has_room(&self) -> bool {
        self.violations.len() < MAX_VIOLATIONS
    }

    pub(super) fn push(&mut self, mut violation: Violation) {
        if !self.has_room() {
            return self.omit(1);
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
    pub(super) fn omit(&mut self, count: usize) {
        self.omitted += count;
    }

    /// The violations, and one that counts the unlisted ones.
    pub(super) fn into_violations(mut self) -> Vec<Violation> {
        if self.omitted > 0 {
            self.violations.push(more(self.omitted));
        }
        self.violations
    }
}

/// The violation that counts the unlisted ones.
fn more(count: usize) -> Violation {
    Violation::new(
        Path::root(),
        Code::More,
        format!("{} more that are not listed", counted(count, "violation")),
    )
}
