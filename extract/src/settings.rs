//! The settings of an extraction, as data.

use std::{fmt, ops::Deref, sync::Arc, time::Duration};

use crate::{
    error::SettingsError,
    feedback::{Feedback, FeedbackStrategy, MAX_FEEDBACK_CHARS},
    prompt::Telling,
    reading::Options,
};

#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Settings {
    pub(crate) max_attempts: u32,
    pub(crate) system: Option<String>,
    pub(crate) feedback: Strategy,
    pub(crate) telling: Telling,
    pub(crate) uses_tools: bool,
    pub(crate) show_failing_schemas: bool,
    pub(crate) max_feedback_chars: usize,
    pub(crate) stop_on_stall: bool,
    pub(crate) token_budget: Option<u64>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) transport_retries: usize,
    pub(crate) transport_backoff: (Duration, Duration),
    pub(crate) max_output_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
    pub(crate) temperature_on_stall: Option<f64>,
    pub(crate) stream: bool,
    #[cfg_attr(not(feature = "tracing"), allow(dead_code))]
    pub(crate) trace_content: bool,
    pub(crate) reading: Options,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            system: None,
            feedback: Strategy::new(Feedback::default()),
            telling: Telling::default(),
            uses_tools: false,
            show_failing_schemas: true,
            max_feedback_chars: MAX_FEEDBACK_CHARS,
            stop_on_stall: false,
            token_budget: None,
            deadline: None,
            timeout: None,
            transport_retries: 3,
            transport_backoff: (Duration::from_millis(500), Duration::from_secs(60)),
            max_output_tokens: None,
            temperature: None,
            temperature_on_stall: None,
            stream: false,
            trace_content: false,
            reading: Options::default(),
        }
    }
}

/// The way of asking again.
#[derive(Clone)]
pub(crate) struct Strategy(Arc<dyn FeedbackStrategy>);

impl Strategy {
    pub(crate) fn new(strategy: impl FeedbackStrategy + 'static) -> Self {
        Self(Arc::new(strategy))
    }
}

impl Deref for Strategy {
    type Target = dyn FeedbackStrategy;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dyn FeedbackStrategy")
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if self.max_attempts == 0 { Err(SettingsError::NoAttempts) } else { Ok(()) }
    }
}
