//! Which agent the environment asks for.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::GenaiAgent;

pub(super) const OLLAMA_HOST: &str = "OLLAMA_HOST";

/// The first one that is set decides.
const DEFAULTS: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", GenaiAgent::OPENAI),
    ("ANTHROPIC_API_KEY", GenaiAgent::ANTHROPIC),
    ("GEMINI_API_KEY", GenaiAgent::GEMINI),
    (OLLAMA_HOST, GenaiAgent::OLLAMA),
];

/// A variable of the process; `None` when it is empty.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The model that the variables ask for.
pub(super) fn model(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    variable("EXTRACT_AGENT").or_else(|| {
        DEFAULTS.iter().find(|(name, _)| variable(name).is_some()).map(|(_, model)| (*model).to_owned())
    })
}

/// Returns the URL for the value of `OLLAMA_HOST`, read as Ollama reads it. Scheme, port and path
/// may be missing. The default port is 11434, or the scheme's if there is one. An address that
/// listens on all interfaces becomes one that reaches this machine.
pub(super) fn ollama_endpoint(host: &str) -> String {
    let host = host.trim().trim_matches(['"', '\'']);
    let (scheme, rest, default_port) = match host.split_once("://") {
        Some(("https", rest)) => ("https", rest, 443),
        Some((scheme, rest)) => (scheme, rest, 80),
        None => ("http", host, 11434),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (host, port) = split_port(authority);
    let path = path.trim_end_matches('/');
    let slash = if path.is_empty() { "" } else { "/" };
    format!("{scheme}://{}:{}{slash}{path}/", reachable(host), port.unwrap_or(default_port))
}

fn split_port(authority: &str) -> (&str, Option<u16>) {
    if authority.parse::<Ipv6Addr>().is_ok() {
        return (authority, None);
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
        _ => (authority, None),
    }
}

fn reachable(host: &str) -> String {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ if bare.is_empty() => Ipv4Addr::LOCALHOST.to_string(),
        _ => bare.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(set: &[(&str, &str)]) -> Option<String> {
        model(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn prefers_the_named_agent_then_the_order_of_the_keys() {
        let ollama = (OLLAMA_HOST, "localhost");
        let gemini = ("GEMINI_API_KEY", "k");
        let anthropic = ("ANTHROPIC_API_KEY", "k");
        let openai = ("OPENAI_API_KEY", "k");
        let named = ("EXTRACT_AGENT", "groq/qwen");
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&[ollama]).unwrap(), GenaiAgent::OLLAMA);
        assert_eq!(chosen(&[ollama, gemini]).unwrap(), GenaiAgent::GEMINI);
        assert_eq!(chosen(&[ollama, gemini, anthropic]).unwrap(), GenaiAgent::ANTHROPIC);
        assert_eq!(chosen(&[ollama, gemini, anthropic, openai]).unwrap(), GenaiAgent::OPENAI);
        assert_eq!(chosen(&[ollama, gemini, anthropic, openai, named]).unwrap(), "groq/qwen");
    }

    #[test]
    fn completes_the_host_as_ollama_does() {
        for (host, endpoint) in [
            ("127.0.0.1", "http://127.0.0.1:11434/"),
            ("gpu.local", "http://gpu.local:11434/"),
            ("gpu.local:9000", "http://gpu.local:9000/"),
            (":9000", "http://127.0.0.1:9000/"),
            ("0.0.0.0:9000", "http://127.0.0.1:9000/"),
            ("[::]:9000", "http://[::1]:9000/"),
            ("::1", "http://[::1]:11434/"),
            ("[::1]", "http://[::1]:11434/"),
            ("http://gpu.local", "http://gpu.local:80/"),
            ("https://gpu.local/", "https://gpu.local:443/"),
            ("https://gpu.local:8443/ollama/", "https://gpu.local:8443/ollama/"),
            (" \"gpu.local\" ", "http://gpu.local:11434/"),
        ] {
            assert_eq!(ollama_endpoint(host), endpoint, "{host}");
        }
    }
}
