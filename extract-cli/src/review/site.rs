//! The requests of the page of a review.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    desk::{ReviewDesk, ShownDocuments, Undecided},
    token::LinkToken,
};
use crate::loopback::{LoopbackAnswer, LoopbackRequest, Method, RefusedRequest, Site};

const PAGE: &str = include_str!("page/review.html");
const STYLE: &str = concat!(include_str!("../report/report.css"), include_str!("page/review.css"));
/// The parts of the script, in the order in which the page loads them.
const SCRIPTS: [(&str, &str); 5] = [
    ("/values.js", include_str!("page/values.js")),
    ("/fields.js", include_str!("page/fields.js")),
    ("/text.js", include_str!("page/text.js")),
    ("/list.js", include_str!("page/list.js")),
    ("/review.js", include_str!("page/review.js")),
];

/// The header with the token of the link. Neither a form nor a link of another site can send it.
const TOKEN: &str = "x-extractable-token";

/// A review on the network.
pub(super) struct ReviewSite {
    desk: ReviewDesk,
    token: LinkToken,
}

impl ReviewSite {
    pub(super) fn new(desk: ReviewDesk, token: LinkToken) -> Self {
        Self { desk, token }
    }

    /// Answers a request of somebody who has the link.
    fn data(&self, request: &LoopbackRequest) -> Result<LoopbackAnswer, RefusedRequest> {
        match (request.method, &*request.path) {
            (Method::Get, "/overview.json") => Ok(answer(&self.desk.overview())),
            (Method::Get, "/list.json") => self.list(request),
            (Method::Get, "/estimate.json") => Ok(known(self.desk.estimate())),
            (Method::Get, "/document.json") => {
                let index = number(request, "index").ok_or(RefusedRequest::NotFound)?;
                found(self.desk.document(index))
            }
            (Method::Get, "/image") => {
                let index = number(request, "index").ok_or(RefusedRequest::NotFound)?;
                match self.desk.image(index) {
                    Ok(Some((media_type, bytes))) => Ok(LoopbackAnswer::bytes(media_type, bytes)),
                    Ok(None) => Err(RefusedRequest::NotFound),
                    Err(error) => Ok(failed(&error)),
                }
            }
            (Method::Post, "/judge") => {
                let sent: Sent = read(request)?;
                found(self.desk.judge(sent.index, &sent.value))
            }
            (Method::Post, "/decide") => {
                let sent: Sent = read(request)?;
                Ok(self.decided(sent.index, self.desk.decide(sent.index, sent.version, &sent.value)))
            }
            (Method::Post, "/withdraw") => {
                let sent: Sent = read(request)?;
                Ok(self.decided(sent.index, self.desk.withdraw(sent.index, sent.version)))
            }
            (_, path) if PATHS.contains(&path) => Err(RefusedRequest::NotAllowed),
            _ => Err(RefusedRequest::NotFound),
        }
    }

    fn list(&self, request: &LoopbackRequest) -> Result<LoopbackAnswer, RefusedRequest> {
        let shown = match request.asks("show").as_deref() {
            None | Some("first") => ShownDocuments::First,
            Some("open") => ShownDocuments::Open,
            Some("all") => ShownDocuments::All,
            Some("decided") => ShownDocuments::Decided,
            Some(_) => return Err(RefusedRequest::NotFound),
        };
        let part = |name| number(request, name);
        let search = request.asks("search").unwrap_or_default();
        let range = (part("from").unwrap_or_default(), part("count").unwrap_or(100));
        Ok(known(self.desk.list(shown, &search, range)))
    }

    fn decided(&self, index: usize, decided: Result<u64, Undecided>) -> LoopbackAnswer {
        let undecided = match decided {
            Ok(version) => return answer(&json!({"version": version})),
            Err(undecided) => undecided,
        };
        let says = |message: String| json!({"message": message});
        match undecided {
            Undecided::Unknown => answer(&says("the job has no such document".to_owned())).status(NOT_FOUND),
            Undecided::NotGiven => answer(&says(
                "this document was not given or is empty, and a decision is kept with its text: start the review again with \
                 the documents of the job"
                    .to_owned(),
            ))
            .status(UNPROCESSABLE),
            Undecided::NotConforming(judged) => answer(&judged).status(UNPROCESSABLE),
            // With what is decided now, so that nobody has to ask for it.
            Undecided::Conflict => match self.desk.document(index) {
                Ok(now) => answer(&now).status("409 Conflict"),
                Err(error) => failed(&error),
            },
            Undecided::Failed(message) => answer(&says(message)).status(FAILED),
        }
    }
}

const NOT_FOUND: &str = "404 Not Found";
const UNPROCESSABLE: &str = "422 Unprocessable Content";
const FAILED: &str = "500 Internal Server Error";

/// The paths of data.
const PATHS: [&str; 8] = [
    "/overview.json",
    "/list.json",
    "/estimate.json",
    "/document.json",
    "/image",
    "/judge",
    "/decide",
    "/withdraw",
];

/// What the page sends about a document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    index: usize,
    /// The version of its decision that the reviewer saw.
    #[serde(default)]
    version: u64,
    /// The value as JSON, with the digits of its numbers.
    #[serde(default)]
    value: String,
}

impl Site for ReviewSite {
    /// A value, and its escapes inside of a string.
    const MAX_BODY: usize = 4 << 20;

    fn answer(&self, request: &LoopbackRequest) -> Result<LoopbackAnswer, RefusedRequest> {
        // The same for everybody, so it needs no token.
        let page = match &*request.path {
            "/" => Some(LoopbackAnswer::html(PAGE)),
            "/review.css" => Some(LoopbackAnswer::css(STYLE)),
            path => SCRIPTS
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, script)| LoopbackAnswer::javascript(*script)),
        };
        match (page, request.method) {
            (Some(page), Method::Get) => Ok(page),
            (Some(_), Method::Post) => Err(RefusedRequest::NotAllowed),
            (None, _) if !request.header(TOKEN).is_some_and(|sent| self.token.is(sent)) => {
                Err(RefusedRequest::NoToken)
            }
            // A browser names the origin of every change, and the server compares it.
            (None, Method::Post) if request.header("origin").is_none() => Err(RefusedRequest::OtherOrigin),
            (None, _) => self.data(request),
        }
    }
}

fn number(request: &LoopbackRequest, name: &str) -> Option<usize> {
    request.asks(name)?.parse().ok()
}

/// Reads a body. A form cannot send this media type.
fn read(request: &LoopbackRequest) -> Result<Sent, RefusedRequest> {
    if request.header("content-type") != Some("application/json") {
        return Err(RefusedRequest::Malformed);
    }
    serde_json::from_slice(&request.body).map_err(|_| RefusedRequest::Malformed)
}

fn answer(value: &impl Serialize) -> LoopbackAnswer {
    match serde_json::to_string(value) {
        Ok(json) => LoopbackAnswer::json(json),
        Err(error) => failed(&error),
    }
}

fn known<T: Serialize>(result: Result<T, impl Display>) -> LoopbackAnswer {
    result.map_or_else(|error| failed(&error), |value| answer(&value))
}

fn found<T: Serialize>(result: Result<Option<T>, impl Display>) -> Result<LoopbackAnswer, RefusedRequest> {
    match result {
        Ok(None) => Err(RefusedRequest::NotFound),
        Ok(Some(value)) => Ok(answer(&value)),
        Err(error) => Ok(failed(&error)),
    }
}

fn failed(error: &impl Display) -> LoopbackAnswer {
    LoopbackAnswer::json(json!({"message": error.to_string()}).to_string()).status(FAILED)
}
