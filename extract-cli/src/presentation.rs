//! How a question shows the schema and worked examples, and how it is asked again.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use extract::{
    Contract, Extraction, Feedback,
    settings::{PromptOptions, ReadingOptions, SchemaNotation, SchemaPosition, ShotPosition},
};
use extract_gold::ShotChoice;
use serde_json::Value;

use crate::{error::Failure, shots::Shots};

/// What the model sees besides the prompt and the document.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct PresentationArgs {
    /// How the prompt writes the schema. Without it: as the agent needs it
    #[arg(long, value_enum, value_name = "NOTATION")]
    notation: Option<Notation>,

    /// Where the prompt has the schema. Without it: in the system turn
    #[arg(long, value_enum, value_name = "PLACE")]
    schema_position: Option<SchemaPlace>,

    /// Show an example value, made from the schema
    #[arg(long)]
    show_example: bool,

    /// File with worked examples, which the model sees before each other document: JSON Lines with the `text` of a
    /// document and the right `value`, such as a gold set
    #[arg(long, value_name = "FILE")]
    shots: Option<PathBuf>,

    /// Show only this many of the worked examples: those nearest to the document
    #[arg(long, value_name = "NUMBER", requires = "shots", value_parser = clap::value_parser!(u16).range(1..))]
    shot_count: Option<u16>,

    /// With `--shot-count`: which worked examples are shown, and in which order
    #[arg(long, value_enum, value_name = "CHOICE", requires = "shot_count")]
    shot_choice: Option<ExampleChoice>,

    /// Where the worked examples are shown. Without it: as turns
    #[arg(long, value_enum, value_name = "PLACE", requires = "shots")]
    shot_position: Option<Position>,

    /// Let the model think in plain text before it answers
    #[arg(long)]
    think_first: bool,

    /// How the model is asked again after a reply that does not conform. Without it: auto
    #[arg(long, value_enum, value_name = "WAY")]
    feedback: Option<FeedbackWay>,

    /// Keep the strings "null" and "None" where null is allowed too, for texts in which they are names
    #[arg(long)]
    keep_null_strings: bool,
}

/// A notation of the schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Notation {
    /// As the agent needs it
    Auto,
    /// Types in the style of TypeScript
    Types,
    /// JSON Schema as it is
    JsonSchema,
    /// Only the names of the keys, with descriptions
    Outline,
    /// Not at all: for agents that are constrained to the schema
    None,
}

/// Where the schema is shown.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SchemaPlace {
    /// In the system turn, which agents can cache
    System,
    /// At the end of the question
    AfterPrompt,
}

/// How it is asked again.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FeedbackWay {
    /// For a patch of long values, else in the same conversation
    Auto,
    /// In the same conversation
    Continue,
    /// In a new conversation
    Fresh,
    /// For a JSON Patch of the value, in the same conversation
    Patch,
}

/// Which worked examples are shown.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum ExampleChoice {
    /// Those nearest to the document, the nearest one last, next to the question
    #[default]
    Nearest,
    /// Those nearest to the document, the nearest one first
    NearestFirst,
    /// The first lines of the file
    First,
}

/// Where worked examples are shown.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Position {
    /// As turns of an earlier conversation
    Turns,
    /// After the schema, in the system turn
    System,
}

impl Notation {
    /// The notation of the library.
    pub(crate) fn schema_notation(self) -> SchemaNotation {
        match self {
            Self::Auto => SchemaNotation::Auto,
            Self::Types => SchemaNotation::Types,
            Self::JsonSchema => SchemaNotation::JsonSchema,
            Self::Outline => SchemaNotation::Outline,
            Self::None => SchemaNotation::None,
        }
    }
}

impl FeedbackWay {
    /// The feedback of the library.
    fn feedback(self) -> Feedback {
        match self {
            Self::Auto => Feedback::Auto,
            Self::Continue => Feedback::Continue,
            Self::Fresh => Feedback::Fresh,
            Self::Patch => Feedback::Patch,
        }
    }
}

impl PresentationArgs {
    /// The file with worked examples.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.shots.as_deref()
    }

    /// Reads the worked examples.
    pub(crate) fn shots(&self, contract: &Contract) -> Result<Option<Shots>, Failure> {
        let read = |path: &PathBuf| Shots::read(path, self.choice(), contract);
        self.shots.as_ref().map(read).transpose()
    }

    fn choice(&self) -> ShotChoice {
        let Some(count) = self.shot_count.map(usize::from) else { return ShotChoice::first(usize::MAX) };
        match self.shot_choice.unwrap_or_default() {
            ExampleChoice::Nearest => ShotChoice::nearest(count),
            ExampleChoice::NearestFirst => ShotChoice::nearest(count).nearest_first(),
            ExampleChoice::First => ShotChoice::first(count),
        }
    }

    /// Applies the settings.
    pub(crate) fn configure<'a, C>(
        &self,
        extraction: Extraction<'a, Value, C>,
        shots: Option<&'a Shots>,
    ) -> Extraction<'a, Value, C> {
        let mut options = PromptOptions::new().show_example(self.show_example);
        if let Some(notation) = self.notation {
            options = options.schema_notation(notation.schema_notation());
        }
        if let Some(Position::System) = self.shot_position {
            options = options.shot_position(ShotPosition::System);
        }
        if let Some(SchemaPlace::AfterPrompt) = self.schema_position {
            options = options.schema_position(SchemaPosition::AfterPrompt);
        }
        let mut extraction = extraction.prompt_options(options);
        if self.think_first {
            extraction = extraction.think_first(true);
        }
        if let Some(way) = self.feedback {
            extraction = extraction.feedback(way.feedback());
        }
        if self.keep_null_strings {
            extraction = extraction.reading_options(ReadingOptions::new().keep_null_strings(true));
        }
        match shots {
            Some(shots) => shots.add_to(extraction),
            None => extraction,
        }
    }
}
