//! What the JSON Schema validator found, as violations.
//!
//! A model understands places, expectations and values; it does not understand keywords. Each kind of
//! error becomes a code, what is expected and what was found, at the path of the offending value.

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
    paths::{Location, LocationSegment},
};
use serde_json::{Map, Value};

use super::{describe, suggest, union};
use crate::{
    Code, Path, Violation,
    path::Segment,
    text::{quoted, quoted_list},
};

/// Names that are compared with a misspelt one.
const MAX_COMPARED: usize = 200;

/// Appends the violations that `error` stands for. `schema` is the root schema.
pub(super) fn push(error: &ValidationError<'_>, schema: &Value, violations: &mut Vec<Violation>) {
    let at = path_of(error.instance_path());
    let actual = error.instance().as_ref();
    let invalid = |message: &str, expected: String| {
        Violation::new(at.clone(), Code::InvalidValue, message).expected(expected).actual(quoted(actual))
    };
    let violation = match error.kind() {
        Kind::Required { property } => return violations.push(missing(&at, property, error, schema)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = Known::of(error, schema);
            violations.extend(unexpected.iter().map(|key| unknown(&at, key, actual, &known)));
            return;
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            return union::push(error, context, schema, violations);
        }
        Kind::PropertyNames { error: inner } => {
            let key = inner.instance().as_str().unwrap_or_default();
            let mut inside = Vec::new();
            push(inner, schema, &mut inside);
            let expected = inside.into_iter().find_map(|violation| violation.expected);
            let violation = Violation::new(at.key(key), Code::InvalidValue, "not an allowed key");
            return violations.push(match expected {
                Some(expected) => {
                    violation.expected(format!("a key that is {expected}")).actual(quoted(&key.into()))
                }
                None => violation.actual(quoted(&key.into())),
            });
        }
        Kind::Type { kind } => {
            let expected = describe::types(&json_types(kind));
            if at.is_root() && expected == describe::OBJECT {
                Violation::new(at, Code::NotObject, "the answer is not a JSON object")
            } else {
                Violation::new(at, Code::WrongType, "wrong type")
            }
            .expected(expected)
            .actual(describe::typed(actual))
        }
        Kind::Enum { options } => not_listed(at, options.as_array().map_or(&[], Vec::as_slice), actual),
        Kind::Constant { expected_value } => invalid("not the required value", quoted(expected_value)),
        Kind::Minimum { limit } => invalid("too small", format!("at least {limit}")),
        Kind::Maximum { limit } => invalid("too large", format!("at most {limit}")),
        Kind::ExclusiveMinimum { limit } => invalid("too small", format!("more than {limit}")),
        Kind::ExclusiveMaximum { limit } => invalid("too large", format!("less than {limit}")),
        Kind::MultipleOf { multiple_of } => invalid("not a multiple", format!("a multiple of {multiple_of}")),
        Kind::MinLength { limit } => invalid("too short", format!("at least {}", characters(*limit))),
        Kind::MaxLength { limit } => invalid("too long", format!("at most {}", characters(*limit))),
        Kind::MinItems { limit } => {
            counted_items(invalid("too few elements", format!("at least {}", elements(*limit))), actual)
        }
        Kind::MaxItems { limit } => {
            counted_items(invalid("too many elements", format!("at most {}", elements(*limit))), actual)
        }
        Kind::AdditionalItems { limit } => counted_items(
            invalid("too many elements", format!("at most {}", elements(*limit as u64))),
            actual,
        ),
        Kind::UnevaluatedItems { .. } => invalid("too many elements", "no further elements".to_owned()),
        Kind::MinProperties { limit } => invalid("too few entries", format!("at least {limit} entries")),
        Kind::MaxProperties { limit } => invalid("too many entries", format!("at most {limit} entries")),
        Kind::UniqueItems => invalid("repeated elements", "elements that all differ".to_owned()),
        Kind::Pattern { pattern } => {
            invalid("does not have the required form", format!("text that matches the pattern {pattern}"))
        }
        Kind::Format { format } => invalid("does not have the required form", describe::format(format)),
        Kind::Contains => invalid(describe::contained_wrongly(error), describe::contained(error, schema)),
        Kind::Not { schema: ruled_out } => {
            let ruled_out = describe::schema(ruled_out, schema);
            invalid("a value that is ruled out", format!("anything but {ruled_out}"))
        }
        Kind::OneOfMultipleValid { .. } => {
            invalid("fits several alternatives", "a value that fits exactly one alternative".to_owned())
        }
        Kind::FalseSchema => nothing_allowed(at).actual(quoted(actual)),
        Kind::ContentEncoding { content_encoding } => {
            invalid("does not have the required form", format!("text in {content_encoding} encoding"))
        }
        Kind::ContentMediaType { content_media_type } => {
            invalid("does not have the required form", format!("text of the type {content_media_type}"))
        }
        Kind::FromUtf8 { .. } => invalid("does not have the required form", "encoded UTF-8 text".to_owned()),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            invalid("could not be matched within bounds", "shorter or simpler text".to_owned())
        }
        Kind::Custom { message, .. } => {
            Violation::new(at, Code::InvalidValue, message).actual(quoted(actual))
        }
        Kind::Referencing(error) => Violation::new(at, Code::InvalidValue, error.to_string()),
    };
    violations.push(violation);
}

fn missing(at: &Path, property: &Value, error: &ValidationError<'_>, schema: &Value) -> Violation {
    let key = property.as_str().unwrap_or_default();
    let properties =
        describe::parent_of_keyword(error, schema).and_then(|parent| parent.get("properties")?.as_object());
    let required = match describe::dependent_on(error, property, schema) {
        Some(other) => format!("required beside `{other}`, but absent"),
        None => "required, but absent".to_owned(),
    };
    let message = match misnamed(key, error.instance(), properties) {
        Some(given) => format!("{required}; `{given}` looks like it"),
        None => required,
    };
    let expected = properties.and_then(|properties| properties.get(key));
    let expected = expected.map_or_else(|| "a value".to_owned(), |found| describe::schema(found, schema));
    Violation::new(at.clone().key(key), Code::MissingField, message).expected(expected)
}

/// The key of `object` that was probably meant to be `key`: one that the schema does not know.
fn misnamed<'o>(key: &str, object: &'o Value, properties: Option<&Map<String, Value>>) -> Option<&'o str> {
    let is_unknown = |given: &&str| !properties.is_some_and(|properties| properties.contains_key(*given));
    // An object of thousands of keys is no record with one name wrong.
    let given = object.as_object().filter(|object| object.len() <= MAX_COMPARED)?;
    suggest::nearest(key, given.keys().map(String::as_str).filter(is_unknown))
}

/// The keys that an object may have.
struct Known<'s> {
    names: Vec<&'s str>,
    patterns: Vec<&'s str>,
}

impl<'s> Known<'s> {
    fn of(error: &ValidationError<'_>, schema: &'s Value) -> Self {
        let parent = describe::parent_of_keyword(error, schema);
        let keys = |keyword: &str| {
            let found = parent.and_then(|parent| parent.get(keyword)?.as_object());
            found.into_iter().flat_map(Map::keys).map(String::as_str).collect()
        };
        Self { names: keys("properties"), patterns: keys("patternProperties") }
    }

    fn expected(&self) -> String {
        let names = self.names.join(", ");
        let patterns = self.patterns.join(", ");
        match (names.is_empty(), patterns.is_empty()) {
            (true, true) => "no such key".to_owned(),
            (false, true) => format!("only the keys {names}"),
            (true, false) => format!("only keys that match {patterns}"),
            (false, false) => format!("only the keys {names} and keys that match {patterns}"),
        }
    }
}

fn unknown(at: &Path, key: &str, object: &Value, known: &Known<'_>) -> Violation {
    let is_free = |name: &&str| object.get(*name).is_none();
    let meant = suggest::nearest(key, known.names.iter().copied().take(MAX_COMPARED).filter(is_free));
    let message = match meant {
        Some(meant) => format!("unknown key; did you mean `{meant}`?"),
        None => "unknown key".to_owned(),
    };
    let violation =
        Violation::new(at.clone().key(key), Code::UnknownField, message).expected(known.expected());
    match object.get(key) {
        Some(value) => violation.actual(quoted(value)),
        None => violation,
    }
}

/// The violation of a value that is none of `options`.
pub(super) fn not_listed(at: Path, options: &[Value], actual: &Value) -> Violation {
    let texts = options.iter().take(MAX_COMPARED).filter_map(Value::as_str);
    let meant = actual.as_str().and_then(|given| suggest::nearest(given, texts));
    let message = match meant {
        Some(meant) => format!("not an allowed value; did you mean {}?", quoted(&meant.into())),
        None => "not an allowed value".to_owned(),
    };
    let expected = format!("one of {}", quoted_list(options.iter()));
    Violation::new(at, Code::InvalidValue, message).expected(expected).actual(quoted(actual))
}

fn nothing_allowed(at: Path) -> Violation {
    match at.segments().last() {
        Some(Segment::Index(_)) => {
            Violation::new(at, Code::InvalidValue, "one element too many").expected("no element here")
        }
        _ => Violation::new(at, Code::UnknownField, "unknown key").expected("no such key"),
    }
}

fn json_types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(json_type) => vec![*json_type],
        TypeKind::Multiple(types) => types.iter().collect(),
    }
}

fn characters(count: u64) -> String {
    if count == 1 { "1 character".to_owned() } else { format!("{count} characters") }
}

fn elements(count: u64) -> String {
    if count == 1 { "1 element".to_owned() } else { format!("{count} elements") }
}

/// A list is found wanting in length: the length says more than the elements.
fn counted_items(violation: Violation, actual: &Value) -> Violation {
    violation.actual(elements(actual.as_array().map_or(0, Vec::len) as u64))
}

pub(crate) fn path_of(location: &Location) -> Path {
    location.iter().fold(Path::root(), |path, segment| match segment {
        LocationSegment::Property(key) => path.key(key),
        LocationSegment::Index(index) => path.index(index),
    })
}
