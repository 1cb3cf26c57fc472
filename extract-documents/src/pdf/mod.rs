//! PDF files with a text layer.
//!
//! The crate `lopdf` reads the file: its objects, compression, encryption and the characters of its
//! fonts. This module decides where words and lines end, from the positions of the letters.

mod budget;
mod characters;
mod error;
mod font;
mod lines;
mod matrix;
mod objects;
mod operations;
mod page;
mod resources;
#[cfg(test)]
mod tests;
mod whole;

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use extract::document::{Document, DocumentPart};

pub use self::error::PdfError;
use self::{
    budget::Budget,
    page::{Page, Pages},
};

/// Creates a document from the text layer of a PDF, with its pages.
///
/// Each page is a [section](Document::sections), and [`Span::page`](extract::document::Span::page) is
/// its number, from 1. Spaces, lines and paragraphs are derived from the positions of the letters.
/// The text is in the order in which the file draws it. Invisible text is included, because
/// text recognition puts it behind the image of a page. A letter whose character the file does
/// not identify becomes U+FFFD. Annotations and form fields are omitted.
///
/// The file may be hostile. Reading it costs at most 16 MiB and 64 times its size of decompressed
/// content, and never more than 512 MiB; 64 MiB of text; and 128 MiB of memory for its fonts. One
/// page may have 64 MiB of content, and one operation 512 KiB of operands. The file's objects
/// take memory in addition while it is open, up to sixty times their text, which may have 2 MiB and
/// 16 times the size of the file if it is compressed, and never more than 128 MiB: limit the size of
/// files that you do not trust. An encrypted file that opens without a password has this limit for
/// each of its compressed objects.
///
/// # Errors
///
/// If the bytes are not a readable PDF, or if it needs a password, is too large, or has [pages
/// without text](PdfError::NoText), such as scanned ones.
///
/// ```no_run
/// use extract_documents::PdfError;
///
/// let bytes = std::fs::read("contract.pdf")?;
/// let document = match extract_documents::pdf(&bytes) {
///     // The appendix is scanned, and not needed.
///     Err(PdfError::NoText { pages, document }) if pages[0] > 20 => document,
///     result => result?,
/// };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pdf(bytes: impl AsRef<[u8]>) -> Result<Document, PdfError> {
    // The reader promises not to panic. If it does anyway, one file must not end the program.
    let pages = catch_unwind(AssertUnwindSafe(|| pages(bytes.as_ref())))
        .unwrap_or_else(|panic| Err(PdfError::Unreadable { reason: message_of(&*panic).to_owned() }))?;
    let lacking: Vec<_> =
        (1..).zip(&pages).filter(|(_, page)| page.lacks_text()).map(|(number, _)| number).collect();
    let parts = (1..).zip(pages).map(|(number, page)| {
        DocumentPart::page(number, if page.lacks_text() { String::new() } else { page.text })
    });
    let document = Document::from_parts(parts);
    if lacking.is_empty() { Ok(document) } else { Err(PdfError::NoText { pages: lacking, document }) }
}

fn pages(bytes: &[u8]) -> Result<Vec<Page>, PdfError> {
    let pdf = objects::load(bytes)?;
    if pdf.is_encrypted() {
        return Err(PdfError::Encrypted);
    }
    let ids: Vec<_> = pdf.page_iter().collect();
    whole::check(&pdf, &ids)?;
    let mut pages = Pages::new(&pdf, Budget::of_file(bytes.len()));
    let read: Vec<_> = ids.into_iter().map(|page| pages.read(page)).collect::<Result<_, _>>()?;
    if read.is_empty() { Err(PdfError::NoPages) } else { Ok(read) }
}

/// The message of a caught panic.
fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
