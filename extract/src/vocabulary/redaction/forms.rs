//! The forms of keys.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

/// The forms of keys. A match keeps its groups `before` and `after`; the rest is redacted.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        // OpenAI, Anthropic, OpenRouter, DeepSeek, Stripe; Groq; xAI; Perplexity; NVIDIA; Hugging
        // Face; Replicate. Servers show stars for a part of a key.
        r"\bsk[-_][A-Za-z0-9_*-]{12,}",
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

/// `text` with `[redacted]` for everything in it that looks like a key.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    FORMS.replace_all(text, "${header}${bearer}${name}${scheme}[redacted]${at}")
}
