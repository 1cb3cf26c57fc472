//! The keys of this process.

use std::{
    env,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use super::known::{KnownStrings, ShortString};

/// Minimum characters of a variable's value; shorter ones are more often words than secrets.
const SHORTEST: usize = 12;

/// Minimum letters and digits of a part of a key that is found. Such a variable may hold a path,
/// which shares its first folders with others. Provider keys are shorter than this, or this few
/// characters reveal little.
pub(super) const WINDOW: usize = 64;

/// The values of variables that are named like keys, at this and every earlier call: an agent may
/// still use a key that its variable no longer holds.
pub(super) fn keys() -> Arc<KnownStrings> {
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
        Self { values: Vec::new(), known: Arc::new(KnownStrings::new(WINDOW)) }
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
