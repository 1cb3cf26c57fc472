//! Values that fit none of several alternatives.
//!
//! "Not valid under any of the schemas" helps nobody. The alternative that was meant is chosen by its [`tag`], else by
//! best [`fit`], and its own violations are reported at their own paths.

mod fit;
mod keys;
mod tag;
mod words;

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use self::tag::Chosen;
pub(super) use self::words::in_words;
use super::{
    describe,
    location::Root,
    schema_errors::{self, not_listed},
};
use crate::{Code, Path, Violation, text::quoted};

/// One alternative, and why the value is not that.
#[derive(Clone, Copy)]
struct Branch<'e> {
    /// The alternative with references followed; `true` where it cannot be found.
    schema: &'e Value,
    errors: &'e [ValidationError<'static>],
}

impl<'e> Branch<'e> {
    /// The errors of the value itself, which stands at the JSON Pointer `here`.
    fn errors_at(self, here: &str) -> impl Iterator<Item = &'e ValidationError<'static>> {
        self.errors.iter().filter(move |error| error.instance_path().as_str() == here)
    }
}

/// Appends what is wrong with `error`'s value, which fits none of `branches`.
pub(super) fn push(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    root: Root<'_>,
    violations: &mut Vec<Violation>,
) {
    let value = Failed {
        value: error.instance().as_ref(),
        at: root.path(error),
        here: error.instance_path().as_str(),
        root,
    };
    let branches = with_schemas(error, branches, root);
    // Null is what stands for absence; a value that is not null was meant for another alternative.
    let others: Vec<_> = branches.iter().copied().filter(|branch| !fit::is_null(branch.schema)).collect();
    let branches = if others.is_empty() { branches } else { others };
    let Some(object) = value.value.as_object() else {
        return value.push_scalar_or_list(&value.leaves(&branches), violations);
    };
    if let Some(absent) = keys::absent(error, object, &branches, &value.at, root) {
        return violations.extend(absent);
    }
    let is_exclusive = matches!(error.kind(), Kind::OneOfNotValid { .. });
    match tag::choose(object, &branches, is_exclusive, &value) {
        Chosen::Wrong(violation) => violations.push(*violation),
        Chosen::Meant(violation, branch) => {
            let tag = violation.path.clone();
            violations.push(*violation);
            let others = branch.errors.iter().filter(|error| root.path(error) != tag);
            others.for_each(|error| schema_errors::push(error, root, violations));
        }
        Chosen::Branch(branch) => push_all(branch, root, violations),
        Chosen::Unknown => value.push_best(&branches, violations),
    }
}

/// Appends what is wrong with `error`'s value, which fits several alternatives where it may fit one only.
pub(super) fn push_several(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    root: Root<'_>,
    violations: &mut Vec<Violation>,
) {
    let at = root.path(error);
    let schemas = root.keyword(error).and_then(Value::as_array).into_iter().flatten();
    let fitting: Vec<_> = schemas
        .zip(branches)
        .filter(|(_, errors)| errors.is_empty())
        .map(|(schema, _)| describe::target(schema, root.schema))
        .collect();
    let object = error.instance().as_object();
    if let Some(told) = object.and_then(|object| keys::several(error, object, &fitting, &at, root)) {
        return violations.extend(told);
    }
    let violation = Violation::new(at, Code::InvalidValue, "fits several alternatives");
    violations.push(
        violation
            .expected("a value that fits exactly one alternative")
            .actual(quoted(error.instance().as_ref())),
    );
}

fn push_all(branch: Branch<'_>, root: Root<'_>, violations: &mut Vec<Violation>) {
    for error in branch.errors {
        schema_errors::push(error, root, violations);
    }
}

/// A value that fits no alternative, and where it stands.
struct Failed<'v> {
    value: &'v Value,
    at: Path,
    /// The same as a JSON Pointer.
    here: &'v str,
    root: Root<'v>,
}

impl Failed<'_> {
    /// `branches`, and in the place of those that are unions themselves their alternatives.
    fn leaves<'e>(&'e self, branches: &[Branch<'e>]) -> Vec<Branch<'e>> {
        let inside = |branch: &Branch<'e>| match self.nested(*branch) {
            Some(inner) => self.leaves(&inner),
            None => vec![*branch],
        };
        branches.iter().flat_map(inside).collect()
    }

    /// The alternatives of an alternative that is a union and nothing else.
    fn nested<'e>(&'e self, branch: Branch<'e>) -> Option<Vec<Branch<'e>>> {
        let [error] = branch.errors else { return None };
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context }
                if error.instance_path().as_str() == self.here =>
            {
                Some(with_schemas(error, context, self.root))
            }
            _ => None,
        }
    }

    /// The alternative that fits best, if there is one for values of this type.
    fn push_best(&self, branches: &[Branch<'_>], violations: &mut Vec<Violation>) {
        if branches.iter().all(|branch| fit::is_wrong_type(branch, self.here)) {
            return violations.push(self.no_such_type(branches));
        }
        let best = branches.iter().min_by_key(|branch| self.misfit(**branch));
        if let Some(best) = best {
            push_all(*best, self.root, violations);
        }
    }

    /// How badly the value fits; that of a union is that of its best alternative.
    fn misfit(&self, branch: Branch<'_>) -> fit::Misfit {
        let nested = self.nested(branch).unwrap_or_default();
        let best = nested.into_iter().map(|inner| self.misfit(inner)).min();
        best.unwrap_or_else(|| fit::misfit(self.value, &branch, self.here))
    }

    fn push_scalar_or_list(&self, branches: &[Branch<'_>], violations: &mut Vec<Violation>) {
        let fitting: Vec<_> =
            branches.iter().copied().filter(|branch| !fit::is_wrong_type(branch, self.here)).collect();
        if fitting.len() < 2 || self.value.is_array() {
            return match &fitting[..] {
                [only] if self.listed(*only).is_none() => push_all(*only, self.root, violations),
                [only] => violations.push(self.not_listed(&[*only], branches)),
                _ => self.push_best(branches, violations),
            };
        }
        let is_listed = |branch: &Branch<'_>| self.listed(*branch).is_some();
        violations.push(if fitting.iter().all(is_listed) {
            self.not_listed(&fitting, branches)
        } else {
            self.none_of(&fitting)
        });
    }

    fn listed(&self, branch: Branch<'_>) -> Option<Vec<Value>> {
        branch.errors_at(self.here).find_map(listed)
    }

    /// All alternatives of the type of the value list values: their lists are one list.
    fn not_listed(&self, fitting: &[Branch<'_>], branches: &[Branch<'_>]) -> Violation {
        let options: Vec<_> = fitting.iter().filter_map(|branch| self.listed(*branch)).flatten().collect();
        let violation = not_listed(self.at.clone(), &options, self.value);
        if fitting.len() == branches.len() { violation } else { violation.expected(self.in_words(branches)) }
    }

    /// Alternatives for values of this type, each with conditions of its own.
    fn none_of(&self, fitting: &[Branch<'_>]) -> Violation {
        let mut expected: Vec<String> = Vec::new();
        for branch in fitting {
            let mut inside = Vec::new();
            push_all(*branch, self.root, &mut inside);
            let all: Vec<_> = inside.into_iter().filter_map(|violation| violation.expected).collect();
            let all = all.join(" and ");
            if !expected.contains(&all) {
                expected.push(all);
            }
        }
        let violation = Violation::new(self.at.clone(), Code::InvalidValue, "fits none of the alternatives");
        violation.expected(expected.join(", or ")).actual(quoted(self.value))
    }

    /// The value is of a type that no alternative takes.
    fn no_such_type(&self, branches: &[Branch<'_>]) -> Violation {
        let is_object = branches.iter().all(|branch| fit::properties(branch.schema).is_some());
        let violation = if self.at.is_root() && is_object {
            Violation::new(self.at.clone(), Code::NotObject, "the answer is not a JSON object")
        } else {
            Violation::new(self.at.clone(), Code::WrongType, "wrong type")
        };
        violation.expected(self.in_words(branches)).actual(describe::typed(self.value))
    }

    fn in_words(&self, branches: &[Branch<'_>]) -> String {
        let schemas: Vec<_> = branches.iter().map(|branch| branch.schema).collect();
        in_words(&schemas, &|schema| describe::schema(schema, self.root.schema))
    }
}

fn with_schemas<'e>(
    error: &ValidationError<'_>,
    branches: &'e [Vec<ValidationError<'static>>],
    root: Root<'e>,
) -> Vec<Branch<'e>> {
    let schemas = root.keyword(error).and_then(Value::as_array);
    let schema = |index: usize| schemas.and_then(|schemas| schemas.get(index));
    branches
        .iter()
        .enumerate()
        .map(|(index, errors)| Branch {
            schema: schema(index).map_or(&Value::Bool(true), |schema| describe::target(schema, root.schema)),
            errors,
        })
        .filter(|branch| !branch.errors.is_empty())
        .collect()
}

/// The values that an alternative would accept in place of a scalar, if it lists them.
fn listed(error: &ValidationError<'static>) -> Option<Vec<Value>> {
    match error.kind() {
        Kind::Constant { expected_value } => Some(vec![expected_value.as_ref().clone()]),
        Kind::Enum { options } => options.as_array().cloned(),
        _ => None,
    }
}
