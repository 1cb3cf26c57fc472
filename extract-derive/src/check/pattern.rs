//! `pattern`.

use super::{known::Kind, literal::Literal, regex, subject::Subject};
use crate::{Errors, parse::Constraints};

pub(super) fn check(constraints: &Constraints, subject: &Subject<'_>, errors: &mut Errors) {
    let Some(placed) = &constraints.pattern else { return };
    if let Some(instead) = instead(&subject.kind) {
        errors.report(&placed.at, format!("`pattern` needs a string; {}, use {instead}", subject.is));
    }
    if let Some(mistake) = regex::mistake(&placed.value.0.value()) {
        errors.report(&placed.value.0, format!("invalid regular expression: {mistake}"));
    }
}

/// The attribute for a type that is not a string.
pub(super) fn instead(kind: &Kind<'_>) -> Option<&'static str> {
    match kind {
        Kind::Integer(_) | Kind::Float => Some("`range(...)`"),
        Kind::Boolean | Kind::Character => Some("`one_of = [...]`"),
        Kind::Sequence(_) => Some("`items(...)`"),
        Kind::Map(..) => Some("`keys(...)` or `values(...)`"),
        Kind::String | Kind::Unknown => None,
    }
}

pub(super) fn violated(literal: &Literal, constraints: &Constraints) -> Option<String> {
    let Literal::String(text) = literal else { return None };
    let pattern = constraints.pattern.as_ref()?.value.0.value();
    regex::is_missing(&pattern, text).then(|| format!("does not match the pattern `{pattern}`"))
}
