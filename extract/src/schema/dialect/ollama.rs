//! Ollama's `format`, and that of other servers based on llama.cpp.
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
//! - no `patternProperties`, `uniqueItems`, `contains`, `not`, `if` and the like

use serde_json::{Map, Value};

use super::{
    pattern,
    projection::Inexpressible,
    rules::{Keyword, Objects, Rules, Support, UNSUPPORTED, UNSUPPORTED_FORMAT},
};

const FORMATS: [&str; 4] = ["date", "time", "date-time", "uuid"];

pub(super) static RULES: Rules = Rules {
    objects: Objects::Stated,
    requires_all: true,
    has_any: true,
    has_const: true,
    has_tuples: false,
    takes,
    check: |_: &Map<String, Value>| Ok::<(), Inexpressible>(()),
};

fn takes(keyword: &Keyword<'_>) -> Support {
    let has = |name: &str| keyword.beside.contains_key(name);
    match keyword.name {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if keyword.is_of("integer") => {
            Support::AsIs
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            Support::No("is supported for integers only")
        }
        "pattern" => pattern::anchored(keyword.value),
        "format" | "minLength" | "maxLength" if has("pattern") => {
            Support::No("is not looked at beside `pattern`")
        }
        "format" if keyword.is_text_of(&FORMATS) => Support::AsIs,
        "format" => Support::No(UNSUPPORTED_FORMAT),
        "minLength" | "maxLength" if has("format") => Support::No("is not looked at beside `format`"),
        "enum" | "const" | "minItems" | "maxItems" | "minLength" | "maxLength" => Support::AsIs,
        _ => Support::No(UNSUPPORTED),
    }
}
