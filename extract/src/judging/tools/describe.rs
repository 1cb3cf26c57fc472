//! Descriptions of the tools for the agent, and messages about acceptable values.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    argument_form::{ArgumentForm, with_part},
    names::{ToolKind, ToolNames},
};
use crate::{
    agent::Tool,
    attempt::AttemptRecord,
    contract::Contract,
    feedback::format_violations_for_display,
    vocabulary::text::{counted, cut, excerpt},
};

/// Maximum number of characters of the type's description in a tool's description.
const MAX_DESCRIPTION_CHARS: usize = 400;

/// The tool `kind` for values of `contract`, passed in the form `input`.
pub(super) fn describe(
    kind: ToolKind,
    (names, input): (&ToolNames, ArgumentForm),
    contract: &Contract,
    max_attempts: u32,
) -> Tool {
    let title = names.title();
    let schema = contract.schema();
    Tool {
        name: names.of(kind),
        title: format!("{} {title}", capitalised(kind.word())),
        description: description(kind, (names, input), schema, max_attempts),
        input_schema: match kind {
            ToolKind::Example => json!({"type": "object", "properties": {}, "additionalProperties": false}),
            ToolKind::Validate | ToolKind::Submit => input.schema(schema),
        },
        output_schema: match kind {
            ToolKind::Example => example_schema(schema),
            ToolKind::Validate => report_schema(),
            ToolKind::Submit => with_part(report_schema(), "value", schema),
        },
        is_read_only: kind != ToolKind::Submit,
    }
}

fn description(
    kind: ToolKind,
    (names, input): (&ToolNames, ArgumentForm),
    schema: &Value,
    max_attempts: u32,
) -> String {
    let what = what(names.title(), schema);
    let attempts = counted(max_attempts as usize, "attempt");
    let submit = names.of(ToolKind::Submit);
    let paths = input.argument().map_or_else(String::new, |argument| {
        format!(" The value is the argument `{argument}`; paths in the answer start there, at `$`.")
    });
    match kind {
        ToolKind::Example => format!("Shows an example of {what}, and the JSON Schema. Costs no attempt."),
        ToolKind::Validate => format!(
            "Checks {what} and lists everything that is wrong with it, without submitting it. An invalid value costs one \
             of {attempts}; a valid one costs none and still has to be submitted with `{submit}`.{paths}"
        ),
        ToolKind::Submit => format!(
            "Submits {what}. If it satisfies the JSON Schema and all rules, it is accepted and the task is done; otherwise \
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

/// The schema of a toolkit's report, without the value.
fn report_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {
            "status": {
                "description": "`closed`: it had ended before this call, which was ignored.",
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
            "confidence": {
                "description": "The confidence of the leaves of an accepted value, by JSON Pointer, if it is measured.",
                "type": "object",
                "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
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

pub(crate) const DONE: &str = "No further action is needed.";

pub(crate) fn hand_in(submit: &str) -> String {
    format!("Call `{submit}` with the same value to submit it.")
}

/// The message about a valid value.
pub(crate) fn valid(record: &AttemptRecord, submit: &str) -> String {
    format!("Valid. {}{}", hand_in(submit), remarks(record))
}

/// The message about the accepted submission.
pub(crate) fn accepted(record: &AttemptRecord, max_attempts: u32) -> String {
    let number = record.number;
    format!("Accepted in attempt {number} of {max_attempts}. {DONE}{}", remarks(record))
}

/// Warnings, and the changes that reading made.
fn remarks(record: &AttemptRecord) -> String {
    let mut text = String::new();
    if !record.violations.is_empty() {
        let warnings = &record.violations[..record.violations.len().min(MAX_REMARKS)];
        text = format!(
            "\n{}:\n{}",
            counted(record.violations.len(), "warning"),
            format_violations_for_display(warnings)
        );
    }
    if !record.changes.is_empty() {
        let count = counted(record.changes.len(), "change");
        let _ = write!(text, "\nIt was read with {count}:");
        for change in record.changes.iter().take(MAX_REMARKS) {
            let _ = write!(text, "\n{}: {}", change.path, excerpt(&change.before));
            let _ = match &*change.after {
                "" => write!(text, " was left out"),
                after => write!(text, " was read as {}", excerpt(after)),
            };
        }
    }
    text
}

/// How many warnings and changes a message lists; the structured result has more.
const MAX_REMARKS: usize = 10;
