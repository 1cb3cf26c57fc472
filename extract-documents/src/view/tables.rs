//! The tables beside the text: values, conflicts, gaps and repairs.

use std::{fmt::Write as _, ops::Range};

use extract::{
    LeftOutItem, Path, Violation,
    document::Document,
    metrics::Confidences,
    reading::{Change, Loss},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    escape::push_text,
    fields::{class, height_class, sureness_class},
    items::Group,
    rows::{RowStanding, ShownValue, TableRow, TableRows},
    states::{RowState, group_classes, row_classes},
    words::cut,
};

/// Maximum characters of a quote in a table. The text has the full quote.
const QUOTE_CHARS: usize = 160;

/// Maximum characters of the title of an item.
const TITLE_CHARS: usize = 60;

/// Maximum values in the list of confidences.
const MAX_CONFIDENCES: usize = 200;

/// Rows of one part of a table. A browser lays out a part when it comes near.
const ROWS: usize = 40;

/// Writes rows into a page.
pub(super) struct Tables<'t> {
    pub(super) html: &'t mut String,
    pub(super) document: &'t Document,
    pub(super) rows: &'t TableRows,
}

impl Tables<'_> {
    /// Writes a table of these groups of rows, in parts that look like one table.
    pub(super) fn groups(&mut self, groups: &[Group]) {
        let mut parts: Vec<Vec<Group>> = Vec::new();
        for group in groups {
            for start in group.rows.clone().step_by(ROWS) {
                let rows = start..group.rows.end.min(start + ROWS);
                let size = |part: &Vec<Group>| part.iter().map(|group| group.rows.len()).sum::<usize>();
                // Only the first part of an item has its heading.
                let part = Group { rows: rows.clone(), item: group.item.clone() };
                match parts.last_mut() {
                    Some(last) if size(last) + rows.len() <= ROWS => last.push(part),
                    _ => parts.push(vec![part]),
                }
            }
        }
        for (number, part) in parts.iter().enumerate() {
            self.part(part, number == 0);
        }
    }

    /// Writes a part of a table. The headings of all but the first are for screen readers.
    fn part(&mut self, groups: &[Group], is_first: bool) {
        let (Some(first), Some(last)) = (groups.first(), groups.last()) else { return };
        let rows = first.rows.start..last.rows.end;
        let (height, states) = (height_class(rows.len()), group_classes(&self.rows.all[rows]));
        let hidden = if is_first { "" } else { " class=v" };
        let _ = writeln!(
            self.html,
            "<div class=\"t{height}{states}\"><table><thead{hidden}><tr><th scope=col>Path<th scope=col>Value<th \
             scope=col>Quote<th scope=col>Place</thead>"
        );
        for group in groups {
            let start = group.rows.start;
            let _ = write!(
                self.html,
                "<tbody class=\"{}\">",
                group_classes(&self.rows.all[group.rows.clone()]).trim_start()
            );
            if let Some(item) = &group.item
                && !start.checked_sub(1).is_some_and(|before| self.rows.all[before].path.is_within(item))
            {
                self.heading(item, start);
            }
            for number in group.rows.clone() {
                self.row(number, group.item.as_ref(), "");
            }
        }
        self.html.push_str("</table></div>\n");
    }

    /// Writes the heading of an item: its path, its first words, and how many of its rows are folded away.
    fn heading(&mut self, item: &Path, start: usize) {
        self.html.push_str("<tr class=i><th colspan=4 scope=rowgroup>");
        self.path(item, None);
        let rows = || self.rows.all[start..].iter().take_while(|row| row.path.is_within(item));
        let title = rows().find_map(|row| match &row.value {
            ShownValue::Words(text) | ShownValue::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        });
        if let Some(title) = title {
            self.html.push_str(" <bdi class=s>");
            push_text(self.html, &cut(title, TITLE_CHARS));
            self.html.push_str("</bdi>");
        }
        let empty = rows().filter(|row| RowState::Empty.is_of(row)).count();
        if empty > 0 {
            let _ = write!(self.html, " <small>{empty} empty</small>");
        }
        self.html.push('\n');
    }

    fn row(&mut self, number: usize, item: Option<&Path>, note: &str) {
        let row = &self.rows.all[number];
        let mut classes = row_classes(row) + sureness_class(row);
        if row.field < self.rows.counts.len() {
            classes.insert_str(0, &class(row.field));
        }
        let (field, classes) = (row.field, classes.trim_start());
        let _ = write!(self.html, "<tr id=r{number} data-f={field} class=\"{classes}\"><th scope=row>");
        self.path(&row.path, item);
        if !note.is_empty() {
            let _ = write!(self.html, " <small>{note}</small>");
        }
        if let Some(kept) = row.conflict {
            let _ = write!(self.html, " <a href=#r{kept}>in conflict</a>");
        }
        if let Some(change) = row.change {
            let _ = write!(self.html, " <a href=#h{change}>changed</a>");
        }
        if let Some(confidence) = row.confidence {
            let _ = write!(self.html, " <small>confidence {confidence:.2}</small>");
        }
        self.value(row);
        self.html.push_str("<td>");
        self.place(row);
        self.html.push('\n');
    }

    /// Writes the confidence of these rows, in this order, each with a link to its row.
    pub(super) fn confidences(&mut self, rows: &[usize], confidences: &Confidences) {
        self.html.push_str("<p>The least sure value first. ");
        self.html.push_str(if confidences.is_calibrated {
            "The number is the probability that the value is right."
        } else {
            "The numbers are not calibrated: they order the values, and are not probabilities."
        });
        if let Some(more) = rows.len().checked_sub(MAX_CONFIDENCES).filter(|more| *more > 0) {
            let _ = write!(self.html, " {more} values are surer than these.");
        }
        self.html.push_str(
            "</p>\n<div><table class=p><thead><tr><th scope=col>Path<th scope=col>Value<th scope=col>Quote<th \
             scope=col>Confidence</thead><tbody>\n",
        );
        for number in rows.iter().take(MAX_CONFIDENCES) {
            let row = &self.rows.all[*number];
            let (class, confidence) = (sureness_class(row), row.confidence.unwrap_or_default());
            let _ =
                write!(self.html, "<tr class=\"{}\"><th scope=row><a href=#r{number}>", class.trim_start());
            self.path(&row.path, None);
            self.html.push_str("</a>");
            self.value(row);
            let _ = writeln!(self.html, "<td>{confidence:.2}");
        }
        self.html.push_str("</table></div>\n");
    }

    /// Writes a path that may be broken before each step. The part that the heading of its `item`
    /// shows is not repeated to the eye.
    fn path(&mut self, path: &Path, item: Option<&Path>) {
        self.html.push_str("<bdi>");
        let (path, mut start) = (path.to_string(), 0);
        if let Some(inside) = item.map(ToString::to_string).and_then(|item| path.strip_prefix(&*item)) {
            start = path.len() - inside.len();
            self.html.push_str("<s>");
            push_text(self.html, &path[..start]);
            self.html.push_str("</s>");
        }
        let first = start.max(1);
        for (at, _) in path.match_indices(['.', '[']).filter(|(at, _)| *at > first) {
            push_text(self.html, &path[start..at]);
            self.html.push_str("<wbr>");
            start = at;
        }
        push_text(self.html, &path[start..]);
        self.html.push_str("</bdi>");
    }

    /// Writes the cells of the value and the quote.
    fn value(&mut self, row: &TableRow) {
        let (cell, text) = match &row.value {
            ShownValue::Words(words) => {
                self.html.push_str("<td colspan=2>");
                self.quote(words);
                return;
            }
            ShownValue::Text(text) => ("<td><bdi>", text.as_str()),
            ShownValue::Json(text) => ("<td><bdi class=j>", text.as_str()),
            ShownValue::Below => ("<td><bdi class=w>", "in the rows below"),
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

    fn place(&mut self, row: &TableRow) {
        match row.standing {
            RowStanding::Placed => {
                for mark in &row.marks {
                    self.link(*mark);
                }
            }
            RowStanding::Within(outer) => {
                for mark in &self.rows.all[outer].marks {
                    self.link(*mark);
                }
                self.html.push_str("<span class=w>as a whole</span>");
            }
            RowStanding::Unplaced => self.html.push_str("<span class=w>no place</span>"),
            RowStanding::Elsewhere => self.html.push_str("<strong>not in this text</strong>"),
            RowStanding::Nothing => {}
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
                self.row(number, None, if number == statements.start { "kept" } else { "not kept" });
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
        for (number, change) in changes.iter().enumerate() {
            let _ = write!(self.html, "<tr id=h{number}><th scope=row>");
            match change.chunk {
                None => self.path(&change.path, None),
                Some(chunk) => self.path_in_chunk(&change.path, chunk),
            }
            self.html.push_str("<td>");
            push_text(self.html, &word(&change.kind));
            let lost = match change.loss {
                Loss::Lossless => "",
                Loss::Ignored => " <small>ignored</small>",
                // `Lossy`, and whatever a later version adds.
                _ => " <strong>lossy</strong>",
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
