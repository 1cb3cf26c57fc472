//! The layout of HTML text: lines, blank lines, single spaces.

use std::ops::Range;

use extract::document::SourceMap;

/// Which tag of an element it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagEdge {
    Start,
    End,
}

/// A gap between two pieces of text, from the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LayoutGap {
    Space,
    Tab,
    Line,
    Blank,
}

/// A text under construction, with its source.
#[derive(Debug, Default)]
pub(super) struct HtmlText {
    text: String,
    map: SourceMap,
    headings: Vec<Range<usize>>,
    /// Where an open heading starts.
    heading: Option<usize>,
    /// The gap before the next character.
    gap: Option<LayoutGap>,
    /// The whitespace of the source that makes the gap, if any.
    space: Option<Range<usize>>,
    /// How many `<pre>` elements are open.
    preformatted: usize,
}

impl HtmlText {
    /// Adds a character, with its range in the source.
    pub(super) fn character(&mut self, c: char, source: Range<usize>) {
        let is_space = matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
        if is_space && self.preformatted == 0 {
            self.need(LayoutGap::Space);
            let space = self.space.get_or_insert(source.clone());
            space.end = source.end;
            return;
        }
        if c == '\r' {
            return;
        }
        self.fill_gap();
        let start = self.text.len();
        self.text.push(c);
        let len = self.text.len() - start;
        if len == source.len() { self.map.push_bytewise(source) } else { self.map.push_whole(len, source) }
    }

    /// Writes the gap before the next character.
    fn fill_gap(&mut self) {
        let (gap, space) = (self.gap.take(), self.space.take());
        let Some(gap) = gap.filter(|_| !self.text.is_empty()) else { return };
        let mark = match gap {
            LayoutGap::Space => " ",
            LayoutGap::Tab => "\t",
            LayoutGap::Line => "\n",
            LayoutGap::Blank => "\n\n",
        };
        self.text.push_str(mark);
        // A gap without whitespace in the source is placed between the characters around it.
        let here = self.map.source_end();
        self.map.push_whole(mark.len(), space.unwrap_or(here..here));
    }

    fn need(&mut self, gap: LayoutGap) {
        self.gap = self.gap.max(Some(gap));
    }

    /// Handles a start tag or an end tag.
    pub(super) fn tag(&mut self, name: &str, edge: TagEdge) {
        match name {
            "br" => self.line_break(),
            "td" | "th" if edge == TagEdge::Start => self.need(LayoutGap::Tab),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(edge),
            "p" | "table" | "ul" | "ol" | "dl" | "blockquote" | "pre" | "hr" | "figure" => {
                self.need(LayoutGap::Blank);
            }
            "address" | "article" | "aside" | "body" | "caption" | "dd" | "details" | "div" | "dt"
            | "fieldset" | "figcaption" | "footer" | "form" | "head" | "header" | "html" | "legend"
            | "li" | "main" | "nav" | "option" | "section" | "select" | "summary" | "tbody" | "tfoot"
            | "thead" | "title" | "tr" => {
                self.need(LayoutGap::Line);
            }
            _ => {}
        }
        if name == "pre" {
            self.preformatted = match edge {
                TagEdge::Start => self.preformatted.saturating_add(1),
                TagEdge::End => self.preformatted.saturating_sub(1),
            };
        }
    }

    /// Ends the line; a second line break in a row leaves a blank line.
    fn line_break(&mut self) {
        let more = if self.gap >= Some(LayoutGap::Line) { LayoutGap::Blank } else { LayoutGap::Line };
        self.need(more);
    }

    fn heading(&mut self, edge: TagEdge) {
        self.need(LayoutGap::Blank);
        if let Some(start) = self.heading.take().filter(|start| *start < self.text.len()) {
            // Excludes the gap before the first character of the heading.
            let gap = self.text[start..].len() - self.text[start..].trim_start().len();
            if start + gap < self.text.len() {
                self.headings.push(start + gap..self.text.len());
            }
        }
        if edge == TagEdge::Start {
            self.heading = Some(self.text.len());
        }
    }

    /// The text, its headings, and its source.
    pub(super) fn finish(mut self) -> (String, Vec<Range<usize>>, SourceMap) {
        if self.heading.is_some() {
            self.heading(TagEdge::End);
        }
        (self.text, self.headings, self.map)
    }
}
