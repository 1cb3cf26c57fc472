//! Answers, and the headers that keep other sites out.

use super::request::RefusedRequest;

/// A page loads its own style, script and data, and nothing else.
const HEADERS: &str = "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                       img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
                       X-Content-Type-Options: nosniff\r\n\
                       X-Frame-Options: DENY\r\n\
                       Referrer-Policy: no-referrer\r\n\
                       Cross-Origin-Resource-Policy: same-origin\r\n\
                       Cross-Origin-Opener-Policy: same-origin\r\n\
                       Cache-Control: no-store\r\n\
                       Connection: close\r\n";

/// An answer to a request.
#[derive(Debug)]
pub(crate) struct LoopbackAnswer {
    status: &'static str,
    media_type: &'static str,
    body: Vec<u8>,
}

impl LoopbackAnswer {
    fn ok(media_type: &'static str, body: impl Into<String>) -> Self {
        Self { status: "200 OK", media_type, body: body.into().into_bytes() }
    }

    /// Bytes that are not text, such as an image.
    pub(crate) fn bytes(media_type: &'static str, body: Vec<u8>) -> Self {
        Self { status: "200 OK", media_type, body }
    }

    pub(crate) fn html(body: impl Into<String>) -> Self {
        Self::ok("text/html", body)
    }

    pub(crate) fn css(body: impl Into<String>) -> Self {
        Self::ok("text/css", body)
    }

    pub(crate) fn javascript(body: impl Into<String>) -> Self {
        Self::ok("text/javascript", body)
    }

    pub(crate) fn json(body: impl Into<String>) -> Self {
        Self::ok("application/json", body)
    }

    /// The same with another status, such as `409 Conflict`.
    pub(crate) fn status(self, status: &'static str) -> Self {
        Self { status, ..self }
    }

    pub(super) fn refused(refusal: RefusedRequest) -> Self {
        let (status, text) = refusal.answer();
        Self { status, media_type: "text/plain", body: text.as_bytes().to_owned() }
    }

    /// The bytes that are sent.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let Self { status, media_type, body } = self;
        let is_text = media_type.starts_with("text/") || media_type == "application/json";
        let charset = if is_text { "; charset=utf-8" } else { "" };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}{charset}\r\nContent-Length: {}\r\n{HEADERS}\r\n",
            body.len()
        );
        [head.into_bytes(), body].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_keeps_other_sites_out() {
        for answer in [
            LoopbackAnswer::html("é"),
            LoopbackAnswer::json("{}"),
            LoopbackAnswer::refused(RefusedRequest::OtherHost),
        ] {
            let text = String::from_utf8(answer.into_bytes()).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.contains("default-src 'none'") && head.contains("nosniff"), "{head}");
            assert!(!head.contains("unsafe") && head.contains("frame-ancestors 'none'"), "{head}");
            assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
        }
    }
}
