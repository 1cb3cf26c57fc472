//! Where a request goes, with its secrets.

use std::fmt;

use extract::agent::{AgentErrorKind, provider::ProviderFailure};
use hyper::{
    Uri,
    header::{HeaderName, HeaderValue},
};

/// The URL of a request with its secrets. `Debug` shows neither headers nor the query, which may
/// have keys.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) uri: Uri,
    /// Sent to the server of `uri` and to no other.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Target {
    pub(crate) fn new(url: &str) -> Result<Self, ProviderFailure> {
        let wrong = |why: &str| {
            ProviderFailure::new(
                AgentErrorKind::Unavailable,
                format!("`{}` is not the address of a server: {why}", shown(url)),
            )
        };
        let uri: Uri = url.parse().map_err(|_| wrong("it is not a valid URL"))?;
        if has_wrong_port(&uri) {
            return Err(wrong("its port is not a number up to 65535"));
        }
        match uri.scheme_str() {
            Some("http" | "https") if uri.host().is_some_and(|host| !host.is_empty()) => {
                Ok(Self { uri, headers: Vec::new() })
            }
            _ => Err(wrong("it has to start with `http://` or `https://`")),
        }
    }

    /// Adds a header that is sent to no other server.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Result<Self, ProviderFailure> {
        let wrong = |what: &str| {
            let message = format!("the {what} of the header `{}` is not valid", name.escape_default());
            ProviderFailure::new(AgentErrorKind::Unavailable, message)
        };
        let header: HeaderName = name.parse().map_err(|_| wrong("name"))?;
        let mut value: HeaderValue = value.parse().map_err(|_| wrong("value"))?;
        value.set_sensitive(true);
        self.headers.retain(|(known, _)| *known != header);
        self.headers.push((header, value));
        Ok(self)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("host", &self.uri.host()).finish_non_exhaustive()
    }
}

/// Returns the part of an address that an error may show: without the login and the query, which may
/// have keys.
pub(super) fn shown(url: &str) -> &str {
    let place = url.split(['?', '#']).next().unwrap_or(url);
    place.rsplit_once('@').map_or(place, |(_, host)| host)
}

/// Returns the host of an address, and its port if it has one, for errors. A path may have a key.
pub(super) fn server_of(uri: &Uri) -> &str {
    shown(uri.authority().map_or("", |authority| authority.as_str()))
}

/// Returns whether the port cannot be one. It would count as absent, and the default be taken.
pub(crate) fn has_wrong_port(uri: &Uri) -> bool {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let after = host.rsplit_once(']').map_or(host, |(_, after)| after);
    after.rsplit_once(':').is_some_and(|(_, port)| !port.is_empty()) && uri.port_u16().is_none()
}

/// Returns scheme, host and port, which identify a server for redirects (RFC 6454, section 4).
pub(crate) fn origin_of(uri: &Uri) -> (Option<&str>, Option<String>, u16) {
    (uri.scheme_str(), uri.host().map(str::to_ascii_lowercase), uri.port_u16().unwrap_or(default_port(uri)))
}

/// Returns the port that the scheme of an address stands for.
pub(super) fn default_port(uri: &Uri) -> u16 {
    if uri.scheme_str() == Some("https") { 443 } else { 80 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_server_is_the_same_origin() {
        let same = |a: &str, b: &str| origin_of(&a.parse().unwrap()) == origin_of(&b.parse().unwrap());
        assert!(same("https://a.example/x", "https://A.example:443/y"));
        assert!(!same("https://a.example/", "http://a.example/"));
        assert!(!same("https://a.example/", "https://a.example:8443/"));
        assert!(!same("https://a.example/", "https://b.a.example/"));
    }

    #[test]
    fn a_port_that_cannot_be_one_is_wrong() {
        for (url, is_right) in [
            ("http://a:99999/v1", false),
            ("http://me:pw@a:65536", false),
            ("http://[::1]:70000/", false),
            ("http://a:8000/v1", true),
            ("http://me:pw@a/", true),
            ("http://[::1]/", true),
        ] {
            assert_eq!(Target::new(url).is_ok(), is_right, "{url}");
        }
    }

    #[test]
    fn no_secret_is_in_debug_output_or_in_an_error() {
        let target = Target::new("https://host.example/?key=secretkey1").unwrap();
        let target = target.header("authorization", "Bearer secretkey2").unwrap();
        let shown = format!("{target:?}");
        assert!(shown.contains("host.example") && !shown.contains("secretkey"), "{shown}");
        for wrong in
            ["ftp://me:secretkey3@host/?key=secretkey4", "localhost:8000?key=secretkey4", "http://", ""]
        {
            let message = Target::new(wrong).unwrap_err().message().to_owned();
            assert!(!message.contains("secretkey"), "{message}");
        }
        let wrong = Target::new("http://a").unwrap().header("x-key", "secret\nkey5").unwrap_err();
        assert!(!wrong.message().contains("key5"), "{}", wrong.message());
    }
}
