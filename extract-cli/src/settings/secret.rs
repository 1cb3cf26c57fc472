//! Refuses keys of providers in files with settings, which are shared and committed.

use super::wrong::Wrong;

/// Parts of the names of secrets.
const NAMES: [&str; 6] = ["api-key", "apikey", "secret", "password", "access-key", "auth-token"];

/// The start of keys of well-known providers.
const STARTS: [&str; 9] = ["sk-", "AIza", "gsk_", "xai-", "hf_", "ghp_", "r8_", "pplx-", "AKIA"];

/// Characters from which on a word with such a start is a key.
const SHORTEST: usize = 20;

/// Options whose names only look like secrets contain none of [`NAMES`].
pub(super) fn check(name: &str, line: usize, value: Option<&str>) -> Result<(), Wrong> {
    let lower = name.to_ascii_lowercase();
    let is_named =
        NAMES.iter().any(|part| lower.contains(part)) || lower.ends_with("-token") || lower == "token";
    if is_named {
        return Err(refused(line, &format!("`{name}` is a key of a provider")));
    }
    match value.filter(|value| has_key(value)) {
        // The value is not repeated.
        Some(_) => Err(refused(line, &format!("the value of `{name}` has a key or a password"))),
        None => Ok(()),
    }
}

fn refused(line: usize, what: &str) -> Wrong {
    Wrong::new(line, format!("{what}, which does not belong in a file with settings")).help(
        "give it in the environment, such as OPENAI_API_KEY, or in a file of its own with `--env-file .env`",
    )
}

fn has_key(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut words = text.split(|c| !is_inner(c));
    let is_key = |word: &str| word.len() >= SHORTEST && STARTS.iter().any(|start| word.starts_with(start));
    words.any(is_key) || has_assignment(text) || has_user(text)
}

/// `OPENAI_API_KEY=…`
fn has_assignment(text: &str) -> bool {
    text.to_ascii_uppercase().match_indices("API_KEY=").any(|(at, found)| {
        let after = text[at + found.len()..].chars().next();
        // `$OPENAI_API_KEY` is a name.
        after.is_some_and(|c| !matches!(c, ' ' | '$' | '"' | '\''))
    })
}

/// `https://user:password@host`
fn has_user(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        host.split_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_refused_and_never_repeated() {
        let key = format!("sk-{}", "a".repeat(30));
        for (name, value) in [
            ("openai-api-key", "x"),
            ("api-key", "x"),
            ("token", "x"),
            ("agent", key.as_str()),
            ("command", &format!("env KEY={key} claude")),
            ("command", "env OPENAI_API_KEY=abc claude"),
            ("base-url", "https://me:word@example.org/v1/"),
        ] {
            let wrong = check(name, 3, Some(value)).unwrap_err();
            assert!(!wrong.message.contains("aaaa") && !wrong.message.contains("word@"), "{}", wrong.message);
        }
        for (name, value) in [
            ("key", "id"),
            ("token-budget", "100"),
            ("max-output-tokens", "100"),
            ("prompt", "Find the sk-number, and the API key in the text: sk-1"),
            ("command", "sh -c 'OPENAI_API_KEY=$MINE claude'"),
            ("base-url", "http://localhost:8000/v1/"),
        ] {
            assert!(check(name, 1, Some(value)).is_ok(), "{name} {value}");
        }
    }
}
