//! GET requests without a token, and with strict rules for redirects.

use std::time::{Duration, Instant};

use ureq::{
    Agent, Body,
    http::{Response, Uri, header},
};

/// How long any part of a request may go without data. If a network drops packets, the other source
/// must still be tried.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Minimum bytes per [`TIMEOUT`], so that a slow transfer ends too: one KiB a second.
const LEAST: u64 = 30 << 10;

/// The hub itself needs two.
const MAX_REDIRECTS: usize = 5;

/// A client that follows no redirects: it would read their whole bodies, and [`redirected`] has the
/// rules about them.
pub(super) fn agent() -> Agent {
    Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .accept_encoding("identity")
        .timeout_resolve(Some(TIMEOUT))
        .timeout_connect(Some(TIMEOUT))
        .timeout_send_request(Some(TIMEOUT))
        .timeout_recv_response(Some(TIMEOUT))
        .timeout_per_read(Some(TIMEOUT))
        .build()
        .new_agent()
}

/// The content of `url` from the byte `from`, after redirects. The error is for the user; it
/// contains nothing from the server except its status.
pub(super) fn get(agent: &Agent, url: &str, from: u64) -> Result<Response<Body>, String> {
    let mut url: Uri = url.parse().map_err(|_| format!("`{url}` is no URL"))?;
    let scheme = if url.scheme_str() == Some("https") { HubScheme::Https } else { HubScheme::Http };
    for _ in 0..=MAX_REDIRECTS {
        let mut request = agent.get(url.clone());
        if from > 0 {
            request = request.header(header::RANGE, format!("bytes={from}-"));
        }
        let response = request.call().map_err(|error| error.to_string())?;
        if !response.status().is_redirection() {
            return Ok(response);
        }
        let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        url = redirected(&url, location.unwrap_or_default(), scheme)?;
    }
    Err(format!("it redirects more than {MAX_REDIRECTS} times"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HubScheme {
    Http,
    Https,
}

/// The target of a redirect: another path of the same server, or another server, but never from
/// HTTPS to HTTP.
fn redirected(from: &Uri, location: &str, hub: HubScheme) -> Result<Uri, String> {
    let to = if location.starts_with('/') {
        let mut parts = from.clone().into_parts();
        parts.path_and_query = location.parse().ok();
        Uri::from_parts(parts).ok()
    } else {
        location.parse().ok()
    };
    let to: Uri = to.ok_or("it redirects to something that is no URL")?;
    match to.scheme_str() {
        Some("https") => Ok(to),
        Some("http") if hub == HubScheme::Http => Ok(to),
        Some("http") => Err("it redirects from HTTPS to plain HTTP".to_owned()),
        _ => Err("it redirects to something that is neither HTTP nor HTTPS".to_owned()),
    }
}

/// Detects a transfer that is too slow.
pub(super) struct Pace {
    since: Instant,
    bytes: u64,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, bytes: 0 }
    }

    /// Returns whether too few bytes, including these, arrived in the time before `now`.
    pub(super) fn is_too_slow(&mut self, bytes: usize, now: Instant) -> bool {
        self.bytes += bytes as u64;
        if now.duration_since(self.since) < TIMEOUT {
            return false;
        }
        let is_too_slow = self.bytes < LEAST;
        *self = Self::new(now);
        is_too_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_hub(location: &str, scheme: HubScheme) -> Result<String, String> {
        let name = if scheme == HubScheme::Https { "https" } else { "http" };
        let hub = format!("{name}://hub.example:99/a/resolve/main/b").parse().unwrap();
        redirected(&hub, location, scheme).map(|to| to.to_string())
    }

    #[test]
    fn redirects_lead_to_a_path_of_the_hub_or_to_another_server() {
        let on_hub = Ok("https://hub.example:99/api/cache?x=1".to_owned());
        assert_eq!(from_hub("/api/cache?x=1", HubScheme::Https), on_hub);
        let elsewhere = "https://cdn.example/b?signature=1";
        assert_eq!(from_hub(elsewhere, HubScheme::Https), Ok(elsewhere.to_owned()));
        assert_eq!(from_hub(elsewhere, HubScheme::Http), Ok(elsewhere.to_owned()));
    }

    #[test]
    fn a_redirect_leads_to_plain_http_only_from_plain_http() {
        let plain = "http://cdn.example/b";
        assert!(from_hub(plain, HubScheme::Https).unwrap_err().contains("plain HTTP"));
        assert_eq!(from_hub(plain, HubScheme::Http), Ok(plain.to_owned()));
    }

    #[test]
    fn a_redirect_to_anything_but_a_web_server_is_refused() {
        for location in
            ["", "b", "file:///etc/passwd", "ftp://cdn.example/b", "http:", "https://", "ht tp://b", "\u{7f}"]
        {
            assert!(from_hub(location, HubScheme::Http).is_err(), "{location:?}");
        }
    }

    #[test]
    fn a_trickle_is_too_slow_and_one_kilobyte_a_second_is_not() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for second in 1..=120 {
            assert!(!pace.is_too_slow(1 << 10, start + Duration::from_secs(second)), "{second}");
        }
        let mut pace = Pace::new(start);
        let is_too_slow = |second| pace.is_too_slow(100, start + Duration::from_secs(second));
        assert_eq!((1..=60).map(is_too_slow).position(|slow| slow), Some(29));
    }
}
