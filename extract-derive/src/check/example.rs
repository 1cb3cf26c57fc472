//! `example`.

use syn::Expr;

use super::{literal::LiteralValue, subject::ConstraintSubject, violated::violated};
use crate::{
    MistakeCollector,
    parse::{FieldConstraints, OneOf},
};

pub(super) fn check(
    example: &Expr,
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    let Some(literal) = LiteralValue::of(example) else { return };
    // The compiler reports another type, except a string where it does not fit.
    if matches!(literal, LiteralValue::String(_)) && subject.is_never(&literal) {
        return errors
            .report(example, format!("example `{literal}` is {}; {}", literal.article(), subject.is));
    }
    if let Some(why) = violated(&literal, constraints).or_else(|| not_listed(&literal, constraints)) {
        errors.report(example, format!("example `{literal}` {why}"));
    }
}

fn not_listed(literal: &LiteralValue, constraints: &FieldConstraints) -> Option<String> {
    let OneOf::Array(array) = &constraints.one_of.as_ref()?.value else { return None };
    let listed: Vec<Option<LiteralValue>> = array.elems.iter().map(LiteralValue::of).collect();
    let is_missing = listed.iter().all(|listed| listed.as_ref().is_some_and(|listed| listed != literal));
    is_missing.then(|| "is not in `one_of`".to_owned())
}
