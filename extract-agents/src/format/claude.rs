//! Facts derived from the names of Claude's models.

/// The version in a model's name, such as (4, 5) of `claude-haiku-4-5-20251001` and of
/// `claude-3-5-haiku` (3, 5).
pub(crate) fn version(model: &str) -> Option<(u32, u32)> {
    let parts = model.split(['-', '.', '@', ':']).skip_while(|part| !part.contains("claude")).skip(1);
    // A longer number is a date.
    let mut numbers = parts
        .skip_while(|part| part.parse::<u32>().is_err())
        .map_while(|part| part.parse::<u32>().ok().filter(|_| part.len() <= 2));
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// Returns whether a model continues the last turn. Since 4.6 they refuse it
/// (<https://platform.claude.com/docs/en/build-with-claude/prefill-claudes-response>, 2026).
pub(crate) fn continues(model: &str) -> bool {
    version(model).is_some_and(|version| version <= (4, 5))
}

/// Returns whether `model` is a Claude that can be told to think, which began with 3.7
/// (<https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html>, 2026).
pub(crate) fn thinks(model: &str) -> bool {
    model.contains("claude") && version(model).is_none_or(|version| version >= (3, 7))
}

/// Returns whether Bedrock takes breakpoints for `model`, a Claude or a Nova
/// (<https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>, 2026).
pub(crate) fn is_cached_at_bedrock(model: &str) -> bool {
    thinks(model) || model.contains("claude-3-5-haiku") || model.contains("amazon.nova")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version_in_a_name() {
        for (name, expected) in [
            ("claude-haiku-4-5-20251001", Some((4, 5))),
            ("claude-opus-4-20250514", Some((4, 0))),
            ("claude-3-5-haiku-latest", Some((3, 5))),
            ("claude-3-haiku-20240307", Some((3, 0))),
            ("claude-sonnet-5", Some((5, 0))),
            ("claude-haiku-5-5", Some((5, 5))),
            ("anthropic.claude-sonnet-4-6-v1:0", Some((4, 6))),
            ("claude-mythos", None),
            ("some-model", None),
        ] {
            assert_eq!(version(name), expected, "{name}");
        }
    }
}
