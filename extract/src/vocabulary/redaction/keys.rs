//! Keys, tokens and passwords: strings in the forms of keys, and the variables of this process that
//! hold one.

use std::{
    borrow::Cow,
    env, fmt,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use regex::Regex;

use super::{
    KEY_MARKER,
    known::{KnownStrings, ShortString},
};

/// Everything that is redacted as a key in errors and names: strings that look like keys, values of
/// variables named like keys (`OPENAI_API_KEY`), and added strings.
///
/// ```
/// use extract::agent::provider::Keys;
///
/// let mut keys = Keys::of_environment();
/// keys.insert("my-secret");
/// assert_eq!(keys.redact("wrong key my-secret"), "wrong key [redacted]");
/// assert_eq!(keys.redact("wrong key sk-proj-abcdefghijklmnop0123"), "wrong key [redacted]");
/// ```
#[derive(Clone)]
pub struct Keys {
    named: KnownStrings,
    count: usize,
    patterns: Vec<Regex>,
}

impl Keys {
    /// Returns the forms of keys, and the values of this process's variables that are named like
    /// keys, even if they are set later.
    pub fn of_environment() -> Self {
        // Records the current values.
        known_keys();
        Self { named: KnownStrings::new(KEY_PART), count: 0, patterns: Vec::new() }
    }

    /// Also redacts `text`, however it is written. An empty string redacts nothing.
    pub fn insert(&mut self, text: &str) {
        // It would be replaced by a marker that contains it.
        if KEY_MARKER.contains(text) {
            return;
        }
        self.named.insert(text, ShortString::Anywhere);
        self.count += 1;
    }

    pub(crate) fn insert_pattern(&mut self, pattern: Regex) {
        self.patterns.push(pattern);
    }

    /// Returns `text` with `[redacted]` for every key.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = self.named.find(text).and(known_keys().find(text)).replaced(text, KEY_MARKER);
        replace(&mut text, redact_forms);
        for pattern in &self.patterns {
            replace(&mut text, |text| pattern.replace_all(text, KEY_MARKER));
        }
        text
    }
}

fn replace(text: &mut Cow<'_, str>, with: impl Fn(&str) -> Cow<'_, str>) {
    if let Cow::Owned(redacted) = with(text) {
        *text = Cow::Owned(redacted);
    }
}

/// Shows only the number of strings.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({} named, {} patterns)", self.count, self.patterns.len())
    }
}

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
fn redact_forms(text: &str) -> Cow<'_, str> {
    FORMS.replace_all(text, "${header}${bearer}${name}${scheme}[redacted]${at}")
}

/// Minimum characters of a variable's value; shorter ones are more often words than secrets.
const SHORTEST: usize = 12;

/// Minimum letters and digits of a part of a key that is found. Such a variable may hold a path,
/// which shares its first folders with others. Provider keys are shorter than this, or this few
/// characters reveal little.
const KEY_PART: usize = 64;

/// The values of variables that are named like keys, at this and every earlier call: an agent may
/// still use a key that its variable no longer holds.
pub(super) fn known_keys() -> Arc<KnownStrings> {
    static SEEN: LazyLock<Mutex<SeenVariables>> = LazyLock::new(Mutex::default);
    // A browser has no variables, and the standard library panics there.
    let has_variables = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    let variables = has_variables.then(env::vars_os).into_iter().flatten();
    let variables =
        variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).and(variables)
}

struct SeenVariables {
    values: Vec<String>,
    known: Arc<KnownStrings>,
}

impl Default for SeenVariables {
    fn default() -> Self {
        Self { values: Vec::new(), known: Arc::new(KnownStrings::new(KEY_PART)) }
    }
}

impl SeenVariables {
    fn and(&mut self, variables: impl Iterator<Item = (String, String)>) -> Arc<KnownStrings> {
        for (name, value) in variables {
            if is_secret(&name) && value.len() >= SHORTEST && !self.values.contains(&value) {
                Arc::make_mut(&mut self.known).insert(&value, ShortString::Anywhere);
                self.values.push(value);
            }
        }
        Arc::clone(&self.known)
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables<const N: usize>(of: [(&str, &str); N]) -> impl Iterator<Item = (String, String)> {
        of.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter()
    }

    fn redacted(known: &KnownStrings, text: &str) -> String {
        known.find(text).replaced(text, "*").into_owned()
    }

    #[test]
    fn knows_variables_that_are_named_like_keys() {
        let known = SeenVariables::default().and(variables([
            ("MY_API_KEY", "0123456789ab"),
            ("ci_job_token", "abcdefghijkl"),
            ("SHORT_KEY", "localhost"),
            ("HOME", "/home/somebody"),
        ]));
        let text = "0123456789ab abcdefghijkl localhost /home/somebody";
        assert_eq!(redacted(&known, text), "* * localhost /home/somebody");
    }

    #[test]
    fn a_variable_that_is_set_later_is_known_and_one_that_is_taken_away_stays_so() {
        let mut seen = SeenVariables::default();
        seen.and(variables([("A_KEY", "first-key-0123")]));
        let known = seen.and(variables([("B_KEY", "second-key-4567")]));
        assert_eq!(redacted(&known, "first-key-0123 and second-key-4567"), "* and *");
    }
}
