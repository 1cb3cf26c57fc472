//! Explains violations of a schema.
//!
//! A model understands paths, expectations and values, but not keywords. Each kind of failure
//! becomes a code, an expectation and an actual value, at the path of the value.

use std::collections::HashMap;

use jsonschema::{
    JsonType,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    alternatives::OBJECT,
    canonical::canonical,
    describe, keys,
    report::{ExpectationSubject, ViolationReport, not_listed, wrong_type},
    union,
    walk::{FailureCause, KeywordFailure, ValidationWalk},
};
use crate::{
    reading::is_number_with_marks,
    schema::{
        DECIMAL, SchemaView,
        constraint::{ConstraintArgument, constraint},
    },
    vocabulary::{
        digits::{DECIMAL_MAX, DECIMAL_PLACES, is_beyond_double},
        path::{Path, Segment},
        text::{counted, quoted, ticked},
        violation::{Code, Violation},
    },
};

/// Adds the violations of `failure`.
pub(super) fn push<'a>(
    failure: &KeywordFailure<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    if !report.has_room() {
        return report.omit(1);
    }
    let at = || failure.path.clone();
    let violation = match &failure.cause {
        FailureCause::Dependent(property) => {
            let beside = dependent_on(failure, property);
            return report.push(keys::missing(property, beside, failure, walk));
        }
        FailureCause::Own(kind) => match kind {
            Kind::Required { property } => return report.push(keys::missing(property, None, failure, walk)),
            Kind::UniqueItems => return push_repeated(&failure.path, failure.value, report),
            kind => bound(kind, failure, report.subject)
                .unwrap_or_else(|| own(kind, at(), failure.value, report.subject)),
        },
        FailureCause::Pattern(pattern) => {
            let violation = Violation::new(at(), Code::InvalidValue, "does not have the required form");
            violation
                .expected(report.subject.string(&format!("that matches the pattern {pattern}")))
                .actual(quoted(failure.value))
        }
        FailureCause::False => nothing_allowed(at()).actual(quoted(failure.value)),
        FailureCause::UnknownKeys { keys, by } => {
            return keys::push_unknown(keys, *by, failure, walk, report);
        }
        FailureCause::NoKeys => return keys::push_all(failure, report),
        FailureCause::Key(key, schema) => return keys::push_wrong(key, schema, failure, walk, report),
        FailureCause::NoneOf(union) => return union::push(failure, union, walk, report),
        FailureCause::SeveralOf(union) => return union::push_several(failure, union, walk, report),
        FailureCause::Contains => {
            let violation = Violation::new(at(), Code::InvalidValue, contained_wrongly(failure));
            violation.expected(contained(failure, &walk.view)).actual(quoted(failure.value))
        }
        FailureCause::Not(schema) => {
            let ruled_out = describe::in_detail(schema, &walk.view);
            let violation = Violation::new(at(), Code::InvalidValue, "a value that is ruled out");
            violation
                .expected(report.subject.which_is(format!("anything but {ruled_out}")))
                .actual(quoted(failure.value))
        }
        FailureCause::UnevaluatedItems => {
            let violation = Violation::new(at(), Code::InvalidValue, "too many elements");
            violation.expected("no further elements").actual(quoted(failure.value))
        }
    };
    report.push(match failure.cause.keyword() {
        Some(keyword) => violation.keyword(keyword),
        None => violation,
    });
}

/// The violation of a bound or a size.
fn bound(kind: &Kind, failure: &KeywordFailure<'_>, subject: ExpectationSubject) -> Option<Violation> {
    let row = constraint(kind.keyword()).filter(|row| !row.message.is_empty())?;
    let limit = failure.schema.get(row.keyword)?;
    let size = || whole(limit);
    let mut actual = quoted(failure.value);
    let limit = match row.argument {
        ConstraintArgument::Step => limit.as_f64()?.to_string(),
        ConstraintArgument::Characters => counted(size(), "character"),
        ConstraintArgument::Elements => {
            // The length of the list says more than its elements.
            actual = elements(failure.value.as_array().map_or(0, Vec::len));
            elements(size())
        }
        ConstraintArgument::Entries => entries(size()),
        _ => limit.to_string(),
    };
    let expected = format!("{} {limit}", row.words);
    let expected = match row.argument {
        ConstraintArgument::Characters => subject.length(expected),
        _ => expected,
    };
    let violation = Violation::new(failure.path.clone(), Code::InvalidValue, row.message);
    Some(violation.expected(expected).actual(actual))
}

/// The violation of `actual` at `at` against another keyword about the value itself.
fn own(kind: &Kind, at: Path, actual: &Value, subject: ExpectationSubject) -> Violation {
    let invalid = |at: Path, message: &str, expected: String| {
        Violation::new(at, Code::InvalidValue, message).expected(expected).actual(quoted(actual))
    };
    let misformed =
        |at: Path, form: &str| invalid(at, "does not have the required form", subject.string(form));
    match kind {
        Kind::Type { kind } => {
            let types = json_types(kind);
            let expected = describe::types(&types);
            let violation = wrong_type(at, expected == OBJECT);
            let wants_number = types.iter().any(|kind| matches!(kind, JsonType::Integer | JsonType::Number));
            let violation = violation.expected(subject.which_is(expected)).actual(describe::typed(actual));
            match actual.as_str().filter(|_| wants_number) {
                Some(text) if is_beyond_double(text) => violation.hint(RANGE),
                Some(text) if is_number_with_marks(text) => violation.hint(AS_JSON),
                _ => with_member_hint(violation, actual, |value| is_of_type(value, &types)),
            }
        }
        Kind::Enum { options } => {
            let options: Vec<&Value> = options.as_array().into_iter().flatten().collect();
            let violation = not_listed(at, &options, actual, subject);
            with_member_hint(violation, actual, |value| options.contains(&value))
        }
        Kind::Constant { expected_value } => {
            invalid(at, "not the required value", subject.which_is(quoted(&**expected_value)))
        }
        Kind::Format { format } => misformed(at, &describe::format(format)),
        Kind::ContentEncoding { content_encoding } => {
            misformed(at, &format!("in {content_encoding} encoding"))
        }
        Kind::ContentMediaType { content_media_type } => {
            misformed(at, &format!("of the type {content_media_type}"))
        }
        Kind::FromUtf8 { .. } => misformed(at, "of encoded UTF-8"),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => invalid(
            at,
            "could not be matched within bounds",
            subject.which_is("a shorter or simpler string".to_owned()),
        ),
        Kind::Custom { keyword, .. } if keyword == DECIMAL => {
            let expected = subject.which_is(format!(
                "a decimal number of at most {DECIMAL_PLACES} digits after the point, whose digits without the \
                 point are at most {DECIMAL_MAX}"
            ));
            invalid(at, "more digits than can be kept", expected)
        }
        // The others apply other schemas, or are from older drafts.
        _ => Violation::new(at, Code::InvalidValue, "not what the schema asks for").actual(quoted(actual)),
    }
}

/// `violation` of `actual`, with a hint if it is an object around the value that was asked for: if one of its members
/// `fits`.
fn with_member_hint(violation: Violation, actual: &Value, fits: impl Fn(&Value) -> bool) -> Violation {
    let mut fitting = actual.as_object().into_iter().flatten().filter(|(_, value)| fits(value));
    match (fitting.next(), fitting.next()) {
        (Some((key, _)), None) => {
            violation.hint(format!("write the value of {} alone, without an object around it", ticked(key)))
        }
        _ => violation,
    }
}

fn is_of_type(value: &Value, types: &[JsonType]) -> bool {
    let own = JsonType::from(value);
    let is_integer = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
    types.iter().any(|wanted| match wanted {
        JsonType::Integer => own == JsonType::Number && is_integer(),
        JsonType::Null => false,
        wanted => own == *wanted,
    })
}

fn nothing_allowed(at: Path) -> Violation {
    match at.segments().last() {
        None => Violation::new(at, Code::InvalidValue, "no value is allowed").expected("no value"),
        Some(Segment::Index(_)) => {
            Violation::new(at, Code::InvalidValue, "one element too many").expected("no element here")
        }
        _ => Violation::new(at, Code::UnknownField, "unknown key").expected("no such key"),
    }
}

/// How to write a number that has more than one reading, such as `"1,250"`.
const AS_JSON: &str = "write the number as JSON does: no group separators, a dot before decimals";

/// The range of numbers. A number beyond it is read as a string.
const RANGE: &str = "numbers go from -1.7976931348623157e308 to 1.7976931348623157e308";

fn json_types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(json_type) => vec![*json_type],
        TypeKind::Multiple(types) => types.iter().collect(),
    }
}

/// A size in a schema, which may be written as `3.0`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn whole(size: &Value) -> usize {
    let size = size.as_u64().or_else(|| size.as_f64().map(|size| size as u64));
    size.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX)
}

fn elements(count: usize) -> String {
    counted(count, "element")
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// The key whose presence makes `required` a required key (`dependentRequired`).
fn dependent_on<'s>(failure: &KeywordFailure<'s>, required: &Value) -> Option<&'s str> {
    let dependents = failure.schema.get("dependentRequired")?.as_object()?;
    let is_cause = |(key, others): &(&String, &Value)| {
        failure.value.get(key.as_str()).is_some()
            && others.as_array().is_some_and(|others| others.contains(required))
    };
    dependents.iter().find(is_cause).map(|(key, _)| key.as_str())
}

/// The message where `contains` is not satisfied.
fn contained_wrongly(failure: &KeywordFailure<'_>) -> &'static str {
    if ["minContains", "maxContains"].iter().any(|bound| failure.schema.get(bound).is_some()) {
        "the wrong number of certain elements"
    } else {
        "a required element is absent"
    }
}

/// Describes what `contains` asks for, and how often.
fn contained<'s>(failure: &KeywordFailure<'s>, view: &SchemaView<'s>) -> String {
    let keyword = |name: &str| failure.schema.get(name);
    let wanted = keyword("contains")
        .map_or_else(|| "a certain value".to_owned(), |wanted| describe::in_detail(wanted, view));
    let (least, most) = (keyword("minContains"), keyword("maxContains"));
    let elements =
        |count: &Value| if *count == 1 { "1 element".to_owned() } else { format!("{count} elements") };
    match (least, most) {
        (None, None) => format!("an element that is {wanted}"),
        (Some(least), None) => format!("at least {}, each {wanted}", elements(least)),
        (None, Some(most)) => format!("at least 1 and at most {}, each {wanted}", elements(most)),
        (Some(least), Some(most)) => {
            format!("at least {least} and at most {}, each {wanted}", elements(most))
        }
    }
}

/// Maximum number of repetitions that are listed.
const MAX_LISTED: usize = 20;

/// Adds a violation for each repeated element of `list`, which is at `at`.
fn push_repeated(at: &Path, list: &Value, report: &mut ViolationReport) {
    let mut first = HashMap::new();
    let mut repetitions = Vec::new();
    for (index, element) in list.as_array().into_iter().flatten().enumerate() {
        let form = canonical(element);
        match first.get(&form) {
            Some(before) => repetitions.push((index, *before, element)),
            None => drop(first.insert(form, index)),
        }
    }
    let expected = "elements that all differ";
    for (index, before, element) in repetitions.iter().take(MAX_LISTED) {
        let message = format!("the same element as [{before}] of the list");
        let violation = Violation::new(at.clone().index(*index), Code::InvalidValue, message);
        let violation = violation.keyword("uniqueItems");
        report.push(violation.expected(expected).actual(quoted(element)));
    }
    let omitted = repetitions.len().saturating_sub(MAX_LISTED);
    if omitted > 0 || repetitions.is_empty() {
        let violation = Violation::new(at.clone(), Code::InvalidValue, "repeated elements");
        let violation = violation.expected(expected).keyword("uniqueItems");
        report.push(match omitted {
            0 => violation.actual(quoted(list)),
            _ => violation.actual(format!("{} more", counted(omitted, "repeated element"))),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(list: &Value) -> Vec<String> {
        let mut report = ViolationReport::of(0, |_, _, _| {});
        push_repeated(&Path::root(), list, &mut report);
        report.into_violations().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_each_repetition_and_the_first_occurrence() {
        assert_eq!(
            said(&json!(["a", {"x": 1, "y": [2]}, "b", {"y": [2.0], "x": 1}, "a"])),
            [
                "[INVALID_VALUE] $[3]: the same element as [1] of the list (expected elements that all differ, got {\"y\":[2.0],\"x\":1})",
                "[INVALID_VALUE] $[4]: the same element as [0] of the list (expected elements that all differ, got \"a\")",
            ]
        );
        // A number differs from its string, and so do other values that only look alike.
        assert!(said(&json!([1, "1", [1], ["1"], {"1": 1}]))[0].contains("repeated elements"));
    }

    #[test]
    fn counts_the_repetitions_beyond_the_limit() {
        let said = said(&(0..50).map(|_| json!(0)).collect());
        assert_eq!(said.len(), MAX_LISTED + 1);
        assert!(said[MAX_LISTED].ends_with("got 29 repeated elements more)"), "{}", said[MAX_LISTED]);
    }
}
