//! The paragraphs of a document, with their headings.

use std::{iter::once, ops::Range};

use crate::document::{characters::is_inside_character, text::Document};

/// Paragraphs that are kept together if they fit.
pub(super) struct ChunkUnit {
    /// A paragraph, preceded by its headings, without gaps.
    pub(super) paragraphs: Vec<Range<usize>>,
    /// Whether it starts with a heading, or at the start of a part with a name.
    pub(super) begins_section: bool,
}

/// The units of `document`, which cover it.
pub(super) fn units(document: &Document) -> Vec<ChunkUnit> {
    let text = document.text();
    let mut starts = paragraphs(text);
    let named = document.sections().iter().filter(|section| section.name().is_some());
    let sections: Vec<usize> = named
        .map(|section| section.range().start)
        .chain(document.headings().iter().map(|one| one.start))
        .collect();
    starts.extend(&sections);
    starts.extend(document.headings().iter().map(|heading| next_line(text, heading.end)));
    starts.retain(|start| *start < text.len() && !is_inside_character(text, *start));
    starts.sort_unstable();
    starts.dedup();
    let mut sections = sections;
    sections.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut units: Vec<ChunkUnit> = Vec::with_capacity(starts.len());
    let mut is_after_heading = false;
    for (start, end) in starts.iter().copied().zip(ends) {
        let begins_section = sections.binary_search(&start).is_ok();
        let is_heading = document.headings().binary_search_by_key(&start, |heading| heading.start).is_ok();
        match units.last_mut().filter(|_| is_after_heading) {
            // A heading belongs to the text that follows it.
            Some(heading) => heading.paragraphs.push(start..end),
            None => units.push(ChunkUnit { paragraphs: once(start..end).collect(), begins_section }),
        }
        is_after_heading = is_heading;
    }
    units
}

/// Where paragraphs start: at the start of the text, and after blank lines.
fn paragraphs(text: &str) -> Vec<usize> {
    let (mut starts, mut at, mut is_blank) = (vec![0], 0, false);
    for line in text.split_inclusive('\n') {
        let was_blank = std::mem::replace(&mut is_blank, line.trim().is_empty());
        if was_blank && !is_blank {
            starts.push(at);
        }
        at += line.len();
    }
    starts
}

/// The start of the next line after `at` that is not blank.
fn next_line(text: &str, at: usize) -> usize {
    let Some(end) = text[at..].find('\n') else { return text.len() };
    let blank = text[at + end + 1..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    at + end + 1 + blank.map(str::len).sum::<usize>()
}
