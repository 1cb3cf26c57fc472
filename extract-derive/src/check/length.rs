//! `length`, `unique`, `items`, `keys` and `values`: constraints on containers.

use super::{known::Kind, literal::Literal, subject::Subject};
use crate::{Errors, parse::Constraints};

pub(super) fn check(constraints: &Constraints, subject: &Subject<'_>, errors: &mut Errors) {
    if let Some(placed) = &constraints.length {
        let instead = match subject.kind {
            Kind::Integer(_) | Kind::Float => Some("`range(...)`"),
            Kind::Boolean | Kind::Character => Some("`one_of = [...]`"),
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
        if is_scalar(subject) || matches!(subject.kind, Kind::Sequence(_)) {
            errors.report(at, format!("`{keyword}` needs a map; {}", subject.is));
        }
    }
}

/// Reports `keyword` where the subject is known not to be a sequence.
pub(super) fn check_sequence(keyword: &str, at: &syn::Path, subject: &Subject<'_>, errors: &mut Errors) {
    if is_scalar(subject) || matches!(subject.kind, Kind::Map(..)) {
        errors.report(at, format!("`{keyword}` needs a sequence; {}", subject.is));
    }
}

fn is_scalar(subject: &Subject<'_>) -> bool {
    matches!(subject.kind, Kind::Integer(_) | Kind::Float | Kind::Boolean | Kind::Character | Kind::String)
}

pub(super) fn violated(literal: &Literal, constraints: &Constraints) -> Option<String> {
    let Literal::String(text) = literal else { return None };
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
