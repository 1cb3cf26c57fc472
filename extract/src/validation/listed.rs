//! Values that are not among those that are listed.

use serde_json::Value;

use super::suggest;
use crate::{
    path::Path,
    text::{quoted, quoted_list},
    violation::{Code, Violation},
};

/// How the message starts of a value that is not among those that are listed.
pub(super) const NOT_LISTED: &str = "not an allowed value";

/// The violation of a value that is none of `options`.
pub(super) fn not_listed(at: Path, options: &[&Value], actual: &Value) -> Violation {
    let texts = options.iter().take(suggest::MAX_COMPARED).filter_map(|option| option.as_str());
    let meant = actual.as_str().and_then(|given| suggest::meant(given, texts));
    let message = match meant {
        Some(meant) => [NOT_LISTED, "; did you mean ", &quoted(meant), "?"].concat(),
        None => NOT_LISTED.to_owned(),
    };
    let expected = ["one of ", &quoted_list(options.iter().copied())].concat();
    Violation::new(at, Code::InvalidValue, message).expected(expected).actual(quoted(actual))
}
