//! `range` and `multiple_of`.

use syn::Expr;

use super::{known::JsonKind, literal::LiteralValue, subject::ConstraintSubject};
use crate::{
    MistakeCollector,
    parse::{FieldConstraints, RangeLimits},
};

pub(super) fn check(
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    let keywords = [
        constraints.range.as_ref().map(|placed| ("range", &placed.at)),
        constraints.multiple_of.as_ref().map(|placed| ("multiple_of", &placed.at)),
    ];
    let Some(instead) = instead(&subject.kind) else {
        if let Some(placed) = &constraints.range {
            check_bounds(&placed.value, subject, errors);
        }
        if let Some(placed) = &constraints.multiple_of {
            check_multiple(&placed.value.0, subject, errors);
        }
        return;
    };
    for (keyword, at) in keywords.into_iter().flatten() {
        errors.report(at, format!("`{keyword}` needs a number; {}, use {instead}", subject.is));
    }
}

/// The attribute for a type that is not a number.
fn instead(kind: &JsonKind<'_>) -> Option<&'static str> {
    match kind {
        JsonKind::String => Some("`length(...)`"),
        JsonKind::Sequence(_) => Some("`length(...)` or `items(...)`"),
        JsonKind::Map(..) => Some("`length(...)` or `values(...)`"),
        JsonKind::Boolean | JsonKind::Character => Some("`one_of = [...]`"),
        JsonKind::Integer(_) | JsonKind::Float | JsonKind::Unknown => None,
    }
}

fn check_bounds(range: &RangeLimits, subject: &ConstraintSubject<'_>, errors: &mut MistakeCollector) {
    for (one, other, name) in
        [(&range.min, &range.exclusive_min, "min"), (&range.max, &range.exclusive_max, "max")]
    {
        if let (Some(_), Some(exclusive)) = (one, other) {
            errors.report(exclusive, format!("`{name}` and `exclusive_{name}` are both given; keep one"));
        }
    }
    for bound in [&range.min, &range.max, &range.exclusive_min, &range.exclusive_max].into_iter().flatten() {
        check_bound(bound, subject, errors);
    }
    let low =
        range.min.as_ref().map(|bound| (bound, true)).or(range.exclusive_min.as_ref().map(|b| (b, false)));
    let high =
        range.max.as_ref().map(|bound| (bound, true)).or(range.exclusive_max.as_ref().map(|b| (b, false)));
    if let (Some((low, low_counts)), Some((high, high_counts))) = (low, high)
        && let (Some(least), Some(greatest)) = (number(low), number(high))
        && (least > greatest || (least >= greatest && !(low_counts && high_counts)))
    {
        errors.report(high, "no number is in this range; the maximum must lie above the minimum");
    }
}

fn check_bound(bound: &Expr, subject: &ConstraintSubject<'_>, errors: &mut MistakeCollector) {
    let Some(literal) = LiteralValue::of(bound) else { return };
    match (&literal, &subject.kind) {
        (LiteralValue::Integer(number), JsonKind::Integer(bounds))
            if *number < bounds.min || *number > bounds.max =>
        {
            errors.report(
                bound,
                format!("`{number}` is out of range; {}, from {} to {}", subject.is, bounds.min, bounds.max),
            );
        }
        (LiteralValue::Float(_), JsonKind::Integer(_)) => {
            errors.report(bound, format!("a bound must be a whole number here; {}", subject.is));
        }
        (LiteralValue::Integer(_) | LiteralValue::Float(_), _) => {}
        (literal, _) => {
            errors.report(bound, format!("a bound is a number; this is {}", literal.article()));
        }
    }
}

fn check_multiple(number: &Expr, subject: &ConstraintSubject<'_>, errors: &mut MistakeCollector) {
    check_bound(number, subject, errors);
    if self::number(number).is_some_and(|number| number <= 0.0) {
        errors.report(number, "`multiple_of` must be greater than 0");
    }
}

fn number(bound: &Expr) -> Option<f64> {
    LiteralValue::of(bound)?.number()
}

pub(super) fn violated(literal: &LiteralValue, constraints: &FieldConstraints) -> Option<String> {
    let value = literal.number()?;
    let range = constraints.range.as_ref().map(|placed| &placed.value)?;
    let bound = |bound: &Option<Expr>| bound.as_ref().and_then(LiteralValue::of);
    let crossed = |bound: &LiteralValue, is_crossed: fn(&f64, &f64) -> bool| {
        bound.number().is_some_and(|bound| is_crossed(&value, &bound))
    };
    if let Some(min) = bound(&range.min).filter(|min| crossed(min, f64::lt)) {
        return Some(format!("is below the minimum `{min}`"));
    }
    if let Some(max) = bound(&range.max).filter(|max| crossed(max, f64::gt)) {
        return Some(format!("is above the maximum `{max}`"));
    }
    if let Some(min) = bound(&range.exclusive_min).filter(|min| crossed(min, f64::le)) {
        return Some(format!("is not above `{min}`"));
    }
    if let Some(max) = bound(&range.exclusive_max).filter(|max| crossed(max, f64::ge)) {
        return Some(format!("is not below `{max}`"));
    }
    None
}
