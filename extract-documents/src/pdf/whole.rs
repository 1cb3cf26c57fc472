//! Checks that a file contains everything its pages need.
//!
//! The reader salvages the rest of a truncated file, and treats missing parts as empty. A page
//! would thus lose its text silently.

use lopdf::{Dictionary, Document as Pdf, Object, ObjectId};

use super::PdfError;

/// Fails if a page of `pages`, or content that it shows, is missing from the file.
pub(super) fn check(pdf: &Pdf, pages: &[ObjectId]) -> Result<(), PdfError> {
    let count = page_tree(pdf).and_then(|tree| tree.get_deref(b"Count", pdf).and_then(Object::as_i64).ok());
    if let Some(count) =
        count.and_then(|count| usize::try_from(count).ok()).filter(|count| *count > pages.len())
    {
        return Err(missing(&format!("it says {count} pages and has {}", pages.len())));
    }
    for (number, id) in (1..).zip(pages) {
        let page = pdf.get_dictionary(*id).map_err(|_| missing(&format!("page {number} is not in it")))?;
        if !has_contents(pdf, page) {
            return Err(missing(&format!("what page {number} shows is not in it")));
        }
    }
    Ok(())
}

fn page_tree(pdf: &Pdf) -> Option<&Dictionary> {
    pdf.catalog().and_then(|catalog| catalog.get_deref(b"Pages", pdf)).and_then(Object::as_dict).ok()
}

/// Returns whether every content stream of the page is present. A page may have none.
fn has_contents(pdf: &Pdf, page: &Dictionary) -> bool {
    let Ok(contents) = page.get(b"Contents") else { return true };
    let is_stream =
        |object: &Object| pdf.dereference(object).is_ok_and(|(_, object)| object.as_stream().is_ok());
    match pdf.dereference(contents) {
        Ok((_, Object::Array(parts))) => parts.iter().all(is_stream),
        Ok((_, Object::Null)) if contents.as_reference().is_err() => true,
        _ => is_stream(contents),
    }
}

fn missing(what: &str) -> PdfError {
    PdfError::Unreadable { reason: format!("the file is cut off or damaged: {what}") }
}
