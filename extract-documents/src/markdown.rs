//! Documents of Markdown, and their headings.

use std::ops::Range;

use extract::document::{Document, DocumentError};

/// Creates a document from Markdown. The text is the unchanged Markdown, so quotes may include its
/// marks. Headings (`#` and underlined ones, except in fenced code) divide it, see
/// [`Chunks::by_section`](extract::document::Chunks::by_section).
///
/// # Errors
///
/// None is known; any text is read as Markdown.
///
/// ```
/// let document = extract_documents::markdown("# Scope\nAll.\n\nTerm\n----\nA year.\n")?;
/// let headings: Vec<_> = document.headings().iter().map(|one| &document.text()[one.clone()]).collect();
/// assert_eq!(headings, ["# Scope", "Term\n----"]);
/// # Ok::<(), extract::document::DocumentError>(())
/// ```
pub fn markdown(text: impl Into<String>) -> Result<Document, DocumentError> {
    let text = text.into();
    let headings = headings(&text);
    Document::from_text(text).with_headings(headings)
}

/// The lines of headings, without their line breaks.
fn headings(text: &str) -> Vec<Range<usize>> {
    let mut headings = Vec::new();
    let mut at = 0;
    let mut fence: Option<&str> = None;
    // The start of the previous line, if a line of `=` or `-` would make it a heading.
    let mut before: Option<usize> = None;
    for whole in text.split_inclusive('\n') {
        let start = at;
        at += whole.len();
        let line = whole.trim_end();
        let shown = line.trim_start();
        let indent = line.len() - shown.len();
        if let Some(mark) = fence {
            if shown.starts_with(mark) && shown.trim_start_matches(&mark[..1]).is_empty() {
                fence = None;
            }
            continue;
        }
        let previous = before.take();
        if indent > 3 {
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| shown.starts_with(mark)) {
            fence = Some(mark);
        } else if is_numbered_heading(shown) {
            headings.push(start + indent..start + line.len());
        } else if let Some(previous) = previous.filter(|_| is_underline(shown)) {
            headings.push(previous..start + line.len());
        } else if !shown.is_empty() && !shown.contains('|') && !shown.starts_with(['-', '*', '+', '>']) {
            before = Some(start + indent);
        }
    }
    headings
}

/// Returns whether `line` is a heading with one to six `#`.
fn is_numbered_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - rest.len())) && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_underline(line: &str) -> bool {
    line.len() > 1 && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_those_that_a_reader_sees() {
        let text = "---\ntitle: x\n\n  ## Two ##\r\n#no\n####### no\n```sh\n# no\n```\n    # no\nOne\n===\n- a\n---\n| a |\n--\n#";
        let found: Vec<_> = headings(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["## Two ##", "One\n===", "#"]);
    }
}
