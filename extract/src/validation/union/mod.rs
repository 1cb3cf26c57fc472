//! Values that fit none of several alternatives.
//!
//! "Not valid under any of the schemas" helps nobody. The alternative that was meant is chosen by its [`tag`], else by
//! best [`fit`], and its own violations are reported at their own paths. What is wrong with the others is not even looked
//! for where a tag decides.

mod branch;
mod fit;
mod keys;
mod tag;
mod words;

use std::rc::Rc;

use serde_json::{Map, Value};

pub(super) use self::words::in_words;
use self::{
    branch::{Branch, Failed},
    tag::{Chosen, Tags},
};
use super::{
    MAX_VIOLATIONS, describe,
    report::Report,
    schema_errors,
    walk::{Fault, Walk},
};
use crate::{
    text::quoted,
    violation::{Code, Violation},
};

/// Keys of a value that are compared with the names of alternatives. A value that was meant for one has not many others.
const MAX_KEYS: usize = 20;

/// `anyOf` or `oneOf`.
pub(super) struct Union<'a> {
    /// The alternatives.
    schemas: &'a [Value],
    /// The same with references followed; as they are where those lead nowhere.
    targets: Vec<&'a Value>,
    /// Whether no two of them may be at once.
    is_exclusive: bool,
    tags: Tags<'a>,
}

impl<'a> Union<'a> {
    /// Of what stands under the keyword, in the schema `root`.
    pub(super) fn new(alternatives: &'a Value, is_exclusive: bool, root: &'a Value) -> Self {
        let schemas = alternatives.as_array().map_or(&[][..], Vec::as_slice);
        let targets: Vec<_> = schemas.iter().map(|schema| describe::target(schema, root)).collect();
        let tags = Tags::of(&targets, is_exclusive);
        Self { schemas, targets, is_exclusive, tags }
    }

    /// How many alternatives `value` fits, up to the number at which that is decided.
    pub(super) fn fitting(&self, value: &'a Value, walk: &Walk<'a>) -> usize {
        if let Some(only) = value.as_object().and_then(|object| self.tags.only(object)) {
            return usize::from(walk.is_valid(&self.schemas[only], value));
        }
        let enough = if self.is_exclusive { 2 } else { 1 };
        self.schemas.iter().filter(|schema| walk.is_valid(schema, value)).take(enough).count()
    }

    /// The alternatives but for null: it stands for absence, and a value that is not null was meant for another one.
    fn likely(&self) -> Vec<usize> {
        let all = 0..self.targets.len();
        let others: Vec<_> = all.clone().filter(|index| !fit::is_null(self.targets[*index])).collect();
        if others.is_empty() { all.collect() } else { others }
    }

    fn branches_of(&self, positions: impl IntoIterator<Item = usize>) -> Vec<Rc<Branch<'a>>> {
        let branch = |at: usize| Rc::new(Branch::new(&self.schemas[at], self.targets[at]));
        positions.into_iter().map(branch).collect()
    }
}

/// Adds what is wrong with the value of `fault`, which fits none of the alternatives of `union`.
pub(super) fn push<'a>(fault: &Fault<'a>, union: &Union<'a>, walk: &Walk<'a>, report: &mut Report) {
    let failed = Failed { fault, walk };
    let Some(object) = fault.value.as_object() else {
        return failed.push_scalar_or_list(&failed.leaves(&union.branches_of(union.likely())), report);
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
            others.for_each(|fault| schema_errors::push(fault, walk, report));
        }
        Chosen::Branch(index) => failed.push_schema(&union.schemas[index], report),
        Chosen::Unknown => failed.push_best(&union.branches_of(union.likely()), report),
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
    report.push(violation.expected("a value that fits exactly one alternative").actual(quoted(fault.value)));
}
