//! Why a value does not fit one alternative, and how far it is from it.

use std::{cell::OnceCell, cmp::Reverse, mem::discriminant, rc::Rc};

use jsonschema::{
    JsonType,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use crate::{
    validation::{
        alternatives::{UnionAlternatives, properties},
        describe,
        report::{ExpectationSubject, MAX_VIOLATIONS, ViolationReport, not_listed, wrong_type},
        walk::{FailureCause, KeywordFailure, KeywordFailures, ValidationWalk, is_plainly_wrong},
    },
    vocabulary::{
        suggest::{self, MAX_COMPARED},
        text::quoted,
        violation::{Code, Violation},
    },
};

/// Maximum number of failures of one alternative that count towards the fit.
const MAX_WEIGHED: usize = 64;

/// Maximum number of alternatives that are compared: those that share the most keys with the value.
const MAX_BRANCHES: usize = 64;

/// Maximum number of alternatives for values of one type whose conditions are described.
const MAX_IN_WORDS: usize = 40;

pub(super) struct UnionBranch<'a> {
    pub(super) schema: &'a Value,
    /// The same with references followed.
    pub(super) target: &'a Value,
    failures: OnceCell<KeywordFailures<'a>>,
    nested: OnceCell<Option<Vec<Rc<Self>>>>,
}

impl<'a> UnionBranch<'a> {
    fn new(schema: &'a Value, target: &'a Value) -> Self {
        Self { schema, target, failures: OnceCell::new(), nested: OnceCell::new() }
    }

    /// The alternatives of `union` at `positions`.
    pub(super) fn of(
        union: &UnionAlternatives<'a>,
        positions: impl IntoIterator<Item = usize>,
    ) -> Vec<Rc<Self>> {
        let branch = |at: usize| Rc::new(Self::new(&union.schemas[at], union.targets[at]));
        positions.into_iter().map(branch).collect()
    }
}

/// A value that fits no alternative.
#[derive(Clone, Copy)]
pub(super) struct UnionMismatch<'w, 'a> {
    pub(super) failure: &'w KeywordFailure<'a>,
    pub(super) walk: &'w ValidationWalk<'a>,
}

impl<'a> UnionMismatch<'_, 'a> {
    /// The first `most` failures of the value as `schema`.
    pub(super) fn failures(&self, schema: &'a Value, most: usize) -> KeywordFailures<'a> {
        let KeywordFailure { value, whole, path, .. } = self.failure;
        self.walk.failures(schema, whole, value, path.clone(), most)
    }

    fn weighed<'b>(&self, branch: &'b UnionBranch<'a>) -> &'b KeywordFailures<'a> {
        branch.failures.get_or_init(|| self.failures(branch.schema, MAX_WEIGHED))
    }

    /// The failures of the value itself.
    fn failures_here<'b>(&self, branch: &'b UnionBranch<'a>) -> impl Iterator<Item = &'b KeywordFailure<'a>> {
        let here = &self.failure.path;
        self.weighed(branch).list.iter().filter(move |failure| failure.path == *here)
    }

    pub(super) fn push_schema(&self, schema: &'a Value, report: &mut ViolationReport) {
        report.explain_all(&self.failures(schema, MAX_VIOLATIONS), self.walk);
    }

    fn push_branch(&self, branch: &UnionBranch<'a>, report: &mut ViolationReport) {
        let failures = self.weighed(branch);
        if failures.count == failures.list.len() {
            report.explain_all(failures, self.walk);
        } else {
            self.push_schema(branch.schema, report);
        }
    }

    /// `branches`, with nested unions replaced by their alternatives.
    pub(super) fn leaves(&self, branches: &[Rc<UnionBranch<'a>>]) -> Vec<Rc<UnionBranch<'a>>> {
        let inside = |branch: &Rc<UnionBranch<'a>>| match self.nested(branch) {
            Some(inner) => self.leaves(inner),
            None => vec![Rc::clone(branch)],
        };
        branches.iter().flat_map(inside).collect()
    }

    /// The alternatives of an alternative that is only a union.
    fn nested<'b>(&self, branch: &'b UnionBranch<'a>) -> Option<&'b [Rc<UnionBranch<'a>>]> {
        if !may_be_union(branch.target) {
            return None;
        }
        let find = || {
            let failures = self.weighed(branch);
            let [KeywordFailure { cause: FailureCause::NoneOf(union), path, .. }] = &failures.list[..] else {
                return None;
            };
            (failures.count == 1 && *path == self.failure.path)
                .then(|| UnionBranch::of(union, 0..union.schemas.len()))
        };
        branch.nested.get_or_init(find).as_deref()
    }

    /// Returns whether the alternative requires a type that the value does not have.
    fn is_wrong_type(&self, branch: &UnionBranch<'a>) -> bool {
        is_plainly_wrong(self.failure.value, branch.target) || self.failures_here(branch).any(is_of_type)
    }

    /// Adds the violations of the alternative that fits best, if one accepts values of this type.
    pub(super) fn push_best(&self, branches: &[Rc<UnionBranch<'a>>], report: &mut ViolationReport) {
        if branches.iter().all(|branch| self.is_wrong_type(branch)) {
            return report.push(self.no_such_type(branches, report.subject));
        }
        let mut likely: Vec<_> = branches.iter().collect();
        if likely.len() > MAX_BRANCHES {
            likely.sort_by_cached_key(|branch| unshared_keys(self.failure.value, branch.target));
            likely.truncate(MAX_BRANCHES);
        }
        if let Some(best) = likely.into_iter().min_by_key(|branch| self.misfit(branch)) {
            self.push_branch(best, report);
        }
    }

    /// Returns the misfit of the value; for a union, its best alternative's misfit.
    fn misfit(&self, branch: &UnionBranch<'a>) -> BranchMisfit {
        let best = self.nested(branch).unwrap_or_default().iter().map(|inner| self.misfit(inner)).min();
        best.unwrap_or_else(|| {
            let mut misfit = misfit(self.failure, branch.target, self.weighed(branch));
            misfit.0 |= self.is_wrong_type(branch);
            misfit
        })
    }

    pub(super) fn push_scalar_or_list(&self, branches: &[Rc<UnionBranch<'a>>], report: &mut ViolationReport) {
        let fitting: Vec<_> = branches.iter().filter(|branch| !self.is_wrong_type(branch)).collect();
        if fitting.len() < 2 || self.failure.value.is_array() {
            return match &fitting[..] {
                [only] if self.listed(only).is_none() => self.push_branch(only, report),
                [only] => report.push(self.not_listed(&[*only], branches, report.subject)),
                _ => self.push_best(branches, report),
            };
        }
        let is_listed = |branch: &&Rc<UnionBranch<'a>>| self.listed(branch).is_some();
        report.push(if fitting.iter().all(is_listed) {
            self.not_listed(&fitting, branches, report.subject)
        } else {
            self.none_of(&fitting, report)
        });
    }

    fn listed<'b>(&self, branch: &'b UnionBranch<'a>) -> Option<&'b [Value]> {
        self.failures_here(branch).find_map(listed)
    }

    /// The violation if all alternatives for values of this type list values: their lists become
    /// one list.
    fn not_listed(
        &self,
        fitting: &[&Rc<UnionBranch<'a>>],
        branches: &[Rc<UnionBranch<'a>>],
        subject: ExpectationSubject,
    ) -> Violation {
        let options: Vec<_> = fitting.iter().filter_map(|branch| self.listed(branch)).flatten().collect();
        let violation = not_listed(self.failure.path.clone(), &options, self.failure.value, subject);
        if fitting.len() == branches.len() {
            violation
        } else {
            violation.expected(subject.which_is(self.in_words(branches)))
        }
    }

    /// The violation if each alternative for values of this type has its own conditions.
    fn none_of(&self, fitting: &[&Rc<UnionBranch<'a>>], report: &ViolationReport) -> Violation {
        let mut expected: Vec<String> = Vec::new();
        for branch in fitting.iter().take(MAX_IN_WORDS) {
            let mut inside = report.fresh();
            self.push_branch(branch, &mut inside);
            let all = inside.into_violations().into_iter().filter_map(|violation| violation.expected);
            let all = all.collect::<Vec<_>>().join(" and ");
            if !expected.contains(&all) {
                expected.push(all);
            }
        }
        let violation =
            Violation::new(self.failure.path.clone(), Code::InvalidValue, "fits none of the alternatives");
        violation.expected(expected.join(", or ")).actual(quoted(self.failure.value))
    }

    /// The violation if no alternative accepts values of this type.
    fn no_such_type(&self, branches: &[Rc<UnionBranch<'a>>], subject: ExpectationSubject) -> Violation {
        let wants_object = branches.iter().all(|branch| properties(branch.target).is_some());
        wrong_type(self.failure.path.clone(), wants_object)
            .expected(subject.which_is(self.in_words(branches)))
            .actual(describe::typed(self.failure.value))
    }

    fn in_words(&self, branches: &[Rc<UnionBranch<'a>>]) -> String {
        let targets: Vec<_> = branches.iter().map(|branch| branch.target).collect();
        self.walk.words_of(&targets).to_string()
    }
}

/// Returns whether `schema` may be only a union. References are followed already.
fn may_be_union(schema: &Value) -> bool {
    const LEADING: [&str; 7] = ["anyOf", "oneOf", "allOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];
    LEADING.iter().any(|keyword| schema.get(keyword).is_some())
}

/// Returns whether `failure`, which the value itself has, means that another type is required.
fn is_of_type(failure: &KeywordFailure<'_>) -> bool {
    if matches!(failure.cause.kind(), Some(Kind::Type { .. })) {
        return true;
    }
    // If only values of other types are listed, the value was meant for another alternative.
    let kind = discriminant(failure.value);
    listed(failure).is_some_and(|listed| listed.iter().all(|value| discriminant(value) != kind))
}

/// The values that the alternative lists for the value of `failure`, if any.
pub(super) fn listed<'f>(failure: &'f KeywordFailure<'_>) -> Option<&'f [Value]> {
    match failure.cause.kind()? {
        Kind::Constant { expected_value } => Some(std::slice::from_ref(&**expected_value)),
        Kind::Enum { options } => options.as_array().map(Vec::as_slice),
        _ => None,
    }
}

/// In the order of [`misfit`].
pub(super) type BranchMisfit = (bool, usize, Reverse<usize>, usize);

/// Returns how badly the value of `union` fits `alternative`, given its `failures`. Compared in
/// this order: the type, the listed values for it and its keys, how few of its keys the alternative
/// knows, the number of failures.
pub(super) fn misfit(
    union: &KeywordFailure<'_>,
    alternative: &Value,
    failures: &KeywordFailures<'_>,
) -> BranchMisfit {
    let depth = |failure: &KeywordFailure<'_>| failure.path.segments().len();
    let is_near =
        |failure: &&KeywordFailure<'_>| listed(failure).is_some() && depth(failure) <= depth(union) + 1;
    let wrong_constants = failures.list.iter().filter(is_near).count();
    // A flattened value that may be absent: its keys are present, so it was not meant to be.
    let wants_nothing = |failure: &KeywordFailure<'_>| {
        let is_null = |kind: &Kind| matches!(kind, Kind::Type { kind: TypeKind::Single(JsonType::Null) });
        depth(failure) == depth(union) + 1 && failure.cause.kind().is_some_and(is_null)
    };
    let is_absence = alternative.get("required").is_none() && failures.list.iter().any(wants_nothing);
    (is_absence, wrong_constants, Reverse(known_keys(union.value, alternative)), failures.count)
}

/// Returns how many of the first keys of `value` are not in `schema`.
fn unshared_keys(value: &Value, schema: &Value) -> usize {
    let Some(value) = value.as_object() else { return 0 };
    let is_unknown = |key: &&String| !properties(schema).is_some_and(|known| known.contains_key(*key));
    value.keys().take(MAX_COMPARED).filter(is_unknown).count()
}

/// Two points for each key of `value` that `schema` names, one for each that resembles one of its
/// names.
fn known_keys(value: &Value, schema: &Value) -> usize {
    let (Some(value), Some(properties)) = (value.as_object(), properties(schema)) else { return 0 };
    let points = |key: &String| {
        if properties.contains_key(key) {
            return 2;
        }
        let free = properties.keys().map(String::as_str).filter(|name| !value.contains_key(*name));
        usize::from(suggest::nearest(key, free.take(MAX_COMPARED)).is_some())
    };
    value.keys().take(MAX_COMPARED).map(points).sum()
}
