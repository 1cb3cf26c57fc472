//! Renders the text of a document with its marks, in blocks of lines.

use std::{fmt::Write as _, ops::Range};

use extract::document::Document;

use super::{
    escape::push_text,
    fields::{class, height_class},
    lines::{LineBlock, TextLine, blocks, lines},
    segments::{MarkSegments, TextMark},
};

/// Appends the text. `marks` are in its order. So are `gaps`, which must not be empty or overlap.
pub(super) fn push_document(
    html: &mut String,
    document: &Document,
    marks: &[TextMark],
    gaps: &[Range<usize>],
) {
    let cuts = gaps.iter().flat_map(|gap| [gap.start, gap.end]);
    let mut writer = TextWriter {
        html,
        text: document.text(),
        marks,
        segments: MarkSegments::new(marks, cuts),
        gaps,
        gap: 0,
    };
    let named: Vec<_> = document
        .sections()
        .iter()
        .filter_map(|section| {
            let label = label(section.page(), section.name())?;
            Some((section.range().start, label))
        })
        .collect();
    let starts: Vec<usize> = named.iter().map(|(start, _)| *start).collect();
    let mut named = named.into_iter().peekable();
    for block in blocks(lines(document.text()), &starts) {
        let end = block.lines.first().map_or(0, |line| line.range.end);
        while let Some((_, label)) = named.next_if(|(start, _)| *start < end) {
            writer.html.push_str("<h3>");
            push_text(writer.html, &label);
            writer.html.push_str("</h3>\n");
        }
        writer.block(&block);
    }
}

/// The label above a part of a document.
fn label(page: Option<usize>, name: Option<&str>) -> Option<String> {
    match (page, name) {
        (Some(page), Some(name)) => Some(format!("Page {page} · {name}")),
        (Some(page), None) => Some(format!("Page {page}")),
        (None, name) => name.map(str::to_owned),
    }
}

struct TextWriter<'w> {
    html: &'w mut String,
    text: &'w str,
    marks: &'w [TextMark],
    segments: MarkSegments<'w>,
    gaps: &'w [Range<usize>],
    /// The first gap that has not ended.
    gap: usize,
}

impl TextWriter<'_> {
    fn block(&mut self, block: &LineBlock) {
        let lines = &block.lines;
        let first = lines.iter().find(|line| !line.is_continued);
        let number = first.map_or_else(|| lines.first().map_or(1, |line| line.number), |line| line.number);
        let _ = write!(self.html, "<ol class=\"b{}\" start={number}>", height_class(block.height));
        for line in lines {
            self.line(line);
        }
        self.html.push_str("</ol>\n");
    }

    /// End tags of lines are omitted: the next start tag implies them.
    fn line(&mut self, line: &TextLine) {
        let text = &self.text[line.range.clone()];
        let end = line.range.start + text.trim_end_matches(['\n', '\r']).len();
        self.html.push_str(if line.is_continued { "<li class=c>" } else { "<li>" });
        let mut at = line.range.start;
        while at < line.range.end {
            let starting = self.segments.advance(at);
            let next = self.segments.end().min(if at < end { end } else { line.range.end });
            self.segment(at..next, starting, at < end);
            at = next;
        }
    }

    /// Writes one segment, where the marks in `starting` start. A line break is not drawn.
    fn segment(&mut self, range: Range<usize>, starting: Range<usize>, is_drawn: bool) {
        while self.gaps.get(self.gap).is_some_and(|gap| gap.end <= range.start) {
            self.gap += 1;
        }
        let is_in_gap = self.gaps.get(self.gap).is_some_and(|gap| gap.start <= range.start);
        let is_start = is_in_gap && self.gaps[self.gap].start == range.start;
        let mut drawn: Vec<(usize, usize)> =
            if is_drawn { self.segments.drawn().collect() } else { Vec::new() };
        // The shortest mark is the link, because longer ones are reachable beside it.
        drawn.sort_by_key(|(_, mark)| self.marks[*mark].range.len());
        for mark in starting.clone().filter(|mark| drawn.iter().all(|(_, drawn)| drawn != mark)) {
            let _ = write!(self.html, "<b id=m{mark}></b>");
        }
        if is_start {
            let _ = write!(self.html, "<b class=g id=g{}></b>", self.gap);
        }
        if is_in_gap && is_drawn {
            self.html.push_str("<span>");
        }
        for (nth, (lane, mark)) in drawn.iter().enumerate() {
            self.open(*mark, *lane, nth == 0, starting.contains(mark));
        }
        push_text(self.html, &self.text[range]);
        for nth in (0..drawn.len()).rev() {
            self.html.push_str(if nth == 0 { "</a>" } else { "</u>" });
        }
        if is_in_gap && is_drawn {
            self.html.push_str("</span>");
        }
    }

    fn open(&mut self, mark: usize, lane: usize, is_link: bool, is_start: bool) {
        let TextMark { field, row, .. } = self.marks[mark];
        let more = is_link && self.segments.more() > 0;
        let tag = if is_link { "a href=#r" } else { "u data-r=" };
        let _ = write!(self.html, "<{tag}{row} class=\"{}", class(field));
        if lane > 0 {
            let _ = write!(self.html, " l{lane}");
        }
        self.html.push_str(if more { " x\"" } else { "\"" });
        if is_start {
            let _ = write!(self.html, " id=m{mark}");
        }
        self.html.push('>');
    }
}
