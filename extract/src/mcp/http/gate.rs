//! What a request has to get past before the protocol sees it.

use std::{convert::Infallible, sync::Arc};

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE},
};
use rmcp::transport::{StreamableHttpService, streamable_http_server::session::local::LocalSessionManager};
use subtle::ConstantTimeEq as _;
use tokio::time::timeout;

use super::{
    PATIENCE,
    in_flight::{Counted, InFlight},
};
use crate::mcp::front::Front;

/// Sessions at a time; those that nobody uses end after five minutes.
const MAX_SESSIONS: usize = 256;

const PATH: &str = "/mcp";

const SESSION: &str = "mcp-session-id";

type Answer<B = BoxBody<Bytes, Infallible>> = Response<Counted<B>>;

pub(super) struct Gate {
    pub(super) service: StreamableHttpService<Front, LocalSessionManager>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) token: Option<String>,
    pub(super) max_body_bytes: usize,
    pub(super) in_flight: InFlight,
}

impl Gate {
    pub(super) async fn pass(&self, request: Request<Incoming>) -> Answer {
        let method = request.method().clone();
        // A stream that was asked for with GET never ends by itself.
        let entered = (method != Method::GET).then(|| self.in_flight.enter());
        let mut response = match self.admit(request).await {
            Ok(request) => self.service.handle(request).await,
            Err(refusal) => refusal.into_response(),
        };
        // The official Python client takes 202 for a failure to end the session.
        if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response.map(|body| Counted { body, entered })
    }

    /// The request with its body, if it may pass.
    async fn admit(&self, request: Request<Incoming>) -> Result<Request<Full<Bytes>>, Refusal> {
        if !self.is_authorized(request.headers()) {
            return Err(Refusal::Unauthorized);
        }
        if request.uri().path() != PATH {
            return Err(Refusal::NotFound);
        }
        let opens = request.method() == Method::POST && !request.headers().contains_key(SESSION);
        if opens && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            return Err(Refusal::Busy);
        }
        let (head, body) = request.into_parts();
        let body = timeout(PATIENCE, Limited::new(body, self.max_body_bytes).collect()).await;
        match body.map_err(|_| Refusal::TooSlow)? {
            Ok(body) => Ok(Request::from_parts(head, Full::new(body.to_bytes()))),
            Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
            Err(_) => Err(Refusal::Cut),
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

/// The token of `Bearer <token>`; the scheme in any case (RFC 9110, section 11.1).
fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

#[derive(Debug, Clone, Copy)]
enum Refusal {
    Unauthorized,
    NotFound,
    Busy,
    TooSlow,
    TooLarge,
    Cut,
}

impl Refusal {
    fn into_response(self) -> Response<BoxBody<Bytes, Infallible>> {
        let (status, text) = match self {
            Self::Unauthorized => {
                (StatusCode::UNAUTHORIZED, "a bearer token is required, and this is not it")
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "the server is at /mcp"),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            Self::Cut => (StatusCode::BAD_REQUEST, "the request ended before its end"),
        };
        let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
        *response.status_mut() = status;
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
