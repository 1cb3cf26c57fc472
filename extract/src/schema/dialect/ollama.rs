//! Ollama's `format`, and that of every other server on llama.cpp.
//!
//! Source:
//! <https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md#json-schemas--gbnf>, read
//! in 2026:
//!
//! - what is not supported is skipped without a word, so it is left out here with one
//! - `additionalProperties` is `false` unless it is there, so it is stated
//! - `properties` beside `anyOf` or `oneOf`, and `prefixItems`, are broken
//! - the four bounds hold for integers only; there is no `multipleOf`
//! - a `pattern` starts with `^` and ends with `$`; beside one, no other keyword of strings is looked at
//! - formats are `date`, `time`, `date-time` and `uuid` (the `uri` and `email` of the standard are missing)
//! - properties may be optional; here they are required and may be `null`, because Ollama is asked through its API that speaks
//!   like OpenAI (<https://github.com/ollama/ollama/blob/main/docs/openai.md>), by a client that requires them all
//! - no `patternProperties`, `uniqueItems`, `contains`, `not`, `if` and their kin

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
