//! Token usage, reported or estimated.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Tokens of a reply, an attempt or an extraction, and whether they are an estimate.
///
/// ```
/// use extract::TokenUsage;
///
/// let usage = TokenUsage::new(812, 97).cached(640).reasoning(64);
/// assert_eq!(usage.total(), 909);
/// assert_eq!(usage.to_string(), "812 tokens in (640 cached), 97 out (64 reasoning) (reported)");
/// ```
///
/// Input tokens include those read from a cache and written to one, and output tokens include
/// reasoning, however the provider itself counts. An agent that reports usage should do the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenUsage {
    /// All input tokens, including those read from a cache or written to one.
    pub input_tokens: u64,
    /// All output tokens, including reasoning.
    pub output_tokens: u64,
    /// Input tokens that were read from the provider's cache, which costs less.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cached_input_tokens: u64,
    /// Input tokens that were written to the provider's cache, for which some providers charge
    /// more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_tokens: u64,
    /// Output tokens that are reasoning, if the provider reports them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reasoning_tokens: u64,
    /// Whether any of the numbers are estimated, because the agent reported none. An estimate is a
    /// quarter of the characters, rounded up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_estimated: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TokenUsage {
    /// Creates the usage that an agent reported: `input` tokens in, `output` tokens out.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input_tokens: input, output_tokens: output, ..Self::default() }
    }

    /// Creates an estimate from the numbers of characters read and written: a quarter of each,
    /// rounded up.
    ///
    /// ```
    /// assert_eq!(extract::TokenUsage::estimated(401, 8).to_string(), "101 tokens in, 2 out (estimated)");
    /// ```
    pub fn estimated(chars_read: usize, chars_written: usize) -> Self {
        Self { is_estimated: true, ..Self::new(estimated(chars_read), estimated(chars_written)) }
    }

    /// Sets how many of the input tokens were read from a cache.
    #[must_use]
    pub fn cached(mut self, tokens: u64) -> Self {
        self.cached_input_tokens = tokens;
        self
    }

    /// Sets how many of the input tokens were written to a cache.
    #[must_use]
    pub fn cache_written(mut self, tokens: u64) -> Self {
        self.cache_write_tokens = tokens;
        self
    }

    /// Sets how many of the output tokens are reasoning.
    #[must_use]
    pub fn reasoning(mut self, tokens: u64) -> Self {
        self.reasoning_tokens = tokens;
        self
    }

    /// Adds parts (cache, reasoning) to a side (input, output) that does not include them, as some
    /// providers report them. A side smaller than its parts does not include them.
    ///
    /// ```
    /// use extract::TokenUsage;
    ///
    /// let reported = TokenUsage::new(5, 7).cached(10).cache_written(6);
    /// assert_eq!(reported.with_parts_in_sides().input_tokens, 21);
    /// ```
    #[must_use]
    pub fn with_parts_in_sides(mut self) -> Self {
        let cache = self.cached_input_tokens.saturating_add(self.cache_write_tokens);
        if cache > self.input_tokens {
            self.input_tokens = self.input_tokens.saturating_add(cache);
        }
        if self.reasoning_tokens > self.output_tokens {
            self.output_tokens = self.output_tokens.saturating_add(self.reasoning_tokens);
        }
        self
    }

    /// Returns input and output tokens together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Adds other tokens. The sum is an estimate if either is one.
    ///
    /// ```
    /// use extract::TokenUsage;
    ///
    /// let mut usage = TokenUsage::new(812, 97);
    /// usage.add(TokenUsage::new(8, 3));
    /// assert_eq!(usage, TokenUsage::new(820, 100));
    /// ```
    pub fn add(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
        self.is_estimated |= other.is_estimated;
    }
}

/// `812 tokens in, 97 out (reported)`, or with its parts
/// `812 tokens in (640 cached, 120 written to the cache), 97 out (64 reasoning) (reported)`
impl fmt::Display for TokenUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = if self.is_estimated { "estimated" } else { "reported" };
        write!(f, "{} tokens in", self.input_tokens)?;
        match (self.cached_input_tokens, self.cache_write_tokens) {
            (0, 0) => {}
            (read, 0) => write!(f, " ({read} cached)")?,
            (0, written) => write!(f, " ({written} written to the cache)")?,
            (read, written) => write!(f, " ({read} cached, {written} written to the cache)")?,
        }
        write!(f, ", {} out", self.output_tokens)?;
        if self.reasoning_tokens > 0 {
            write!(f, " ({} reasoning)", self.reasoning_tokens)?;
        }
        write!(f, " ({source})")
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

    #[test]
    fn parts_that_are_more_than_their_side_were_counted_beside_it() {
        let inside = TokenUsage::new(21, 7).cached(16).cache_written(5).reasoning(7);
        assert_eq!(inside.with_parts_in_sides(), inside);
        let beside = TokenUsage::new(5, 2).cached(10).cache_written(6).reasoning(5).with_parts_in_sides();
        assert_eq!((beside.input_tokens, beside.output_tokens), (21, 7));
        let most = TokenUsage::new(1, 1).cached(u64::MAX).cache_written(u64::MAX).reasoning(u64::MAX);
        assert_eq!(most.with_parts_in_sides().input_tokens, u64::MAX);
    }

    #[test]
    fn reads_what_was_written_before_there_were_parts() {
        let old = r#"{"input_tokens":3,"output_tokens":1}"#;
        let usage: TokenUsage = serde_json::from_str(old).unwrap();
        assert_eq!(usage, TokenUsage::new(3, 1));
        assert_eq!(serde_json::to_string(&usage).unwrap(), old);
        let parts = TokenUsage::new(30, 9).cached(1).cache_written(2).reasoning(3);
        let text = serde_json::to_string(&parts).unwrap();
        assert_eq!(serde_json::from_str::<TokenUsage>(&text).unwrap(), parts);
    }

    #[test]
    fn parts_are_shown_where_there_are_any() {
        let shown = |usage: TokenUsage| usage.to_string();
        assert_eq!(shown(TokenUsage::new(9, 3)), "9 tokens in, 3 out (reported)");
        assert_eq!(
            shown(TokenUsage::new(9, 3).cache_written(4)),
            "9 tokens in (4 written to the cache), 3 out (reported)"
        );
        assert_eq!(
            shown(TokenUsage::new(9, 3).cached(2).cache_written(4).reasoning(1)),
            "9 tokens in (2 cached, 4 written to the cache), 3 out (1 reasoning) (reported)"
        );
    }
}
