//! Explains why a value fits no alternative of a union.
//!
//! "Not valid under any of the schemas" helps nobody. The intended alternative is chosen by its
//! [`tag`], else by best fit, and its violations are reported at their own paths. Where a tag
//! decides, the other alternatives are not evaluated.

mod branch;
mod tag;

use serde_json::{Map, Value};

use self::{
    branch::{UnionBranch, UnionMismatch},
    tag::TaggedChoice,
};
use super::{
    alternatives::UnionAlternatives,
    report::{MAX_VIOLATIONS, ViolationReport},
    walk::{KeywordFailure, ValidationWalk},
};
use crate::vocabulary::{
    text::quoted,
    violation::{Code, Violation},
};

/// Adds the violations of the value of `failure`, which fits no alternative of `union`.
pub(super) fn push<'a>(
    failure: &KeywordFailure<'a>,
    union: &UnionAlternatives<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    let mismatch = UnionMismatch { failure, walk };
    let Some(object) = failure.value.as_object() else {
        return mismatch
            .push_scalar_or_list(&mismatch.leaves(&UnionBranch::of(union, union.likely())), report);
    };
    let targets: Vec<_> = union.likely().into_iter().map(|index| union.targets[index]).collect();
    if let Some(absent) = tag::absent(failure, object, &targets, walk) {
        return absent.into_iter().for_each(|violation| report.push(violation));
    }
    match union.tags.choose(object, &targets, failure) {
        TaggedChoice::Wrong(violation) => report.push(*violation),
        TaggedChoice::Meant(violation, index) => {
            let tag = violation.path.clone();
            report.push(*violation);
            let others = mismatch.failures(&union.schemas[index], MAX_VIOLATIONS);
            report.omit(others.count - others.list.len());
            let others = others.list.iter().filter(|failure| failure.path != tag);
            others.for_each(|failure| report.explain(failure, walk));
        }
        TaggedChoice::Branch(index) => mismatch.push_schema(&union.schemas[index], report),
        TaggedChoice::Unknown => mismatch.push_best(&UnionBranch::of(union, union.likely()), report),
    }
}

/// Adds the violations of the value of `failure`, which fits several alternatives of `union`
/// although only one is allowed.
pub(super) fn push_several<'a>(
    failure: &KeywordFailure<'a>,
    union: &UnionAlternatives<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    let several = |object: &'a Map<String, Value>| {
        let alternatives = union.schemas.iter().zip(&union.targets);
        let fitting: Vec<_> = alternatives
            .filter(|(schema, _)| walk.is_valid(schema, failure.value))
            .map(|(_, target)| *target)
            .collect();
        tag::several(failure, object, &fitting, walk)
    };
    if let Some(violations) = failure.value.as_object().and_then(several) {
        return violations.into_iter().for_each(|violation| report.push(violation));
    }
    let violation = Violation::new(failure.path.clone(), Code::InvalidValue, "fits several alternatives");
    report.push(
        violation
            .expected(format!("{} that fits exactly one alternative", report.subject().noun()))
            .actual(quoted(failure.value)),
    );
}
