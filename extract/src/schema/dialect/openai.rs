//! OpenAI's strict mode.
//!
//! Source: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>, read in
//! February and August 2026:
//!
//! - types: string, number, boolean, integer, object, array, enum, `anyOf`; `null` in unions
//! - strings: `pattern`, `format` out of nine; numbers: `multipleOf` and the four bounds; arrays: `minItems`, `maxItems`
//! - the root is an object without `anyOf`
//! - every property is required; an optional one is a union with `null`
//! - `additionalProperties` is `false` on every object
//! - at most 5,000 properties, 10 levels of objects, 1,000 values of enums, 120,000 characters of
//!   names and values; an enum of more than 250 strings has at most 15,000 characters
//! - `$defs` and recursion by `$ref` are supported; `allOf`, `not`, `if`, `dependentRequired` and
//!   the like are not
//!
//! Values of `enum` and `const` with line breaks are refused
//! (<https://github.com/openai/openai-python/issues/2133>).
//!
//! `minLength` and `maxLength` are in neither list. A keyword that is not listed is dropped,
//! because an unsupported one makes the API refuse the whole schema. Nothing is allowed beside
//! `$ref`, and `default` and `examples` are refused; the API's error messages say so.

use serde_json::{Map, Value};

use super::{
    graph, pattern,
    projection::Inexpressible,
    rules::{DialectRules, KeywordSupport, KeywordUse, ObjectRules, check_sizes},
};
use crate::vocabulary::path::Path;

const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const MAX_PROPERTIES: usize = 5_000;
const MAX_LEVELS: usize = 10;
const MAX_ENUM_VALUES: usize = 1_000;
const MAX_CHARS: usize = 120_000;
/// An enum with more values than the first may have at most as many characters as the second.
const LONG_ENUM: (usize, usize) = (250, 15_000);

/// The keywords of this dialect that OpenAI's models on Azure refuse. One of them makes Azure refuse
/// the whole schema. Meant for [`Projection::without`](super::Projection::without).
///
/// Source: <https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs>, read in
/// November 2026.
pub const REFUSED_BY_AZURE: [&str; 9] = [
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

/// Why another answer than an object is refused.
pub(super) const NO_OBJECT: &str = "the root is not an object";

pub(super) static RULES: DialectRules = DialectRules {
    objects: ObjectRules::Closed,
    requires_all: true,
    has_any: false,
    has_const: true,
    has_tuples: false,
    takes,
    check,
};

fn takes(keyword: &KeywordUse<'_>) -> KeywordSupport {
    match keyword.name {
        "enum" | "const" if has_line_break(keyword.value) => {
            KeywordSupport::No("holds line breaks, which are refused")
        }
        "enum" | "const" => KeywordSupport::AsIs,
        "pattern" => pattern::plain(keyword.value),
        "format" => keyword.of_format(&FORMATS),
        _ => keyword.in_table(|dialects| dialects.openai),
    }
}

fn has_line_break(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(['\n', '\r']),
        Value::Array(list) => list.iter().any(has_line_break),
        _ => false,
    }
}

fn check(schema: &Map<String, Value>) -> Result<(), Inexpressible> {
    let fail = |reason: String| Err(Inexpressible::new(&Path::root(), reason));
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return fail(NO_OBJECT.to_owned());
    }
    let sizes = graph::ProjectionSizes::of(schema);
    check_sizes(&[
        ("properties", sizes.properties, MAX_PROPERTIES),
        ("values of enums", sizes.enum_values, MAX_ENUM_VALUES),
        ("characters of names and values", sizes.chars, MAX_CHARS),
        ("levels of objects", graph::levels(schema), MAX_LEVELS),
    ])?;
    let (values, chars) = LONG_ENUM;
    if sizes.longest_enum.0 > values && sizes.longest_enum.1 > chars {
        return fail(format!("an enum of more than {values} values with more than {chars} characters"));
    }
    Ok(())
}
