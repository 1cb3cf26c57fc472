//! A combination of settings that is measured.

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicBool, Ordering},
};

use extract::{
    Agent, Contract, Extractor, Feedback, Rejection, Rejections,
    agent::{Capabilities, ConstraintFuture, ReplyFuture, Request},
    schema::SchemaError,
    settings::{
        FeedbackOptions, PromptOptions, ReadingOptions, SchemaNotation, SchemaPosition, ShotPosition,
    },
};
use serde_json::Value;

use crate::{documents::Document, quotes::Quoting};

/// A combination of settings.
#[allow(clippy::struct_excessive_bools, reason = "each is a word of its own")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    notation: SchemaNotation,
    example: bool,
    place: SchemaPosition,
    feedback: Feedback,
    retry_temperature: Option<f64>,
    absence: bool,
    schemas: bool,
    copied: bool,
    stall_temperature: Option<f64>,
    label: Option<String>,
    /// Worked examples before each document, and their place.
    shots: usize,
    shot_position: ShotPosition,
    thoughts: bool,
    /// Whether strings are quotes of the document.
    quoting: Quoting,
    /// Whether the text has its own fence, without quotes.
    fenced: bool,
    /// Whether strings that mean null stay strings.
    null_strings: bool,
    /// Whether a local model runs without the grammar of the schema.
    pub(crate) is_free: bool,
}

/// The default cell.
impl Default for Cell {
    fn default() -> Self {
        Self {
            notation: SchemaNotation::JsonSchema,
            example: false,
            place: SchemaPosition::System,
            feedback: Feedback::Continue,
            retry_temperature: None,
            absence: false,
            schemas: false,
            copied: false,
            stall_temperature: None,
            label: None,
            shots: 0,
            shot_position: ShotPosition::Turns,
            thoughts: false,
            quoting: Quoting::Plain,
            fenced: false,
            null_strings: false,
            is_free: false,
        }
    }
}

impl FromStr for Cell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut cell = Self::default();
        for word in text.split('+') {
            match word.split_once('=').unwrap_or((word, "")) {
                ("json", "") => cell.notation = SchemaNotation::JsonSchema,
                ("types", "") => cell.notation = SchemaNotation::Types,
                ("fitting", "") => cell.notation = SchemaNotation::Auto,
                ("outline", "") => cell.notation = SchemaNotation::Outline,
                ("none", "") => cell.notation = SchemaNotation::None,
                ("example", "") => cell.example = true,
                ("after", "") => cell.place = SchemaPosition::AfterPrompt,
                ("free", "") => cell.is_free = true,
                ("absence", "") => cell.absence = true,
                ("auto", "") => cell.feedback = Feedback::Auto,
                ("continue", "") => cell.feedback = Feedback::Continue,
                ("fresh", "") => cell.feedback = Feedback::Fresh,
                ("patch", "") => cell.feedback = Feedback::Patch,
                ("schemas", "") => cell.schemas = true,
                ("copied", "") => cell.copied = true,
                ("quotes", "") => cell.quoting = Quoting::Quotes,
                ("grounded", "") => cell.quoting = Quoting::Grounded,
                ("document", "") => cell.fenced = true,
                ("thoughts", "") => cell.thoughts = true,
                ("shots", count) => cell.shots = number(word, count)?,
                ("system-shots", count) => {
                    (cell.shots, cell.shot_position) = (number(word, count)?, ShotPosition::System);
                }
                ("null-strings", "") => cell.null_strings = true,
                ("label", label) if !label.is_empty() => cell.label = Some(label.to_owned()),
                ("retry", value) => cell.retry_temperature = Some(temperature(word, value)?),
                ("stall", value) => cell.stall_temperature = Some(temperature(word, value)?),
                _ => return Err(format!("unknown word `{word}` in the cell `{text}`; `--help` lists them")),
            }
        }
        Ok(cell)
    }
}

fn number(word: &str, value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("`{word}` holds no number"))
}

fn temperature(word: &str, value: &str) -> Result<f64, String> {
    value.parse().map_err(|_| format!("`{word}` holds no temperature"))
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.notation {
            SchemaNotation::Types => "types",
            SchemaNotation::None => "none",
            SchemaNotation::Outline => "outline",
            SchemaNotation::Auto => "fitting",
            _ => "json",
        })?;
        let words = [
            (self.example, "example"),
            (self.place == SchemaPosition::AfterPrompt, "after"),
            (self.absence, "absence"),
            (self.copied, "copied"),
            (self.quoting == Quoting::Quotes, "quotes"),
            (self.quoting == Quoting::Grounded, "grounded"),
            (self.fenced, "document"),
            (self.null_strings, "null-strings"),
            (self.thoughts, "thoughts"),
            (self.is_free, "free"),
            (self.feedback == Feedback::Auto, "auto"),
            (self.feedback == Feedback::Fresh, "fresh"),
            (self.feedback == Feedback::Patch, "patch"),
            (self.schemas, "schemas"),
        ];
        for (_, word) in words.iter().filter(|(is_set, _)| *is_set) {
            write!(f, "+{word}")?;
        }
        let shots = if self.shot_position == ShotPosition::System { "system-shots" } else { "shots" };
        if self.shots > 0 {
            write!(f, "+{shots}={}", self.shots)?;
        }
        for (word, temperature) in [("retry", self.retry_temperature), ("stall", self.stall_temperature)] {
            temperature.iter().try_for_each(|temperature| write!(f, "+{word}={temperature}"))?;
        }
        self.label.iter().try_for_each(|label| write!(f, "+label={label}"))
    }
}

impl Cell {
    /// The defaults of the library, with a local model.
    pub(crate) fn usual() -> Self {
        Self {
            notation: SchemaNotation::Auto,
            absence: true,
            feedback: Feedback::Auto,
            schemas: true,
            stall_temperature: Some(0.7),
            ..Self::default()
        }
    }

    pub(crate) fn settings(&self, extractor: Extractor) -> Extractor {
        let extractor = extractor
            .prompt_options(
                PromptOptions::new()
                    .schema_notation(self.notation)
                    .schema_position(self.place)
                    .show_example(self.example)
                    .show_absence(self.absence)
                    .shot_position(self.shot_position),
            )
            .think_first(self.thoughts)
            .reading_options(ReadingOptions::new().keep_null_strings(self.null_strings))
            .feedback_options(FeedbackOptions::new().show_failing_schemas(self.schemas))
            .feedback(self.feedback);
        match self.stall_temperature {
            Some(temperature) => extractor.temperature_on_stall(temperature),
            None => extractor,
        }
    }

    /// Whether the text is given as a document.
    pub(crate) fn shows_document(&self) -> bool {
        self.fenced || self.quoting != Quoting::Plain
    }

    pub(crate) fn prompt(&self, document: &Document) -> String {
        if self.shows_document() { document.instruction.clone() } else { document.prompt() }
    }

    /// The contract for an answer about `document`.
    pub(crate) fn contract(&self, document: &Document) -> Result<Contract, SchemaError> {
        let contract = Contract::from_schema(self.quoting.schema(&document.json_schema))?;
        if !self.copied {
            return Ok(contract);
        }
        let text = document.text.to_lowercase();
        // A value from the schema, such as the name of an intent, need not occur in the text.
        let schema = document.json_schema.to_string();
        Ok(contract.with_rule(move |value: &Value| {
            let entries = value.as_object().into_iter().flatten();
            let texts = entries.filter_map(|(key, value)| Some((key, value.as_str()?)));
            let is_named = |value: &str| schema.contains(&Value::from(value).to_string());
            let invented =
                texts.filter(|(_, value)| !text.contains(&value.trim().to_lowercase()) && !is_named(value));
            let rejected = invented.map(|(key, value)| {
                Rejection::new("not found in the text")
                    .at(key.as_str())
                    .expected("words copied from the text, or null if it states none")
                    .actual(value)
            });
            rejected.collect::<Rejections>().into_result()
        }))
    }

    /// The worked examples for `document` among `candidates`: of the same file, with the same schema.
    pub(crate) fn shots<'d>(
        &self,
        document: &Document,
        candidates: &'d [Document],
    ) -> impl Iterator<Item = &'d Document> {
        let fits = |other: &&Document| {
            other.file == document.file
                && other.id != document.id
                && other.json_schema == document.json_schema
        };
        candidates.iter().filter(fits).take(self.shots).collect::<Vec<_>>().into_iter()
    }

    /// The right answer to `shot` in the form of this cell.
    pub(crate) fn gold(&self, shot: &Document) -> Value {
        self.quoting.answer(&shot.json_schema, &Value::Object(shot.gold.clone()))
    }

    /// `agent` with the settings of the cell, for one document.
    pub(crate) fn agent<'a>(&self, agent: &'a dyn Agent) -> Asked<'a> {
        Asked { agent, retry_temperature: self.retry_temperature, is_first: AtomicBool::new(true) }
    }
}

/// An agent whose temperature changes after the first request. It reports no temperature of its
/// own, so that the cell alone decides.
pub(crate) struct Asked<'a> {
    agent: &'a dyn Agent,
    retry_temperature: Option<f64>,
    is_first: AtomicBool,
}

impl Agent for Asked<'_> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        let is_first = self.is_first.swap(false, Ordering::Relaxed);
        let Some(temperature) = self.retry_temperature.filter(|_| !is_first) else {
            return self.agent.respond(request);
        };
        let mut request = request.clone();
        request.temperature = Some(temperature);
        Box::pin(async move { self.agent.respond(&request).await })
    }

    fn capabilities(&self) -> Capabilities {
        let Capabilities { thinks_first, .. } = self.agent.capabilities();
        if thinks_first { Capabilities::default().thinking_first() } else { Capabilities::default() }
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        self.agent.constraint(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_cell_says_how_it_asks() {
        for name in [
            "json",
            "types+example+after+absence",
            "none+null-strings+thoughts+free+fresh+schemas+shots=2+retry=0.7+stall=1+label=b",
            "outline+system-shots=3",
            "fitting+quotes",
            "fitting+grounded",
            "fitting+document",
        ] {
            assert_eq!(name.parse::<Cell>().unwrap().to_string(), name);
        }
        assert_eq!("example+types+continue".parse::<Cell>().unwrap().to_string(), "types+example");
        assert_eq!(Cell::usual().to_string(), "fitting+absence+auto+schemas+stall=0.7");
        assert!("typos".parse::<Cell>().unwrap_err().contains("unknown word `typos`"));
        assert!("shots=few".parse::<Cell>().is_err() && "retry=hot".parse::<Cell>().is_err());
        assert!("label=".parse::<Cell>().is_err());
    }
}
