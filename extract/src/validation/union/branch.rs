//! One alternative, and why a value is not that.

use std::{cell::OnceCell, rc::Rc};

use serde_json::Value;

use super::fit;
use crate::{
    text::quoted,
    validation::{
        alternatives::{Union, properties},
        describe,
        listed::not_listed,
        report::{MAX_VIOLATIONS, Report},
        subject::Subject,
        walk::{Cause, Fault, Faults, Walk, is_plainly_wrong},
    },
    violation::{Code, Violation},
};

/// Faults of one alternative that are looked at to see how well a value fits it.
const MAX_WEIGHED: usize = 64;

/// Alternatives that are weighed against one another; those that share the most keys with the value.
const MAX_BRANCHES: usize = 64;

/// Alternatives for values of one type whose conditions are put into words.
const MAX_IN_WORDS: usize = 40;

pub(super) struct Branch<'a> {
    pub(super) schema: &'a Value,
    /// The same with references followed.
    pub(super) target: &'a Value,
    faults: OnceCell<Faults<'a>>,
    nested: OnceCell<Option<Vec<Rc<Self>>>>,
}

impl<'a> Branch<'a> {
    fn new(schema: &'a Value, target: &'a Value) -> Self {
        Self { schema, target, faults: OnceCell::new(), nested: OnceCell::new() }
    }

    /// The alternatives of `union` at `positions`.
    pub(super) fn of(union: &Union<'a>, positions: impl IntoIterator<Item = usize>) -> Vec<Rc<Self>> {
        let branch = |at: usize| Rc::new(Self::new(&union.schemas[at], union.targets[at]));
        positions.into_iter().map(branch).collect()
    }
}

/// A value that fits no alternative.
#[derive(Clone, Copy)]
pub(super) struct Failed<'w, 'a> {
    pub(super) fault: &'w Fault<'a>,
    pub(super) walk: &'w Walk<'a>,
}

impl<'a> Failed<'_, 'a> {
    /// The first `most` faults of the value as `schema`.
    pub(super) fn faults(&self, schema: &'a Value, most: usize) -> Faults<'a> {
        let Fault { value, whole, path, .. } = self.fault;
        self.walk.faults(schema, whole, value, path.clone(), most)
    }

    fn weighed<'b>(&self, branch: &'b Branch<'a>) -> &'b Faults<'a> {
        branch.faults.get_or_init(|| self.faults(branch.schema, MAX_WEIGHED))
    }

    /// The faults of the value itself.
    fn faults_here<'b>(&self, branch: &'b Branch<'a>) -> impl Iterator<Item = &'b Fault<'a>> {
        let here = &self.fault.path;
        self.weighed(branch).list.iter().filter(move |fault| fault.path == *here)
    }

    pub(super) fn push_schema(&self, schema: &'a Value, report: &mut Report) {
        self.push_faults(&self.faults(schema, MAX_VIOLATIONS), report);
    }

    fn push_faults(&self, faults: &Faults<'a>, report: &mut Report) {
        faults.list.iter().for_each(|fault| report.explain(fault, self.walk));
        report.leave_out(faults.count - faults.list.len());
    }

    fn push_branch(&self, branch: &Branch<'a>, report: &mut Report) {
        let faults = self.weighed(branch);
        if faults.count == faults.list.len() {
            self.push_faults(faults, report);
        } else {
            self.push_schema(branch.schema, report);
        }
    }

    /// `branches`, and in the place of those that are unions themselves their alternatives.
    pub(super) fn leaves(&self, branches: &[Rc<Branch<'a>>]) -> Vec<Rc<Branch<'a>>> {
        let inside = |branch: &Rc<Branch<'a>>| match self.nested(branch) {
            Some(inner) => self.leaves(inner),
            None => vec![Rc::clone(branch)],
        };
        branches.iter().flat_map(inside).collect()
    }

    /// The alternatives of an alternative that is a union and nothing else.
    fn nested<'b>(&self, branch: &'b Branch<'a>) -> Option<&'b [Rc<Branch<'a>>]> {
        if !fit::may_be_union(branch.target) {
            return None;
        }
        let find = || {
            let faults = self.weighed(branch);
            let [Fault { cause: Cause::NoneOf(union), path, .. }] = &faults.list[..] else { return None };
            (faults.count == 1 && *path == self.fault.path).then(|| Branch::of(union, 0..union.schemas.len()))
        };
        branch.nested.get_or_init(find).as_deref()
    }

    /// Whether the alternative wants another type than that of the value.
    fn is_wrong_type(&self, branch: &Branch<'a>) -> bool {
        is_plainly_wrong(self.fault.value, branch.target) || self.faults_here(branch).any(fit::is_of_type)
    }

    /// The alternative that fits best, if there is one for values of this type.
    pub(super) fn push_best(&self, branches: &[Rc<Branch<'a>>], report: &mut Report) {
        if branches.iter().all(|branch| self.is_wrong_type(branch)) {
            return report.push(self.no_such_type(branches, report.subject()));
        }
        let mut likely: Vec<_> = branches.iter().collect();
        if likely.len() > MAX_BRANCHES {
            likely.sort_by_cached_key(|branch| fit::unshared_keys(self.fault.value, branch.target));
            likely.truncate(MAX_BRANCHES);
        }
        if let Some(best) = likely.into_iter().min_by_key(|branch| self.misfit(branch)) {
            self.push_branch(best, report);
        }
    }

    /// How badly the value fits; that of a union is that of its best alternative.
    fn misfit(&self, branch: &Branch<'a>) -> fit::Misfit {
        let best = self.nested(branch).unwrap_or_default().iter().map(|inner| self.misfit(inner)).min();
        best.unwrap_or_else(|| {
            let is_wrong_type = self.is_wrong_type(branch);
            fit::misfit(is_wrong_type, self.fault, branch.target, self.weighed(branch))
        })
    }

    pub(super) fn push_scalar_or_list(&self, branches: &[Rc<Branch<'a>>], report: &mut Report) {
        let fitting: Vec<_> = branches.iter().filter(|branch| !self.is_wrong_type(branch)).collect();
        if fitting.len() < 2 || self.fault.value.is_array() {
            return match &fitting[..] {
                [only] if self.listed(only).is_none() => self.push_branch(only, report),
                [only] => report.push(self.not_listed(&[*only], branches, report.subject())),
                _ => self.push_best(branches, report),
            };
        }
        let is_listed = |branch: &&Rc<Branch<'a>>| self.listed(branch).is_some();
        report.push(if fitting.iter().all(is_listed) {
            self.not_listed(&fitting, branches, report.subject())
        } else {
            self.none_of(&fitting, report)
        });
    }

    fn listed<'b>(&self, branch: &'b Branch<'a>) -> Option<&'b [Value]> {
        self.faults_here(branch).find_map(fit::listed)
    }

    /// All alternatives of the type of the value list values: their lists are one list.
    fn not_listed(
        &self,
        fitting: &[&Rc<Branch<'a>>],
        branches: &[Rc<Branch<'a>>],
        subject: Subject,
    ) -> Violation {
        let options: Vec<_> = fitting.iter().filter_map(|branch| self.listed(branch)).flatten().collect();
        let violation = not_listed(self.fault.path.clone(), &options, self.fault.value, subject);
        if fitting.len() == branches.len() {
            violation
        } else {
            violation.expected(subject.which_is(self.in_words(branches)))
        }
    }

    /// Alternatives for values of this type, each with conditions of its own.
    fn none_of(&self, fitting: &[&Rc<Branch<'a>>], report: &Report) -> Violation {
        let mut expected: Vec<String> = Vec::new();
        for branch in fitting.iter().take(MAX_IN_WORDS) {
            let mut inside = report.anew();
            self.push_branch(branch, &mut inside);
            let all = inside.into_violations().into_iter().filter_map(|violation| violation.expected);
            let all = all.collect::<Vec<_>>().join(" and ");
            if !expected.contains(&all) {
                expected.push(all);
            }
        }
        let violation =
            Violation::new(self.fault.path.clone(), Code::InvalidValue, "fits none of the alternatives");
        violation.expected(expected.join(", or ")).actual(quoted(self.fault.value))
    }

    /// The value is of a type that no alternative takes.
    fn no_such_type(&self, branches: &[Rc<Branch<'a>>], subject: Subject) -> Violation {
        let at = self.fault.path.clone();
        let is_object = branches.iter().all(|branch| properties(branch.target).is_some());
        let violation = if at.is_root() && is_object {
            Violation::new(at, Code::NotObject, "the answer is not a JSON object")
        } else {
            Violation::new(at, Code::WrongType, "wrong type")
        };
        violation
            .expected(subject.which_is(self.in_words(branches)))
            .actual(describe::typed(self.fault.value))
    }

    fn in_words(&self, branches: &[Rc<Branch<'a>>]) -> String {
        let targets: Vec<_> = branches.iter().map(|branch| branch.target).collect();
        self.walk.words_of(&targets).to_string()
    }
}
