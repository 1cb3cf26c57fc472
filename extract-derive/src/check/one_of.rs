//! `one_of`.

use syn::ExprArray;

use super::{known::JsonKind, literal::LiteralValue, subject::ConstraintSubject, violated::violated};
use crate::{
    MistakeCollector,
    parse::{FieldConstraints, OneOf},
};

pub(super) fn check(
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    let Some(placed) = &constraints.one_of else { return };
    let instead = match subject.kind {
        JsonKind::Sequence(_) => Some("`items(one_of = [...])`"),
        JsonKind::Map(..) => Some("`values(one_of = [...])`"),
        _ => None,
    };
    if let Some(instead) = instead {
        errors.report(
            &placed.at,
            format!("`one_of` needs a string or a number; {}, use {instead}", subject.is),
        );
        return;
    }
    if let OneOf::Array(array) = &placed.value {
        check_array(array, constraints, subject, errors);
    }
}

fn check_array(
    array: &ExprArray,
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    if array.elems.is_empty() {
        errors.report(array, "`one_of` is empty, so no value is allowed; list at least one");
    }
    let mut seen = Vec::new();
    for element in &array.elems {
        let Some(literal) = LiteralValue::of(element) else { continue };
        if subject.is_never(&literal) {
            errors.report(element, format!("`{literal}` is {}; {}", literal.article(), subject.is));
        } else if let Some(why) = violated(&literal, constraints) {
            errors.report(element, format!("`{literal}` {why}"));
        }
        if seen.contains(&literal) {
            errors.report(element, format!("`{literal}` is listed twice; remove one"));
        }
        seen.push(literal);
    }
}
