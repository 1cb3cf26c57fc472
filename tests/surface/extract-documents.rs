// html/mod.rs
pub fn html(html: impl Into<String>) -> Result<Document, DocumentError> {}

// lib.rs
#[cfg(feature = "pdf")]
pub use self::pdf::{PdfError, pdf};
pub use self::{html::html, markdown::markdown};

// markdown.rs
pub fn markdown(text: impl Into<String>) -> Result<Document, DocumentError> {}

// pdf/error.rs
#[derive(Debug)]
#[non_exhaustive]
pub enum PdfError {
    Unreadable { reason: String },
    Encrypted,
    NoPages,
    NoText { pages: Vec<usize>, document: Document },
    TooLarge { reason: String },
}

// pdf/mod.rs
pub use self::error::PdfError;
pub fn pdf(bytes: impl AsRef<[u8]>) -> Result<Document, PdfError> {}

