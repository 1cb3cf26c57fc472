//! Token counts, as servers report them.

use extract::TokenUsage;
use serde_json::Value;

/// Token counts of a response, where the server reported them.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct TokenCounts {
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) total: Option<u64>,
    pub(super) cached: u64,
    pub(super) cache_written: u64,
    pub(super) reasoning: u64,
}

/// The count at `path`, if there is one.
pub(super) fn count(value: &Value, path: &[&str]) -> Option<u64> {
    let number = path.iter().try_fold(value, |value, key| value.get(*key))?;
    // Servers in JavaScript or Lua write some counts with a decimal point.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked, and it saturates")]
    number.as_u64().or_else(|| number.as_f64().filter(|count| *count >= 0.0).map(|count| count as u64))
}

impl TokenCounts {
    /// Reads the usage of Chat Completions and of Responses. DeepSeek, Kimi, LiteLLM, Qwen, Mistral and
    /// Perplexity use their own names for parts of it.
    pub(super) fn read_openai(&mut self, usage: &Value) {
        let before = *self;
        self.read_members(usage);
        // The last event of some streams has zeros.
        if self.input.max(self.output) == Some(0) && !before.is_nothing() {
            *self = before;
        }
    }

    fn read_members(&mut self, usage: &Value) {
        let find = |paths: &[&[&str]]| paths.iter().find_map(|path| count(usage, path));
        self.input = find(&[&["prompt_tokens"], &["input_tokens"]]).or(self.input);
        self.output = find(&[&["completion_tokens"], &["output_tokens"]]).or(self.output);
        self.total = find(&[&["total_tokens"]]).or(self.total);
        let cached: [&[&str]; 7] = [
            &["prompt_tokens_details", "cached_tokens"],
            &["prompt_token_details", "cached_tokens"],
            &["num_cached_tokens"],
            &["input_tokens_details", "cached_tokens"],
            &["prompt_cache_hit_tokens"],
            &["cached_tokens"],
            &["cache_read_input_tokens"],
        ];
        self.cached = find(&cached).unwrap_or(self.cached);
        let written: [&[&str]; 4] = [
            &["prompt_tokens_details", "cache_write_tokens"],
            &["input_tokens_details", "cache_write_tokens"],
            &["prompt_tokens_details", "cache_creation_input_tokens"],
            &["cache_creation_input_tokens"],
        ];
        self.cache_written = find(&written).unwrap_or(self.cache_written);
        let reasoning: [&[&str]; 3] = [
            &["completion_tokens_details", "reasoning_tokens"],
            &["output_tokens_details", "reasoning_tokens"],
            &["reasoning_tokens"],
        ];
        self.reasoning = find(&reasoning).unwrap_or(self.reasoning);
    }

    /// Completes a side that is missing beside the other, of servers that omit a zero.
    pub(super) fn fill_omitted_zero(&mut self) {
        if !self.is_nothing() && self.total.is_none() {
            self.input.get_or_insert(0);
            self.output.get_or_insert(0);
        }
    }

    /// Returns the tokens of the prompt that the model saw.
    pub(crate) fn seen(&self) -> Option<u64> {
        self.input
    }

    /// Returns whether nothing was reported.
    pub(super) fn is_nothing(&self) -> bool {
        self.input.is_none() && self.output.is_none()
    }

    /// The usage with parts inside their sides; `None` if a side is not known. A missing side is
    /// computed from the total.
    pub(crate) fn usage(&self) -> Option<TokenUsage> {
        let rest = |other: u64| self.total.map(|total| total.saturating_sub(other));
        let (mut input, mut output) = match (self.input, self.output) {
            (None, None) => return None,
            (Some(input), Some(output)) => (input, output),
            (Some(input), None) => (input, rest(input)?),
            (None, Some(output)) => (rest(output)?, output),
        };
        // A side smaller than its parts does not include them.
        let cache = self.cached.saturating_add(self.cache_written);
        if cache > input {
            input = input.saturating_add(cache);
        }
        // xAI reports reasoning separately from the output, and Gemini's compatible interface not at
        // all. Both have it in the total. So may others have the cache.
        let more = rest(input.saturating_add(output)).unwrap_or(0);
        if more > 0 && more == cache {
            input = input.saturating_add(more);
        } else {
            output = output.saturating_add(more);
        }
        if self.reasoning > output {
            output = output.saturating_add(self.reasoning);
        }
        let usage = TokenUsage::new(input, output);
        Some(usage.cached(self.cached).cache_written(self.cache_written).reasoning(self.reasoning))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn usage(reported: &Value) -> Option<TokenUsage> {
        let mut counts = TokenCounts::default();
        counts.read_openai(reported);
        counts.usage()
    }

    #[test]
    fn reads_the_forms_of_each_server() {
        for (reported, expected) in [
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28}),
                TokenUsage::new(21, 7),
            ),
            (json!({"input_tokens": 21, "output_tokens": 7}), TokenUsage::new(21, 7)),
            (json!({"prompt_tokens": 21, "total_tokens": 28}), TokenUsage::new(21, 7)),
            (json!({"completion_tokens": 7, "total_tokens": 28}), TokenUsage::new(21, 7)),
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 16},
                    "completion_tokens_details": {"reasoning_tokens": 5}}),
                TokenUsage::new(21, 7).cached(16).reasoning(5),
            ),
            // xAI: reasoning separate from the output.
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 33,
                    "completion_tokens_details": {"reasoning_tokens": 5}}),
                TokenUsage::new(21, 12).reasoning(5),
            ),
            // Gemini's compatible interface: thoughts in the total only.
            (
                json!({"prompt_tokens": 8, "completion_tokens": 10, "total_tokens": 118}),
                TokenUsage::new(8, 110),
            ),
            // The cache in the total only.
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 37, "cached_tokens": 9}),
                TokenUsage::new(30, 7).cached(9),
            ),
            // DeepSeek.
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "prompt_cache_hit_tokens": 20}),
                TokenUsage::new(21, 7).cached(20),
            ),
            // Mistral.
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "num_cached_tokens": 16}),
                TokenUsage::new(21, 7).cached(16),
            ),
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "prompt_token_details": {"cached_tokens": 16}}),
                TokenUsage::new(21, 7).cached(16),
            ),
            // LiteLLM, in front of Anthropic; Qwen; Perplexity.
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "cache_read_input_tokens": 9,
                    "cache_creation_input_tokens": 5}),
                TokenUsage::new(21, 7).cached(9).cache_written(5),
            ),
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7,
                    "prompt_tokens_details": {"cached_tokens": 9, "cache_creation_input_tokens": 5}}),
                TokenUsage::new(21, 7).cached(9).cache_written(5),
            ),
            (
                json!({"prompt_tokens": 21, "completion_tokens": 7, "reasoning_tokens": 5}),
                TokenUsage::new(21, 7).reasoning(5),
            ),
            // Parts that their sides do not include.
            (
                json!({"prompt_tokens": 5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 16}}),
                TokenUsage::new(21, 7).cached(16),
            ),
            (json!({"prompt_tokens": 21.0, "completion_tokens": 7}), TokenUsage::new(21, 7)),
        ] {
            assert_eq!(usage(&reported), Some(expected), "{reported}");
        }
        let mut counts = TokenCounts::default();
        for reported in [
            json!({"prompt_tokens": 20, "completion_tokens": 5}),
            json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
        ] {
            counts.read_openai(&reported);
            assert_eq!(counts.usage(), Some(TokenUsage::new(20, 5)), "zeros at the end of a stream");
        }
        for nothing in
            [json!(null), json!({}), json!({"prompt_tokens": null}), json!({"prompt_tokens": "21"})]
        {
            assert_eq!(usage(&nothing), None, "{nothing}");
        }
        let most = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX,
            "prompt_tokens_details": {"cached_tokens": u64::MAX}});
        assert_eq!(usage(&most).unwrap().total(), u64::MAX);
    }
}
