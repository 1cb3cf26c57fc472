//! Why a request is refused.

use std::convert::Infallible;

use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};

#[derive(Debug, Clone, Copy)]
pub(super) enum RequestRefusal {
    Misaddressed,
    Unauthorized,
    NotFound,
    TooManyRequests,
    TooManyStreams,
    TooManySessions,
    TooSlow,
    TooLarge,
    Cut,
}

impl RequestRefusal {
    pub(super) fn into_response(self) -> Response<BoxBody<Bytes, Infallible>> {
        let (status, text) = match self {
            Self::Misaddressed => (
                StatusCode::BAD_REQUEST,
                "name the host once, in the header `Host`, without a user, and the path alone in the request line",
            ),
            Self::Unauthorized => {
                (StatusCode::UNAUTHORIZED, "a bearer token is required, and this is not it")
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "the server is at /mcp"),
            Self::TooManyRequests => (StatusCode::SERVICE_UNAVAILABLE, "too many requests are in work"),
            Self::TooManyStreams => (StatusCode::SERVICE_UNAVAILABLE, "too many event streams are open"),
            Self::TooManySessions => (StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            Self::Cut => (StatusCode::BAD_REQUEST, "the request ended before its end"),
        };
        let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
        *response.status_mut() = status;
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after() {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }

    /// Seconds after which a retry may succeed. Requests end soon; streams and sessions end when a
    /// client disconnects.
    fn retry_after(self) -> Option<u16> {
        match self {
            Self::TooManyRequests => Some(1),
            Self::TooManyStreams | Self::TooManySessions => Some(30),
            _ => None,
        }
    }
}
