//! Limits on the cost of one file.

use lopdf::Stream;

use super::error::{PdfError, unreadable};

/// Maximum bytes that one stream may decompress to.
pub(super) const MAX_STREAM: usize = 64 << 20;

/// Maximum bytes of content, forms and character tables of a whole file: `LEAST_CONTENT` and
/// `CONTENT_PER_BYTE` times the bytes of the file, but never more than `MAX_CONTENT`. A stream
/// counts each time it is read, so a small file cannot have one stream read endlessly.
const LEAST_CONTENT: usize = 16 << 20;
const CONTENT_PER_BYTE: usize = 64;
const MAX_CONTENT: usize = 512 << 20;

/// Fixed cost of a stream in addition to its bytes, for work that does not depend on its length.
const STREAM: usize = 1 << 10;

/// Maximum bytes of text of a whole file. One code of a font may map to many characters.
const MAX_TEXT: usize = 64 << 20;

/// Maximum bytes of memory for the fonts of a whole file.
const MAX_MEMORY: usize = 128 << 20;

/// The remaining limits of one file.
pub(super) struct Budget {
    /// All of the content.
    most: usize,
    content: usize,
    text: usize,
    memory: usize,
}

impl Budget {
    /// The limits of a file with this number of bytes.
    pub(super) fn of_file(bytes: usize) -> Self {
        let most = bytes.saturating_mul(CONTENT_PER_BYTE).saturating_add(LEAST_CONTENT).min(MAX_CONTENT);
        Self { most, content: most, text: MAX_TEXT, memory: MAX_MEMORY }
    }

    /// Maximum bytes of the next stream.
    pub(super) fn max_stream(&self) -> usize {
        MAX_STREAM.min(self.content)
    }

    /// Decompresses a stream, and counts it.
    pub(super) fn stream(&mut self, stream: &Stream) -> Result<Vec<u8>, PdfError> {
        let content = stream.get_plain_content_with_limit(self.max_stream());
        let content = content.map_err(|error| self.unreadable(error))?;
        self.content(content.len())?;
        Ok(content)
    }

    /// The error of a stream that was read with this limit.
    pub(super) fn unreadable(&self, error: lopdf::Error) -> PdfError {
        match error {
            lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })
                if self.content < MAX_STREAM =>
            {
                self.too_much_content()
            }
            error => unreadable(error),
        }
    }

    /// Counts a decompressed stream.
    pub(super) fn content(&mut self, bytes: usize) -> Result<(), PdfError> {
        let left = self.content.checked_sub(bytes.saturating_add(STREAM));
        self.content = left.ok_or_else(|| self.too_much_content())?;
        Ok(())
    }

    fn too_much_content(&self) -> PdfError {
        too_large(&format!("its pages have more than {} MiB of content", self.most >> 20))
    }

    /// Counts text.
    pub(super) fn text(&mut self, bytes: usize) -> Result<(), PdfError> {
        let left = self.text.checked_sub(bytes);
        let reason = || too_large(&format!("its pages have more than {} MiB of text", MAX_TEXT >> 20));
        self.text = left.ok_or_else(reason)?;
        Ok(())
    }

    /// Counts the memory for `count` entries of `bytes` each.
    pub(super) fn memory(&mut self, count: usize, bytes: usize) -> Result<(), PdfError> {
        let left = self.memory.checked_sub(count.saturating_mul(bytes));
        let reason = || too_large(&format!("its fonts take more than {} MiB of memory", MAX_MEMORY >> 20));
        self.memory = left.ok_or_else(reason)?;
        Ok(())
    }
}

pub(super) fn too_large(reason: &str) -> PdfError {
    PdfError::TooLarge { reason: reason.to_owned() }
}
