//! Values that fit none of several alternatives.
//!
//! "Not valid under any of the schemas" helps nobody. The alternative that was meant is chosen by its [`tag`], else by
//! best [`fit`], and its own violations are reported at their own paths. What is wrong with the others is not even looked
//! for where a tag decides.

mod branch;
mod fit;
mod keys;
mod tag;

use serde_json::{Map, Value};

use self::{
    branch::{Branch, Failed},
    tag::Chosen,
};
use super::{
    alternatives::Union,
    report::{MAX_VIOLATIONS, Report},
    walk::{Fault, Walk},
};
use crate::{
    text::quoted,
    violation::{Code, Violation},
};

/// Adds what is wrong with the value of `fault`, which fits none of the alternatives of `union`.
pub(super) fn push<'a>(fault: &Fault<'a>, union: &Union<'a>, walk: &Walk<'a>, report: &mut Report) {
    let failed = Failed { fault, walk };
    let Some(object) = fault.value.as_object() else {
        return failed.push_scalar_or_list(&failed.leaves(&Branch::of(union, union.likely())), report);
    };
    let targets: Vec<_> = union.likely().into_iter().map(|index| union.targets[index]).collect();
    if let Some(absent) = keys::absent(fault, object, &targets, walk) {
        return absent.into_iter().for_each(|violation| report.push(violation));
    }
    match union.tags.choose(object, &targets, fault) {
        Chosen::Wrong(violation) => report.push(*violation),
        Chosen::Meant(violation, index) => {
            let tag = violation.path.clone();
            report.push(*violation);
            let others = failed.faults(&union.schemas[index], MAX_VIOLATIONS);
            report.leave_out(others.count - others.list.len());
            let others = others.list.iter().filter(|fault| fault.path != tag);
            others.for_each(|fault| report.explain(fault, walk));
        }
        Chosen::Branch(index) => failed.push_schema(&union.schemas[index], report),
        Chosen::Unknown => failed.push_best(&Branch::of(union, union.likely()), report),
    }
}

/// Adds what is wrong with the value of `fault`, which fits several alternatives of `union` where it may fit one only.
pub(super) fn push_several<'a>(fault: &Fault<'a>, union: &Union<'a>, walk: &Walk<'a>, report: &mut Report) {
    let several = |object: &'a Map<String, Value>| {
        let alternatives = union.schemas.iter().zip(&union.targets);
        let fitting: Vec<_> = alternatives
            .filter(|(schema, _)| walk.is_valid(schema, fault.value))
            .map(|(_, target)| *target)
            .collect();
        keys::several(fault, object, &fitting, walk)
    };
    if let Some(told) = fault.value.as_object().and_then(several) {
        return told.into_iter().for_each(|violation| report.push(violation));
    }
    let violation = Violation::new(fault.path.clone(), Code::InvalidValue, "fits several alternatives");
    report.push(
        violation
            .expected(format!("{} that fits exactly one alternative", report.subject().noun()))
            .actual(quoted(fault.value)),
    );
}
