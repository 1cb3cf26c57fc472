//! The requirements on an answer, in words.

use std::{borrow::Cow, fmt, sync::Arc};

use super::{PromptOptions, SchemaNotation};
use crate::{
    agent::{Constraint, ConstraintLevel},
    contract::Contract,
    schema::{AbsenceRules, OutlineOptions, SchemaForms},
};

/// The part of the first message that describes the answer. `Display` joins its pieces as they are
/// sent by default; [`Extraction::instructions`](crate::Extraction::instructions) joins them in
/// another way.
///
/// ```
/// use extract::{Contract, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let extraction = contract.extract(&agent, "How many legs has a spider?").instructions(|parts| {
///     assert_eq!(parts.to_string(), [parts.task(), parts.schema()].join("\n\n"));
///     format!("You are a biologist.\n\n{}\n\n{}", parts.schema(), parts.task())
/// });
/// block_on(extraction)?;
/// assert_eq!(
///     agent.requests()[0].conversation.turns()[0].text(),
///     "You are a biologist.\n\n\
///      The answer must be of the type Answer (a key with `?` may be absent, keys that are not \
///      shown are not allowed):\ntype Answer = integer\n\n\
///      Answer with one JSON value and nothing else: no markdown fences, no explanation."
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Instructions<'a> {
    contract: &'a Contract,
    task: Cow<'a, str>,
    schema: Cow<'a, str>,
    absence: &'static str,
    example: Option<String>,
}

/// The user's own words around the parts of [`Instructions`].
#[derive(Clone)]
pub(crate) struct WriteInstructions(Arc<dyn Fn(&Instructions<'_>) -> String + Send + Sync>);

impl WriteInstructions {
    pub(crate) fn new(write: impl Fn(&Instructions<'_>) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    pub(super) fn write(&self, instructions: &Instructions<'_>) -> String {
        (self.0)(instructions)
    }

    /// Their text for an agent that is not constrained. A function cannot be compared, but its text
    /// can.
    pub(crate) fn sample(&self, options: &PromptOptions, contract: &Contract, start: AnswerStart) -> String {
        self.write(&Instructions::of(options, contract, &Constraint::nothing(), start))
    }
}

impl fmt::Debug for WriteInstructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteInstructions")
    }
}

/// What an agent writes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerStart {
    Answer,
    /// A few sentences about it.
    Thoughts,
}

impl<'a> Instructions<'a> {
    /// For an agent that is constrained by `constraint`.
    pub(super) fn of(
        options: &PromptOptions,
        contract: &'a Contract,
        constraint: &Constraint,
        start: AnswerStart,
    ) -> Self {
        let forms = contract.forms();
        Self {
            task: task(forms, constraint, start),
            schema: schema(options.notation, forms, constraint),
            ..Self::without_schema(options, contract)
        }
    }

    /// For an agent that submits the answer by the tool `submit`, which has the schema. The answer
    /// is all of its arguments, or one of them.
    pub(super) fn with_tools(
        options: &PromptOptions,
        contract: &'a Contract,
        (submit, argument): (&str, Option<&str>),
        start: AnswerStart,
    ) -> Self {
        let kind = contract.forms().root();
        let how = argument.map_or_else(
            || "as its arguments".to_owned(),
            |argument| format!("as its argument `{argument}`"),
        );
        let first = match start {
            AnswerStart::Thoughts => "First think about it in a few sentences. Then answer",
            AnswerStart::Answer => "Answer",
        };
        let task = format!("{first} with one JSON {kind} by calling the tool `{submit}` with it {how}.");
        Self { task: task.into(), ..Self::without_schema(options, contract) }
    }

    fn without_schema(options: &PromptOptions, contract: &'a Contract) -> Self {
        let absence = if options.show_absence { absent(contract.forms().absence()) } else { "" };
        let example = contract.example().filter(|_| options.show_example);
        let example = example.map(|value| format!("An answer to something else, to show the form:\n{value}"));
        Self { contract, task: "".into(), schema: "".into(), absence, example }
    }

    /// Returns the contract. [`Contract::schema`] is its JSON Schema.
    pub fn contract(&self) -> &'a Contract {
        self.contract
    }

    /// Returns the task: to answer with JSON, or by calling a tool.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// Returns the schema in the [notation](PromptOptions::schema_notation) that the agent needs,
    /// with an introductory line. Empty if the agent needs no schema: it calls tools, which have
    /// the schema, or its provider enforces and shows the whole schema.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the instruction for values that the prompt does not state. Empty if the schema
    /// leaves no choice.
    pub fn absence(&self) -> &str {
        self.absence
    }

    /// Returns the example of the contract with a line that introduces it, if it is
    /// [shown](PromptOptions::show_example).
    pub fn example(&self) -> Option<&str> {
        self.example.as_deref()
    }

    /// Returns whether `text` shows a schema or an example.
    pub(super) fn is_described_in(&self, text: &str) -> bool {
        let shown = [self.schema(), self.example().unwrap_or_default()];
        shown.iter().any(|part| !part.is_empty() && text.contains(part))
    }
}

/// The parts that are not empty, as paragraphs.
impl fmt::Display for Instructions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.task)?;
        let parts = [&*self.schema, self.absence, self.example.as_deref().unwrap_or_default()];
        parts.iter().filter(|part| !part.is_empty()).try_for_each(|part| write!(f, "\n\n{part}"))
    }
}

impl Contract {
    /// Returns the default instructions for an agent that is not constrained to the schema: to
    /// answer with JSON only, the schema as types, and what to write for values that the prompt
    /// does not state.
    pub fn instructions(&self) -> String {
        Instructions::of(&PromptOptions::default(), self, &Constraint::nothing(), AnswerStart::Answer)
            .to_string()
    }
}

fn task(forms: &SchemaForms, constraint: &Constraint, start: AnswerStart) -> Cow<'static, str> {
    let first = match start {
        AnswerStart::Thoughts => {
            "First think about it in a few sentences between <think> and </think>. Then answer"
        }
        AnswerStart::Answer => "Answer",
    };
    // No instruction for an agent that cannot write anything else.
    let end = match constraint.level {
        ConstraintLevel::Nothing => " and nothing else: no markdown fences, no explanation.",
        _ => ".",
    };
    format!("{first} with one JSON {}{end}", forms.root()).into()
}

/// The schema in `notation` for agents that are constrained by `constraint`.
fn schema<'f>(notation: SchemaNotation, forms: &'f SchemaForms, constraint: &Constraint) -> Cow<'f, str> {
    let outline = |shows_keys| {
        let unenforced = &constraint.unenforced;
        Cow::Owned(forms.outline(OutlineOptions { shows_keys, unenforced }).to_string())
    };
    match (notation, constraint.level) {
        (SchemaNotation::None, _) => Cow::Borrowed(""),
        (SchemaNotation::JsonSchema, _) => {
            Cow::Owned(format!("The answer must satisfy this JSON Schema:\n{}", forms.json()))
        }
        (SchemaNotation::Outline, _) | (SchemaNotation::Auto, ConstraintLevel::Decoder) => outline(true),
        (SchemaNotation::Auto, ConstraintLevel::Provider) => outline(false),
        (SchemaNotation::Types, _)
        | (SchemaNotation::Auto, ConstraintLevel::Nothing | ConstraintLevel::Json) => {
            Cow::Borrowed(forms.described())
        }
    }
}

/// The instruction about values that are not in the prompt.
fn absent(absence: AbsenceRules) -> &'static str {
    match (absence.as_null, absence.as_missing_key) {
        (false, false) => "",
        (true, false) => "Where the text does not state a value, write null. Do not make values up.",
        (false, true) => "Where the text does not state a value, leave its key out. Do not make values up.",
        (true, true) => {
            "Where the text does not state a value, write null or leave its key out. Do not make values up."
        }
    }
}
