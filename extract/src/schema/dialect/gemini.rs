//! Gemini's `responseJsonSchema`.
//!
//! Source: the field's own description in
//! <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>, read in 2026:
//!
//! - supported are `$id`, `$defs`, `$ref`, `$anchor`, `type`, `format`, `title`, `description`, `enum` (of strings and
//!   numbers), `items`, `prefixItems`, `minItems`, `maxItems`, `minimum`, `maximum`, `anyOf`, `oneOf` (which means
//!   `anyOf`), `properties`, `additionalProperties` and `required`
//! - circles of references are unrolled a few times, and only in properties that are not required
//! - only keywords that start with `$` are allowed beside `$ref`
//!
//! <https://ai.google.dev/gemini-api/docs/structured-output> names the formats `date-time`, `date`
//! and `time`.

use serde_json::{Map, Value};

use super::{
    graph,
    projection::Inexpressible,
    rules::{DialectRules, KeywordSupport, KeywordUse, ObjectRules},
};
use crate::vocabulary::path::Path;

const FORMATS: [&str; 3] = ["date-time", "date", "time"];

pub(super) static RULES: DialectRules = DialectRules {
    objects: ObjectRules::Open,
    requires_all: false,
    has_any: true,
    has_const: false,
    has_tuples: true,
    takes,
    check,
};

fn takes(keyword: &KeywordUse<'_>) -> KeywordSupport {
    match keyword.name {
        "enum" => match keyword.value.as_array() {
            Some(values) if values.iter().all(|value| value.is_string() || value.is_number()) => {
                KeywordSupport::AsIs
            }
            _ => KeywordSupport::No("holds something other than strings and numbers"),
        },
        "format" => keyword.of_format(&FORMATS),
        _ => keyword.in_table(|dialects| dialects.gemini),
    }
}

fn check(schema: &Map<String, Value>) -> Result<(), Inexpressible> {
    match graph::circle(schema, |property| property.is_required) {
        Some(name) => Err(Inexpressible::new(&Path::root(), format!("`{name}` requires itself"))),
        None => Ok(()),
    }
}
