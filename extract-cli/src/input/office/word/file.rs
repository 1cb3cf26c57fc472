//! State that the parts of a Word file share.

use super::{
    super::xml::{Tag, Xml},
    counts::ListCounts,
    numbering::Numbering,
    styles::Styles,
};
use crate::input::size::{MAX_BYTES, too_long};

/// Facts known about a file, and counts.
#[derive(Default)]
pub(super) struct WordFile {
    pub(super) counts: ListCounts,
    /// Bytes of text so far.
    size: u64,
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
}

impl WordFile {
    /// Counts text that is added, which has a limit.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), String> {
        self.size += bytes as u64;
        if self.size > MAX_BYTES { Err(too_long()) } else { Ok(()) }
    }
}

/// Reads blocks of a part.
pub(super) struct BlockReader<'f> {
    pub(super) xml: Xml,
    pub(super) file: &'f mut WordFile,
    /// The columns of the cell that is read.
    pub(super) span: usize,
}

/// The text of a paragraph.
#[derive(Default)]
pub(super) struct Inline {
    pub(super) text: String,
    /// The texts of boxes that are anchored in it.
    pub(super) boxes: Vec<String>,
}

impl Inline {
    /// Adds the mark of a note.
    pub(super) fn refer(&mut self, mark: &str, tag: &Tag) {
        self.text.extend(["[", mark, &tag.attr("id").unwrap_or_default(), "]"]);
    }
}

/// Adds a block after an empty line.
pub(super) fn push(text: &mut String, block: &str) {
    let block = block.trim_matches('\n');
    if block.trim().is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(block);
}
