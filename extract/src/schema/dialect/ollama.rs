//! The `format` of Ollama and of other servers based on llama.cpp.
//!
//! Source:
//! <https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md#json-schemas--gbnf>, read
//! in 2026:
//!
//! - unsupported keywords are silently ignored there, so they are dropped here and reported
//! - `additionalProperties` counts as `false` unless it is present, so it is always stated
//! - `properties` beside `anyOf` or `oneOf`, and `prefixItems`, are broken
//! - the four bounds apply to integers only; there is no `multipleOf`
//! - a `pattern` starts with `^` and ends with `$`; beside it, all other keywords of strings are
//!   ignored
//! - formats are `date`, `time`, `date-time` and `uuid` (the standard's `uri` and `email` are
//!   missing)
//! - properties may be optional; here they are required and may be `null`, because Ollama is called
//!   through its OpenAI-compatible API
//!   (<https://github.com/ollama/ollama/blob/main/docs/openai.md>), by a client that requires them
//!   all
//! - repetitions from 2,000 on are refused, also as the product of nested ones in a `pattern`
//!   (`MAX_REPETITION_THRESHOLD` in
//!   <https://github.com/ggml-org/llama.cpp/blob/master/src/llama-grammar.cpp>)
//! - some versions do not escape what JSON escapes in a listed value, such as quotation marks
//! - no `patternProperties`, `uniqueItems`, `contains`, `not`, `if` and the like

use serde_json::{Map, Value};

use super::{
    pattern,
    projection::Inexpressible,
    rules::{DialectRules, KeywordSupport, KeywordUse, ObjectRules},
};
use crate::vocabulary::path::all_values;

/// The first number of repetitions that is refused.
const REFUSED_REPETITIONS: f64 = 2_000.0;
const FORMATS: [&str; 4] = ["date", "time", "date-time", "uuid"];

pub(super) static RULES: DialectRules = DialectRules {
    objects: ObjectRules::Stated,
    requires_all: true,
    has_any: true,
    has_const: true,
    has_tuples: false,
    takes,
    check: |_: &Map<String, Value>| Ok::<(), Inexpressible>(()),
};

fn takes(keyword: &KeywordUse<'_>) -> KeywordSupport {
    let has = |name: &str| keyword.beside.contains_key(name);
    match keyword.name {
        "pattern" => pattern::anchored(keyword.value),
        "format" | "minLength" | "maxLength" if has("pattern") => {
            KeywordSupport::No("is not looked at beside `pattern`")
        }
        "format" => keyword.of_format(&FORMATS),
        "minLength" | "maxLength" if has("format") => KeywordSupport::No("is not looked at beside `format`"),
        "minItems" | "maxItems" | "minLength" | "maxLength" if is_refused(keyword.value) => {
            KeywordSupport::No("asks for more repetitions than every version accepts")
        }
        "enum" | "const" if has_escapes(keyword.value) => {
            KeywordSupport::No("holds characters that not every version can escape")
        }
        "enum" | "const" | "minItems" | "maxItems" | "minLength" | "maxLength" => KeywordSupport::AsIs,
        _ => keyword.in_table(|dialects| dialects.ollama),
    }
}

fn is_refused(size: &Value) -> bool {
    size.as_f64().is_none_or(|size| size >= REFUSED_REPETITIONS)
}

/// Returns whether a string in `value` needs escapes in JSON.
fn has_escapes(value: &Value) -> bool {
    let is_escaped = |text: &str| Value::from(text).to_string().len() != text.len() + 2;
    all_values(value).any(|value| match value {
        Value::String(text) => is_escaped(text),
        Value::Object(object) => object.keys().any(|key| is_escaped(key)),
        _ => false,
    })
}
