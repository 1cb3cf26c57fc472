//! `example`.

use syn::Expr;

use super::{literal::Literal, subject::Subject, violated::violated};
use crate::{
    Errors,
    parse::{Constraints, OneOf},
};

pub(super) fn check(example: &Expr, constraints: &Constraints, subject: &Subject<'_>, errors: &mut Errors) {
    let Some(literal) = Literal::of(example) else { return };
    // The compiler reports another type, except a string where it does not fit.
    if matches!(literal, Literal::String(_)) && subject.is_never(&literal) {
        return errors
            .report(example, format!("example `{literal}` is {}; {}", literal.article(), subject.is));
    }
    if let Some(why) = violated(&literal, constraints).or_else(|| not_listed(&literal, constraints)) {
        errors.report(example, format!("example `{literal}` {why}"));
    }
}

fn not_listed(literal: &Literal, constraints: &Constraints) -> Option<String> {
    let OneOf::Array(array) = &constraints.one_of.as_ref()?.value else { return None };
    let listed: Vec<Option<Literal>> = array.elems.iter().map(Literal::of).collect();
    let is_missing = listed.iter().all(|listed| listed.as_ref().is_some_and(|listed| listed != literal));
    is_missing.then(|| "is not in `one_of`".to_owned())
}
