//! The tools `example`, `validate` and `submit`: their descriptions, their arguments, and the messages
//! about acceptable values.

mod arguments;
mod names;
mod submission;

use std::fmt::Write as _;

use serde_json::{Value, json};

use self::{
    arguments::{ArgumentForm, with_part},
    names::ToolNames,
};
pub(crate) use self::{names::ToolKind, submission::ToolSubmission};
use crate::{
    agent::{Tool, ToolCall, ToolResult},
    attempt::AttemptRecord,
    contract::Contract,
    feedback::format_violations_for_display,
    reading::ReadingOptions,
    schema::shown,
    vocabulary::text::{counted, cut, excerpt, ticked},
};

/// The names of the tools, and how a value is passed in a call.
#[derive(Debug, Clone)]
pub(crate) struct ToolSet {
    names: ToolNames,
    input: ArgumentForm,
}

impl ToolSet {
    /// The tools of `contract`, whose values are called `title`.
    pub(crate) fn new(contract: &Contract, title: &str) -> Self {
        Self { names: ToolNames::new(title), input: ArgumentForm::of(contract.schema()) }
    }

    /// The tools of `contract`, named after its title.
    pub(crate) fn of(contract: &Contract) -> Self {
        let title = contract.schema().get("title").and_then(Value::as_str).unwrap_or("value");
        Self::new(contract, title)
    }

    /// The same tools for another contract.
    pub(crate) fn for_contract(self, contract: &Contract) -> Self {
        Self { input: ArgumentForm::of(contract.schema()), ..self }
    }

    /// The tools with `name` in their names.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { names: self.names.with_suffix(name), ..self }
    }

    /// Adds the title to the names, unless they have another suffix.
    pub(crate) fn distinguish(&mut self) {
        self.names.distinguish();
    }

    /// The title of the value, for people.
    pub(crate) fn title(&self) -> &str {
        self.names.title()
    }

    /// The descriptions for the agent.
    pub(crate) fn tools(&self, contract: &Contract, max_attempts: u32) -> Vec<Tool> {
        ToolKind::ALL.map(|kind| describe(kind, (&self.names, self.input), contract, max_attempts)).into()
    }

    pub(crate) fn name_of(&self, kind: ToolKind) -> String {
        self.names.of(kind)
    }

    pub(crate) fn kind_of(&self, name: &str) -> Option<ToolKind> {
        self.names.kind(name)
    }

    /// The argument that contains the value; `None` if the value is all of the arguments.
    pub(crate) fn argument(&self) -> Option<&'static str> {
        self.input.argument()
    }

    /// The value that the agent submits with `arguments`, as text.
    fn submitted(&self, arguments: &Value) -> String {
        arguments::submitted(arguments, self.input)
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
            let text = self.submitted(&call.arguments);
            let Some((text, change)) = arguments::unnested(&text, &self.names, contract, options) else {
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
        let names = ToolKind::ALL.map(|kind| format!("`{}`", self.names.of(kind)));
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

/// The tool `kind` for values of `contract`, passed in the form `input`.
fn describe(
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
