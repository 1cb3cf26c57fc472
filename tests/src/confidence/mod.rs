//! How sure each leaf of a value is.

mod calibrated;
mod escalated;
mod samples;
mod tokens;
mod tools;

use extract::{
    Contract,
    agent::{Reply, TokenProbability},
    metrics::LeafConfidence,
    testing::ScriptedAgent,
};
use serde_json::{Value, json};

fn order() -> Contract {
    let line = json!({
        "type": "object",
        "properties": {"part": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
        "required": ["part", "quantity"],
    });
    Contract::from_schema(json!({
        "type": "object",
        "properties": {"customer": {"type": "string"}, "lines": {"type": "array", "items": line}},
        "required": ["customer", "lines"],
    }))
    .unwrap()
}

/// A reply in which each of `parts` is one token.
fn reply_of(parts: &[(&str, f64)]) -> Reply {
    let (mut text, mut tokens) = (String::new(), Vec::new());
    for (part, log_probability) in parts {
        let start = text.len();
        text.push_str(part);
        tokens.push(TokenProbability::new(start..text.len(), *log_probability));
    }
    Reply::new(text).with_token_probabilities(tokens)
}

fn reporting(replies: impl IntoIterator<Item = Reply>) -> ScriptedAgent {
    ScriptedAgent::new(replies).reporting_log_probabilities()
}

fn near(leaf: Option<&LeafConfidence>, confidence: f64) -> bool {
    leaf.and_then(|leaf| leaf.confidence).is_some_and(|own| (own - confidence).abs() < 1e-9)
}

fn answer(customer: &str, lines: &[(&str, i64)]) -> Value {
    let lines: Vec<_> =
        lines.iter().map(|(part, quantity)| json!({"part": part, "quantity": quantity})).collect();
    json!({"customer": customer, "lines": lines})
}
