//! A page on which a person reviews the values of a job, on this machine only.
//!
//! `form` makes a form of a schema, `digits` finds numbers that would be rounded, `hidden` finds values
//! that were left out, `places` finds values in a text and `texts` keeps the documents. `desk` has the
//! state of a review and `site` connects it with requests.

mod desk;
mod form;
mod hidden;
mod places;
mod site;
mod texts;
mod token;

use std::{net::SocketAddr, sync::Arc};

pub(crate) use self::{
    desk::{DeskError, DeskOptions, ReviewDesk},
    texts::DocumentTexts,
};
use self::{site::ReviewSite, token::LinkToken};
use crate::{
    error::{Exit, Failure},
    loopback::LoopbackServer,
};

/// The page of a review, which is served as long as this value lives.
pub(crate) struct Review {
    server: LoopbackServer,
    token: String,
}

impl Review {
    pub(crate) fn serve(address: SocketAddr, desk: ReviewDesk) -> Result<Self, Failure> {
        let token = LinkToken::random().map_err(|error| {
            Failure::new(Exit::Storage, format!("the system gives no random numbers: {error}"))
        })?;
        let shown = token.to_string();
        let server =
            LoopbackServer::start(address, Arc::new(ReviewSite::new(desk, token))).map_err(|error| {
                Failure::new(Exit::Storage, format!("no page can be served at `{address}`: {error}"))
                    .help("`--listen 127.0.0.1:0` takes a free port")
            })?;
        Ok(Self { server, token: shown })
    }

    /// The link to the page. Browsers do not send what is after the `#`, so the token is in no
    /// request but those of the page's script.
    pub(crate) fn link(&self) -> String {
        format!("http://{}/#{}", self.server.address(), self.token)
    }
}
