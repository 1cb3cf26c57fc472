//! What must not be seen in an error.

use genai::{ServiceTarget, resolver::AuthData};

const REDACTED: &str = "[redacted]";

/// Shorter values are not secrets but words, such as the `ollama` that `genai` sends to Ollama as a key.
const SHORTEST: usize = 8;

/// What a text that looks like a key starts with. A second net for keys that are not known here.
const PREFIXES: [&str; 7] = ["sk-", "sk_", "gsk_", "xai-", "ghp_", "AIza", "Bearer "];

/// The keys of one request.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(target: ServiceTarget) -> Self {
        let mut secrets = in_url(target.endpoint.base_url());
        match target.auth {
            AuthData::RequestOverride { url, headers } => {
                secrets.extend(in_url(&url));
                secrets.extend(headers.into_iter().map(|(_, value)| value));
            }
            AuthData::MultiKeys(keys) => secrets.extend(keys.into_values()),
            auth => secrets.extend(auth.single_key_value().ok()),
        }
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // The longer ones first: one may be part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    pub(super) fn redact(&self, text: &str) -> String {
        let known =
            self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), REDACTED));
        PREFIXES.iter().fold(known, |text, prefix| redact_after(&text, prefix))
    }
}

/// The values of the query, and what stands before the `@`.
fn in_url(url: &str) -> Vec<String> {
    let (before, query) = url.split_once('?').unwrap_or((url, ""));
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned());
    let authority = before.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(""));
    let login = authority.rsplit_once('@').map(|(login, _)| login);
    let password = login.and_then(|login| login.split_once(':')).map(|(_, password)| password);
    values.chain(login.map(str::to_owned)).chain(password.map(str::to_owned)).collect()
}

/// Replaces the words that start with `prefix`, when they are long enough for a key.
fn redact_after(text: &str, prefix: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(prefix) {
        let (before, found) = rest.split_at(at);
        let starts_a_word = !before.ends_with(is_of_a_key);
        let key = &found[prefix.len()..];
        let length = key.find(|char| !is_of_a_key(char)).unwrap_or(key.len());
        let is_key = starts_a_word && length >= SHORTEST;
        redacted.push_str(before);
        redacted.push_str(if is_key { REDACTED } else { &found[..prefix.len() + length] });
        rest = &key[length..];
    }
    redacted.push_str(rest);
    redacted
}

fn is_of_a_key(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '*' | '+' | '/' | '=')
}

#[cfg(test)]
mod tests {
    use genai::{Headers, ModelIden, adapter::AdapterKind, resolver::Endpoint};

    use super::*;

    fn target(endpoint: &'static str, auth: AuthData) -> ServiceTarget {
        let model = ModelIden::new(AdapterKind::OpenAI, "m");
        ServiceTarget { endpoint: Endpoint::from_static(endpoint), auth, model }
    }

    #[test]
    fn knows_the_key_and_what_is_in_the_url() {
        let url = "https://me:hunter22hunter@host/v1/?key=querykey1234";
        let secrets = Secrets::of(target(url, AuthData::from_single("plainkey1234")));
        let text = format!("no plainkey1234 at {url}");
        assert_eq!(secrets.redact(&text), "no [redacted] at https://[redacted]@host/v1/?key=[redacted]");
    }

    #[test]
    fn knows_the_headers_of_an_override() {
        let headers = Headers::from(("x-key", "headerkey1234"));
        let auth = AuthData::RequestOverride { url: "https://host/?k=overridekey".to_owned(), headers };
        let secrets = Secrets::of(target("https://host/", auth));
        assert_eq!(secrets.redact("headerkey1234 overridekey"), "[redacted] [redacted]");
    }

    #[test]
    fn leaves_words_alone() {
        let secrets = Secrets::of(target("http://localhost:11434/", AuthData::from_single("ollama")));
        let text = "ollama has no risk-assessment-model, sk-1, Bearer of bad news";
        assert_eq!(secrets.redact(text), text);
    }

    #[test]
    fn catches_keys_that_it_does_not_know() {
        let redact = |text: &str| Secrets::default().redact(text);
        assert_eq!(redact("wrong key sk-proj-abc_DEF123."), "wrong key [redacted]");
        assert_eq!(
            redact("Authorization: Bearer abc.def.ghi-jkl, sorry"),
            "Authorization: [redacted], sorry"
        );
    }
}
