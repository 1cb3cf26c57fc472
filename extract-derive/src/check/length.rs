//! `length`, `unique`, `items`, `keys` and `values`: constraints on containers.

use super::{known::JsonKind, literal::LiteralValue, subject::ConstraintSubject};
use crate::{MistakeCollector, parse::FieldConstraints};

pub(super) fn check(
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    if let Some(placed) = &constraints.length {
        let instead = match subject.kind {
            JsonKind::Integer(_) | JsonKind::Float => Some("`range(...)`"),
            JsonKind::Boolean | JsonKind::Character => Some("`one_of = [...]`"),
            _ => None,
        };
        if let Some(instead) = instead {
            errors.report(
                &placed.at,
                format!("`length` needs a string, a sequence or a map; {}, use {instead}", subject.is),
            );
        }
        if let (Some(min), Some(max)) = (&placed.value.min, &placed.value.max)
            && min.value > max.value
        {
            errors.report(&max.literal, "no length is in this range; `max` must not lie below `min`");
        }
    }
    let sequence = [
        constraints.unique.as_ref().map(|placed| ("unique", &placed.at)),
        constraints.items.as_ref().map(|placed| ("items", &placed.at)),
    ];
    for (keyword, at) in sequence.into_iter().flatten() {
        check_sequence(keyword, at, subject, errors);
    }
    let map = [
        constraints.keys.as_ref().map(|placed| ("keys", &placed.at)),
        constraints.values.as_ref().map(|placed| ("values", &placed.at)),
    ];
    for (keyword, at) in map.into_iter().flatten() {
        if is_scalar(subject) || matches!(subject.kind, JsonKind::Sequence(_)) {
            errors.report(at, format!("`{keyword}` needs a map; {}", subject.is));
        }
    }
}

/// Reports `keyword` where the subject is known not to be a sequence.
pub(super) fn check_sequence(
    keyword: &str,
    at: &syn::Path,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    if is_scalar(subject) || matches!(subject.kind, JsonKind::Map(..)) {
        errors.report(at, format!("`{keyword}` needs a sequence; {}", subject.is));
    }
}

fn is_scalar(subject: &ConstraintSubject<'_>) -> bool {
    matches!(
        subject.kind,
        JsonKind::Integer(_) | JsonKind::Float | JsonKind::Boolean | JsonKind::Character | JsonKind::String
    )
}

pub(super) fn violated(literal: &LiteralValue, constraints: &FieldConstraints) -> Option<String> {
    let LiteralValue::String(text) = literal else { return None };
    let length = &constraints.length.as_ref()?.value;
    let count = text.chars().count();
    if let Some(min) = length.min.as_ref().filter(|min| count < min.value) {
        return Some(format!("has {count} characters, fewer than {}", min.value));
    }
    if let Some(max) = length.max.as_ref().filter(|max| count > max.value) {
        return Some(format!("has {count} characters, more than {}", max.value));
    }
    None
}
