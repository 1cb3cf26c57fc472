//! Tests of continuing a list or a string that was cut.

mod budget;
mod hostile;
mod joins;
mod lists;
mod property;
mod streams;
mod strings;
mod text;
mod ways;
mod writer;

use extract::agent::{FinishReason, Reply};
use extract::testing::ScriptedAgent;
use extract::{AttemptStatus, Contract, ExtractionMetrics};
use serde_json::{Value, json};

/// A reply that was cut at the token limit.
fn cut(text: impl Into<String>) -> Reply {
    Reply::new(text.into()).finished(FinishReason::Length)
}

/// The last turn of the question with this number, from 0.
fn asked(agent: &ScriptedAgent, number: usize) -> String {
    agent.requests()[number].conversation.turns().last().unwrap().text().to_owned()
}

fn verdicts(metrics: &ExtractionMetrics) -> Vec<AttemptStatus> {
    metrics.per_attempt.iter().map(|attempt| attempt.verdict).collect()
}

/// Rows of a table, followed by other members.
fn table() -> Contract {
    let row = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        "required": ["id", "name"],
    });
    Contract::from_schema(json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "rows": {"type": "array", "items": row},
            "total": {"type": "integer"},
            "note": {"type": "string"},
        },
        "required": ["title", "rows", "total"],
    }))
    .unwrap()
}

/// The first two rows, and the start of the third.
const CUT: &str =
    r#"{"title": "May", "rows": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}, {"id": 2, "na"#;

/// The same, cut between two rows or after the last one.
const BETWEEN: &str = r#"{"title": "May", "rows": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}"#;

/// The complete table.
fn whole() -> Value {
    json!({
        "title": "May",
        "rows": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}, {"id": 2, "name": "c"}],
        "total": 3,
    })
}

/// The rest of the table.
const REST: &str = r#"{"from": 2, "rest": [{"id": 2, "name": "c"}], "after": {"total": 3}}"#;
