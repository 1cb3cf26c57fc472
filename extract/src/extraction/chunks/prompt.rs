//! The prompt for a chunk, and for passages.

use std::{fmt::Write as _, ops::Range};

use serde_json::Value;

use crate::{
    document::Chunk,
    vocabulary::text::{fenced, text_paragraph},
};

/// The paragraphs that follow the user's own words.
pub(super) fn about_chunk(chunk: &Chunk, chunks: usize, found: Option<&Value>) -> String {
    let number = chunk.index() + 1;
    let mut text = String::new();
    if !chunk.context().trim().is_empty() {
        let context = fenced("", chunk.context());
        text.push_str("What stands before the text, only to understand it. Take nothing from it:\n");
        text.push_str(&context);
        text.push_str("\n\n");
    }
    if chunks > 1 {
        let _ = write!(
            text,
            "The text is part {number} of {chunks} of a document. Answer with what this part states; leave out keys that \
             it says nothing about, and leave lists empty where it has nothing for them.\n\n"
        );
    }
    text.push_str(&text_paragraph(chunk.text()));
    if let Some(found) = found {
        let _ = write!(
            text,
            "\n\nFound in it already:\n{}\n\nAnswer with what is missing there and nothing else. If nothing is missing, leave \
             out the keys and leave the lists empty.",
            fenced("json", &found.to_string())
        );
    }
    text
}

/// The same for some passages of `text`, in their order.
pub(super) fn about_passages(text: &str, passages: &[Range<usize>]) -> String {
    let bytes: usize = passages.iter().map(Range::len).sum();
    if passages.is_empty() || bytes == text.len() {
        return text_paragraph(text);
    }
    let passages: Vec<_> = passages.iter().map(|range| fenced("", &text[range.clone()])).collect();
    format!("The passages of the text that are in question:\n{}", passages.join("\n\n"))
}
