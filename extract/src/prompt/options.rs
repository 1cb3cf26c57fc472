//! How the first question presents the contract, and a schema by itself.

use crate::{
    contract::Contract,
    schema::{OutlineOptions, types},
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
    /// If a reply breaks a constraint that the agent claims to enforce, the following questions
    /// write types.
    #[default]
    Auto,
    /// As types in the style of TypeScript, with descriptions and constraints as comments. They say
    /// the same as JSON Schema in fewer tokens. Anything that types cannot express stays JSON
    /// Schema in a comment.
    Types,
    /// As compact JSON Schema.
    JsonSchema,
    /// As the names of the keys, in their order, with descriptions: no types and no allowed values.
    /// For an agent that is constrained to the schema.
    Outline,
    /// Not at all. The agent must then be constrained to the schema by other means, like a local
    /// model by its grammar.
    None,
}

/// Where schema and example are placed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaPosition {
    /// In the system turn, before the prompt. Agents can cache this part across prompts.
    #[default]
    System,
    /// At the end of the user turn, after the prompt. Nothing before it is the same for all
    /// prompts, so it cannot be cached.
    AfterPrompt,
}

/// Where the [shots](crate::Extraction::shot) are placed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShotPosition {
    /// As turns before the prompt: each text as one of the user, each value as the agent's answer.
    #[default]
    Turns,
    /// After the schema, with a heading each. An agent that calls [tools](crate::Extraction::tools)
    /// always gets them there: a turn in which it answers in text would be a wrong example.
    System,
}

/// How the prompt presents the contract; see
/// [`Extraction::prompt_options`](crate::Extraction::prompt_options).
///
/// ```
/// use extract::{Contract, settings::{PromptOptions, SchemaPosition}, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let options = PromptOptions::new().schema_position(SchemaPosition::AfterPrompt).show_example(true);
/// block_on(contract.extract(&agent, "How many legs has a spider?").prompt_options(options))?;
/// assert!(agent.requests()[0].conversation.turns()[0].text().starts_with("How many legs"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PromptOptions {
    pub(crate) notation: SchemaNotation,
    pub(crate) place: SchemaPosition,
    pub(crate) show_example: bool,
    pub(crate) show_absence: bool,
    pub(crate) shot_position: ShotPosition,
}

impl Default for PromptOptions {
    fn default() -> Self {
        Self {
            notation: SchemaNotation::default(),
            place: SchemaPosition::default(),
            show_example: false,
            show_absence: true,
            shot_position: ShotPosition::default(),
        }
    }
}

impl PromptOptions {
    /// Returns the defaults, which were measured (`docs/decisions.md` in the repository).
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how the schema is written, if at all; as the agent needs it by default.
    pub fn schema_notation(mut self, notation: SchemaNotation) -> Self {
        self.notation = notation;
        self
    }

    /// Sets where schema and example are placed; in the system turn by default.
    pub fn schema_position(mut self, place: SchemaPosition) -> Self {
        self.place = place;
        self
    }

    /// Sets whether to show the example. Off by default, because small models copy from it.
    pub fn show_example(mut self, show: bool) -> Self {
        self.show_example = show;
        self
    }

    /// Sets whether to say what to write for a value that the prompt does not state: null or no
    /// key, whichever the schema allows. On by default.
    pub fn show_absence(mut self, show: bool) -> Self {
        self.show_absence = show;
        self
    }

    /// Sets where the [shots](crate::Extraction::shot) are placed; as turns by default.
    pub fn shot_position(mut self, place: ShotPosition) -> Self {
        self.shot_position = place;
        self
    }
}

impl Contract {
    /// Returns the schema as a prompt writes it, without the sentence around it.
    ///
    /// [`Auto`](SchemaNotation::Auto) writes types, as for an agent that is not constrained to the
    /// schema. [`None`](SchemaNotation::None) is empty. `Contract::from_types` reads types back,
    /// but nothing reads an outline back: keep the JSON Schema.
    ///
    /// ```
    /// use extract::{Contract, settings::SchemaNotation};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"guests": {"type": "integer", "minimum": 1}},
    ///     "required": ["guests"],
    /// }))?;
    /// assert_eq!(
    ///     contract.written_as(SchemaNotation::Types),
    ///     "type Answer = {\n  \"guests\": integer // at least 1\n}"
    /// );
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn written_as(&self, notation: SchemaNotation) -> String {
        let forms = self.forms();
        match notation {
            SchemaNotation::Auto | SchemaNotation::Types => types(forms.schema()).text,
            SchemaNotation::JsonSchema => forms.json().to_owned(),
            SchemaNotation::Outline => {
                forms.outline(OutlineOptions { shows_keys: true, unenforced: &[] }).to_string()
            }
            SchemaNotation::None => String::new(),
        }
    }
}
