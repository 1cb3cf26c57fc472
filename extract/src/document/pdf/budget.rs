//! Limits on the cost of one file.

use super::PdfError;

/// Maximum bytes that the content of one page, or the characters of one font, may decompress to.
pub(super) const MAX_STREAM: usize = 64 << 20;

/// Maximum bytes of content, forms and character tables of a whole file. A stream counts each time
/// it is read, so a small file cannot have one stream read endlessly.
const MAX_CONTENT: usize = 512 << 20;

/// Maximum bytes of text of a whole file. One code of a font may map to many characters.
const MAX_TEXT: usize = 64 << 20;

/// The remaining limits of one file.
pub(super) struct Budget {
    content: usize,
    text: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { content: MAX_CONTENT, text: MAX_TEXT }
    }

    /// Counts a decompressed stream.
    pub(super) fn content(&mut self, bytes: usize) -> Result<(), PdfError> {
        take(&mut self.content, bytes, MAX_CONTENT, "content")
    }

    /// Counts text.
    pub(super) fn text(&mut self, bytes: usize) -> Result<(), PdfError> {
        take(&mut self.text, bytes, MAX_TEXT, "text")
    }
}

fn take(left: &mut usize, bytes: usize, limit: usize, what: &str) -> Result<(), PdfError> {
    *left = left.checked_sub(bytes).ok_or_else(|| PdfError::TooLarge {
        reason: format!("its pages have more than {} MiB of {what}", limit >> 20),
    })?;
    Ok(())
}
