//! Collects the violations of one value, up to a limit, with what was expected of it.

use serde_json::Value;

use super::walk::{KeywordFailure, KeywordFailures, ValidationWalk};
use crate::vocabulary::{
    path::Path,
    suggest,
    text::{counted, cut, quoted, quoted_list},
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

/// The violation of a value of another type than the schema asks for.
pub(super) fn wrong_type(at: Path, wants_object: bool) -> Violation {
    if at.is_root() && wants_object {
        Violation::new(at, Code::NotObject, "the answer is not a JSON object")
    } else {
        Violation::new(at, Code::WrongType, "wrong type")
    }
}

/// The violations found so far. Beyond the limit they are only counted.
pub(super) struct ViolationReport {
    violations: Vec<Violation>,
    omitted: usize,
    pub(super) subject: ExpectationSubject,
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

    /// Adds the violations of `failure`.
    pub(super) fn explain<'a>(&mut self, failure: &KeywordFailure<'a>, walk: &ValidationWalk<'a>) {
        (self.explain)(failure, walk, self);
    }

    /// Adds the violations of all `failures`. Those that are not listed are counted.
    pub(super) fn explain_all<'a>(&mut self, failures: &KeywordFailures<'a>, walk: &ValidationWalk<'a>) {
        failures.list.iter().for_each(|failure| self.explain(failure, walk));
        self.omit(failures.count - failures.list.len());
    }

    /// Runs `explain`, whose violations are about a value that is wrong as a whole: it is at the path
    /// of `failure`.
    pub(super) fn explain_whole(&mut self, failure: &KeywordFailure<'_>, explain: impl FnOnce(&mut Self)) {
        let start = self.violations.len();
        explain(self);
        let steps = failure.path.segments().len();
        self.violations[start..].iter_mut().for_each(|violation| violation.steps_to_whole = Some(steps));
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

/// The subject of an expectation, which begins its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectationSubject {
    Value,
    /// A key of an object (`propertyNames`).
    Key,
}

impl ExpectationSubject {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::Key => "a key",
        }
    }

    /// `a string in the format date`, `a key in the format date`
    pub(super) fn string(self, form: &str) -> String {
        match self {
            Self::Value => format!("a string {form}"),
            Self::Key => format!("a key {form}"),
        }
    }

    /// `at least 3 characters`, `a key of at least 3 characters`
    pub(super) fn length(self, length: String) -> String {
        match self {
            Self::Value => length,
            Self::Key => format!("a key of {length}"),
        }
    }

    /// `one of ["a","b"]`, `a key that is one of ["a","b"]`
    pub(super) fn which_is(self, described: String) -> String {
        match self {
            Self::Value => described,
            Self::Key => format!("a key that is {described}"),
        }
    }
}

/// The violation of a value that is not among `options`.
pub(super) fn not_listed(
    at: Path,
    options: &[&Value],
    actual: &Value,
    subject: ExpectationSubject,
) -> Violation {
    let texts = options.iter().take(suggest::MAX_COMPARED).filter_map(|option| option.as_str());
    let meant = actual.as_str().and_then(|given| suggest::meant(given, texts));
    let mut violation = Violation::new(at, Code::InvalidValue, "not an allowed value").keyword("enum");
    violation.hint = meant.map(|meant| suggest::did_you_mean(&quoted(meant)));
    let expected = ["one of ", &quoted_list(options.iter().copied())].concat();
    violation.expected(subject.which_is(expected)).actual(quoted(actual))
}
