//! Values that are not in a list of allowed ones.

use serde_json::Value;

use super::subject::ExpectationSubject;
use crate::vocabulary::{
    path::Path,
    suggest,
    text::{quoted, quoted_list},
    violation::{Code, Violation},
};

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
