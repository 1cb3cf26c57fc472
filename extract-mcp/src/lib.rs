#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! A client is an agent that connects by itself. It is not asked, but calls the tools `example`,
//! `validate` and `submit` of a [`Toolkit`](extract::Toolkit). [`serve`] serves until one value is
//! accepted, and returns it like an extraction. A [`Server`] keeps serving, for one or several
//! types, and passes every outcome to a callback. Both work over the standard streams of a program
//! that the client has started, over any other stream, and over streamable [`Http`].
//!
//! A message on a stream may have up to 8 MiB; a longer one ends the connection. [`Http`] lists the
//! limits over HTTP.
//!
//! Everything must be awaited on a tokio runtime with its drivers enabled, and panics without one.
//! Tools declare the schema of their results as `outputSchema`, and results have
//! `structuredContent` besides the text. A call that the client cancels has no effect.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod handler;
mod http;
mod line_limit;
mod pipe;
mod served;
mod server;
mod serving;

pub use self::{
    http::Http,
    served::IntoKept,
    server::Server,
    serving::{Serving, serve},
};

/// The examples of the page of the book, for the tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tools.md")]
struct ToolsPage;
