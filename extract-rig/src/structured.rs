//! The schema in the [dialect](extract::schema::dialect) of the provider that rig asks.

use extract::{
    agent::{Constraint, Request},
    schema::dialect::{Dialect, REFUSED_BY_AZURE, UnenforcedConstraint},
};
use serde_json::Value;

/// The schema that a model gets, and a note for the caller.
#[derive(Debug, Default, PartialEq)]
pub(super) struct OfferedSchema {
    pub(super) schema: Option<Value>,
    pub(super) unenforced: Vec<UnenforcedConstraint>,
    pub(super) note: Option<String>,
    /// Whether the reply is an object around the answer.
    pub(super) is_enveloped: bool,
}

/// How the reply of `provider` to `request` is constrained, if the schema is to be sent.
pub(super) fn constraint(provider: Option<&str>, request: &Request) -> Constraint {
    let Some(provider) = provider else { return Constraint::nothing() };
    let OfferedSchema { schema, unenforced, .. } = offer(provider, request);
    match schema {
        None => Constraint::nothing(),
        // The client of `openai` may talk to any server with the same API.
        Some(_) if matches!(provider, "anthropic" | "azure.openai" | "gcp.gemini" | "xai") => {
            Constraint::by_provider(unenforced)
        }
        Some(_) => Constraint::by_decoder(unenforced),
    }
}

/// The dialects that must be able to express the schema, by rig's name of the provider.
fn dialects(provider: &str) -> &'static [Dialect] {
    match provider {
        "openai" | "azure.openai" | "openrouter" | "groq" | "xai" | "mistral" | "together" => {
            &[Dialect::OpenAi]
        }
        // rig makes every property required. Without `null`, the model would have to invent absent
        // values.
        "anthropic" => &[Dialect::OpenAi, Dialect::Anthropic],
        "gcp.gemini" => &[Dialect::Gemini],
        "ollama" | "llamacpp" => &[Dialect::Ollama],
        _ => &[],
    }
}

/// The schema of `request` for `provider`.
pub(super) fn offer(provider: &str, request: &Request) -> OfferedSchema {
    let dialects = dialects(provider);
    let prompted = |note: String| OfferedSchema { note: Some(note), ..OfferedSchema::default() };
    if request.schema.is_none() {
        return OfferedSchema::default();
    }
    if dialects.is_empty() {
        return prompted(format!("`{provider}` is not known to take a schema; it is left to the prompt"));
    }
    let mut offered: Option<Value> = None;
    let (mut notes, mut unenforced, mut is_enveloped) = (Vec::new(), Vec::new(), false);
    for dialect in dialects {
        let native = match &offered {
            None => request.native_schema(*dialect),
            Some(before) => Some(dialect.offer(before)),
        };
        match native {
            None => break,
            Some(Ok(native)) => {
                let is_azure = provider == "azure.openai";
                let native = if is_azure { native.without(&REFUSED_BY_AZURE) } else { native };
                notes.extend(native.note());
                unenforced.extend(native.unenforced);
                is_enveloped |= native.is_enveloped;
                offered = Some(native.schema);
            }
            Some(Err(reason)) => {
                let words = format!("{dialect} cannot express the schema");
                return prompted(format!("{words}, so it is left to the prompt: {reason}"));
            }
        }
    }
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    OfferedSchema { schema: offered, unenforced, note, is_enveloped }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use extract::{
        Path,
        agent::{ConstraintLevel, Conversation},
    };
    use serde_json::json;

    use super::*;

    fn asking(schema: &Value) -> Request {
        Request::new(Conversation::new()).with_schema(Arc::new(schema.clone()))
    }

    fn offer(provider: &str, schema: &Value) -> OfferedSchema {
        super::offer(provider, &asking(schema))
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
    fn azure_gets_none_of_the_keywords_that_it_refuses() {
        let age = json!({"type": "integer", "minimum": 0});
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "pattern": "^[a-z]+$"},
                "ages": {"type": "array", "minItems": 1, "items": age},
            },
            "required": ["pattern", "ages"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "ages": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["pattern", "ages"],
            "additionalProperties": false,
        });
        let offered = offer("azure.openai", &schema);
        assert_eq!(offered.schema.unwrap(), expected);
        let mut unenforced: Vec<_> = offered.unenforced.iter().map(ToString::to_string).collect();
        unenforced.sort();
        assert_eq!(
            unenforced,
            [
                "$.properties.ages.items: `minimum` is not among the supported keywords",
                "$.properties.ages: `minItems` is not among the supported keywords",
                "$.properties.pattern: `pattern` is not among the supported keywords",
            ]
        );
        let list =
            offer("azure.openai", &json!({"type": "array", "minItems": 2, "items": {"type": "string"}}));
        assert!(list.is_enveloped && list.schema.unwrap()["properties"]["answer"].get("minItems").is_none());
        assert!(list.unenforced.iter().any(|one| one.path == Path::root() && one.keyword == "minItems"));
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

    #[test]
    fn the_constraint_is_that_of_what_is_offered() {
        let level = |provider| constraint(provider, &asking(&person())).level;
        assert_eq!(level(Some("anthropic")), ConstraintLevel::Provider);
        assert_eq!(level(Some("openai")), ConstraintLevel::Decoder);
        assert_eq!(level(Some("deepseek")), ConstraintLevel::Nothing);
        assert_eq!(level(None), ConstraintLevel::Nothing);
        let unenforced = constraint(Some("openai"), &asking(&person())).unenforced;
        assert_eq!(unenforced, Dialect::OpenAi.project(&person()).unwrap().unenforced);
    }
}
