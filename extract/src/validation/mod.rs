//! From a JSON value to the list of everything that is wrong with it.

mod allowed;
mod alternatives;
mod describe;
mod healthy;
mod judge;
mod keys;
mod later;
mod listed;
mod location;
mod nodes;
mod repeated;
mod report;
mod schema_errors;
mod sensitive;
mod serde_errors;
mod subject;
pub(crate) mod suggest;
mod union;
mod walk;

use std::sync::Arc;

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

pub use self::{
    healthy::{Healthy, Part},
    judge::{Judge, Place},
    later::Awaited,
};
pub(crate) use self::{
    later::Later,
    location::path_of,
    sensitive::{Sensitive, quoted_redacted, redact_violation_quotes},
    serde_errors::deserialize,
};
use self::{
    report::{MAX_VIOLATIONS, Report},
    walk::{Plans, Walk},
};
use crate::{
    path::Path,
    reading::Validity,
    schema::{Bounds, View, validator_options},
    violation::{Code, Violation},
};

/// A schema, and all that is needed to say what breaks it.
///
/// Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Checker {
    schema: Arc<Value>,
    validator: Arc<Validator>,
    /// Needed first where something is wrong, or the validator is not asked.
    plans: Arc<Plans>,
    /// Whether the validator may ask one schema about the same part again and again.
    repeats: bool,
}

impl Validity for Checker {
    /// Costs a fraction of [`violations`](Self::violations).
    fn is_valid(&self, value: &Value) -> bool {
        self.by_validator(value).unwrap_or_else(|| self.walk().allows(value))
    }
}

impl Checker {
    /// # Errors
    ///
    /// When `schema` does not compile.
    pub(crate) fn compile(schema: Arc<Value>, bounds: Bounds) -> Result<Self, ValidationError<'static>> {
        let validator = Arc::new(validator_options().build(&schema)?);
        Ok(Self { schema, validator, plans: Arc::default(), repeats: bounds.repeats })
    }

    fn walk(&self) -> Walk<'_> {
        Walk::new(View::of(&self.schema), &self.plans)
    }

    /// The answer of the validator, where it is asked. It remembers nothing, which makes it fast as a rule.
    fn by_validator(&self, value: &Value) -> Option<bool> {
        (!self.repeats).then(|| self.validator.is_valid(value))
    }

    /// Everything in `value` that breaks the schema, sorted by path: 1,000 violations, and one that counts the rest.
    pub(crate) fn violations(&self, value: &Value) -> Vec<Violation> {
        let walk = self.walk();
        if self.by_validator(value).unwrap_or_else(|| walk.allows(value)) {
            return Vec::new();
        }
        let faults = walk.faults(&self.schema, &self.schema, value, Path::root(), MAX_VIOLATIONS);
        let mut report = Report::of(faults.list.len(), schema_errors::push);
        faults.list.iter().for_each(|fault| report.explain(fault, &walk));
        report.leave_out(faults.count - faults.list.len());
        let mut violations = report.into_violations();
        if violations.is_empty() {
            // By a keyword of another draft, or deeper than a walk goes. What is wrong is never passed as right.
            violations.push(Violation::new(Path::root(), Code::InvalidValue, "not what the schema asks for"));
        }
        sort(&mut violations);
        drop_idle(&mut violations);
        violations
    }
}

/// Of a value of the wrong type, drops what goes without saying: a list of allowed values tells the type, and nothing else
/// can be said of a value that should be something else.
fn drop_idle(violations: &mut Vec<Violation>) {
    // As a rule no place has two.
    if violations.windows(2).all(|two| two[0].path != two[1].path) {
        return;
    }
    let is_type = |violation: &Violation| matches!(violation.code, Code::NotObject | Code::WrongType);
    let is_list = |violation: &Violation| violation.keyword.as_deref() == Some("enum");
    let of_one_place = |group: &[Violation]| -> Vec<bool> {
        let has_list = group.iter().any(is_list);
        let is_told = |violation| if has_list { is_list(violation) } else { is_type(violation) };
        let is_any = group.len() > 1 && group.iter().any(is_type);
        let is_of_key =
            |one: &Violation| one.code == Code::More || one.keyword.as_deref() == Some("propertyNames");
        group.iter().map(|one| !is_any || is_of_key(one) || is_told(one)).collect()
    };
    let groups = violations.chunk_by(|one, next| one.path == next.path);
    let mut is_kept = groups.flat_map(of_one_place).collect::<Vec<_>>().into_iter();
    violations.retain(|_| is_kept.next().unwrap_or(true));
}

/// Brings violations into the order of their paths and drops repetitions. The one that counts those that are not
/// listed comes last.
pub(crate) fn sort(violations: &mut Vec<Violation>) {
    fn key(violation: &Violation) -> impl Ord + '_ {
        let Violation { path, code, message, hint, expected, actual, .. } = violation;
        (*code == Code::More, path, code, message, hint, expected, actual)
    }
    violations.sort_by(|a, b| key(a).cmp(&key(b)));
    violations.dedup();
}
