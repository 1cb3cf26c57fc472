//! Checks a JSON value and lists everything that is wrong with it.

mod alternatives;
mod canonical;
mod demand;
mod describe;
mod grounding;
mod judge;
mod keys;
mod nodes;
mod report;
mod schema_errors;
mod sensitive;
mod union;
mod valid_parts;
mod walk;

use std::{collections::HashSet, sync::Arc};

use jsonschema::{ValidationError, Validator};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use self::{
    canonical::{canonical, sorted},
    grounding::{GroundedValue, QuoteSource, RespelledQuote, changes_of, drop_spans, ground, quotes_in},
    judge::DeferredCheck,
    nodes::SchemaNodes,
    sensitive::{SensitiveParts, quoted_redacted},
    valid_parts::{ClosedPart, PartFindings, SurroundingValues, scalar_around},
};
use self::{
    demand::SchemaDemands,
    report::{MAX_VIOLATIONS, ViolationReport, unexplained},
    walk::{SchemaPlans, ValidationWalk},
};
pub use self::{
    judge::{AwaitedCheck, LazyPath, RuleJudge, RuleResult},
    valid_parts::{ValidParts, ValuePart},
};
use crate::{
    reading::Validity,
    schema::{DECIMAL, SchemaView, ValueBounds, validator_options, view::keywords::ComparedValue},
    vocabulary::{
        path::Path,
        text::{cut, quoted},
        violation::{Code, Violation},
    },
};

/// A compiled schema, with everything needed to explain its violations.
///
/// Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SchemaChecker {
    schema: Arc<Value>,
    validator: Arc<Validator>,
    /// Built when the first violation is explained, or when the validator is not used.
    plans: Arc<SchemaPlans>,
    /// Whether the validator may evaluate one schema for the same part repeatedly.
    repeats: bool,
}

impl Validity for SchemaChecker {
    /// Costs a fraction of [`violations`](Self::violations).
    fn is_valid(&self, value: &Value) -> bool {
        self.by_validator(value).unwrap_or_else(|| self.walk().allows(value))
    }
}

impl SchemaChecker {
    /// # Errors
    ///
    /// When `schema` does not compile.
    pub(crate) fn compile(schema: Arc<Value>, bounds: ValueBounds) -> Result<Self, ValidationError<'static>> {
        let validator = Arc::new(validator_options().build(&schema)?);
        Ok(Self { schema, validator, plans: Arc::default(), repeats: bounds.repeats })
    }

    fn walk(&self) -> ValidationWalk<'_> {
        ValidationWalk::new(SchemaView::of(&self.schema), &self.plans)
    }

    /// The validator's answer, unless it may repeat evaluations. It caches nothing, which makes it
    /// fast for most schemas.
    fn by_validator(&self, value: &Value) -> Option<bool> {
        (!self.repeats).then(|| self.validator.is_valid(value))
    }

    /// Returns which of `values` satisfy `part`, a part of the schema.
    pub(crate) fn allows_each(&self, part: &Value, values: &[Value]) -> Vec<bool> {
        const MANY: usize = 16;
        let walk = self.walk();
        // A long list would be searched once per value.
        let listed = part.get("enum").and_then(Value::as_array).filter(|listed| listed.len() > MANY);
        let Some((listed, mut others)) = listed.zip(part.as_object().cloned()) else {
            return values.iter().map(|value| walk.is_valid(part, value)).collect();
        };
        let listed: HashSet<ComparedValue<'_>> = listed.iter().map(ComparedValue::of).collect();
        others.shift_remove("enum");
        let others = Value::Object(others);
        let walk = self.walk();
        values
            .iter()
            .map(|value| listed.contains(&ComparedValue::of(value)) && walk.is_valid(&others, value))
            .collect()
    }

    /// The first violation of `part`, a part of the schema, in `value`.
    pub(crate) fn first_violation(&self, part: &Value, value: &Value) -> Option<Violation> {
        let walk = self.walk();
        let failures = walk.failures(part, &self.schema, value, Path::root(), 1);
        let mut report = ViolationReport::of(failures.list.len(), schema_errors::push);
        failures.list.iter().for_each(|failure| report.explain(failure, &walk));
        report.into_violations().into_iter().next()
    }

    /// Every violation of the schema in `value`, sorted by path: up to 1,000, and one more that
    /// counts the rest.
    pub(crate) fn violations(&self, value: &Value) -> Vec<Violation> {
        let answer = self.by_validator(value);
        if answer == Some(true) {
            return Vec::new();
        }
        let walk = self.walk();
        if answer.is_none() && walk.allows(value) {
            return Vec::new();
        }
        let failures = walk.failures(&self.schema, &self.schema, value, Path::root(), MAX_VIOLATIONS);
        let mut report = ViolationReport::of(failures.list.len(), schema_errors::push);
        report.explain_all(&failures, &walk);
        let mut violations = report.into_violations();
        if violations.is_empty() {
            // The value breaks a keyword of another draft, or is wrong deeper than a walk goes. An
            // invalid value must have a violation.
            violations.push(unexplained(Path::root()));
        }
        sort(&mut violations);
        drop_redundant(&mut violations);
        violations
    }

    /// Every violation of the schema in `part` that does not depend on the value around it. If that
    /// value has alternatives, one of them must allow the part.
    pub(crate) fn part_violations(&self, part: ClosedPart<'_>) -> PartFindings {
        if part.path.is_root() {
            let violations = self.violations(part.value);
            return PartFindings { violations, is_certain: true, is_settled: false };
        }
        let walk = self.walk();
        let mut findings = SchemaDemands::of(part, &walk, schema_errors::push).findings();
        sort(&mut findings.violations);
        drop_redundant(&mut findings.violations);
        findings
    }
}

/// Drops redundant violations. A list of allowed values implies the type, a value of the wrong type
/// needs no further checks, and a decimal with too many digits has no other mistake.
fn drop_redundant(violations: &mut Vec<Violation>) {
    // Most paths have one violation.
    if violations.windows(2).all(|two| two[0].path != two[1].path) {
        return;
    }
    let is_type = |violation: &Violation| matches!(violation.code, Code::NotObject | Code::WrongType);
    let is_about = |violation: &Violation, keyword| violation.keyword.as_deref() == Some(keyword);
    let is_list = |violation: &Violation| is_about(violation, "enum");
    let is_of_decimal = |violation: &Violation| {
        ["pattern", "exclusiveMinimum", "exclusiveMaximum"].iter().any(|keyword| is_about(violation, keyword))
    };
    let of_one_place = |group: &[Violation]| -> Vec<bool> {
        let has_list = group.iter().any(is_list);
        let is_relevant =
            |violation: &Violation| if has_list { is_list(violation) } else { is_type(violation) };
        let is_any = group.len() > 1 && group.iter().any(is_type);
        let is_of_key =
            |one: &Violation| one.code == Code::More || one.keyword.as_deref() == Some("propertyNames");
        let is_decimal = group.iter().any(|one| is_about(one, DECIMAL));
        let is_implied = |one: &Violation| is_decimal && is_of_decimal(one);
        let is_kept = |one: &Violation| (!is_any || is_relevant(one)) && !is_implied(one);
        group.iter().map(|one| is_of_key(one) || is_kept(one)).collect()
    };
    let groups = violations.chunk_by(|one, next| one.path == next.path);
    let mut is_kept = groups.flat_map(of_one_place).collect::<Vec<_>>().into_iter();
    violations.retain(|_| is_kept.next().unwrap_or(true));
}

/// Sorts violations by path and removes duplicates. The one that counts the unlisted violations
/// comes last.
pub(crate) fn sort(violations: &mut Vec<Violation>) {
    fn key(violation: &Violation) -> impl Ord + '_ {
        let Violation { path, code, message, hint, expected, actual, .. } = violation;
        (*code == Code::More, path, code, message, hint, expected, actual)
    }
    violations.sort_by(|a, b| key(a).cmp(&key(b)));
    violations.dedup();
}

/// Maximum characters of serde's message.
const MESSAGE_CHARS: usize = 400;

/// Deserializes `value`.
///
/// The value satisfies the schema at this point. It can still fail where a type requires more than
/// its schema can express: an integer written as `1.0`, or a `deserialize_with` of the user.
pub(crate) fn deserialize<T: DeserializeOwned>(value: &Value) -> Result<T, Vec<Violation>> {
    T::deserialize(value).map_err(|error| {
        // The path is computed only on failure, because tracking it slows down every value.
        let path = match serde_path_to_error::deserialize::<_, T>(value) {
            Ok(_) => Path::root(),
            Err(located) => path_of_error(located.path()),
        };
        let actual = path.resolve(value).map(quoted);
        // serde quotes a rejected string in full.
        let violation = Violation::new(path, Code::InvalidValue, cut(&error.to_string(), MESSAGE_CHARS));
        vec![match actual {
            Some(actual) => violation.actual(actual),
            None => violation,
        }]
    })
}

fn path_of_error(located: &serde_path_to_error::Path) -> Path {
    use serde_path_to_error::Segment;
    located.iter().fold(Path::root(), |path, segment| match segment {
        Segment::Seq { index } => path.index(*index),
        Segment::Map { key } => path.key(key),
        // In most representations a variant is not a step in the JSON value; the path stops above
        // it.
        Segment::Enum { .. } | Segment::Unknown => path,
    })
}
