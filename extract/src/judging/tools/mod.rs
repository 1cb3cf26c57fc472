//! The tools `example`, `validate` and `submit`: their descriptions, their arguments, and the messages
//! about acceptable values.

mod arguments;
mod submission;
mod tool_set;

use std::fmt::Write as _;

use serde_json::{Value, json};

use self::arguments::with_part;
pub(crate) use self::{
    submission::ToolSubmission,
    tool_set::{ToolKind, ToolSet},
};
use crate::{
    agent::{Tool, ToolCall, ToolResult},
    attempt::AttemptRecord,
    contract::Contract,
    feedback::format_violations_for_display,
    reading::ReadingOptions,
    schema::shown,
    vocabulary::text::{counted, cut, excerpt, ticked},
};

impl ToolSet {
    /// The descriptions for the agent.
    pub(crate) fn tools(&self, contract: &Contract, max_attempts: u32) -> Vec<Tool> {
        ToolKind::ALL.map(|kind| self.describe(kind, contract, max_attempts)).into()
    }

    /// The value that the agent submits with `calls` of one reply, one or more, all of the same tool.
    /// `options` say how the reply ended.
    pub(crate) fn submission(
        &self,
        calls: &[&ToolCall],
        contract: &Contract,
        options: &ReadingOptions,
    ) -> ToolSubmission {
        let mut changes = Vec::new();
        let texts = calls.iter().map(|call| {
            let text = arguments::submitted(&call.arguments, self.form);
            let is_tool = |name: &str| self.kind_of(name).is_some();
            let Some((text, change)) = arguments::unnested(&text, &is_tool, contract, options) else {
                return text;
            };
            changes.push(change);
            text
        });
        let texts = texts.collect();
        let name = calls.first().map_or("", |call| &call.name);
        let submission = ToolSubmission::of(texts, name, contract, options);
        ToolSubmission { changes: changes.into_iter().chain(submission.changes).collect(), ..submission }
    }

    /// The result of a `call` that submits nothing; `None` if there is a value to judge.
    pub(crate) fn answer(&self, call: &ToolCall, contract: &Contract) -> Option<ToolResult> {
        match self.kind_of(&call.name) {
            None => Some(self.unknown(call)),
            Some(ToolKind::Example) => Some(example(call, contract)),
            Some(ToolKind::Validate | ToolKind::Submit) => None,
        }
    }

    fn unknown(&self, call: &ToolCall) -> ToolResult {
        let names = ToolKind::ALL.map(|kind| format!("`{}`", self.name_of(kind)));
        let text = format!("There is no tool {}; there are {}.", ticked(&call.name), names.join(", "));
        call.answered(text, true).with_structured(json!({}))
    }
}

/// The result of `example`.
fn example(call: &ToolCall, contract: &Contract) -> ToolResult {
    let schema = contract.schema();
    let mut structured = json!({"schema": as_object(schema)});
    let mut text = match contract.example() {
        Some(example) => {
            structured["example"] = example.clone();
            format!("An example, to show the form:\n{example}")
        }
        None => "There is no small example.".to_owned(),
    };
    text.push_str("\n\nA value has to satisfy this JSON Schema:\n");
    text.push_str(&shown(schema));
    call.answered(text, false).with_structured(structured)
}

/// A schema `true` or `false` as an object (JSON Schema 2020-12 core, section 4.3.2).
fn as_object(schema: &Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Bool(false) => json!({"not": {}}),
        schema => schema.clone(),
    }
}

/// Maximum number of characters of the type's description in a tool's description.
const MAX_DESCRIPTION_CHARS: usize = 400;

impl ToolSet {
    fn describe(&self, kind: ToolKind, contract: &Contract, max_attempts: u32) -> Tool {
        let schema = contract.schema();
        Tool {
            name: self.name_of(kind),
            title: format!("{} {}", capitalised(kind.word()), self.title),
            description: self.description(kind, schema, max_attempts),
            input_schema: match kind {
                ToolKind::Example => {
                    json!({"type": "object", "properties": {}, "additionalProperties": false})
                }
                ToolKind::Validate | ToolKind::Submit => self.form.schema(schema),
            },
            output_schema: match kind {
                ToolKind::Example => example_schema(schema),
                ToolKind::Validate => report_schema(),
                ToolKind::Submit => with_part(report_schema(), "value", schema),
            },
            is_read_only: kind != ToolKind::Submit,
        }
    }

    fn description(&self, kind: ToolKind, schema: &Value, max_attempts: u32) -> String {
        let what = what(&self.title, schema);
        let attempts = counted(max_attempts as usize, "attempt");
        let submit = self.name_of(ToolKind::Submit);
        let paths = self.argument().map_or_else(String::new, |argument| {
            format!(" The value is the argument `{argument}`; paths in the answer start there, at `$`.")
        });
        match kind {
            ToolKind::Example => {
                format!("Shows an example of {what}, and the JSON Schema. Costs no attempt.")
            }
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
