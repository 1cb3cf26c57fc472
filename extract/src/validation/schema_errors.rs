//! What the JSON Schema validator found, as violations.
//!
//! A model understands places, expectations and values; it does not understand keywords. Each kind of
//! error becomes a code, what is expected and what was found, at the path of the offending value.

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::{Map, Value};

use super::{describe, location::Root, nodes::Nodes, repeated, suggest, union};
use crate::{
    Code, Path, Violation,
    path::Segment,
    schema::is_deprecated,
    text::{counted, named, quoted, quoted_list, ticked},
};

/// How the message starts of a value that is not among those that are listed.
pub(super) const NOT_LISTED: &str = "not an allowed value";

/// What is said of a key, not of the value under it.
pub(super) const NOT_A_KEY: &str = "not an allowed key";

/// Names that are compared with a misspelt one.
const MAX_COMPARED: usize = 200;

/// Appends the violations that `error` stands for.
pub(super) fn push(error: &ValidationError<'_>, root: Root<'_>, violations: &mut Vec<Violation>) {
    let at = root.path(error);
    let actual = error.instance().as_ref();
    let invalid = |at: Path, message: &str, expected: String| {
        Violation::new(at, Code::InvalidValue, message).expected(expected).actual(quoted(actual))
    };
    let violation = match error.kind() {
        Kind::Required { property } => return violations.push(missing(at, property, error, root)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let is_unevaluated = matches!(error.kind(), Kind::UnevaluatedProperties { .. });
            let known = Known::of(error, root, is_unevaluated);
            violations.extend(unexpected.iter().map(|key| unknown(&at, key, actual, &known)));
            return;
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            return union::push(error, context, root, violations);
        }
        Kind::PropertyNames { error: inner } => return push_key(at, inner, root, violations),
        Kind::UniqueItems => return repeated::push(&at, actual, violations),
        Kind::FalseSchema if is_about_keys(error) && at.resolve(root.value).is_some_and(Value::is_object) => {
            // Under `additionalProperties` the validator names the object and shows the entry.
            return violations.extend(no_keys(&at, root));
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
        Kind::Constant { expected_value } => invalid(at, "not the required value", quoted(&**expected_value)),
        Kind::Minimum { limit } => invalid(at, "too small", format!("at least {limit}")),
        Kind::Maximum { limit } => invalid(at, "too large", format!("at most {limit}")),
        Kind::ExclusiveMinimum { limit } => invalid(at, "too small", format!("more than {limit}")),
        Kind::ExclusiveMaximum { limit } => invalid(at, "too large", format!("less than {limit}")),
        Kind::MultipleOf { multiple_of } => {
            invalid(at, "not a multiple", format!("a multiple of {multiple_of}"))
        }
        Kind::MinLength { limit } => invalid(at, "too short", format!("at least {}", characters(*limit))),
        Kind::MaxLength { limit } => invalid(at, "too long", format!("at most {}", characters(*limit))),
        Kind::MinItems { limit } => {
            counted_items(invalid(at, "too few elements", format!("at least {}", elements(*limit))), actual)
        }
        Kind::MaxItems { limit } => {
            counted_items(invalid(at, "too many elements", format!("at most {}", elements(*limit))), actual)
        }
        Kind::AdditionalItems { limit } => counted_items(
            invalid(at, "too many elements", format!("at most {}", elements(*limit as u64))),
            actual,
        ),
        Kind::UnevaluatedItems { .. } => invalid(at, "too many elements", "no further elements".to_owned()),
        Kind::MinProperties { limit } => {
            invalid(at, "too few entries", format!("at least {}", entries(*limit)))
        }
        Kind::MaxProperties { limit } => {
            invalid(at, "too many entries", format!("at most {}", entries(*limit)))
        }
        Kind::Pattern { pattern } => {
            invalid(at, "does not have the required form", format!("text that matches the pattern {pattern}"))
        }
        Kind::Format { format } => invalid(at, "does not have the required form", describe::format(format)),
        Kind::Contains => invalid(at, describe::contained_wrongly(error), describe::contained(error, root)),
        Kind::Not { schema } => {
            let ruled_out = describe::in_detail(schema, root.schema);
            invalid(at, "a value that is ruled out", format!("anything but {ruled_out}"))
        }
        Kind::OneOfMultipleValid { context } => {
            return union::push_several(error, context, root, violations);
        }
        Kind::FalseSchema => nothing_allowed(at).actual(quoted(actual)),
        Kind::ContentEncoding { content_encoding } => {
            invalid(at, "does not have the required form", format!("text in {content_encoding} encoding"))
        }
        Kind::ContentMediaType { content_media_type } => {
            invalid(at, "does not have the required form", format!("text of the type {content_media_type}"))
        }
        Kind::FromUtf8 { .. } => {
            invalid(at, "does not have the required form", "encoded UTF-8 text".to_owned())
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            invalid(at, "could not be matched within bounds", "shorter or simpler text".to_owned())
        }
        Kind::Custom { message, .. } => {
            Violation::new(at, Code::InvalidValue, message).actual(quoted(actual))
        }
        Kind::Referencing(error) => Violation::new(at, Code::InvalidValue, error.to_string()),
    };
    violations.push(violation);
}

/// What is wrong with a key for which `inner` says so.
fn push_key(at: Path, inner: &ValidationError<'_>, root: Root<'_>, violations: &mut Vec<Violation>) {
    let key = inner.instance().as_str().unwrap_or_default();
    let mut inside = Vec::new();
    push(inner, root, &mut inside);
    let expected = inside.into_iter().find_map(|violation| violation.expected);
    let violation = Violation::new(at.key(key), Code::InvalidValue, NOT_A_KEY);
    let violation = match expected.as_deref() {
        None | Some("no such key") => violation,
        Some(expected) => match expected.strip_prefix("text ") {
            Some(form) => violation.expected(format!("a key {form}")),
            None if expected.starts_with("at ") => violation.expected(format!("a key of {expected}")),
            None => violation.expected(format!("a key that is {expected}")),
        },
    };
    violations.push(violation.actual(quoted(key)));
}

fn missing(at: Path, property: &Value, error: &ValidationError<'_>, root: Root<'_>) -> Violation {
    let key = property.as_str().unwrap_or_default();
    let required = match describe::dependent_on(error, property, root) {
        Some(other) => format!("required beside {}, but absent", ticked(other)),
        None => "required, but absent".to_owned(),
    };
    let message = match misnamed(key, error, root) {
        Some(given) => format!("{required}; {} looks like it", ticked(given)),
        None => required,
    };
    Violation::new(at.key(key), Code::MissingField, message).expected(expected_under(key, error, root))
}

/// What is allowed under `key` of the value that `error` speaks of.
pub(super) fn expected_under(key: &str, error: &ValidationError<'_>, root: Root<'_>) -> String {
    let own = root.parent_of_keyword(error).and_then(|parent| parent.get("properties")?.get(key));
    // Alternatives that ask for keys only leave it to what is around them to say what stands there.
    let found = own.or_else(|| Nodes::new(root.schema, [root.whole(error)]).property(key));
    found.map_or_else(|| "a value".to_owned(), |found| describe::schema(found, root.schema))
}

/// The key of the object that was probably meant to be `key`: one that the schema does not know.
fn misnamed<'o>(key: &str, error: &'o ValidationError<'_>, root: Root<'_>) -> Option<&'o str> {
    // An object of thousands of keys is no record with one name wrong.
    let given = error.instance().as_object().filter(|object| object.len() <= MAX_COMPARED)?;
    let own = root.parent_of_keyword(error).and_then(|parent| parent.get("properties")?.as_object());
    let unknown =
        given.keys().map(String::as_str).filter(|given| !own.is_some_and(|own| own.contains_key(*given)));
    let near = suggest::nearest(key, unknown)?;
    // What the key's own schema does not know may be known beside it.
    Nodes::new(root.schema, [root.whole(error)]).property(near).is_none().then_some(near)
}

/// The keys that an object may have.
struct Known<'s> {
    names: Vec<&'s str>,
    patterns: Vec<&'s str>,
}

impl<'s> Known<'s> {
    /// `is_unevaluated` where references and alternatives beside the failing keyword count as well.
    fn of(error: &ValidationError<'_>, root: Root<'s>, is_unevaluated: bool) -> Self {
        let parent = root.parent_of_keyword(error);
        if is_unevaluated {
            let nodes = Nodes::new(root.schema, parent);
            return Self { names: nodes.keys("properties"), patterns: nodes.keys("patternProperties") };
        }
        let keys = |keyword: &str| {
            let found = parent.and_then(|parent| parent.get(keyword)?.as_object());
            let found = found.into_iter().flatten();
            // Other names that are still understood are not worth mentioning.
            let current = found.filter(|(_, schema)| !is_deprecated(schema));
            current.map(|(key, _)| key.as_str()).collect()
        };
        Self { names: keys("properties"), patterns: keys("patternProperties") }
    }

    fn expected(&self) -> String {
        let mut names = String::with_capacity(64);
        for name in &self.names {
            names.push_str(if names.is_empty() { "" } else { ", " });
            names.push_str(&named(name));
        }
        let patterns = self.patterns.join(", ");
        match (names.is_empty(), patterns.is_empty()) {
            (true, true) => "no such key".to_owned(),
            (false, true) => ["only the keys ", &names].concat(),
            (true, false) => format!("only keys that match {patterns}"),
            (false, false) => format!("only the keys {names} and keys that match {patterns}"),
        }
    }
}

fn unknown(at: &Path, key: &str, object: &Value, known: &Known<'_>) -> Violation {
    let is_free = |name: &&str| object.get(*name).is_none();
    let meant = suggest::meant(key, known.names.iter().copied().take(MAX_COMPARED).filter(is_free));
    let message = match meant {
        Some(meant) => ["unknown key; did you mean ", &ticked(meant), "?"].concat(),
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
    let meant = actual.as_str().and_then(|given| suggest::meant(given, texts));
    let message = match meant {
        Some(meant) => [NOT_LISTED, "; did you mean ", &quoted(meant), "?"].concat(),
        None => NOT_LISTED.to_owned(),
    };
    let expected = ["one of ", &quoted_list(options.iter())].concat();
    Violation::new(at, Code::InvalidValue, message).expected(expected).actual(quoted(actual))
}

/// Whether the failing schema is one for the keys or the entries of an object.
fn is_about_keys(error: &ValidationError<'_>) -> bool {
    let keyword = error.schema_path().as_str().rsplit('/').next();
    matches!(keyword, Some("additionalProperties" | "propertyNames" | "unevaluatedProperties"))
}

/// What is wrong with the object at `at`, in which no key is allowed.
fn no_keys<'v>(at: &'v Path, root: Root<'v>) -> impl Iterator<Item = Violation> {
    let known = Known { names: Vec::new(), patterns: Vec::new() };
    let object = at.resolve(root.value);
    let keys = object.and_then(Value::as_object).into_iter().flat_map(Map::keys);
    keys.map(move |key| unknown(at, key, object.unwrap_or(&Value::Null), &known))
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

fn json_types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(json_type) => vec![*json_type],
        TypeKind::Multiple(types) => types.iter().collect(),
    }
}

fn characters(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "character")
}

fn elements(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "element")
}

fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// A list is found wanting in length: the length says more than the elements.
fn counted_items(violation: Violation, actual: &Value) -> Violation {
    violation.actual(elements(actual.as_array().map_or(0, Vec::len) as u64))
}
