//! The schema in the [dialect](crate::schema::dialect) of the provider that rig asks.

use serde_json::Value;

use crate::{
    agent::Request,
    schema::{NativeSchema, dialect::Dialect},
};

/// The schema that a model gets, and a note for the caller.
#[derive(Debug, Default, PartialEq)]
pub(super) struct OfferedSchema {
    pub(super) schema: Option<Value>,
    pub(super) note: Option<String>,
}

/// The dialects that must be able to express the schema, by rig's name of the provider.
fn dialects(provider: &str) -> &'static [Dialect] {
    match provider {
        "openai" | "azure.openai" | "openrouter" | "groq" | "xai" | "mistral" | "together" => {
            &[Dialect::OpenAi]
        }
        // rig makes every property required, which without `null` would make the model invent what
        // is absent.
        "anthropic" => &[Dialect::OpenAi, Dialect::Anthropic],
        "gcp.gemini" => &[Dialect::Gemini],
        "ollama" | "llamacpp" => &[Dialect::Ollama],
        _ => &[],
    }
}

/// The schema of `request` for `provider`.
pub(super) fn offer(provider: &str, request: &Request) -> OfferedSchema {
    let dialects = dialects(provider);
    let prompted = |note: String| OfferedSchema { schema: None, note: Some(note) };
    if request.schema.is_none() {
        return OfferedSchema::default();
    }
    if dialects.is_empty() {
        return prompted(format!("`{provider}` is not known to take a schema; it is left to the prompt"));
    }
    let mut offered: Option<Value> = None;
    let mut notes = Vec::new();
    for dialect in dialects {
        let native = match &offered {
            None => request.native_schema(*dialect),
            Some(before) => Some(NativeSchema::of(before, *dialect)),
        };
        match native {
            None => break,
            Some(Ok(native)) => {
                notes.extend(native.note);
                offered = Some(native.schema);
            }
            Some(Err(reason)) => {
                let words = format!("{dialect} has no words for the schema");
                return prompted(format!("{words}, so it is left to the prompt: {reason}"));
            }
        }
    }
    OfferedSchema { schema: offered, note: (!notes.is_empty()).then(|| notes.join("; ")) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::agent::Conversation;

    fn offer(provider: &str, schema: &Value) -> OfferedSchema {
        let request = Request::new(Conversation::new()).with_schema(Arc::new(schema.clone()));
        super::offer(provider, &request)
    }

    fn person() -> Value {
        json!({
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0}},
            "required": ["name"],
        })
    }

    #[test]
    fn each_provider_is_offered_its_dialect() {
        let offered = |provider| offer(provider, &person()).schema.unwrap();
        assert_eq!(offered("openai"), Dialect::OpenAi.project(&person()).unwrap().schema);
        assert_eq!(offered("gcp.gemini"), Dialect::Gemini.project(&person()).unwrap().schema);
        assert_eq!(offered("ollama"), Dialect::Ollama.project(&person()).unwrap().schema);
        let expected = json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
            "required": ["name", "age"],
            "additionalProperties": false,
        });
        assert_eq!(offered("anthropic"), expected);
    }

    #[test]
    fn a_note_says_what_is_left_to_us() {
        let note = |provider: &str, schema: &Value| offer(provider, schema).note.unwrap();
        assert!(note("openai", &person()).contains("$.properties.name: `minLength`"));
        let anthropic = note("anthropic", &person());
        assert!(anthropic.contains("`minLength`") && anthropic.contains("`minimum`"), "{anthropic}");
        let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        assert_eq!(
            note("openai", &map),
            "OpenAI has no words for the schema, so it is left to the prompt: $: a map with free keys"
        );
        assert_eq!(
            note("deepseek", &person()),
            "`deepseek` is not known to take a schema; it is left to the prompt"
        );
        let plain = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        assert_eq!(offer("openai", &plain).note, None);
    }
}
