//! Keys, addresses and the choice of an agent from the environment.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const OLLAMA_HOST: &str = "OLLAMA_HOST";
const GOOGLE_CLOUD_LOCATION: &str = "GOOGLE_CLOUD_LOCATION";

/// The small models of each provider.
pub(super) const OPENAI: &str = "openai/gpt-6-luna";
pub(super) const ANTHROPIC: &str = "anthropic/claude-haiku-5-5";
pub(super) const GEMINI: &str = "gemini/gemini-3.5-flash-lite";
pub(super) const OLLAMA: &str = "ollama/gemma4:e2b";

/// The first variable that is set decides, after `EXTRACT_AGENT`.
const DEFAULTS: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", OPENAI),
    ("ANTHROPIC_API_KEY", ANTHROPIC),
    ("GEMINI_API_KEY", GEMINI),
    (OLLAMA_HOST, OLLAMA),
];

/// Returns a variable of the process; `None` when it is empty.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the model that the variables ask for.
pub(super) fn model(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    variable("EXTRACT_AGENT").or_else(|| {
        DEFAULTS.iter().find(|(name, _)| variable(name).is_some()).map(|(_, model)| (*model).to_owned())
    })
}

/// Returns `template` with its variables filled in. An error is the name of a missing one.
pub(super) fn address(template: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut address, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, behind) = after.split_once('}').unwrap_or((after, ""));
        let (name, default) = match inside.split_once(':') {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        address.push_str(before);
        let value = variable(name).map(|value| match name {
            OLLAMA_HOST => ollama(&value),
            GOOGLE_CLOUD_LOCATION if address.ends_with("://") => vertex(value.trim().trim_end_matches('/')),
            _ => value.trim().trim_end_matches('/').to_owned(),
        });
        address.push_str(&value.or_else(|| default.map(str::to_owned)).ok_or_else(|| name.to_owned())?);
        rest = behind;
    }
    Ok(address + rest)
}

/// Returns the host of Vertex AI for a location: the whole world, a continent or a region.
fn vertex(location: &str) -> String {
    match location {
        "global" => "aiplatform.googleapis.com".to_owned(),
        "us" | "eu" => format!("aiplatform.{location}.rep.googleapis.com"),
        region => format!("{region}-aiplatform.googleapis.com"),
    }
}

/// Returns the URL for the value of `OLLAMA_HOST`, read as Ollama reads it. Scheme, port and path
/// may be missing. The default port is 11434, or the scheme's port if there is a scheme. An address
/// that listens on all interfaces becomes one that reaches this machine.
fn ollama(host: &str) -> String {
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
    format!("{scheme}://{}:{}{slash}{path}", reachable(host), port.unwrap_or(default_port))
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

    fn set<'a>(variables: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn prefers_the_named_agent_then_the_order_of_the_keys() {
        let all = [
            (OLLAMA_HOST, "x"),
            ("GEMINI_API_KEY", "k"),
            ("ANTHROPIC_API_KEY", "k"),
            ("OPENAI_API_KEY", "k"),
        ];
        let chosen = |variables: &[(&str, &str)]| model(set(variables));
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&all[..1]).unwrap(), "ollama/gemma4:e2b");
        assert_eq!(chosen(&all[..3]).unwrap(), "anthropic/claude-haiku-5-5");
        assert_eq!(chosen(&all).unwrap(), "openai/gpt-6-luna");
        assert_eq!(chosen(&[all[0], ("EXTRACT_AGENT", "groq/qwen")]).unwrap(), "groq/qwen");
    }

    #[test]
    fn fills_in_the_variables_of_an_address() {
        let of = |template: &str| {
            address(template, set(&[("HOST", "https://h.example/"), (OLLAMA_HOST, "0.0.0.0")]))
        };
        assert_eq!(of("https://a/v1").unwrap(), "https://a/v1");
        assert_eq!(of("{HOST}/openai/v1").unwrap(), "https://h.example/openai/v1");
        assert_eq!(of("https://b.{REGION:us-east-1}.c/v1").unwrap(), "https://b.us-east-1.c/v1");
        assert_eq!(of("{PORT:http://localhost:80/v1}").unwrap(), "http://localhost:80/v1");
        assert_eq!(of("https://{PROJECT}/x").unwrap_err(), "PROJECT");
        assert_eq!(of("{OLLAMA_HOST:http://localhost:11434}").unwrap(), "http://127.0.0.1:11434");
    }

    #[test]
    fn each_location_of_vertex_has_its_host() {
        let template = crate::profile::Profile::find("vertex").unwrap().address;
        for (location, host) in [
            (None, "aiplatform.googleapis.com"),
            (Some("global"), "aiplatform.googleapis.com"),
            (Some("europe-west4"), "europe-west4-aiplatform.googleapis.com"),
            (Some("us"), "aiplatform.us.rep.googleapis.com"),
        ] {
            let mut variables = vec![("GOOGLE_CLOUD_PROJECT", "p")];
            variables.extend(location.map(|location| (GOOGLE_CLOUD_LOCATION, location)));
            let path = format!("/v1/projects/p/locations/{}/publishers/google", location.unwrap_or("global"));
            assert_eq!(address(template, set(&variables)).unwrap(), format!("https://{host}{path}"));
        }
    }

    #[test]
    fn reads_the_address_of_ollama_as_ollama_does() {
        for (host, expected) in [
            ("localhost", "http://localhost:11434"),
            ("10.0.0.7:8080", "http://10.0.0.7:8080"),
            ("https://o.example", "https://o.example:443"),
            ("http://o.example/path/", "http://o.example:80/path"),
            (":9000", "http://127.0.0.1:9000"),
            ("[::]:9000", "http://[::1]:9000"),
            ("::1", "http://[::1]:11434"),
            (" \"0.0.0.0\" ", "http://127.0.0.1:11434"),
        ] {
            assert_eq!(ollama(host), expected, "{host}");
        }
    }
}
