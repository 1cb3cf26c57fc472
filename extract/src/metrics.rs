//! What an extraction took: attempts, time and tokens.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    change::Change, left_out::LeftOutItem, text::counted, usage::TokenUsage, verdict::Verdict,
    violation::Violation,
};

/// What one attempt took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptMetrics {
    /// Its number, from 1.
    pub number: u32,
    /// Tokens.
    pub usage: TokenUsage,
    /// Wall time, from asking until it was judged.
    pub elapsed: Duration,
    /// How many violations its answer had, warnings included.
    pub violations: usize,
    /// What became of it.
    #[serde(default)]
    pub verdict: Verdict,
    /// What the agent noted of how it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What an extraction took, on success and on failure.
///
/// Every attempt counts, including failed ones. Transport failures are not attempts;
/// [`transport_retries`](Self::transport_retries) counts them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExtractionMetrics {
    /// Attempts made: questions to which the agent replied.
    pub attempts: u32,
    /// Wall time from the start to the end.
    pub elapsed: Duration,
    /// Tokens of all attempts, and of replies that do not count as attempts, such as a call of
    /// `example`.
    pub usage: TokenUsage,
    /// Each attempt, in order.
    pub per_attempt: Vec<AttemptMetrics>,
    /// How often a request was repeated because there was no reply at all.
    pub transport_retries: u32,
    /// Warnings about the accepted value.
    pub warnings: Vec<Violation>,
    /// What was changed or left out in reading the accepted value.
    pub changes: Vec<Change>,
    /// The broken items that were left out of the accepted value, where the caller asked to
    /// [keep the valid ones](crate::Extraction::keep_valid_items).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutItem>,
}

impl ExtractionMetrics {
    pub(crate) const NOTHING: Self = Self {
        attempts: 0,
        elapsed: Duration::ZERO,
        usage: TokenUsage::NOTHING,
        per_attempt: Vec::new(),
        transport_retries: 0,
        warnings: Vec::new(),
        changes: Vec::new(),
        left_out: Vec::new(),
    };

    /// Adds the tokens of a reply that is not an attempt.
    pub(crate) fn spend(&mut self, usage: TokenUsage) {
        self.usage.add(usage);
    }

    pub(crate) fn record(&mut self, attempt: AttemptMetrics) {
        self.attempts += 1;
        self.usage.add(attempt.usage);
        self.per_attempt.push(attempt);
    }
}

/// `2 attempts, 3.1 s, 812 tokens in, 97 out (reported)`
impl fmt::Display for ExtractionMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = counted(self.attempts as usize, "attempt");
        let (seconds, usage) = (self.elapsed.as_secs_f64(), self.usage);
        write!(f, "{attempts}, {seconds:.1} s, {usage}")?;
        if self.transport_retries > 0 {
            let retries = self.transport_retries as usize;
            let retries = if retries == 1 {
                "1 transport retry".to_owned()
            } else {
                format!("{retries} transport retries")
            };
            write!(f, ", {retries}")?;
        }
        if !self.left_out.is_empty() {
            write!(f, ", {} left out", counted(self.left_out.len(), "item"))?;
        }
        Ok(())
    }
}
