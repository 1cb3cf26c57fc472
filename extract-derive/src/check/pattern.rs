//! `pattern`.

use super::{known::JsonKind, literal::LiteralValue, regex, subject::ConstraintSubject};
use crate::{MistakeCollector, parse::FieldConstraints};

pub(super) fn check(
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    let Some(placed) = &constraints.pattern else { return };
    if let Some(instead) = instead(&subject.kind) {
        errors.report(&placed.at, format!("`pattern` needs a string; {}, use {instead}", subject.is));
    }
    if let Some(mistake) = regex::mistake(&placed.value.0.value()) {
        errors.report(&placed.value.0, format!("invalid regular expression: {mistake}"));
    }
}

/// The attribute for a type that is not a string.
pub(super) fn instead(kind: &JsonKind<'_>) -> Option<&'static str> {
    match kind {
        JsonKind::Integer(_) | JsonKind::Float => Some("`range(...)`"),
        JsonKind::Boolean | JsonKind::Character => Some("`one_of = [...]`"),
        JsonKind::Sequence(_) => Some("`items(...)`"),
        JsonKind::Map(..) => Some("`keys(...)` or `values(...)`"),
        JsonKind::String | JsonKind::Unknown => None,
    }
}

pub(super) fn violated(literal: &LiteralValue, constraints: &FieldConstraints) -> Option<String> {
    let LiteralValue::String(text) = literal else { return None };
    let pattern = constraints.pattern.as_ref()?.value.0.value();
    regex::is_missing(&pattern, text).then(|| format!("does not match the pattern `{pattern}`"))
}
