//! Extractions in programs that ask about many documents: reusable settings, and parts of an extraction,
//! such as the fingerprint of its settings.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::Value;

use super::{Extraction, confidence::LargerAgent, settings::settings_methods, shots::GivenShot};
use crate::{
    agent::{Agent, AgentError, Prompt, Reply, ReplyFuture, Request, ThinkingLevel},
    attempt::AttemptRecord,
    contract::Contract,
    feedback::FeedbackStrategy,
    judging::AcceptedJson,
    metrics::ConfidenceCalibration,
    prompt::{Instructions, PromptOptions, WriteInstructions},
    reading::ReadingOptions,
    settings::{
        Calibrated, Confidence, ExtractionSettings, FeedbackOptions, SharedStrategy, TransportOptions,
    },
    vocabulary::violation::Code,
};

/// The settings of an extraction as a value, for programs that configure once. Cheap to clone.
///
/// ```
/// use extract::{Contract, Extractor, testing::{ScriptedAgent, block_on}};
///
/// let extractor = Extractor::new().max_attempts(5).system("You read invoices.");
///
/// let agent = ScriptedAgent::new(["42"]);
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let extraction = extractor.extract_untyped(&contract, &agent, "What is the number?");
/// assert_eq!(block_on(extraction)?.0, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Extractor {
    settings: Arc<ExtractionSettings>,
}

impl Extractor {
    /// Creates an extractor with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    settings_methods!();

    /// Asks `agent` for a value that satisfies `contract`, with these settings.
    pub fn extract_untyped<'a>(
        &self,
        contract: &Contract,
        agent: &'a (impl Agent + ?Sized),
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, Value> {
        contract.extract(agent, prompt).with(self)
    }

    /// Returns a string that distinguishes answers with these settings from other answers,
    /// regardless of the prompt. It contains the version of the library's own prompts, the schema,
    /// instructions and other settings that matter, and the name of the agent. Use it in the key of
    /// an answer store; hash it, because it is long.
    ///
    /// Limits on attempts, time and tokens are not in it, because they decide whether there is an
    /// answer, not which one is right. Rules and checks are code, so they cannot be in it.
    ///
    /// ```
    /// use extract::{Contract, Extractor, testing::ScriptedAgent};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["42"]);
    /// let fingerprint = Extractor::new().fingerprint(&contract, &agent);
    /// assert_eq!(fingerprint, Extractor::new().max_attempts(5).fingerprint(&contract, &agent));
    /// assert_ne!(fingerprint, Extractor::new().system("Count.").fingerprint(&contract, &agent));
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn fingerprint(&self, contract: &Contract, agent: &(impl Agent + ?Sized)) -> String {
        let QuestionFingerprint { question, asker, .. } =
            self.extract_untyped(contract, agent, Prompt::default()).fingerprint(contract);
        format!("{}\n{}\n{question}\n{asker}", QuestionFingerprint::VERSION, contract.schema())
    }

    pub(crate) fn settings(&self) -> &Arc<ExtractionSettings> {
        &self.settings
    }
}

/// The identity of an extraction's questions, without prompt, document and schema; see
/// [`Extraction::fingerprint`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuestionFingerprint {
    /// The question: instructions, shots, what is read and accepted. It can be long.
    pub question: String,
    /// Who is asked, and how it samples.
    pub asker: String,
    /// Characters of the instructions, the schema and the shots, to estimate the tokens of a
    /// question.
    pub chars: usize,
}

impl QuestionFingerprint {
    /// Version of this library's prompts, feedback and reading. It is raised when earlier answers
    /// become obsolete.
    pub const VERSION: u32 = 1;
}

impl<'a, T, C> Extraction<'a, T, C> {
    /// Takes over the transport: replaces each agent, including those of
    /// [`escalate_to`](Self::escalate_to) and [`escalate_below`](Self::escalate_below), with what `wrap` makes of it.
    ///
    /// `wrap` also gets the [time limit](Self::timeout) of a request, which is then the wrapper's
    /// own matter, and so are retries: the extraction neither limits the time of a request nor
    /// repeats it. A program that asks about many documents needs this, because limits of a
    /// provider, outages and a record of all replies concern all of them. Call it after all other
    /// settings.
    ///
    /// ```
    /// use extract::{Extractable as _, agent::AgentExt as _, testing::{ScriptedAgent, block_on}};
    ///
    /// let agent = ScriptedAgent::new(["[8]"]);
    /// let extraction = Vec::<u8>::extract(&agent, "How many legs has a spider?")
    ///     .wrap_agents(|agent, _timeout| Box::new(agent.rate_limited().requests_per_minute(600)));
    /// assert_eq!(block_on(extraction)?.0, [8]);
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn wrap_agents(
        mut self,
        mut wrap: impl FnMut(Box<dyn Agent + 'a>, Option<Duration>) -> Box<dyn Agent + 'a>,
    ) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        let timeout = settings.timeout.take();
        settings.transport = TransportOptions::new().retries(0);
        self.asking(|input| {
            input.agents = input.agents.drain(..).map(|agent| wrap(agent, timeout)).collect();
            input.larger = input.larger.take().map(|larger| larger.wrapped(|agent| wrap(agent, timeout)));
        })
    }

    /// Also keeps the JSON that the accepted value is made from in `json`, for a program that
    /// stores answers of types without `Serialize`.
    ///
    /// ```
    /// use extract::{AcceptedJson, Extractable as _, testing::{ScriptedAgent, block_on}};
    ///
    /// let (agent, json) = (ScriptedAgent::new(["Here: [8]"]), AcceptedJson::default());
    /// block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?").keep_json(&json))?;
    /// assert_eq!(json.take(), Some(serde_json::json!([8])));
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn keep_json(self, json: &AcceptedJson) -> Self {
        self.asking(|input| input.accepted_json = Some(json.clone()))
    }

    /// Judges the replies of `attempts` again instead of asking an agent, such as those of an
    /// earlier failure under rules that have changed. Settings that limit attempts, time and tokens
    /// have no effect.
    ///
    /// ```
    /// use extract::{Extractable as _, testing::{ScriptedAgent, block_on}};
    ///
    /// let agent = ScriptedAgent::new(["[8, 800]"]);
    /// let extraction = || Vec::<u8>::extract(&agent, "How many legs?").max_attempts(1);
    /// let error = block_on(extraction()).unwrap_err();
    /// let again = extraction().replay(error.history().to_vec());
    /// assert_eq!(block_on(again).unwrap_err().violations(), error.violations());
    /// assert_eq!(agent.requests().len(), 1);
    /// ```
    pub fn replay(mut self, attempts: Vec<AttemptRecord>) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        settings.max_attempts = u32::try_from(attempts.len()).unwrap_or(u32::MAX).max(1);
        settings.deadline = None;
        settings.token_budget = None;
        self.asking(|input| {
            input.agents = vec![Box::new(Replay { attempts, next: AtomicUsize::new(0) })];
        })
    }
}

/// An agent that repeats the replies of recorded attempts.
struct Replay {
    attempts: Vec<AttemptRecord>,
    next: AtomicUsize,
}

impl Agent for Replay {
    fn respond<'r>(&'r self, _: &'r Request) -> ReplyFuture<'r> {
        Box::pin(async {
            let attempt = self.attempts.get(self.next.fetch_add(1, Ordering::Relaxed));
            let attempt = attempt.ok_or_else(|| AgentError::unavailable("no attempt is left"))?;
            Ok(Reply::new(&*attempt.raw_output)
                .finished(attempt.finish_reason.clone())
                .with_usage(attempt.usage))
        })
    }
}

impl<T, C> Extraction<'_, T, C> {
    /// Returns the fingerprint of the settings, in two parts: a store of answers can then tell
    /// whether only somebody else was asked. [`Extractor::fingerprint`](crate::Extractor::fingerprint)
    /// has both, the schema and the version in one string.
    ///
    /// Custom instructions are compared by what they write for `contract`. Limits (attempts, time,
    /// tokens) are not part of it: they decide whether there is an answer, not which one is right.
    ///
    /// ```
    /// use extract::{Contract, testing::ScriptedAgent};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let agent = ScriptedAgent::new(["42"]);
    /// let first = contract.extract(&agent, "One?").fingerprint(&contract);
    /// assert_eq!(first, contract.extract(&agent, "Two?").max_attempts(5).fingerprint(&contract));
    /// let warmer = contract.extract(&agent, "One?").temperature(0.7).fingerprint(&contract);
    /// assert!(warmer.question == first.question && warmer.asker != first.asker);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn fingerprint(&self, contract: &Contract) -> QuestionFingerprint {
        let settings = &*self.settings;
        let ExtractionSettings {
            system,
            prompt,
            think_first,
            uses_tools,
            fatal_codes,
            keep_valid_items,
            reading,
            ..
        } = settings;
        let start = settings.answer_start();
        let written = settings.instructions.as_ref().map(|write| write.sample(prompt, contract, start));
        let (mut shots, mut names, mut chunking) = (String::new(), String::new(), String::new());
        let mut chosen_chars = 0;
        if let Some(input) = &self.input {
            input.shots.iter().for_each(|shot| shot.write_to(&mut shots));
            for source in input.shot_choices.iter().filter_map(|chooser| chooser.source.as_ref()) {
                let _ = write!(shots, "from {:?} ", source.fingerprint);
                chosen_chars += source.chars;
            }
            for agent in &input.agents {
                let _ = write!(names, "{:?} ", agent.name());
            }
            if let Some(LargerAgent { below, agent }) = &input.larger {
                let _ = write!(names, "below {below} {:?} ", agent.name());
            }
            let way = &input.chunking;
            let _ = write!(chunking, "{:?} {:?} {}", way.chunks, way.passes, way.accepts_gaps);
        }
        let question = format!(
            "{system:?} {written:?} {prompt:?} {think_first} {uses_tools} {fatal_codes:?} {keep_valid_items} {reading:?} \
             {chunking} {shots}"
        );
        if settings.confidence.samples() > 1 {
            let _ = write!(names, "{:?} ", settings.confidence);
        }
        let ExtractionSettings { temperature, thinking, max_output_tokens, .. } = settings;
        let asker = format!("{names}{temperature:?} {thinking:?} {max_output_tokens:?}");
        let schema = if written.is_some() { 0 } else { contract.schema().to_string().len() };
        let chars = system.as_ref().map_or(0, String::len) + written.map_or(0, |text| text.len());
        QuestionFingerprint { question, asker, chars: chars + schema + shots.len() + chosen_chars }
    }
}

impl GivenShot {
    fn write_to(&self, text: &mut String) {
        let parts = serde_json::to_string(self.parts.as_slice()).unwrap_or_default();
        let _ = match &self.answer {
            Ok(answer) => write!(text, "{parts} {answer} "),
            // The extraction reports this error when it runs.
            Err(error) => write!(text, "{parts} {error} "),
        };
    }
}
