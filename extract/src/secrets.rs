//! What must not be seen in messages and records.

use std::{
    borrow::Cow,
    fmt,
    sync::{LazyLock, OnceLock},
};

use regex::Regex;

pub(crate) const REDACTED: &str = "[redacted]";

/// Shorter values of variables are words more often than secrets.
const SHORTEST_OF_ENVIRONMENT: usize = 12;

/// What keys look like: what a match keeps stands in `before` and `after`, everything else of it goes.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        // OpenAI, Anthropic, OpenRouter, DeepSeek, Stripe; Groq; xAI; Perplexity; NVIDIA; Hugging Face; Replicate
        r"\bsk[-_][A-Za-z0-9_-]{16,}",
        r"\b(?:gsk_|xai-|pplx-|hf_|r8_)[A-Za-z0-9]{20,}",
        r"\bnvapi-[A-Za-z0-9_-]{20,}",
        // GitHub, GitLab, Slack
        r"\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}",
        r"\bglpat-[A-Za-z0-9_-]{16,}",
        r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
        // Google, AWS
        r"\bAIza[A-Za-z0-9_-]{30,}",
        r"\bya29\.[A-Za-z0-9_-]{20,}",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        // JSON Web Tokens, private keys
        r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
        // Headers, parameters and assignments; the login of a URL
        r"(?P<header>(?i:\bauthorization[\x22']?\s*[:=]\s*[\x22']?(?:bearer|basic)\s+))[^\s\x22',;]{4,}",
        r"\b(?P<bearer>Bearer )[A-Za-z0-9._~+/=-]{20,}",
        concat!(
            r"(?P<name>(?i:\b(?:x-)?(?:api[-_]?key|access[-_]?token|auth[-_]?token|client[-_]?secret))",
            r"\\?[\x22']?\s*[:=]\s*\\?[\x22']?)[A-Za-z0-9._~+/=-]{8,}"
        ),
        r"(?P<scheme>://)[^\s/@:]+:[^\s/@]+(?P<at>@)",
    ];
    Regex::new(&forms.join("|")).expect("the forms are a valid expression")
});

/// Texts to remove: what looks like a key, the values of variables that hold keys, and what was named.
#[derive(Clone)]
pub(crate) struct Secrets {
    known: Vec<String>,
    patterns: Vec<Regex>,
}

impl Secrets {
    /// Knows the forms of keys, and the values of the variables of this process that are named like keys.
    pub(crate) fn of_environment() -> Self {
        static VALUES: OnceLock<Vec<String>> = OnceLock::new();
        let values = VALUES.get_or_init(|| {
            let variables = std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
            in_variables(variables)
        });
        let mut secrets = Self { known: Vec::new(), patterns: Vec::new() };
        for value in values {
            secrets.hide(value);
        }
        secrets
    }

    /// Also removes `text`, as it is and as it stands in a JSON string. An empty text hides nothing.
    pub(crate) fn hide(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let escaped = serde_json::Value::from(text).to_string();
        let escaped = &escaped[1..escaped.len() - 1];
        self.known.extend((escaped != text).then(|| escaped.to_owned()));
        self.known.push(text.to_owned());
        // The longer ones first: one may be part of another.
        self.known.sort_by_key(|known| std::cmp::Reverse(known.len()));
    }

    pub(crate) fn hide_matching(&mut self, pattern: Regex) {
        self.patterns.push(pattern);
    }

    /// `text` with `[redacted]` in the place of every secret.
    pub(crate) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for known in self.known.iter().filter(|known| !REDACTED.contains(known.as_str())) {
            if text.contains(known.as_str()) {
                text = Cow::Owned(text.replace(known.as_str(), REDACTED));
            }
        }
        let forms = [(&*FORMS, "${header}${bearer}${name}${scheme}[redacted]${at}")];
        let patterns = self.patterns.iter().map(|pattern| (pattern, REDACTED));
        for (pattern, replacement) in forms.into_iter().chain(patterns) {
            if let Cow::Owned(redacted) = pattern.replace_all(&text, replacement) {
                text = Cow::Owned(redacted);
            }
        }
        text
    }
}

/// Says how many it knows, and no more.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({} texts, {} patterns)", self.known.len(), self.patterns.len())
    }
}

fn in_variables(variables: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let is_secret = |name: &str| {
        let name = name.to_ascii_uppercase();
        ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD"].iter().any(|end| name.ends_with(end))
    };
    variables
        .filter(|(name, value)| is_secret(name) && value.len() >= SHORTEST_OF_ENVIRONMENT)
        .map(|(_, value)| value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms_only() -> Secrets {
        Secrets { known: Vec::new(), patterns: Vec::new() }
    }

    #[test]
    fn removes_what_looks_like_a_key() {
        for (text, expected) in [
            ("key sk-proj-abc_DEF1234567890.", "key [redacted]."),
            ("sk-ant-api03-AAAAAAAAAAAAAAAA-BBBB", "[redacted]"),
            ("gsk_0123456789abcdefghij, hf_0123456789abcdefghij", "[redacted], [redacted]"),
            ("ghp_0123456789abcdefghij xoxb-0123456789", "[redacted] [redacted]"),
            ("AIzaSyA0123456789012345678901234567890", "[redacted]"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
            ("eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl", "[redacted]"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
            (r#"{"authorization": "Basic dXNlcjpwYXNz"}"#, r#"{"authorization": "Basic [redacted]"}"#),
            ("x-api-key: 0123456789", "x-api-key: [redacted]"),
            ("?api_key=0123456789&q=1", "?api_key=[redacted]&q=1"),
            (r#"{\"apiKey\": \"0123456789\"}"#, r#"{\"apiKey\": \"[redacted]\"}"#),
            ("https://me:hunter2@host/v1", "https://[redacted]@host/v1"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n", "[redacted]\n"),
        ] {
            assert_eq!(forms_only().redact(text), expected);
        }
    }

    #[test]
    fn leaves_words_alone() {
        for text in [
            "a risk-assessment-model-of-the-bank, sk-1, the Bearer of bad news, Basic understanding",
            r#"{"api_key": {"type": "string"}, "access_token": null}"#,
            "hf_hub_download_of_the_model, see https://host:8080/a@b",
        ] {
            assert_eq!(forms_only().redact(text), text);
        }
    }

    #[test]
    fn removes_what_was_named_and_its_form_in_json() {
        let mut secrets = forms_only();
        secrets.hide("");
        secrets.hide("a\"b");
        secrets.hide("a\"bc");
        secrets.hide_matching(Regex::new(r"\bK-\d+").unwrap());
        assert_eq!(
            secrets.redact(r#"a"b {"x": "a\"bc"} K-42"#),
            r#"[redacted] {"x": "[redacted]"} [redacted]"#
        );
    }

    #[test]
    fn knows_variables_that_are_named_like_keys() {
        let variables = [
            ("MY_API_KEY", "0123456789ab"),
            ("ci_job_token", "abcdefghijkl"),
            ("SHORT_KEY", "localhost"),
            ("HOME", "/home/somebody"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(in_variables(variables.into_iter()), ["0123456789ab", "abcdefghijkl"]);
    }
}
