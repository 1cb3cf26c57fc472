//! Packs the paragraphs of a document, with their headings, into chunks. Only those that are too long
//! for a chunk are cut.

use std::{iter::once, ops::Range, sync::Arc};

use crate::document::{
    characters::{is_inside_character, is_unspaced},
    text::Document,
};

/// The measure of a text's length.
#[derive(Clone)]
pub(super) enum SizeMeasure {
    Chars,
    Counted(Arc<dyn Fn(&str) -> usize + Send + Sync>),
}

impl SizeMeasure {
    fn of(&self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Counted(count) => count(text),
        }
    }
}

/// A kind of unit, from the largest to the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitLevel {
    /// With the whitespace after it.
    Paragraph,
    Sentence,
    Line,
    Word,
    /// A visible character. It is never cut.
    Character,
}

impl UnitLevel {
    fn smaller(self) -> Option<Self> {
        match self {
            Self::Paragraph => Some(Self::Sentence),
            Self::Sentence => Some(Self::Line),
            Self::Line => Some(Self::Word),
            Self::Word => Some(Self::Character),
            Self::Character => None,
        }
    }
}

pub(super) struct ChunkPacker<'t> {
    text: &'t str,
    most: usize,
    size: &'t SizeMeasure,
    chunks: Vec<Range<usize>>,
    /// The chunk that is being filled, and its size.
    open: Range<usize>,
    filled: usize,
}

impl<'t> ChunkPacker<'t> {
    pub(super) fn new(text: &'t str, most: usize, size: &'t SizeMeasure) -> Self {
        Self { text, most, size, chunks: Vec::new(), open: 0..0, filled: 0 }
    }

    /// Adds consecutive paragraphs that follow the text added so far: as one unit, if they fit.
    pub(super) fn add_together(&mut self, paragraphs: &[Range<usize>]) {
        let [first, .., last] = paragraphs else {
            return paragraphs.iter().for_each(|only| self.add(only.clone(), UnitLevel::Paragraph));
        };
        let whole = first.start..last.end;
        if self.size.of(&self.text[whole.clone()]) <= self.most {
            self.add(whole, UnitLevel::Paragraph);
        } else {
            for one in paragraphs {
                self.add(one.clone(), UnitLevel::Paragraph);
            }
        }
    }

    /// Adds `range`, which follows the text added so far.
    pub(super) fn add(&mut self, range: Range<usize>, level: UnitLevel) {
        let size = self.size.of(&self.text[range.clone()]);
        if self.filled.saturating_add(size) > self.most {
            match level.smaller().filter(|_| size > self.most) {
                Some(smaller) => {
                    let mut start = range.start;
                    for end in ends(&self.text[range.clone()], smaller) {
                        // A cut must not separate a combining mark from its letter.
                        let end = range.start + end;
                        if start < end && (end == range.end || !is_inside_character(self.text, end)) {
                            self.add(start..end, smaller);
                            start = end;
                        }
                    }
                    return;
                }
                None => self.finish_chunk(),
            }
        }
        self.open.end = range.end;
        self.filled = self.filled.saturating_add(size);
    }

    /// Closes the open chunk, so that the next unit starts another one.
    pub(super) fn finish_chunk(&mut self) {
        if !self.open.is_empty() {
            self.chunks.push(self.open.clone());
        }
        self.open.start = self.open.end;
        self.filled = 0;
    }

    pub(super) fn finish(mut self) -> Vec<Range<usize>> {
        self.finish_chunk();
        self.chunks
    }
}

/// Where the units of `text` end; the last one ends with it.
fn ends(text: &str, level: UnitLevel) -> Vec<usize> {
    let mut ends = match level {
        UnitLevel::Paragraph => Vec::new(),
        UnitLevel::Sentence => sentences(text),
        UnitLevel::Line => text.match_indices('\n').map(|(at, _)| at + 1).collect(),
        UnitLevel::Word => words(text),
        UnitLevel::Character => text.char_indices().map(|(at, _)| at).collect(),
    };
    ends.push(text.len());
    ends
}

/// Where words end, including the spaces after them. Scripts without spaces may be cut anywhere.
fn words(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let is_end = before.is_some_and(|before| before.is_whitespace() && !c.is_whitespace());
        if is_end || (is_unspaced(c) && before.is_some_and(is_unspaced)) {
            ends.push(at);
        }
        before = Some(c);
    }
    ends
}

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

/// Abbreviations that end with a full stop inside a sentence, in lower case.
const ABBREVIATIONS: [&str; 42] = [
    "abs", "al", "approx", "art", "bzw", "ca", "capt", "cf", "co", "col", "corp", "dr", "e.g", "eg", "fig",
    "frau", "gen", "hon", "hr", "i.e", "ie", "inc", "jr", "lt", "ltd", "messrs", "mme", "mr", "mrs", "ms",
    "mt", "nr", "prof", "rev", "sec", "sgt", "sr", "st", "vol", "vs", "z.b", "zzgl",
];

/// Longest word that may be an abbreviation, in bytes.
const ABBREVIATION_BYTES: usize = 8;

/// Where the sentences of a paragraph end, including the whitespace after them. The last end, that
/// of the text, may be missing. A row of a table is one sentence, and each entry of a list begins
/// one.
pub(super) fn sentences(text: &str) -> Vec<usize> {
    let (mut ends, mut prose, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        let (start, is_row) = (at, is_row(line));
        at += line.len();
        if is_row || is_entry(line) {
            ends.extend(sentences_of_prose(&text[prose..start]).into_iter().map(|end| prose + end));
            ends.push(start);
            prose = start;
        }
        if is_row {
            ends.push(at);
            prose = at;
        }
    }
    ends.extend(sentences_of_prose(&text[prose..]).into_iter().map(|end| prose + end));
    ends
}

fn sentences_of_prose(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_wide = matches!(c, '。' | '！' | '？' | '｡' | '．');
        if !is_wide && !matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔' | '।' | '॥' | '။') {
            continue;
        }
        // Further marks, closing quotes and brackets belong to the sentence.
        let mut end = at + c.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| is_closing(*c)) {
            end = at + c.len_utf8();
        }
        let mut spaced = end;
        while let Some((at, c)) = chars.next_if(|(_, c)| c.is_whitespace()) {
            spaced = at + c.len_utf8();
        }
        let next = text[spaced..].chars().next();
        let goes_on = next.is_some_and(char::is_lowercase) || (c == '.' && is_abbreviation(&text[..at]));
        if is_wide || (spaced > end && !goes_on) {
            ends.push(spaced);
        }
    }
    ends
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '"'
            | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | ')'
            | ']'
            | '」'
            | '』'
            | '）'
            | '。'
            | '！'
            | '？'
    )
}

/// Returns whether `before` ends with an abbreviation that takes a full stop.
fn is_abbreviation(before: &str) -> bool {
    let start = before
        .char_indices()
        .rev()
        .take(ABBREVIATION_BYTES + 1)
        .find(|(_, c)| !c.is_alphabetic() && *c != '.')
        .map_or(before.len().saturating_sub(ABBREVIATION_BYTES + 1), |(at, c)| at + c.len_utf8());
    let Some(word) = before.get(start..).filter(|word| word.len() <= ABBREVIATION_BYTES) else {
        return false;
    };
    let mut chars = word.chars().rev();
    // An initial, such as `J.` or the `S` of `U.S.`
    let is_initial = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none_or(|c| c == '.');
    is_initial || ABBREVIATIONS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// Returns whether a line is a row of a table: with bars, tabs or columns aligned by spaces.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.contains(['|', '\t']) || line.split("   ").filter(|cell| !cell.trim().is_empty()).count() > 2
}

/// Returns whether a line begins an entry of a list.
fn is_entry(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with(['•', '▪', '◦'])
        || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
        || ((1..4).contains(&digits) && [". ", ") "].iter().any(|mark| line[digits..].starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let mut start = 0;
        let mut parts = Vec::new();
        for end in sentences(text).into_iter().chain([text.len()]) {
            if start < end {
                parts.push(&text[start..end]);
            }
            start = end;
        }
        parts
    }

    #[test]
    fn sentences_end_where_a_reader_says_so() {
        for (text, expected) in [
            ("One. Two! Three?", &["One. ", "Two! ", "Three?"][..]),
            ("\"Go.\" (He went.) Then", &["\"Go.\" ", "(He went.) ", "Then"]),
            ("Mr. Smith and Dr. J. R. Who came. So", &["Mr. Smith and Dr. J. R. Who came. ", "So"]),
            ("It is 1.5 mg, e.g. daily. No", &["It is 1.5 mg, e.g. daily. ", "No"]),
            ("Wrapped at\nthe end. And\non", &["Wrapped at\nthe end. ", "And\non"]),
            ("患者は胸痛。投与は五mg。「はい。」次", &["患者は胸痛。", "投与は五mg。", "「はい。」", "次"]),
            ("a | b\n1 | 2\n", &["a | b\n", "1 | 2\n"]),
            ("Drugs:\n- one. \n- two\nend", &["Drugs:\n", "- one. \n", "- two\nend"]),
            ("Really?! Yes… No", &["Really?! ", "Yes… ", "No"]),
            ("", &[]),
        ] {
            assert_eq!(split(text), expected, "{text:?}");
        }
    }

    #[test]
    fn abbreviations_are_sorted_for_the_search() {
        assert!(ABBREVIATIONS.is_sorted());
    }
}
