//! Settings of an extraction, in groups. [`Extraction`](crate::Extraction) has a method for each.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, LazyLock, atomic::AtomicBool},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{
    agent::{Prompt, ThinkingLevel},
    contract::Contract,
    feedback::{Feedback, FeedbackStrategy},
    metrics::ConfidenceCalibration,
    prompt::{AnswerStart, OpeningOptions, WorkedExample, WriteInstructions},
    vocabulary::{
        time_limit::Instant,
        violation::{Code, Severity, Violation},
    },
};
pub use crate::{
    error::SettingsError,
    feedback::FeedbackOptions,
    prompt::{Instructions, PromptOptions, SchemaNotation, SchemaPosition, ShotPosition},
    reading::{Leniency, ReadingOptions},
};

#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct ExtractionSettings {
    pub(crate) max_attempts: u32,
    pub(crate) max_continuations: u32,
    pub(crate) system: Option<String>,
    pub(crate) feedback: SharedStrategy,
    pub(crate) feedback_options: FeedbackOptions,
    pub(crate) prompt: PromptOptions,
    pub(crate) instructions: Option<WriteInstructions>,
    pub(crate) think_first: bool,
    pub(crate) uses_tools: bool,
    pub(crate) stop_on_stall: bool,
    /// The user's own codes that end the extraction.
    pub(crate) fatal_codes: Vec<Code>,
    pub(crate) token_budget: Option<u64>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) transport: TransportOptions,
    pub(crate) max_output_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
    pub(crate) thinking: Option<ThinkingLevel>,
    pub(crate) temperature_on_stall: Option<f64>,
    pub(crate) stream: bool,
    /// Set whenever the consumer of a stream has something to take. `None` if there is no consumer.
    pub(crate) has_news: Option<Arc<AtomicBool>>,
    pub(crate) end_repetition: bool,
    pub(crate) keep_valid_items: bool,
    /// Whether [`Feedback::Auto`] asks for a patch wherever possible, because parts of the value
    /// were already accepted.
    pub(crate) prefers_patch: bool,
    #[cfg_attr(not(feature = "tracing"), allow(dead_code))]
    pub(crate) trace_content: bool,
    pub(crate) reading: ReadingOptions,
    pub(crate) confidence: Confidence,
    pub(crate) calibration: Option<Calibrated>,
    /// The number of the sample, if several are asked for.
    pub(crate) sample: u32,
}

impl ExtractionSettings {
    /// Returns whether an agent may see the example of the contract.
    pub(crate) fn shows_example(&self) -> bool {
        self.prompt.show_example || self.uses_tools || self.instructions.is_some()
    }

    pub(crate) fn answer_start(&self) -> AnswerStart {
        if self.think_first { AnswerStart::Thoughts } else { AnswerStart::Answer }
    }

    /// How the first question is asked.
    pub(crate) fn opening<'o>(
        &'o self,
        prompt: &'o Prompt,
        shots: &'o [WorkedExample],
    ) -> OpeningOptions<'o> {
        OpeningOptions {
            prompt,
            system: self.system.as_deref(),
            options: &self.prompt,
            write: self.instructions.as_ref(),
            shots,
            start: self.answer_start(),
        }
    }

    /// The settings, with the time that is left since `started` as the deadline.
    pub(crate) fn since(&self, started: Instant) -> Self {
        let deadline = self.deadline.map(|limit| limit.saturating_sub(started.elapsed()));
        Self { deadline, ..self.clone() }
    }
}

impl Default for ExtractionSettings {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            max_continuations: 8,
            system: None,
            feedback: SharedStrategy::new(Feedback::default()),
            feedback_options: FeedbackOptions::default(),
            prompt: PromptOptions::default(),
            instructions: None,
            think_first: false,
            uses_tools: false,
            stop_on_stall: false,
            fatal_codes: Vec::new(),
            token_budget: None,
            deadline: None,
            timeout: None,
            transport: TransportOptions::default(),
            max_output_tokens: None,
            temperature: None,
            thinking: None,
            temperature_on_stall: None,
            stream: false,
            has_news: None,
            end_repetition: true,
            keep_valid_items: false,
            prefers_patch: false,
            trace_content: false,
            reading: ReadingOptions::default(),
            confidence: Confidence::Off,
            calibration: None,
            sample: 0,
        }
    }
}

/// Where the [confidence](crate::Extraction::confidence) of an extraction comes from.
///
/// | | requests | a raw number |
/// |---|---|---|
/// | `Off` | 1 | none |
/// | `Auto` | 1 | if the agent reports log probabilities |
/// | `Tokens` | 1 | as `Auto`; other agents are an error |
/// | `Samples(n)` | `n` at once | always |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Confidence {
    /// No confidence. The default.
    #[default]
    Off,
    /// What costs no further request: the tokens, if the agent
    /// [reports](crate::agent::Capabilities::reports_log_probabilities) log probabilities, and the
    /// [evidence](crate::metrics::LeafEvidence) of value and text. Without tokens, only a
    /// [calibration](crate::Extraction::calibrated) makes a number of that.
    Auto,
    /// The same, but an agent that reports no log probabilities is an error:
    /// [`SettingsError::Confidence`].
    Tokens,
    /// The share of so many answers that agree, 2 to 32, together with their tokens, if reported.
    /// The question is asked so many times at once, at the
    /// [temperature](crate::Extraction::temperature) of the extraction, or 0.7 if none is set.
    Samples(u32),
}

impl Confidence {
    /// The largest number of samples.
    pub const MAX_SAMPLES: u32 = 32;

    /// Returns the number of answers that are asked for; at least 1.
    pub(crate) fn samples(self) -> u32 {
        match self {
            Self::Samples(samples) => samples.max(1),
            Self::Off | Self::Auto | Self::Tokens => 1,
        }
    }

    fn check(self) -> Result<(), SettingsError> {
        match self {
            Self::Samples(samples) if !(2..=Self::MAX_SAMPLES).contains(&samples) => {
                let message =
                    format!("{samples} samples were asked for, and 2 to {} agree or not", Self::MAX_SAMPLES);
                Err(SettingsError::Confidence { message })
            }
            _ => Ok(()),
        }
    }
}

/// The calibration of an extraction.
#[derive(Clone)]
pub(crate) struct Calibrated(pub(crate) Arc<dyn ConfidenceCalibration>);

impl fmt::Debug for Calibrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "calibration of the schema {:?}", self.0.schema())
    }
}

/// How a request is repeated after a transient transport failure. Retries are not attempts.
///
/// Agents can have retries of their own:
/// [which is for what](crate::agent::layers#a-layer-or-a-setting-of-the-extraction).
///
/// ```
/// use extract::{Contract, settings::TransportOptions, testing::{ScriptedAgent, block_on}};
/// use std::time::Duration;
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let options = TransportOptions::new().retries(5).backoff(Duration::from_secs(1), Duration::from_secs(30));
/// block_on(contract.extract(&agent, "How many legs has a spider?").transport_options(options))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct TransportOptions {
    pub(crate) retries: usize,
    pub(crate) backoff: (Duration, Duration),
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self { retries: 3, backoff: (Duration::from_millis(500), Duration::from_secs(60)) }
    }
}

impl TransportOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of retries of one request; 3 by default.
    pub fn retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the first and the longest wait before a retry; 0.5 and 60 seconds by default. The wait
    /// doubles each time and gets a random extension. A `Retry-After` of the agent takes
    /// precedence. If that is longer than the longest wait, the extraction fails instead of
    /// hanging.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.backoff = (first, longest);
        self
    }
}

/// The feedback strategy.
#[derive(Clone)]
pub(crate) struct SharedStrategy(Arc<dyn FeedbackStrategy>);

impl SharedStrategy {
    pub(crate) fn new(strategy: impl FeedbackStrategy + 'static) -> Self {
        Self(Arc::new(strategy))
    }
}

impl Deref for SharedStrategy {
    type Target = dyn FeedbackStrategy;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for SharedStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dyn FeedbackStrategy")
    }
}

impl ExtractionSettings {
    /// The defaults. Most extractions change none, so they share one value.
    pub(crate) fn shared() -> Arc<Self> {
        static DEFAULTS: LazyLock<Arc<ExtractionSettings>> = LazyLock::new(Arc::default);
        Arc::clone(&DEFAULTS)
    }

    /// Makes violations with one of the user's fatal codes fatal.
    pub(crate) fn apply_fatal_codes(&self, violations: &mut [Violation]) {
        for violation in violations {
            if !violation.is_warning() && self.fatal_codes.contains(&violation.code) {
                violation.severity = Severity::Fatal;
            }
        }
    }

    /// Checks whether the settings make sense for `contract`.
    pub(crate) fn check(&self, contract: &Contract) -> Result<(), SettingsError> {
        if self.max_attempts == 0 {
            return Err(SettingsError::NoAttempts);
        }
        self.check_numbers()?;
        if contract.lacks_document() {
            return Err(SettingsError::NoDocument);
        }
        if self.keep_valid_items && !contract.may_lose_items() {
            return Err(SettingsError::NoItemsToKeep);
        }
        self.confidence.check()?;
        self.check_calibration(contract)
    }

    /// Checks the numbers that are sent to the agent. How high a temperature may be is up to each provider.
    fn check_numbers(&self) -> Result<(), SettingsError> {
        let temperatures =
            [("temperature", self.temperature), ("temperature_on_stall", self.temperature_on_stall)];
        for (setting, given) in temperatures {
            if let Some(given) = given.filter(|given| !(given.is_finite() && *given >= 0.0)) {
                return Err(SettingsError::OutOfRange {
                    setting,
                    given: given.to_string(),
                    allowed: "0 or more",
                });
            }
        }
        let tokens = [
            ("max_output_tokens", self.max_output_tokens.map(u64::from)),
            ("token_budget", self.token_budget),
        ];
        for (setting, given) in tokens {
            if given == Some(0) {
                return Err(SettingsError::OutOfRange {
                    setting,
                    given: "0".to_owned(),
                    allowed: "1 or more",
                });
            }
        }
        Ok(())
    }

    pub(crate) fn check_calibration(&self, contract: &Contract) -> Result<(), SettingsError> {
        let Some(Calibrated(calibration)) = &self.calibration else { return Ok(()) };
        if self.confidence == Confidence::Off {
            let message = "a calibration is set, but no confidence is asked for; add `.confidence(...)`";
            return Err(SettingsError::Confidence { message: message.to_owned() });
        }
        let (own, given) = (contract.fingerprint(), calibration.schema());
        if own != given {
            return Err(SettingsError::Calibration { schema: own, fitted: given.to_owned() });
        }
        Ok(())
    }
}
