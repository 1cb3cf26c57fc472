//! Errors of reading a PDF.

use std::fmt;

use extract::document::Document;

/// Why a PDF does not become a document.
#[derive(Debug)]
#[non_exhaustive]
pub enum PdfError {
    /// The bytes are not a readable PDF: a different format, cut off, or broken.
    Unreadable {
        /// The reader's message.
        reason: String,
    },
    /// The PDF needs a password.
    Encrypted,
    /// The PDF has no pages.
    NoPages,
    /// Some pages have images but no text, such as scanned pages, or text whose characters the PDF
    /// does not identify. They need text recognition first.
    NoText {
        /// The numbers of these pages, from 1.
        pages: Vec<usize>,
        /// The document without the text of these pages, for callers that can do without it.
        document: Document,
    },
    /// Reading it would exceed the limits of [`pdf`](crate::pdf) for one file.
    TooLarge {
        /// The part that is too large, and the limit.
        reason: String,
    },
}

impl fmt::Display for PdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { reason } => write!(f, "not a readable PDF: {reason}"),
            Self::Encrypted => f.write_str("the PDF is encrypted and needs a password; decrypt it first"),
            Self::NoPages => f.write_str("the PDF has no pages"),
            Self::NoText { pages, document } => {
                let all = document.sections().len();
                write!(f, "{} of {all} pages of the PDF have no text layer (", pages.len())?;
                write_numbers(f, pages)?;
                f.write_str("), as scanned pages have none; run text recognition on them first")
            }
            Self::TooLarge { reason } => write!(f, "the PDF is too large: {reason}"),
        }
    }
}

impl std::error::Error for PdfError {}

/// The error of the reader.
pub(super) fn unreadable(error: lopdf::Error) -> PdfError {
    match error {
        lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_) => PdfError::Encrypted,
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { limit }) => {
            PdfError::TooLarge { reason: format!("one stream has more than {} MiB", limit >> 20) }
        }
        error => PdfError::Unreadable { reason: error.to_string() },
    }
}

/// Maximum number of page ranges that a message names.
const MAX_NAMED: usize = 10;

/// Writes `2 to 4, 7`.
fn write_numbers(f: &mut fmt::Formatter<'_>, numbers: &[usize]) -> fmt::Result {
    let ranges: Vec<_> = numbers.chunk_by(|one, next| one + 1 == *next).collect();
    for (index, range) in ranges.iter().take(MAX_NAMED).enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        match range {
            [first, .., last] => write!(f, "{comma}{first} to {last}")?,
            one => write!(f, "{comma}{}", one[0])?,
        }
    }
    if ranges.len() > MAX_NAMED { f.write_str(", …") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use extract::document::DocumentPart;

    use super::*;

    #[test]
    fn pages_without_text_are_named_as_ranges() {
        let document = Document::from_parts((1..=9).map(|page| DocumentPart::page(page, "")));
        let error = PdfError::NoText { pages: vec![1, 3, 4, 5, 9], document: document.clone() };
        assert!(
            error.to_string().starts_with("5 of 9 pages of the PDF have no text layer (1, 3 to 5, 9), as")
        );
        let error = PdfError::NoText { pages: (0..40).map(|n| 2 * n).collect(), document };
        assert!(error.to_string().contains("16, 18, …)"), "{error}");
    }
}
