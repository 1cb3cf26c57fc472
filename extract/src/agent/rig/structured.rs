//! The schema in the [dialect](crate::schema::dialect) of the provider that rig asks.

use serde_json::Value;

use crate::schema::dialect::Dialect;

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

pub(super) fn offer(provider: &str, schema: &Value) -> OfferedSchema {
    let dialects = dialects(provider);
    let prompted = |note: String| OfferedSchema { schema: None, note: Some(note) };
    if dialects.is_empty() {
        return prompted(format!("`{provider}` is not known to take a schema; it is left to the prompt"));
    }
    let mut offered = schema.clone();
    let mut notes = Vec::new();
    for dialect in dialects {
        match dialect.project(&offered) {
            Ok(projection) => {
                notes.extend(projection.note());
                offered = projection.schema;
            }
            Err(reason) => {
                let words = format!("{dialect} cannot express the schema");
                return prompted(format!("{words}, so it is left to the prompt: {reason}"));
            }
        }
    }
    OfferedSchema { schema: Some(offered), note: (!notes.is_empty()).then(|| notes.join("; ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            "OpenAI cannot express the schema, so it is left to the prompt: $: a map with free keys"
        );
        assert_eq!(
            note("deepseek", &person()),
            "`deepseek` is not known to take a schema; it is left to the prompt"
        );
        let plain = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        assert_eq!(offer("openai", &plain).note, None);
    }
}
