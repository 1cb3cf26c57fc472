#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod html;
mod markdown;
#[cfg(feature = "pdf")]
mod pdf;
mod view;

#[cfg(feature = "pdf")]
pub use self::pdf::{PdfError, pdf};
pub use self::{
    html::html,
    markdown::markdown,
    view::{View, view},
};

/// The examples of the page of the book, for the tests.
#[cfg(all(doctest, feature = "pdf"))]
#[doc = include_str!("../../docs/documents.md")]
struct DocumentsPage;
