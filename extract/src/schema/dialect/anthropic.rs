//! Anthropic's structured outputs.
//!
//! Source:
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>,
//! read in August 2026:
//!
//! - all basic types; `enum` of strings, numbers, booleans and nulls; `const`, `anyOf`, `$ref`, `$defs`
//! - ten values of `format`; `pattern` without back-references, look-around and word boundaries
//! - `minItems` of 0 and 1; no other bound of numbers, strings or lists
//! - `additionalProperties` is `false` on every object; properties may be optional
//! - no recursion
//! - at most 24 optional properties and 16 properties that are unions

use serde_json::{Map, Value};

use super::{
    graph, pattern,
    projection::Inexpressible,
    rules::{DialectRules, KeywordSupport, KeywordUse, ObjectRules, check_sizes},
};
use crate::vocabulary::path::Path;

const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];
const MAX_OPTIONAL: usize = 24;
const MAX_UNIONS: usize = 16;

pub(super) static RULES: DialectRules = DialectRules {
    objects: ObjectRules::Closed,
    requires_all: false,
    has_any: false,
    has_const: true,
    has_tuples: false,
    takes,
    check,
};

fn takes(keyword: &KeywordUse<'_>) -> KeywordSupport {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    match keyword.name {
        "enum" if keyword.value.as_array().is_some_and(|values| values.iter().all(is_plain)) => {
            KeywordSupport::AsIs
        }
        "const" if is_plain(keyword.value) => KeywordSupport::AsIs,
        "enum" | "const" => KeywordSupport::No("holds lists or objects"),
        "pattern" => pattern::plain(keyword.value),
        "format" => keyword.of_format(&FORMATS),
        "minItems" if keyword.value.as_f64().is_some_and(|least| least <= 1.0) => KeywordSupport::AsIs,
        "minItems" => KeywordSupport::Weakened(Value::from(1), "may be at most 1"),
        _ => keyword.in_table(|dialects| dialects.anthropic),
    }
}

fn check(schema: &Map<String, Value>) -> Result<(), Inexpressible> {
    if let Some(name) = graph::circle(schema, |_| true) {
        return Err(Inexpressible::new(&Path::root(), format!("`{name}` contains itself")));
    }
    let sizes = graph::ProjectionSizes::of(schema);
    check_sizes(&[
        ("optional properties", sizes.optional, MAX_OPTIONAL),
        ("unions", sizes.unions, MAX_UNIONS),
    ])
}
