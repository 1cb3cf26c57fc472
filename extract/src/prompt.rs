//! The first question: the prompt, and what the answer must satisfy.

use std::borrow::Cow;

use crate::{
    agent::{Constraint, ConstraintLevel, Conversation, Prompt, Role},
    contract::Contract,
    schema::{self, OutlineOptions, SchemaForms},
};

/// How the schema is written in the prompt.
///
/// ```
/// use extract::{Contract, settings::{PromptOptions, SchemaNotation}, testing::{ScriptedAgent, block_on}};
///
/// let schema = serde_json::json!({
///     "type": "object",
///     "properties": {
///         "guests": {"type": "integer", "minimum": 1},
///         "date": {"type": ["string", "null"], "description": "as written"},
///     },
///     "required": ["guests"],
/// });
/// let contract = Contract::from_schema(schema)?;
/// let agent = ScriptedAgent::new([r#"{"guests": 2}"#]);
/// block_on(contract.extract(&agent, "A table for two!").prompt_options(PromptOptions::new().schema_notation(SchemaNotation::Types)))?;
/// let asked = &agent.requests()[0].conversation;
/// assert!(asked.turns()[0].text().contains(
///     "type Answer = {\n  \"guests\": integer // at least 1\n  \"date\"?: string | null // as written\n}"
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaNotation {
    /// As the [constraint](crate::agent::Agent::constraint) of the agent asks for:
    ///
    /// | constrained | notation |
    /// |---|---|
    /// | not, or to JSON of any form | [`Types`](Self::Types) |
    /// | to the schema, which the model does not see | [`Outline`](Self::Outline), with the constraints that are not enforced |
    /// | to the schema by a provider that shows it to the model | only the constraints that are not enforced |
    ///
    /// If a reply breaks what the agent says is enforced, the following questions write types.
    #[default]
    Auto,
    /// As types in the style of TypeScript, with descriptions and constraints as comments. They say
    /// the same as JSON Schema in fewer tokens. What types cannot express stays JSON Schema in a
    /// comment.
    Types,
    /// As compact JSON Schema.
    JsonSchema,
    /// As the names of the keys, in their order, with descriptions: no types and no allowed values.
    /// For an agent that is constrained to the schema.
    Outline,
    /// Not at all. The agent then has to be constrained to the schema by other means, like a local
    /// model by its grammar.
    None,
}

/// Where schema and example stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaPlace {
    /// In the system turn, before the prompt. Agents can cache this part across prompts.
    #[default]
    System,
    /// At the end of the user turn, after the prompt. Nothing before it is the same for all
    /// prompts, so it cannot be cached.
    AfterPrompt,
}

/// How the prompt presents the contract; see
/// [`Extraction::prompt_options`](crate::Extraction::prompt_options).
///
/// ```
/// use extract::{Contract, settings::{PromptOptions, SchemaPlace}, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let options = PromptOptions::new().schema_place(SchemaPlace::AfterPrompt).show_example(true);
/// block_on(contract.extract(&agent, "How many legs has a spider?").prompt_options(options))?;
/// assert!(agent.requests()[0].conversation.turns()[0].text().starts_with("How many legs"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PromptOptions {
    pub(crate) notation: SchemaNotation,
    pub(crate) place: SchemaPlace,
    pub(crate) show_example: bool,
    pub(crate) show_absence: bool,
}

impl PromptOptions {
    /// The defaults, which were measured (`docs/decisions.md` in the repository).
    pub fn new() -> Self {
        Self::default()
    }

    /// How the schema is written, if at all. By default as the agent needs it.
    pub fn schema_notation(mut self, notation: SchemaNotation) -> Self {
        self.notation = notation;
        self
    }

    /// Where schema and example are placed; in the system turn by default.
    pub fn schema_place(mut self, place: SchemaPlace) -> Self {
        self.place = place;
        self
    }

    /// Whether to show the example. Off by default, because small models copy from it.
    pub fn show_example(mut self, show: bool) -> Self {
        self.show_example = show;
        self
    }

    /// Whether to say what to write for a value that the prompt does not state: null or no key, as
    /// far as the schema allows it. On by default.
    pub fn show_absence(mut self, show: bool) -> Self {
        self.show_absence = show;
        self
    }
}

impl Contract {
    /// The default instructions for an agent that is not constrained to the schema: to answer with
    /// JSON only, the schema as types, and what to write for values that the prompt does not state.
    pub fn instructions(&self) -> String {
        PromptOptions::default().instructions(self, &Constraint::nothing())
    }
}

impl Default for PromptOptions {
    fn default() -> Self {
        Self {
            notation: SchemaNotation::default(),
            place: SchemaPlace::default(),
            show_example: false,
            show_absence: true,
        }
    }
}

impl PromptOptions {
    /// Whether an agent that is not constrained to the schema is told how an answer has to look.
    pub(crate) fn describes_schema(&self) -> bool {
        self.show_example || self.notation != SchemaNotation::None
    }

    /// The conversation of the first attempt with an agent that is constrained by `constraint`;
    /// `system` has the user's own instructions.
    pub(crate) fn opening(
        &self,
        contract: &Contract,
        constraint: &Constraint,
        system: Option<&str>,
        prompt: &Prompt,
    ) -> Conversation {
        let instructions = self.instructions(contract, constraint);
        match (self.place, system) {
            (SchemaPlace::System, None) => with_system(instructions).with_parts(Role::User, prompt),
            (SchemaPlace::System, Some(system)) => {
                with_system(format!("{system}\n\n{instructions}")).with_parts(Role::User, prompt)
            }
            (SchemaPlace::AfterPrompt, system) => system
                .map_or_else(Conversation::new, with_system)
                .with_parts(Role::User, prompt)
                .append_to_last(&format!("\n\n{instructions}")),
        }
    }

    /// The conversation of the first attempt if the answer is submitted by the tool `submit`, which
    /// has the schema. The answer is all of its arguments, or one of them.
    pub(crate) fn opening_with_tools(
        &self,
        contract: &Contract,
        system: Option<&str>,
        prompt: &Prompt,
        (submit, argument): (&str, Option<&str>),
    ) -> Conversation {
        let forms = contract.forms();
        let kind = forms.root();
        let how = argument.map_or_else(
            || "as its arguments".to_owned(),
            |argument| format!("as its argument `{argument}`"),
        );
        let mut text = format!("Answer with one JSON {kind} by calling the tool `{submit}` with it {how}.");
        for part in [self.absence(forms), &self.example(contract).unwrap_or_default()] {
            push_paragraph(&mut text, part);
        }
        if let Some(system) = system {
            text = format!("{system}\n\n{text}");
        }
        with_system(text).with_parts(Role::User, prompt)
    }

    /// What an answer must satisfy.
    fn instructions(&self, contract: &Contract, constraint: &Constraint) -> String {
        let forms = contract.forms();
        let mut text = format!("Answer with one JSON {}", forms.root());
        // An agent that cannot write anything else need not be told.
        text.push_str(match constraint.level {
            ConstraintLevel::Nothing => " and nothing else: no markdown fences, no explanation.",
            _ => ".",
        });
        push_paragraph(&mut text, &self.schema(forms, constraint));
        for part in [self.absence(forms), &self.example(contract).unwrap_or_default()] {
            push_paragraph(&mut text, part);
        }
        text
    }

    /// The schema in the notation for agents that are constrained by `constraint`.
    fn schema<'f>(&self, forms: &'f SchemaForms, constraint: &Constraint) -> Cow<'f, str> {
        let outline = |shows_keys| {
            let unenforced = &constraint.unenforced;
            Cow::Owned(forms.outline(OutlineOptions { shows_keys, unenforced }).to_string())
        };
        match (self.notation, constraint.level) {
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

    fn absence(&self, forms: &SchemaForms) -> &'static str {
        if self.show_absence { absent(forms.absence()) } else { "" }
    }

    fn example(&self, contract: &Contract) -> Option<String> {
        let value = contract.example().filter(|_| self.show_example)?;
        Some(format!("An answer to something else, to show the form:\n{value}"))
    }
}

/// The instruction about values that are not in the prompt.
fn absent(absence: schema::Absence) -> &'static str {
    match (absence.as_null, absence.as_missing_key) {
        (false, false) => "",
        (true, false) => "Where the text does not state a value, write null. Do not make values up.",
        (false, true) => "Where the text does not state a value, leave its key out. Do not make values up.",
        (true, true) => {
            "Where the text does not state a value, write null or leave its key out. Do not make values up."
        }
    }
}

fn push_paragraph(text: &mut String, paragraph: &str) {
    if !paragraph.is_empty() {
        text.push_str("\n\n");
        text.push_str(paragraph);
    }
}

fn with_system(text: impl Into<String>) -> Conversation {
    Conversation::new().with(Role::System, text)
}
