//! Keys, tokens and passwords.

use std::{borrow::Cow, fmt};

use regex::Regex;

use super::{
    KEY_MARKER, environment, forms,
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
        environment::keys();
        Self { named: KnownStrings::new(environment::WINDOW), count: 0, patterns: Vec::new() }
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
        let mut text = self.named.find(text).and(environment::keys().find(text)).replaced(text, KEY_MARKER);
        replace(&mut text, forms::redact);
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
