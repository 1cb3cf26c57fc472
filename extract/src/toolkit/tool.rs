//! What an agent has to be told about the tools.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{input::with_part, offer::Offer};
use crate::{
    contract::Contract,
    text::{counted, cut},
};

/// Characters of the type's own description in that of a tool.
const MAX_DESCRIPTION_CHARS: usize = 400;

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Example,
    Validate,
    Submit,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Example, Self::Validate, Self::Submit];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Example => "example",
            Self::Validate => "validate",
            Self::Submit => "submit",
        }
    }
}

/// A tool, as it is described to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// What it is called by.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it does, what it costs.
    pub description: String,
    /// JSON Schema of the arguments, which are an object: the type's own where that is one, else an object with the value
    /// under `value`.
    pub input_schema: Value,
    /// JSON Schema of [`ToolResult::structured`](super::ToolResult::structured).
    pub output_schema: Value,
    /// Whether it changes nothing outside: `example` and `validate`.
    pub is_read_only: bool,
}

pub(super) fn describe(kind: Kind, offer: &Offer, contract: &Contract, max_attempts: u32) -> Tool {
    let title = offer.names.title();
    let schema = contract.schema();
    Tool {
        name: offer.name_of(kind),
        title: format!("{} {title}", capitalised(kind.word())),
        description: description(kind, offer, schema, max_attempts),
        input_schema: match kind {
            Kind::Example => json!({"type": "object", "properties": {}, "additionalProperties": false}),
            Kind::Validate | Kind::Submit => offer.input.schema(schema),
        },
        output_schema: match kind {
            Kind::Example => example_schema(schema),
            Kind::Validate => report_schema(),
            Kind::Submit => with_part(report_schema(), "value", schema),
        },
        is_read_only: kind != Kind::Submit,
    }
}

fn description(kind: Kind, offer: &Offer, schema: &Value, max_attempts: u32) -> String {
    let what = what(offer.names.title(), schema);
    let attempts = counted(max_attempts as usize, "attempt");
    let submit = offer.name_of(Kind::Submit);
    let paths = offer.argument().map_or_else(String::new, |argument| {
        format!(" The value is the argument `{argument}`; paths in the answer begin there, at `$`.")
    });
    match kind {
        Kind::Example => format!("Shows an example of {what}, and the JSON Schema. Costs no attempt."),
        Kind::Validate => format!(
            "Checks {what}, and lists everything that is wrong with it without handing it in. What is not valid costs one \
             of {attempts}; what is valid costs none and is yet to be handed in with `{submit}`.{paths}"
        ),
        Kind::Submit => format!(
            "Hands in {what}. What satisfies the JSON Schema and all rules is accepted, and the task is done; otherwise \
             everything that is wrong is listed, and one of {attempts} is used up.{paths}"
        ),
    }
}

/// `Invoice (An invoice, as printed.)`
fn what(title: &str, schema: &Value) -> String {
    let about = schema.get("description").and_then(Value::as_str);
    match about.and_then(|text| text.split("\n\n").next()) {
        Some(about) => format!("{title} ({})", cut(&about.replace('\n', " "), MAX_DESCRIPTION_CHARS)),
        None => title.to_owned(),
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

fn example_schema(schema: &Value) -> Value {
    let object = json!({
        "type": "object",
        "properties": {
            "schema": {"description": "The JSON Schema that a value has to satisfy.", "type": "object"},
        },
        "required": ["schema"],
    });
    with_part(object, "example", schema)
}

/// The schema of a [`Report`](super::report::Report), but for the value.
fn report_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {
            "status": {
                "description": "`closed`: it was over before this call, which was not looked at.",
                "enum": ["valid", "accepted", "rejected", "closed"],
            },
            "attempts": {"description": "Attempts used up.", "type": "integer", "minimum": 0},
            "attempts_left": {"type": "integer", "minimum": 0},
            "next": {"description": "What to do next.", "type": "string"},
            "violation_count": {"type": "integer", "minimum": 0},
            "violations": {
                "description": "Everything that is wrong, and warnings; the first 50.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": text,
                        "pointer": {"description": "The path as a JSON Pointer (RFC 6901).", "type": "string"},
                        "code": text,
                        "message": text,
                        "expected": text,
                        "actual": text,
                        "severity": {"enum": ["warning", "fixable", "fatal"]},
                    },
                    "required": ["path", "pointer", "code", "message", "severity"],
                },
            },
            "change_count": {"type": "integer", "minimum": 0},
            "changes": {
                "description": "What was changed or left out in reading the value; the first 50.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"path": text, "kind": text, "before": text, "after": text, "loss": text},
                    "required": ["path", "kind", "before", "after", "loss"],
                },
            },
        },
        "required": [
            "status", "attempts", "attempts_left", "next", "violation_count", "violations", "change_count", "changes",
        ],
    })
}
