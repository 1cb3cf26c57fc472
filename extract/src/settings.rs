//! Settings of an extraction, in groups. [`Extraction`](crate::Extraction) has a method for each.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, LazyLock},
    time::Duration,
};

use crate::{
    agent::ThinkingLevel,
    contract::Contract,
    feedback::{Feedback, FeedbackStrategy},
    prompt::WriteInstructions,
    vocabulary::violation::{Code, Severity, Violation},
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
    pub(crate) end_repetition: bool,
    pub(crate) keep_valid_items: bool,
    /// Whether [`Feedback::Auto`] asks for a patch wherever possible, because parts of the value
    /// were already accepted.
    pub(crate) prefers_patch: bool,
    #[cfg_attr(not(feature = "tracing"), allow(dead_code))]
    pub(crate) trace_content: bool,
    pub(crate) reading: ReadingOptions,
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
            end_repetition: true,
            keep_valid_items: false,
            prefers_patch: false,
            trace_content: false,
            reading: ReadingOptions::default(),
        }
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
        if contract.lacks_document() {
            return Err(SettingsError::NoDocument);
        }
        if self.keep_valid_items && !contract.may_lose_items() {
            return Err(SettingsError::NoItemsToKeep);
        }
        Ok(())
    }
}
