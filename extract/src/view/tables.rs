//! The tables beside the text: values, conflicts, gaps and repairs.

use std::{fmt::Write as _, ops::Range};

use serde::Serialize;
use serde_json::Value;

use super::{
    escape::push_text,
    fields::{class, height_class},
    rows::{Row, Rows, Shown, Standing},
};
use crate::{
    change::{Change, Loss},
    document::Document,
    left_out::LeftOutItem,
    path::Path,
    text::cut,
    violation::Violation,
};

/// Maximum characters of a quote in a table. The text has all of them.
const QUOTE_CHARS: usize = 160;

/// Rows of one part of a table. A browser lays out a part when it comes near.
const ROWS: usize = 40;

/// Writes rows into a page.
pub(super) struct Tables<'t> {
    pub(super) html: &'t mut String,
    pub(super) document: &'t Document,
    pub(super) rows: &'t Rows,
}

impl Tables<'_> {
    /// Writes a table of the rows with these numbers, in parts that look like one table.
    pub(super) fn rows(&mut self, numbers: Range<usize>) {
        let first = numbers.start;
        for start in numbers.clone().step_by(ROWS) {
            let end = numbers.end.min(start + ROWS);
            let _ = write!(self.html, "<div class=\"t{}\"><table>", height_class(end - start));
            let hidden = if start == first { "" } else { " class=v" };
            let _ = writeln!(
                self.html,
                "<thead{hidden}><tr><th scope=col>Path<th scope=col>Value<th scope=col>Quote<th scope=col>Place</thead><tbody>"
            );
            for number in start..end {
                self.row(number, "");
            }
            self.html.push_str("</table></div>\n");
        }
    }

    fn row(&mut self, number: usize, note: &str) {
        let row = &self.rows.all[number];
        let _ = write!(self.html, "<tr id=r{number}");
        if row.field < self.rows.counts.len() {
            let _ = write!(self.html, " class={}", class(row.field));
        }
        self.html.push_str("><th scope=row>");
        self.path(&row.path);
        if !note.is_empty() {
            let _ = write!(self.html, " <small>{note}</small>");
        }
        self.value(row);
        self.html.push_str("<td>");
        self.place(row);
        self.html.push('\n');
    }

    /// Writes a path that may be broken before each step.
    fn path(&mut self, path: &Path) {
        self.html.push_str("<bdi>");
        let path = path.to_string();
        let mut start = 0;
        for (at, _) in path.match_indices(['.', '[']).filter(|(at, _)| *at > 1) {
            push_text(self.html, &path[start..at]);
            self.html.push_str("<wbr>");
            start = at;
        }
        push_text(self.html, &path[start..]);
        self.html.push_str("</bdi>");
    }

    /// Writes the cells of the value and the quote.
    fn value(&mut self, row: &Row) {
        let (cell, text) = match &row.value {
            Shown::Words(words) => {
                self.html.push_str("<td colspan=2>");
                self.quote(words);
                return;
            }
            Shown::Text(text) => ("<td><bdi>", text.as_str()),
            Shown::Json(text) => ("<td><bdi class=j>", text.as_str()),
            Shown::Below => ("<td><bdi class=w>", "in the rows below"),
        };
        self.html.push_str(cell);
        push_text(self.html, text);
        self.html.push_str("</bdi><td>");
        if let Some(quote) = &row.quote {
            self.quote(quote);
        }
    }

    fn quote(&mut self, words: &str) {
        self.html.push_str("<q><bdi>");
        push_text(self.html, &cut(words, QUOTE_CHARS));
        self.html.push_str("</bdi></q>");
    }

    fn place(&mut self, row: &Row) {
        match row.standing {
            Standing::Placed => {
                for mark in &row.marks {
                    self.link(*mark);
                }
            }
            Standing::Within(outer) => {
                for mark in &self.rows.all[outer].marks {
                    self.link(*mark);
                }
                self.html.push_str("<span class=w>as a whole</span>");
            }
            Standing::Unplaced => self.html.push_str("<span class=w>no place</span>"),
            Standing::Elsewhere => self.html.push_str("<strong>not in this text</strong>"),
            Standing::Nothing => {}
        }
    }

    fn link(&mut self, mark: usize) {
        let range = self.rows.marks[mark].range.clone();
        let Some(span) = self.document.span(range) else { return };
        let _ = write!(self.html, "<a href=#m{mark}>{}", span.line_column());
        if let Some(page) = span.page() {
            let _ = write!(self.html, " <small>p. {page}</small>");
        }
        self.html.push_str("</a> ");
    }

    /// Writes each conflict with its statements: the one that was kept, then the others.
    pub(super) fn conflicts(&mut self, conflicts: &[Range<usize>]) {
        self.html.push_str("<div><table><thead><tr><th scope=col>Path<th scope=col>Value<th scope=col>Quote<th scope=col>Place</thead>\n");
        for statements in conflicts {
            self.html.push_str("<tbody>");
            for number in statements.clone() {
                self.row(number, if number == statements.start { "kept" } else { "not kept" });
            }
        }
        self.html.push_str("</table></div>\n");
    }

    pub(super) fn gaps(&mut self, gaps: &[(Range<usize>, Vec<&str>)]) {
        self.html.push_str("<ul>");
        for (number, (gap, reasons)) in gaps.iter().enumerate() {
            let (Some(start), Some(end)) =
                (self.document.span(gap.start..gap.start), self.document.span(gap.end..gap.end))
            else {
                continue;
            };
            let _ = write!(
                self.html,
                "<li><a href=#g{number}>{} to {}</a> <small>bytes {} to {}</small>",
                start.line_column(),
                end.line_column(),
                gap.start,
                gap.end
            );
            for reason in reasons.iter().filter(|reason| !reason.is_empty()) {
                self.html.push_str("<br><bdi>");
                push_text(self.html, reason);
                self.html.push_str("</bdi>");
            }
            self.html.push('\n');
        }
        self.html.push_str("</ul>\n");
    }

    pub(super) fn changes(&mut self, changes: &[Change]) {
        self.html.push_str("<div><table class=n><thead><tr><th scope=col>Path<th scope=col>What<th scope=col>In the reply<th scope=col>Read as</thead><tbody>\n");
        for change in changes {
            self.html.push_str("<tr><th scope=row>");
            match change.chunk {
                None => self.path(&change.path),
                Some(chunk) => self.path_in_chunk(&change.path, chunk),
            }
            self.html.push_str("<td>");
            push_text(self.html, &word(&change.kind));
            let lost = match change.loss {
                Loss::Lossless => "",
                Loss::Ignored => " <small>ignored</small>",
                Loss::Lossy => " <strong>lossy</strong>",
            };
            self.html.push_str(lost);
            for text in [&change.before, &change.after] {
                self.html.push_str("<td><bdi class=j>");
                push_text(self.html, text);
                self.html.push_str("</bdi>");
            }
            self.html.push('\n');
        }
        self.html.push_str("</table></div>\n");
    }

    /// Writes a path in the answer to a chunk. It has no link, because the element may be at
    /// another path of the value.
    fn path_in_chunk(&mut self, path: &Path, chunk: usize) {
        self.html.push_str("<bdi>");
        push_text(self.html, &path.to_string());
        self.html.push_str("</bdi> <small>");
        push_text(self.html, &format!("in the answer to chunk {chunk}"));
        self.html.push_str("</small>");
    }

    pub(super) fn left_out(&mut self, items: &[LeftOutItem]) {
        for item in items {
            self.html.push_str("<h3>");
            match item.chunk {
                None => {
                    self.html.push_str("<bdi>");
                    push_text(self.html, &item.path.to_string());
                    self.html.push_str("</bdi>");
                }
                Some(chunk) => self.path_in_chunk(&item.path, chunk),
            }
            self.html.push_str("</h3><p><bdi class=j>");
            push_text(self.html, &item.value.to_string());
            self.html.push_str("</bdi></p>");
            self.violations(&item.violations);
        }
    }

    pub(super) fn violations(&mut self, violations: &[Violation]) {
        self.html.push_str("<ul>");
        for violation in violations {
            self.html.push_str("<li><bdi>");
            push_text(self.html, &violation.to_string());
            self.html.push_str("</bdi>\n");
        }
        self.html.push_str("</ul>\n");
    }
}

/// The JSON name of an enum value, with spaces for underscores.
fn word(kind: &impl Serialize) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(word)) => word.replace('_', " "),
        _ => String::new(),
    }
}
