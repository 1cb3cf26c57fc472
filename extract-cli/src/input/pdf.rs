//! Reads the text of PDF files.

use extract::document::Document;
#[cfg(feature = "pdf")]
use extract_documents::PdfError;

use super::item::InputError;

pub(super) const MEDIA_TYPE: &str = "application/pdf";

/// The text of a PDF with its pages. A page without text, such as a scanned one, is an error.
#[cfg(feature = "pdf")]
pub(super) fn text(name: &str, bytes: &[u8]) -> Result<Document, InputError> {
    match crate::panics::caught(|| extract_documents::pdf(bytes)) {
        Some(Ok(document)) => Ok(document),
        Some(Err(error)) => {
            let is_too_large = matches!(error, PdfError::TooLarge { .. });
            Err(InputError { is_too_large, ..InputError::new(name, error) })
        }
        None => Err(InputError::new(name, "the file is damaged")),
    }
}

#[cfg(not(feature = "pdf"))]
pub(super) fn text(name: &str, _: &[u8]) -> Result<Document, InputError> {
    Err(InputError::new(
        name,
        concat!("this build does not read PDF files; install it with: ", crate::install::install!("pdf")),
    ))
}
