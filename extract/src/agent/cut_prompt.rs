//! Finds out that a server did not read the whole prompt.

use super::{AgentError, AgentErrorKind, Conversation, Reply};

/// Prompts with fewer estimated tokens are not checked: an estimate of a short text is off by too
/// much.
const SHORTEST_CHECKED: u64 = 500;

/// Fails if a reply reports far fewer input tokens than the conversation has: its server cut the
/// prompt, as Ollama does without an error. The estimate is a quarter of the characters, and too
/// low rather than too high. Fewer than a third of it means a cut. `agent` is the name for the
/// message.
///
/// Every extraction checks the replies of all agents, except those that may
/// [leave out cached tokens](crate::agent::Capabilities::omits_cached_input). Replies without usage
/// and conversations of fewer than 500 estimated tokens always pass.
///
/// # Errors
///
/// [`TooLong`](AgentErrorKind::TooLong), with both numbers.
///
/// ```
/// use extract::{TokenUsage, agent::{Conversation, Reply, Role, provider::check_whole_prompt}};
///
/// let long = Conversation::new().with(Role::User, "A spider has eight legs. ".repeat(1_000));
/// let reply = |tokens| Reply::new("8").with_usage(TokenUsage::new(tokens, 1));
/// assert!(check_whole_prompt("my/model", &reply(5_400), &long).is_ok());
/// let error = check_whole_prompt("my/model", &reply(2_048), &long).unwrap_err();
/// assert_eq!(
///     error.message(),
///     "the prompt was cut: `my/model` reports 2048 input tokens of about 6250 that were sent"
/// );
/// ```
pub fn check_whole_prompt(agent: &str, reply: &Reply, conversation: &Conversation) -> Result<(), AgentError> {
    let Some(usage) = reply.usage().filter(|usage| usage.input_tokens > 0 && !usage.is_estimated) else {
        return Ok(());
    };
    // Cached tokens are a part of them.
    let seen = usage.with_parts_in_sides().input_tokens;
    let bytes: usize = conversation.turns().iter().map(|turn| turn.text().len()).sum();
    // The estimate is never more than this, and takes time.
    if seen.saturating_mul(3) >= bytes as u64 / 4 {
        return Ok(());
    }
    let sent = estimated_tokens(conversation);
    if sent < SHORTEST_CHECKED || seen.saturating_mul(3) >= sent {
        return Ok(());
    }
    let message =
        format!("the prompt was cut: `{agent}` reports {seen} input tokens of about {sent} that were sent");
    Err(AgentError::new(AgentErrorKind::TooLong, message))
}

/// An estimate of the tokens of the texts in `conversation` that is rather too low: a quarter of the
/// characters, or half of those in Chinese, Japanese and Korean, where a run of the same character counts
/// as two.
fn estimated_tokens(conversation: &Conversation) -> u64 {
    let chars = |text: &str| {
        let (mut last, mut run, mut chars) = (None, 0_u32, 0_u64);
        for char in text.chars() {
            run = if last == Some(char) { run + 1 } else { 0 };
            last = Some(char);
            // A token has about one of these characters; two are rather too few tokens.
            let weight = if matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
            {
                2
            } else {
                1
            };
            chars += if run < 2 { weight } else { 0 };
        }
        chars
    };
    conversation.turns().iter().map(|turn| chars(turn.text())).sum::<u64>() / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{agent::Role, vocabulary::usage::TokenUsage};

    fn passes(usage: TokenUsage, text: &str) -> bool {
        let conversation = Conversation::new().with(Role::User, text);
        check_whole_prompt("a", &Reply::new("8").with_usage(usage), &conversation).is_ok()
    }

    #[test]
    fn what_was_cached_counts_as_read_once() {
        let text = "A spider has eight legs. ".repeat(1_000);
        assert!(!passes(TokenUsage::new(500, 1), &text));
        assert!(!passes(TokenUsage::new(1_700, 1).cached(900).cache_written(800), &text));
        assert!(passes(TokenUsage::new(2_100, 1).cached(2_000), &text));
        assert!(!passes(TokenUsage::new(500, 1).cached(1_000), &text));
        assert!(passes(TokenUsage::new(500, 1).cached(1_700), &text));
        assert!(passes(TokenUsage::new(500, 1).cache_written(1_700), &text));
        assert!(passes(TokenUsage::new(u64::MAX, 1).cached(u64::MAX), &text));
    }

    #[test]
    fn short_texts_and_missing_numbers_pass() {
        let text = "A spider has eight legs. ".repeat(1_000);
        assert!(passes(TokenUsage::default(), &text), "a reply from a cache");
        assert!(passes(TokenUsage::new(0, 5), &text), "only the output is reported");
        assert!(passes(TokenUsage::new(1, 1), &text[..1_900]));
    }

    #[test]
    fn runs_of_one_character_are_few_tokens() {
        let of = |text: &str| estimated_tokens(&Conversation::new().with(Role::User, text));
        assert_eq!(of("abcd".repeat(100).as_str()), 100);
        assert_eq!(of("天气很好".repeat(100).as_str()), 200);
        assert_eq!(of(&" ".repeat(1_000)), 0);
        assert_eq!(of(&format!("a{}b", "=".repeat(1_000))), 1);
    }
}
