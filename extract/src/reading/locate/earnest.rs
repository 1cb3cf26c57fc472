//! Decides whether an unclosed bracket opens a value.

use super::super::{parse, words::first_bytes};

/// Bytes after a bracket that are long enough to tell what it opens.
const LOOK: usize = 256;

/// Returns whether the unclosed bracket at byte `bracket` starts a value rather than prose: only
/// text that may occur in a value follows it.
pub(super) fn is_earnest(reply: &str, bracket: usize) -> bool {
    // Templates double the braces of objects.
    let doubled = if reply.as_bytes()[bracket] == b'{' { '{' } else { ',' };
    let rest = first_bytes(&reply[bracket + 1..], LOOK)
        .trim_start_matches(|c| parse::is_space(c) || c == ',' || c == doubled);
    let Some(next) = rest.chars().next() else { return true };
    if parse::starts_with_quote(rest)
        || rest.starts_with(['\\', '#'])
        || rest.starts_with("//")
        || rest.starts_with("/*")
    {
        return true;
    }
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let after = rest[word.len()..].trim_start().chars().next();
    match (reply.as_bytes()[bracket], next) {
        (b'{', '}') | (b'[', '{' | '[' | ']' | '-') => true,
        (b'{', _) => is_key(rest),
        (_, '0'..='9') => matches!(after, Some(',' | '.' | ']') | None),
        _ => matches!(word, "true" | "false" | "null") && matches!(after, Some(',' | ']') | None),
    }
}

/// Returns whether the bracket at byte `bracket` may start a value in which a bracket is of the
/// wrong kind.
pub(super) fn may_be_slip(reply: &str, bracket: usize) -> bool {
    let next = first_bytes(&reply[bracket + 1..], LOOK).trim_start_matches(parse::is_space).chars().next();
    matches!((reply.as_bytes()[bracket], next), (b'{', Some('[' | ']')) | (b'[', Some('}')))
}

/// Returns whether `text` starts with words and a colon.
fn is_key(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-. ".contains(&byte);
    let end = text.bytes().take(64).position(|byte| !is_part(byte));
    end.is_some_and(|end| end > 0 && text.as_bytes()[end] == b':')
}
