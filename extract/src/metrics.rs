//! What an extraction took.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    agent::{Reply, Usage},
    reading::Change,
    text::counted,
    violation::Violation,
};

/// Tokens of one attempt or of all, and whether the agent counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// How many of the tokens that went in the agent reported as read from its cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Whether any of them are an estimate: a quarter of the characters, rounded up, because the agent
    /// reported nothing.
    pub is_estimated: bool,
}

impl TokenUsage {
    /// What the agent reported, else an estimate from the numbers of characters that it read and wrote.
    pub(crate) fn of(reply: &Reply, chars_read: impl FnOnce() -> usize) -> Self {
        match reply.usage() {
            Some(usage) => Self::reported(usage),
            None => Self {
                input_tokens: estimated(chars_read()),
                output_tokens: estimated(reply.chars()),
                cached_input_tokens: 0,
                is_estimated: true,
            },
        }
    }

    /// What an agent reported.
    pub(crate) fn reported(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cached_input_tokens } = usage;
        Self { input_tokens, output_tokens, cached_input_tokens, is_estimated: false }
    }

    /// Both sides together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    fn add(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.is_estimated |= other.is_estimated;
    }
}

/// `812 tokens in, 97 out (reported)`, or `812 tokens in (640 cached), 97 out (reported)`
impl fmt::Display for TokenUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = if self.is_estimated { "estimated" } else { "reported" };
        write!(f, "{} tokens in", self.input_tokens)?;
        if self.cached_input_tokens > 0 {
            write!(f, " ({} cached)", self.cached_input_tokens)?;
        }
        write!(f, ", {} out ({source})", self.output_tokens)
    }
}

/// A quarter of the characters, rounded up.
pub(crate) fn estimated(chars: usize) -> u64 {
    chars.div_ceil(4) as u64
}

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
    /// What the agent noted of how it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What an extraction took, on success and on failure alike.
///
/// Every attempt counts, the failed ones too. Failures of the transport are not attempts; they count in
/// [`transport_retries`](Self::transport_retries).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExtractionMetrics {
    /// Attempts made: questions to which the agent replied.
    pub attempts: u32,
    /// Wall time from the start to the end.
    pub elapsed: Duration,
    /// Tokens of all attempts, and of replies that were none, as when an agent asked for the example.
    pub usage: TokenUsage,
    /// Each attempt, in order.
    pub per_attempt: Vec<AttemptMetrics>,
    /// How often a request was repeated because there was no reply at all.
    pub transport_retries: u32,
    /// Warnings about the accepted value.
    pub warnings: Vec<Violation>,
    /// What was changed or left out in reading the accepted value.
    pub changes: Vec<Change>,
}

impl ExtractionMetrics {
    pub(crate) const NOTHING: Self = Self {
        attempts: 0,
        elapsed: Duration::ZERO,
        usage: TokenUsage { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, is_estimated: false },
        per_attempt: Vec::new(),
        transport_retries: 0,
        warnings: Vec::new(),
        changes: Vec::new(),
    };

    /// Adds the tokens of a reply that was no attempt.
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_characters_over_four_rounded_up() {
        let usage = TokenUsage::of(&Reply::new("ß"), || "größegröße".chars().count());
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.is_estimated), (3, 1, true));
        assert_eq!(TokenUsage::of(&Reply::new(""), || 0).total(), 0);
    }
}
