//! Checks a request before the protocol handles it: its token, its path, its size and the limits.

use std::{convert::Infallible, future::pending, sync::Arc};

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN},
};
use rmcp::transport::{StreamableHttpService, streamable_http_server::session::local::LocalSessionManager};
use subtle::ConstantTimeEq as _;
use tokio::time::timeout;

use super::{
    idle::{BODY_TIMEOUT, ConnectionState},
    limits::{BodyWithPermit, RequestLimits, RequestPermit},
    refusal::RequestRefusal,
};
use crate::handler::ToolHandler;

/// Maximum number of sessions at a time; unused ones end after five minutes.
const MAX_SESSIONS: usize = 256;

const PATH: &str = "/mcp";

const SESSION: &str = "mcp-session-id";

type HttpAnswer<B = BoxBody<Bytes, Infallible>> = Response<BodyWithPermit<B>>;

/// Checks requests and passes the accepted ones on.
pub(super) struct RequestHandler {
    pub(super) service: StreamableHttpService<ToolHandler, LocalSessionManager>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) token: Option<String>,
    pub(super) max_body_bytes: usize,
    pub(super) limits: RequestLimits,
}

impl RequestHandler {
    pub(super) async fn handle(
        &self,
        request: Request<Incoming>,
        connection: Arc<ConnectionState>,
    ) -> HttpAnswer {
        match self.admit(request, &connection).await {
            Ok((request, permit)) => self.forward(request, permit).await,
            Err(refusal) => refusal.into_response().map(|body| BodyWithPermit { body, permit: None }),
        }
    }

    async fn forward(&self, request: Request<Full<Bytes>>, mut permit: RequestPermit) -> HttpAnswer {
        let method = request.method().clone();
        let mut response = self.service.handle(request).await;
        if response.status().is_success() {
            permit.active.mark_as_client();
        }
        // The official Python client treats 202 as a failure to end the session.
        if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response.map(|body| BodyWithPermit { body, permit: Some(permit) })
    }

    /// The complete request and its permit. Its connection is idle until the body has arrived, so
    /// half a request does not hold a permit.
    async fn admit(
        &self,
        request: Request<Incoming>,
        connection: &Arc<ConnectionState>,
    ) -> Result<(Request<Full<Bytes>>, RequestPermit), RequestRefusal> {
        if !names_one_host(&request) {
            return Err(RequestRefusal::Misaddressed);
        }
        if !self.is_authorized(request.headers()) {
            return Err(RequestRefusal::Unauthorized);
        }
        if request.uri().path() != PATH {
            return Err(RequestRefusal::NotFound);
        }
        let (head, body) = request.into_parts();
        if self.token.is_some() {
            connection.expect_body_of_client();
        } else {
            connection.expect_body();
        }
        let body = self.body(body).await?;
        let Some(active) = connection.activate() else {
            // The connection is being closed, and drops this future.
            return pending().await;
        };
        let permit = self.limits.acquire(&head.method, active)?;
        let opens = head.method == Method::POST && !head.headers.contains_key(SESSION);
        if opens && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            return Err(RequestRefusal::TooManySessions);
        }
        Ok((Request::from_parts(head, Full::new(body)), permit))
    }

    async fn body(&self, body: Incoming) -> Result<Bytes, RequestRefusal> {
        let body = timeout(BODY_TIMEOUT, Limited::new(body, self.max_body_bytes).collect()).await;
        match body.map_err(|_| RequestRefusal::TooSlow)? {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => Err(RequestRefusal::TooLarge),
            Err(_) => Err(RequestRefusal::Cut),
        }
    }

    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let mut given = headers.get_all(AUTHORIZATION).iter();
        match (given.next(), given.next()) {
            (Some(given), None) => bearer(given).is_some_and(|given| given.ct_eq(token.as_bytes()).into()),
            _ => false,
        }
    }
}

/// Returns whether the request names its host only once, in the header, and without a user.
/// Otherwise a proxy, a browser and this server may each read another host in it (RFC 9112, section
/// 3.2).
fn names_one_host<B>(request: &Request<B>) -> bool {
    let uri = request.uri();
    let is_once = |name| request.headers().get_all(name).iter().nth(1).is_none();
    let has_user = || request.headers().get(HOST).is_some_and(|host| host.as_bytes().contains(&b'@'));
    uri.scheme().is_none() && uri.authority().is_none() && is_once(HOST) && is_once(ORIGIN) && !has_user()
}

/// The token of `Bearer <token>`; the scheme in any case (RFC 9110, section 11.1).
fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_once_in_the_header_and_without_a_user() {
        let named = |uri: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().uri(uri);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            names_one_host(&request.body(()).unwrap())
        };
        let host = ("Host", "127.0.0.1:8000");
        assert!(named("/mcp", &[host]) && named("/mcp?a=http://b@c", &[host]));
        for (uri, headers) in [
            ("/mcp", &[host, host][..]),
            ("/mcp", &[host, ("Host", "attacker.example")]),
            ("/mcp", &[host, ("Origin", "http://localhost"), ("Origin", "http://attacker.example")]),
            ("/mcp", &[("Host", "user@127.0.0.1:8000")]),
            ("/mcp", &[("Host", "@127.0.0.1")]),
            ("/mcp", &[("Host", "attacker.example:80@127.0.0.1")]),
            ("http://127.0.0.1:8000/mcp", &[host]),
            ("http://attacker.example/mcp", &[host]),
            ("https://user@127.0.0.1/mcp", &[host]),
            ("127.0.0.1:8000", &[host]),
        ] {
            assert!(!named(uri, headers), "{uri} {headers:?}");
        }
    }

    #[test]
    fn takes_the_token_of_the_bearer_scheme_only() {
        let token = |value: &'static str| {
            bearer(&HeaderValue::from_static(value)).map(|token| String::from_utf8(token.to_vec()).unwrap())
        };
        assert_eq!(token("Bearer abc"), Some("abc".into()));
        assert_eq!(token("bearer   abc "), Some("abc".into()));
        for value in ["", "Bearer", "Basic abc", "Bearerabc", "abc"] {
            assert_eq!(token(value), None, "{value}");
        }
    }
}
