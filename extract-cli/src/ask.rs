//! Settings of each question.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use extract::{
    Confidence, Contract, Extraction,
    agent::{Part, Prompt, ThinkingLevel},
    document::Chunks,
    settings::SettingsError,
};
use extract_gold::{Calibration, CandidateResult};
use serde_json::Value;

use crate::{
    agent::Escalation,
    error::{Exit, Failure},
    input::Content,
    numbers,
    presentation::PresentationArgs,
    shots::Shots,
};

/// How an agent is asked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    #[command(flatten)]
    presentation: PresentationArgs,

    /// Divide long texts into chunks of this many characters, and merge the answers
    #[arg(long, value_name = "NUMBER", value_parser = numbers::at_least_one)]
    chunk_chars: Option<usize>,

    /// With `--chunk-chars`: chunks of a text to ask about at once, at most 64. Without it: 1, or all with `--batch`
    #[arg(long, value_name = "NUMBER", requires = "chunk_chars", value_parser = numbers::at_least_one)]
    concurrent_chunks: Option<usize>,

    /// With `--chunk-chars`: accept an answer even if some chunks have none
    #[arg(long, requires = "chunk_chars")]
    accept_gaps: bool,

    /// Measure how sure each value is: off, auto (from log probabilities, where the agent reports them), tokens (the same,
    /// or fail), or a number of answers to compare, 2 to 32
    #[arg(long, value_name = "SOURCE", value_parser = confidence)]
    confidence: Option<Confidence>,

    /// File of `extractable calibrate` for this schema, which turns confidences into probabilities
    #[arg(long, value_name = "FILE", requires = "confidence")]
    calibration: Option<PathBuf>,

    /// Leave broken items out of lists that the schema marks with "x-keep-valid-items"
    #[arg(long)]
    pub(crate) keep_valid_items: bool,
}

/// What is asked, and how much an answer may take.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct QuestionArgs {
    /// What to extract from the documents; the schema with its descriptions says the rest
    #[arg(short, long, value_name = "TEXT")]
    prompt: Option<String>,

    /// File with the text of `--prompt`
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,

    /// Text before everything else that the model is told, such as a role
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// Replies that are asked for before a document counts as failed
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_attempts: u32,

    /// Temperature of the model, from 0. Without it: that of the provider, or of the program
    #[arg(long, value_name = "NUMBER", value_parser = numbers::not_negative)]
    temperature: Option<f64>,

    /// How much the model thinks before it answers: off, minimal, low, medium, high, max, or the tokens that it may
    /// think. Without it: as much as it does by itself
    #[arg(long, value_name = "LEVEL", value_parser = thinking)]
    thinking: Option<ThinkingLevel>,

    /// Tokens that a reply may have. Without it: as many as the agent allows
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_output_tokens: Option<u32>,

    /// Seconds that one request may take. Without it: no limit, but a server that sends nothing for 600 is given up
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

impl QuestionArgs {
    /// The text of the question.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        match (&self.prompt, &self.prompt_file) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(path)) => fs::read_to_string(path).map_err(|error| {
                Failure::usage(format!("the prompt `{}` cannot be read: {error}", path.display()))
            }),
            (None, None) => Ok(String::new()),
        }
    }

    /// The file that is read for the question.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.prompt_file.as_deref()
    }

    /// Applies the settings.
    pub(crate) fn configure<'a, C>(&self, extraction: Extraction<'a, Value, C>) -> Extraction<'a, Value, C> {
        let mut extraction = extraction.max_attempts(self.max_attempts);
        if let Some(system) = &self.system {
            extraction = extraction.system(system.clone());
        }
        if let Some(temperature) = self.temperature {
            extraction = extraction.temperature(temperature);
        }
        if let Some(level) = self.thinking {
            extraction = extraction.thinking(level);
        }
        if let Some(tokens) = self.max_output_tokens {
            extraction = extraction.max_output_tokens(tokens);
        }
        if let Some(seconds) = self.timeout {
            extraction = extraction.timeout(Duration::from_secs(seconds));
        }
        extraction
    }
}

impl AskArgs {
    /// The files that are read for the question.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let files = [self.question.file(), self.presentation.file(), self.calibration.as_deref()];
        files.into_iter().flatten()
    }

    /// Reads what each question needs, beside the agents that take over. Without a contract, there can
    /// be no worked examples.
    pub(crate) fn given(
        &self,
        escalation: Escalation,
        contract: Option<&Contract>,
    ) -> Result<ExtractionExtras, Failure> {
        let shots = match (contract, self.presentation.file()) {
            (Some(contract), _) => self.presentation.shots(contract)?,
            (None, Some(_)) => return Err(several_schemas("--shots")),
            (None, None) => None,
        };
        let calibration = self.calibration.as_deref().map(calibration).transpose()?;
        Ok(ExtractionExtras { escalation, shots, calibration })
    }

    /// Whether confidences are made probabilities already.
    pub(crate) fn is_calibrated(&self) -> bool {
        self.calibration.is_some()
    }

    /// Where confidences come from, if they are measured.
    pub(crate) fn confidence(&self) -> Option<Confidence> {
        self.confidence
    }

    /// How long texts are divided.
    pub(crate) fn chunks(&self) -> Option<Chunks> {
        self.chunk_chars.map(Chunks::chars)
    }

    /// Applies the settings, also how a text is divided.
    pub(crate) fn configure_text<'a, C>(
        &self,
        extraction: Extraction<'a, Value, C>,
        given: &'a ExtractionExtras,
    ) -> Extraction<'a, Value, C> {
        let extraction = self.configure(extraction, given);
        match self.chunks() {
            Some(chunks) => extraction.chunks(chunks),
            None => extraction,
        }
    }

    /// Applies the settings that are not about texts only.
    pub(crate) fn configure<'a, C>(
        &self,
        extraction: Extraction<'a, Value, C>,
        given: &'a ExtractionExtras,
    ) -> Extraction<'a, Value, C> {
        let extraction = self.question.configure(extraction);
        let mut extraction = self.presentation.configure(extraction, given.shots.as_ref());
        let Escalation { agents, below, .. } = &given.escalation;
        for agent in agents {
            extraction = extraction.escalate_to(&**agent);
        }
        if let Some(confidence) = self.confidence {
            extraction = extraction.confidence(confidence);
        }
        if let Some(calibration) = &given.calibration {
            extraction = extraction.calibrated(calibration.clone());
        }
        if let (Some(below), Some(agent)) = (below, agents.last()) {
            extraction = extraction.escalate_below(*below, &**agent);
        }
        if let Some(chunks) = self.concurrent_chunks {
            extraction = extraction.concurrent_chunks(chunks);
        }
        if self.accept_gaps {
            extraction = extraction.accept_gaps(true);
        }
        if self.keep_valid_items {
            extraction = extraction.keep_valid_items(true);
        }
        extraction
    }
}

fn thinking(text: &str) -> Result<ThinkingLevel, String> {
    Ok(match text {
        "off" => ThinkingLevel::Off,
        "minimal" => ThinkingLevel::Minimal,
        "low" => ThinkingLevel::Low,
        "medium" => ThinkingLevel::Medium,
        "high" => ThinkingLevel::High,
        "max" => ThinkingLevel::Max,
        tokens => match tokens.parse() {
            Ok(0) => return Err("to turn it off, write off".to_owned()),
            Ok(tokens) => ThinkingLevel::Budget(tokens),
            Err(_) => {
                return Err("off, minimal, low, medium, high, max, or a number of tokens".to_owned());
            }
        },
    })
}

fn confidence(text: &str) -> Result<Confidence, String> {
    Ok(match text {
        "off" => Confidence::Off,
        "auto" => Confidence::Auto,
        "tokens" => Confidence::Tokens,
        samples => {
            let most = Confidence::MAX_SAMPLES;
            let samples = samples.parse().ok().filter(|samples| (2..=most).contains(samples));
            let words = || format!("off, auto, tokens, or a number of answers from 2 to {most}");
            Confidence::Samples(samples.ok_or_else(words)?)
        }
    })
}

/// Reads a calibration that `extractable calibrate` has stored.
pub(crate) fn calibration(path: &Path) -> Result<Calibration, Failure> {
    let failure = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("the calibration `{}` cannot be read: {error}", path.display()))
    };
    let stored = fs::read(path).map_err(|error| failure(&error))?;
    serde_json::from_slice(&stored).map_err(|error| failure(&error))
}

/// Other agents to ask, examples to show, and a calibration, borrowed by an extraction.
pub(crate) struct ExtractionExtras {
    pub(crate) escalation: Escalation,
    pub(crate) shots: Option<Shots>,
    pub(crate) calibration: Option<Calibration>,
}

/// Returns the prompt for `content`. Text is not included, because it is passed as the document.
pub(crate) fn prompt(question: &str, content: &Content, name: &str) -> Prompt {
    let Content::Media { bytes, media_type } = content else {
        return question.into();
    };
    let part = if media_type.starts_with("image/") { Part::image } else { Part::document };
    // Where the file lies on this machine is nobody's business.
    let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
    let part = part(bytes.clone(), (*media_type).to_owned()).named(name);
    if question.is_empty() { [part].into() } else { [Part::text(question), part].into() }
}

/// The failure of worked examples for documents with different schemas.
pub(crate) fn several_schemas(option: &str) -> Failure {
    Failure::usage(format!("`{option}` needs one schema, and the documents have several"))
        .help("a worked example is a right value of the schema that is asked for")
}

/// Advice for an agent that does not take PDF files.
pub(crate) const PDF_TEXT: &str =
    "`--pdf-text` reads the text of PDF files here, for agents that do not take the files";

/// Returns whether an error of an agent is about a PDF, which it names by its type.
pub(crate) fn is_about_pdf(message: &str) -> bool {
    message.contains("application/pdf")
}

/// Advice for an agent that refuses to be asked.
pub(crate) const NAME_AND_KEY: &str = "is the name of the model or program right, and is the key of its provider in \
                                       the environment, or in the file of `--env-file`?";

/// The failure of an agent that cannot be asked, with advice.
pub(crate) fn about_agent(message: impl Into<String>) -> Failure {
    let failure = Failure::new(Exit::Agent, message);
    let help = if is_about_pdf(&failure.message) { PDF_TEXT } else { NAME_AND_KEY };
    failure.help(help)
}

/// The failure of a candidate whose agent could not be asked.
pub(crate) fn about_unasked(candidate: &CandidateResult) -> Option<Failure> {
    if let Some(error) = &candidate.settings_error {
        return Some(about_settings(error));
    }
    let error = candidate.agent_error.as_ref()?;
    Some(about_agent(format!("`{}` could not be asked: {error}", candidate.name)))
}

/// The failure of an invalid setting, with advice, and with options for the methods of the library.
pub(crate) fn about_settings(error: &SettingsError) -> Failure {
    match error {
        SettingsError::NoItemsToKeep => Failure::usage(
            "`--keep-valid-items` is given, but the answer is not a list and no list in it is marked",
        )
        .help(
            "mark a list in the schema with \"x-keep-valid-items\": true, or leave `--keep-valid-items` away",
        ),
        SettingsError::Confidence { message } => {
            let options = [
                ("`.chunks(...)`", "`--chunk-chars`"),
                ("`.confidence(...)`", "`--confidence`"),
                ("`Confidence::Samples`", "`--confidence 3`"),
            ];
            let message =
                options.iter().fold(message.clone(), |text, (method, option)| text.replace(method, option));
            Failure::usage(format!("confidence cannot be measured: {message}"))
        }
        _ => Failure::usage(error.to_string()),
    }
}
