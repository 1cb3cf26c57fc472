//! The tools `example`, `validate` and `submit`: their descriptions and their arguments.

mod argument_form;
mod arguments;
pub(crate) mod describe;
mod names;
mod submission;

use serde_json::{Value, json};

use self::{argument_form::ArgumentForm, describe::describe, names::ToolNames};
pub(crate) use self::{names::ToolKind, submission::ToolSubmission};
use crate::{
    agent::{Tool, ToolCall, ToolResult},
    contract::Contract,
    reading::ReadingOptions,
    schema::shown,
    vocabulary::text::ticked,
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
