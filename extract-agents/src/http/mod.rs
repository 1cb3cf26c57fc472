//! Requests over HTTP.
//!
//! The client is hyper with rustls, the root certificates of Mozilla, and hyper-util's reader of
//! the variables for proxies. Counted in November 2026 with `cargo tree`, these are 36 crates that
//! the core does not have; `reqwest` 0.13 with rustls is 83, half of them for URLs in all scripts,
//! middleware and the certificates of the system. Little is missing here: connections that are kept
//! between requests, a loop for redirects, and the limits, which `reqwest` does not have either: it
//! reads a body into memory however long it is.

mod client;
mod connect;
mod limits;
mod pool;
mod response;
mod target;
mod tls;
mod url;

pub(crate) use self::{
    client::HttpClient,
    response::Response,
    target::Target,
    url::{escaped, joined},
};
