//! Reads the head of a request, only the parts that this server needs.

use std::net::SocketAddr;

/// The page that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Page,
    Json,
    Style,
    Script,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not HTTP, or its target is another server.
    Malformed,
    /// It names another host: the page of another site that has this machine's address as its own.
    OtherHost,
    /// It is sent by the page of another site.
    OtherOrigin,
    NotFound,
    /// Only GET changes nothing.
    NotAllowed,
}

/// Returns the page that the request with this head asks for. The server is at `address`.
pub(super) fn asked(head: &str, address: SocketAddr) -> Result<Asked, Refusal> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Refusal::Malformed);
    };
    // A target with its own host may name another one than the header.
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || !target.starts_with('/') {
        return Err(Refusal::Malformed);
    }
    check_headers(lines, address)?;
    if method != "GET" {
        return Err(Refusal::NotAllowed);
    }
    match target.split('?').next().unwrap_or_default() {
        "/" => Ok(Asked::Page),
        "/status.json" => Ok(Asked::Json),
        "/status.css" => Ok(Asked::Style),
        "/status.js" => Ok(Asked::Script),
        _ => Err(Refusal::NotFound),
    }
}

/// Checks that the host is named once and is this one, and the origin, if there is one.
fn check_headers<'h>(lines: impl Iterator<Item = &'h str>, address: SocketAddr) -> Result<(), Refusal> {
    let (mut hosts, mut origins) = (Vec::new(), Vec::new());
    for line in lines.take_while(|line| !line.is_empty()) {
        // A continued line, or a name with a space, is read in several ways.
        let (name, value) = line.split_once(':').ok_or(Refusal::Malformed)?;
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(Refusal::Malformed);
        }
        let value = value.trim();
        if name.eq_ignore_ascii_case("host") {
            hosts.push(value);
        } else if name.eq_ignore_ascii_case("origin") {
            origins.push(value);
        }
    }
    match hosts[..] {
        [host] if is_here(host, address) => {}
        [_] => return Err(Refusal::OtherHost),
        _ => return Err(Refusal::Malformed),
    }
    match origins[..] {
        [] => Ok(()),
        [origin] if origin.strip_prefix("http://").is_some_and(|host| is_here(host, address)) => Ok(()),
        _ => Err(Refusal::OtherOrigin),
    }
}

/// Returns whether `host` is a name of this server, with its port.
fn is_here(host: &str, address: SocketAddr) -> bool {
    let port = address.port();
    let named = |name: &str| host.eq_ignore_ascii_case(&format!("{name}:{port}"));
    host == address.to_string()
        || named("localhost")
        || named("127.0.0.1")
        || named("[::1]")
        // Browsers leave the usual port away.
        || port == 80 && ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| host.eq_ignore_ascii_case(name))
}

impl Refusal {
    /// The status line, and a text for people.
    pub(super) fn answer(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => ("400 Bad Request", "this is no request that this server reads"),
            Self::OtherHost => {
                ("421 Misdirected Request", "the page is at the address that the program printed")
            }
            Self::OtherOrigin => ("403 Forbidden", "the page is not for other sites"),
            Self::NotFound => ("404 Not Found", "the page is at /"),
            Self::NotAllowed => ("405 Method Not Allowed", "the page can be looked at, with GET"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Result<Asked, Refusal> {
        asked(&format!("{}\r\n\r\n", head.replace('\n', "\r\n")), "127.0.0.1:4711".parse().unwrap())
    }

    #[test]
    fn four_things_are_served() {
        for (path, what) in [
            ("/", Asked::Page),
            ("/?a=b", Asked::Page),
            ("/status.json", Asked::Json),
            ("/status.css", Asked::Style),
            ("/status.js", Asked::Script),
        ] {
            for host in ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "[::1]:4711"] {
                assert_eq!(of(&format!("GET {path} HTTP/1.1\nhost: {host}\nAccept: */*")), Ok(what));
            }
        }
        for path in ["/x", "//", "/../etc/passwd", "/status.json/", "/%2e%2e"] {
            assert_eq!(of(&format!("GET {path} HTTP/1.1\nHost: localhost:4711")), Err(Refusal::NotFound));
        }
    }

    #[test]
    fn nothing_but_get_is_allowed() {
        for method in ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "get", "CONNECT"] {
            assert_eq!(of(&format!("{method} / HTTP/1.1\nHost: localhost:4711")), Err(Refusal::NotAllowed));
        }
    }

    #[test]
    fn other_hosts_and_origins_are_refused() {
        for host in
            ["attacker.example", "attacker.example:4711", "localhost", "127.0.0.1:80", "127.0.0.1:47110", ""]
        {
            assert_eq!(of(&format!("GET / HTTP/1.1\nHost: {host}")), Err(Refusal::OtherHost), "{host}");
        }
        for head in [
            "GET / HTTP/1.1",
            "GET / HTTP/1.1\nHost: localhost:4711\nHost: localhost:4711",
            "GET / HTTP/1.1\nHost: localhost:4711\n Host: attacker.example",
            "GET / HTTP/1.1\nHost : localhost:4711",
            "GET http://attacker.example/ HTTP/1.1\nHost: localhost:4711",
            "GET  / HTTP/1.1\nHost: localhost:4711",
            "GET /",
            "GET / HTTP/2\nHost: localhost:4711",
            "",
        ] {
            assert_eq!(of(head), Err(Refusal::Malformed), "{head}");
        }
        let with = |origin: &str| of(&format!("GET / HTTP/1.1\nHost: localhost:4711\nOrigin: {origin}"));
        assert_eq!(with("http://localhost:4711"), Ok(Asked::Page));
        for origin in ["http://attacker.example", "https://localhost:4711", "null", "http://localhost:47112"]
        {
            assert_eq!(with(origin), Err(Refusal::OtherOrigin), "{origin}");
        }
    }
}
