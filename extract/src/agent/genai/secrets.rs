//! The values that errors must not show.

use genai::{ServiceTarget, resolver::AuthData};

use crate::redaction::Keys;

/// Shorter values are not secrets but words, such as `ollama`, which `genai` sends to Ollama as a
/// key.
const SHORTEST: usize = 8;

/// The keys of a request to `target`, and those that any request may contain.
pub(super) fn keys_of(target: ServiceTarget) -> Keys {
    let mut secrets = in_url(target.endpoint.base_url());
    match target.auth {
        AuthData::RequestOverride { url, headers } => {
            secrets.extend(in_url(&url));
            secrets.extend(headers.into_iter().map(|(_, value)| value));
        }
        AuthData::MultiKeys(keys) => secrets.extend(keys.into_values()),
        auth => secrets.extend(auth.single_key_value().ok()),
    }
    let mut keys = Keys::of_environment();
    secrets.iter().filter(|secret| secret.len() >= SHORTEST).for_each(|secret| keys.insert(secret));
    keys
}

/// The values of the query, and the login before the `@`.
fn in_url(url: &str) -> Vec<String> {
    let (before, query) = url.split_once('?').unwrap_or((url, ""));
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned());
    let authority = before.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(""));
    let login = authority.rsplit_once('@').map(|(login, _)| login);
    let password = login.and_then(|login| login.split_once(':')).map(|(_, password)| password);
    values.chain(login.map(str::to_owned)).chain(password.map(str::to_owned)).collect()
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
        let keys = keys_of(target(url, AuthData::from_single("plainkey1234")));
        let text = format!("no plainkey1234 at {url}");
        assert_eq!(keys.redact(&text), "no [redacted] at https://[redacted]@host/v1/?key=[redacted]");
    }

    #[test]
    fn knows_the_headers_of_an_override() {
        let headers = Headers::from(("x-key", "headerkey1234"));
        let auth = AuthData::RequestOverride { url: "https://host/?k=overridekey".to_owned(), headers };
        let keys = keys_of(target("https://host/", auth));
        assert_eq!(keys.redact("headerkey1234 overridekey"), "[redacted] [redacted]");
    }

    #[test]
    fn leaves_words_alone() {
        let keys = keys_of(target("http://localhost:11434/", AuthData::from_single("ollama")));
        let text = "ollama has no risk-assessment-model, sk-1, Bearer of bad news";
        assert_eq!(keys.redact(text), text);
    }

    #[test]
    fn catches_keys_that_it_does_not_know() {
        let keys = keys_of(target("http://localhost:11434/", AuthData::from_single("ollama")));
        let redact = |text: &str| keys.redact(text).into_owned();
        assert_eq!(redact("wrong key sk-proj-abc_DEF123."), "wrong key [redacted].");
        assert_eq!(
            redact("Authorization: Bearer abc.def.ghi-jkl, sorry"),
            "Authorization: Bearer [redacted], sorry"
        );
    }
}
