//! How long the first message is.

use extract::agent::Constraint;
use extract::settings::{PromptOptions, SchemaNotation};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, ExtractionError};
use serde_json::{Map, Value, json};

/// The fixed sentences around a schema.
const SENTENCES: usize = 400;

/// 500 fields of every kind, each with a description.
fn wide() -> Value {
    let kinds = [
        json!({"type": "string", "minLength": 1, "description": "as it is printed"}),
        json!({"type": ["number", "null"], "minimum": 0, "description": "in euros"}),
        json!({"enum": ["goods", "service"], "description": "what is sold"}),
        json!({"type": "array", "items": {"type": "string", "format": "date"}, "description": "of delivery"}),
        json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "if there is one"}),
    ];
    let names: Vec<_> = (0..500).map(|number| format!("field_{number}")).collect();
    let properties: Map<_, _> = names.iter().cloned().zip(kinds.into_iter().cycle()).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

/// A chain of 40 definitions, each of which is used twice.
fn deep() -> Value {
    let level = |number: usize| {
        let next = json!({"$ref": format!("#/$defs/level_{}", number + 1)});
        json!({
            "type": "object",
            "properties": {"left": next, "right": next, "name": {"type": "string", "description": "of the part"}},
            "required": ["left", "name"],
            "additionalProperties": false,
        })
    };
    let mut definitions: Map<_, _> =
        (0..40).map(|number| (format!("level_{number}"), level(number))).collect();
    definitions.insert("level_40".to_owned(), json!({"type": "integer", "description": "the last"}));
    json!({"$ref": "#/$defs/level_0", "$defs": definitions})
}

/// The system turn of the first question.
fn told(schema: &Value, notation: SchemaNotation, constraint: Constraint) -> String {
    let contract = Contract::from_schema(schema.clone()).unwrap();
    let agent = ScriptedAgent::new(["no"]).constrained(constraint);
    let options = PromptOptions::new().schema_notation(notation);
    let extraction = contract.extract(&agent, "What is it?").prompt_options(options).max_attempts(1);
    assert!(matches!(block_on(extraction), Err(ExtractionError::MaxRetriesExceeded { .. })));
    agent.requests()[0].conversation.turns()[0].text().to_owned()
}

#[test]
fn a_large_contract_is_asked_for_in_no_more_than_its_own_length() {
    for schema in [wide(), deep()] {
        let length = schema.to_string().len();
        for (notation, constraint) in [
            (SchemaNotation::Auto, Constraint::nothing()),
            (SchemaNotation::Auto, Constraint::by_decoder([])),
            (SchemaNotation::Auto, Constraint::by_provider([])),
            (SchemaNotation::JsonSchema, Constraint::nothing()),
            (SchemaNotation::Outline, Constraint::nothing()),
        ] {
            let text = told(&schema, notation, constraint);
            assert!(text.len() <= length + SENTENCES, "{notation:?}: {} for {length} bytes", text.len());
        }
    }
}
