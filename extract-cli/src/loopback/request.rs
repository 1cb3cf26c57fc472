//! Reads a request, only the parts that these servers need.

use std::net::SocketAddr;

/// How a request asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Looks at something.
    Get,
    /// Changes something.
    Post,
}

/// A request that names this server and comes from no other site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopbackRequest {
    pub(crate) method: Method,
    /// Without the query.
    pub(crate) path: String,
    query: String,
    /// Names in small letters.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedRequest {
    /// It is not HTTP, or its target is another server.
    Malformed,
    /// It names another host: the page of another site that has this machine's address as its own.
    OtherHost,
    /// It is sent by the page of another site, or is a change that does not say which page sent it.
    OtherOrigin,
    /// It lacks the token of the link that the program printed.
    NoToken,
    NotFound,
    /// The path is not asked in this way.
    NotAllowed,
    TooLarge,
}

impl LoopbackRequest {
    /// Reads the head of a request. The server is at `address`.
    pub(super) fn of(head: &str, address: SocketAddr) -> Result<Self, RefusedRequest> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(RefusedRequest::Malformed);
        };
        // A target with its own host may name another one than the header.
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || !target.starts_with('/') {
            return Err(RefusedRequest::Malformed);
        }
        let headers = headers(lines)?;
        let method = match method {
            "GET" => Some(Method::Get),
            "POST" => Some(Method::Post),
            _ => None,
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let request = Self { method: method.unwrap_or(Method::Get), path, query, headers, body: Vec::new() };
        request.check(address)?;
        method.map(|_| request).ok_or(RefusedRequest::NotAllowed)
    }

    pub(super) fn with_body(self, body: Vec<u8>) -> Self {
        Self { body, ..self }
    }

    /// Checks that the host is named once and is this one, and the origin, if there is one.
    fn check(&self, address: SocketAddr) -> Result<(), RefusedRequest> {
        match self.named("host")[..] {
            [host] if is_here(host, address) => {}
            [_] => return Err(RefusedRequest::OtherHost),
            _ => return Err(RefusedRequest::Malformed),
        }
        match self.named("origin")[..] {
            [] => Ok(()),
            [origin] if origin.strip_prefix("http://").is_some_and(|host| is_here(host, address)) => Ok(()),
            _ => Err(RefusedRequest::OtherOrigin),
        }
    }

    /// The values of all headers with this name.
    fn named(&self, name: &str) -> Vec<&str> {
        let same = self.headers.iter().filter(|(known, _)| known == name);
        same.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns the value of a header that is there once; `name` in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        match self.named(name)[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// Returns a value of the query, with its escapes read.
    pub(crate) fn asks(&self, name: &str) -> Option<String> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(known, _)| *known == name).map(|(_, value)| unescaped(value)).next()
    }

    /// Returns how many bytes its body has.
    pub(super) fn length(&self) -> Result<usize, RefusedRequest> {
        if !self.named("transfer-encoding").is_empty() {
            return Err(RefusedRequest::Malformed);
        }
        match self.named("content-length")[..] {
            [] => Ok(0),
            [length] if !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => {
                length.parse().map_err(|_| RefusedRequest::TooLarge)
            }
            _ => Err(RefusedRequest::Malformed),
        }
    }
}

fn headers<'h>(lines: impl Iterator<Item = &'h str>) -> Result<Vec<(String, String)>, RefusedRequest> {
    let header = |line: &str| {
        // A continued line, or a name with a space, is read in several ways.
        let (name, value) = line.split_once(':').ok_or(RefusedRequest::Malformed)?;
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(RefusedRequest::Malformed);
        }
        Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    lines.take_while(|line| !line.is_empty()).map(header).collect()
}

/// A value of a query without its escapes; bytes that are not UTF-8 are replaced.
fn unescaped(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        let escaped = others.first_chunk().and_then(|digits: &[u8; 2]| {
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().filter(|_| digits[0] != b'+')
        });
        match (first, escaped) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

impl RefusedRequest {
    /// The status line, and a text for people.
    pub(super) fn answer(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => ("400 Bad Request", "this is no request that this server reads"),
            Self::OtherHost => {
                ("421 Misdirected Request", "the page is at the address that the program printed")
            }
            Self::OtherOrigin => ("403 Forbidden", "the page is not for other sites"),
            Self::NoToken => {
                ("401 Unauthorized", "open the link that the program printed; it has a token in it")
            }
            Self::NotFound => ("404 Not Found", "the page is at /"),
            Self::NotAllowed => ("405 Method Not Allowed", "this path is not asked in this way"),
            Self::TooLarge => ("413 Content Too Large", "the request is too large"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Result<LoopbackRequest, RefusedRequest> {
        LoopbackRequest::of(
            &format!("{}\r\n\r\n", head.replace('\n', "\r\n")),
            "127.0.0.1:4711".parse().unwrap(),
        )
    }

    #[test]
    fn a_request_names_this_machine() {
        for host in ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "[::1]:4711"] {
            let request = of(&format!("GET /list?a=%41+b%zz&c=%c3%a9 HTTP/1.1\nhost: {host}\nAccept: */*"));
            let request = request.unwrap();
            assert_eq!((request.method, &*request.path), (Method::Get, "/list"));
            assert_eq!(request.asks("a").as_deref(), Some("A b%zz"));
            assert_eq!(request.asks("c").as_deref(), Some("é"));
            assert_eq!((request.header("accept"), request.asks("d")), (Some("*/*"), None));
        }
    }

    #[test]
    fn other_methods_are_not_allowed() {
        for method in ["HEAD", "PUT", "DELETE", "OPTIONS", "get", "CONNECT"] {
            assert_eq!(
                of(&format!("{method} / HTTP/1.1\nHost: localhost:4711")),
                Err(RefusedRequest::NotAllowed)
            );
        }
    }

    #[test]
    fn other_hosts_and_origins_are_refused() {
        for host in
            ["attacker.example", "attacker.example:4711", "localhost", "127.0.0.1:80", "127.0.0.1:47110", ""]
        {
            assert_eq!(
                of(&format!("GET / HTTP/1.1\nHost: {host}")),
                Err(RefusedRequest::OtherHost),
                "{host}"
            );
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
            assert_eq!(of(head), Err(RefusedRequest::Malformed), "{head}");
        }
        let with = |method: &str, origin: &str| {
            of(&format!("{method} / HTTP/1.1\nHost: localhost:4711\nOrigin: {origin}")).map(drop)
        };
        for method in ["GET", "POST"] {
            assert_eq!(with(method, "http://localhost:4711"), Ok(()));
            for origin in
                ["http://attacker.example", "https://localhost:4711", "null", "http://localhost:47112"]
            {
                assert_eq!(with(method, origin), Err(RefusedRequest::OtherOrigin), "{origin}");
            }
        }
    }

    #[test]
    fn a_body_has_one_length() {
        let with =
            |headers: &str| of(&format!("GET / HTTP/1.1\nHost: localhost:4711{headers}")).unwrap().length();
        assert_eq!(with(""), Ok(0));
        assert_eq!(with("\nContent-Length: 12"), Ok(12));
        assert_eq!(with("\nContent-Length: 99999999999999999999999"), Err(RefusedRequest::TooLarge));
        for headers in
            ["\nContent-Length: 1\nContent-Length: 2", "\nContent-Length: +1", "\nTransfer-Encoding: chunked"]
        {
            assert_eq!(with(headers), Err(RefusedRequest::Malformed), "{headers}");
        }
    }
}
