//! Finds secrets and sensitive values wherever a text quotes them, and redacts them.
//!
//! This module knows strings and JSON values, but neither contracts nor agents. [`Keys`] are
//! secrets of the process and of agents. [`SensitiveValues`] are the values at the sensitive paths of a
//! reply. Both search with [`known`], which finds a string in all the ways to write it, in time linear
//! in the text, however many strings there are.

mod grams;
mod known;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    env, fmt,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use regex::Regex;
use serde_json::Value;

use self::known::{KnownStrings, ShortString};

/// The replacement of a key.
pub(crate) const KEY_MARKER: &str = "[redacted]";

/// The replacement of a sensitive value.
pub(crate) const VALUE_MARKER: &str = "(hidden)";

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

    /// Also redacts the key of an agent, or another secret of its requests. One of four to seven
    /// characters is redacted only where no letter or digit is next to it, because others may be parts
    /// of longer words. A shorter one redacts nothing.
    ///
    /// ```
    /// use extract::agent::provider::Keys;
    ///
    /// let mut keys = Keys::of_environment();
    /// keys.insert_key("sk-12");
    /// assert_eq!(keys.redact("`sk-12` is wrong, risk-123 is not"), "`[redacted]` is wrong, risk-123 is not");
    /// ```
    pub fn insert_key(&mut self, key: &str) {
        match key.chars().count() {
            0..SHORTEST_KEY => {}
            SHORTEST_KEY..SHORTEST_LONG_KEY => {
                self.named.insert_word(key);
                self.count += 1;
            }
            _ => self.insert(key),
        }
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

/// Minimum characters of an agent's key that is redacted, and of one that is redacted inside words too.
const SHORTEST_KEY: usize = 4;
const SHORTEST_LONG_KEY: usize = 8;

/// Minimum characters of a variable's value; shorter ones are more often words than secrets.
const SHORTEST: usize = 12;

/// Minimum letters and digits of a part of a key that is found. Such a variable may hold a path,
/// which shares its first folders with others. Provider keys are shorter than this, or this few
/// characters reveal little.
const KEY_PART: usize = 64;

/// The values of variables that are named like keys, at this and every earlier call: an agent may
/// still use a key that its variable no longer holds.
fn known_keys() -> Arc<KnownStrings> {
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

/// Minimum letters and digits of a part of a long value that is found.
const WINDOW: usize = 24;

/// Sensitive values, which are replaced by `(hidden)` wherever a text quotes them.
#[derive(Clone)]
pub(crate) struct SensitiveValues {
    known: KnownStrings,
}

impl Default for SensitiveValues {
    fn default() -> Self {
        Self { known: KnownStrings::new(WINDOW) }
    }
}

impl SensitiveValues {
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds a scalar. The caller walks lists and objects, because it knows which keys are names.
    pub(crate) fn insert(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.insert_string(text),
            Value::Number(number) => {
                for way in known::renderings(number) {
                    self.known.insert_as_it_is(&way, ShortString::Words);
                }
            }
            // Either word would reveal the value.
            Value::Bool(_) => ["true", "false"].into_iter().for_each(|word| self.known.insert_word(word)),
            Value::Null | Value::Array(_) | Value::Object(_) => {}
        }
    }

    pub(crate) fn insert_string(&mut self, text: &str) {
        // It would be replaced by a marker that contains it.
        if VALUE_MARKER.contains(text) {
            return;
        }
        self.known.insert(text, ShortString::Words);
        for way in known::renderings_of_text(text) {
            self.known.insert_as_it_is(&way, ShortString::Words);
        }
    }

    /// `text` with `(hidden)` for every value in it.
    pub(crate) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() { Cow::Borrowed(text) } else { self.known.find(text).replaced(text, VALUE_MARKER) }
    }

    /// As [`redact`](Self::redact), for the user's own messages, which may contain a value in the
    /// middle of a word. If a short value may be in one, `instead` replaces the whole message:
    /// cutting it out of a word that contains it by chance would reveal it.
    pub(crate) fn redact_message(&self, text: &mut String, instead: &str) {
        if self.is_empty() {
            return;
        }
        let found = self.known.find(text);
        if found.is_entangled {
            instead.clone_into(text);
        } else if !found.is_empty() {
            *text = found.replaced(text, VALUE_MARKER).into_owned();
        }
    }

    /// Returns whether `text` quotes a value.
    pub(crate) fn is_quoted_in(&self, text: &str) -> bool {
        !self.is_empty() && !self.known.find(text).is_empty()
    }

    /// `value` with `(hidden)` for every value in its strings, and for every number and boolean
    /// that is one. The caller redacts keys, because it knows which are names.
    pub(crate) fn redact_scalar(&self, value: &mut Value) {
        let redacted = match value {
            Value::String(text) => match self.redact(text) {
                Cow::Owned(redacted) => redacted,
                Cow::Borrowed(_) => return,
            },
            // A boolean elsewhere is a different value.
            Value::Number(number) if !self.is_quoted_in(&number.to_string()) => return,
            Value::Number(_) => VALUE_MARKER.to_owned(),
            _ => return,
        };
        *value = Value::String(redacted);
    }
}

/// Shows no values.
impl fmt::Debug for SensitiveValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Values")
    }
}
