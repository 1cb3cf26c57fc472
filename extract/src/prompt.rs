//! The first question: the prompt, and what the answer must satisfy.

use crate::{
    agent::{Conversation, Prompt, Role},
    contract::Contract,
    schema,
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
    /// As types in the style of TypeScript, with descriptions and constraints as comments. They say
    /// the same as JSON Schema in fewer tokens. What types cannot express stays JSON Schema in a
    /// comment.
    #[default]
    Types,
    /// As compact JSON Schema.
    JsonSchema,
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

    /// How the schema is written, if at all. As types by default: small models were right more
    /// often, with fewer tokens.
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
    /// The default instructions for an agent: to answer with JSON only, the schema as types, and
    /// what to write for values that the prompt does not state.
    pub fn instructions(&self) -> String {
        PromptOptions::default().instructions(self)
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
    /// The conversation of the first attempt; `system` has the user's own instructions.
    pub(crate) fn opening(&self, contract: &Contract, system: Option<&str>, prompt: &Prompt) -> Conversation {
        let instructions = self.instructions(contract);
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
        let schema = contract.forms();
        let kind = schema.root();
        let how = argument.map_or_else(
            || "as its arguments".to_owned(),
            |argument| format!("as its argument `{argument}`"),
        );
        let mut text = format!("Answer with one JSON {kind} by calling the tool `{submit}` with it {how}.");
        if self.show_absence {
            text.push_str(absent(schema.absence()));
        }
        if let Some(example) = self.example(contract) {
            text.push_str(&example);
        }
        if let Some(system) = system {
            text = format!("{system}\n\n{text}");
        }
        with_system(text).with_parts(Role::User, prompt)
    }

    /// What an answer must satisfy.
    pub(crate) fn instructions(&self, contract: &Contract) -> String {
        let schema = contract.forms();
        let mut text = format!(
            "Answer with one JSON {} and nothing else: no markdown fences, no explanation.",
            schema.root()
        );
        match self.notation {
            SchemaNotation::None => {}
            SchemaNotation::JsonSchema => {
                text.push_str("\n\nThe answer must satisfy this JSON Schema:\n");
                text.push_str(schema.json());
            }
            SchemaNotation::Types => {
                let types = schema.types();
                text.push_str("\n\nThe answer must be of the type ");
                text.push_str(&types.root);
                text.push_str(" (a key with `?` may be absent, keys that are not shown are not allowed):\n");
                text.push_str(&types.text);
            }
        }
        if self.show_absence {
            text.push_str(absent(schema.absence()));
        }
        if let Some(example) = self.example(contract) {
            text.push_str(&example);
        }
        text
    }

    fn example(&self, contract: &Contract) -> Option<String> {
        let value = contract.example().filter(|_| self.show_example)?;
        Some(format!("\n\nAn answer to something else, to show the form:\n{value}"))
    }
}

/// The instruction about values that are not in the prompt.
fn absent(absence: schema::Absence) -> &'static str {
    match (absence.as_null, absence.as_missing_key) {
        (false, false) => "",
        (true, false) => "\n\nWhere the text does not state a value, write null. Do not make values up.",
        (false, true) => {
            "\n\nWhere the text does not state a value, leave its key out. Do not make values up."
        }
        (true, true) => {
            "\n\nWhere the text does not state a value, write null or leave its key out. Do not make values up."
        }
    }
}

fn with_system(text: impl Into<String>) -> Conversation {
    Conversation::new().with(Role::System, text)
}
