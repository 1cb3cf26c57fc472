//! Token usage, reported or estimated.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Tokens of a reply, an attempt or an extraction, and whether they are an estimate.
///
/// ```
/// use extract::TokenUsage;
///
/// let usage = TokenUsage::new(812, 97).cached(640);
/// assert_eq!(usage.total(), 909);
/// assert_eq!(usage.to_string(), "812 tokens in (640 cached), 97 out (reported)");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// How many input tokens were read from the provider's cache, which costs less.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cached_input_tokens: u64,
    /// Whether any of them are estimated, because the agent reported nothing: a quarter of the
    /// characters, rounded up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_estimated: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TokenUsage {
    /// Nothing, as the agent counted it.
    pub(crate) const NOTHING: Self =
        Self { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, is_estimated: false };

    /// The usage that an agent reported: `input` tokens in, `output` tokens out.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input_tokens: input, output_tokens: output, ..Self::NOTHING }
    }

    /// An estimate from the numbers of characters read and written.
    pub(crate) fn estimated(chars_read: usize, chars_written: usize) -> Self {
        Self { is_estimated: true, ..Self::new(estimated(chars_read), estimated(chars_written)) }
    }

    /// Sets how many of the input tokens were read from a cache.
    #[must_use]
    pub fn cached(mut self, tokens: u64) -> Self {
        self.cached_input_tokens = tokens;
        self
    }

    /// Both sides together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    pub(crate) fn add(&mut self, other: Self) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_characters_over_four_rounded_up() {
        let usage = TokenUsage::estimated("größegröße".chars().count(), "ß".chars().count());
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.is_estimated), (3, 1, true));
        assert_eq!(TokenUsage::estimated(0, 0).total(), 0);
    }
}
