//! The page around the text and the tables.

use std::{fmt::Write as _, ops::Range};

use super::{
    View,
    controls::{push_filters, push_legend, push_search},
    escape::push_text,
    items::groups,
    policy::{SCRIPT, STYLE, push_policy},
    rows::{RowStanding, TableRows},
    tables::Tables,
    text::push_document,
    words::counted,
};

/// A part of the panel beside the text.
struct PagePart {
    id: &'static str,
    title: &'static str,
    count: usize,
}

/// Renders the whole page, in time linear in its content.
pub(super) fn page(view: &View) -> String {
    let mut rows = TableRows::default();
    if let Ok(value) = &view.value {
        rows.add_value(&view.document, value);
    }
    for (path, spans) in &view.mentions {
        rows.add_places(&view.document, path, spans);
    }
    let values = rows.all.len();
    let conflicts = add_conflicts(view, &mut rows);
    rows.finish();
    let kept = view.conflicts.iter().zip(&conflicts).map(|((path, _), rows)| (path, rows.start));
    rows.note_states(0..values, kept, &view.changes);
    rows.note_confidences(0..values, &view.confidences);
    let by_confidence = rows.by_confidence(0..values);
    let gaps = gaps(view);

    let mut html = String::with_capacity(view.document.text().len() * 3 / 2 + rows.all.len() * 300 + 20_000);
    push_head(&mut html, &view.title);
    html.push_str("<body>\n<a class=v href=#values>Skip to the values</a>\n<header>\n");
    push_facts(&mut html, view);
    let parts = [
        PagePart { id: "values", title: "Values", count: values },
        PagePart { id: "confidence", title: "Confidence", count: by_confidence.len() },
        PagePart { id: "conflicts", title: "Conflicts", count: conflicts.len() },
        PagePart { id: "gaps", title: "Gaps", count: gaps.len() },
        PagePart { id: "left-out", title: "Left out", count: view.left_out.len() },
        PagePart { id: "violations", title: "Violations", count: view.violations.len() },
        PagePart { id: "warnings", title: "Warnings", count: view.warnings.len() },
        PagePart { id: "repairs", title: "Repairs", count: view.changes.len() },
    ];
    push_contents(&mut html, &parts);
    push_search(&mut html);
    html.push_str("</header>\n<main>\n<section id=text aria-label=Text tabindex=0>\n");
    push_legend(&mut html, &rows);
    if view.document.text().is_empty() {
        html.push_str("<p class=w>The document is empty.</p>\n");
    }
    let ranges: Vec<_> = gaps.iter().map(|(range, _)| range.clone()).collect();
    push_document(&mut html, &view.document, &rows.marks, &ranges);
    html.push_str("</section>\n<aside id=panel aria-label=Values tabindex=0>\n");

    push_heading(&mut html, &parts[0]);
    push_summary(&mut html, view, &rows, values);
    push_filters(&mut html, &rows, values);
    let mut tables = Tables { html: &mut html, document: &view.document, rows: &rows };
    tables.groups(&groups(&rows.all[..values]));
    tables.html.push_str("<p id=none hidden>No value is like that.</p>\n</section>\n");
    for part in parts.iter().skip(1).filter(|part| part.count > 0) {
        push_heading(tables.html, part);
        match part.id {
            "confidence" => tables.confidences(&by_confidence, &view.confidences),
            "conflicts" => tables.conflicts(&conflicts),
            "gaps" => {
                tables.html.push_str("<p>These parts of the text were not covered.</p>\n");
                tables.gaps(&gaps);
            }
            "left-out" => tables.left_out(&view.left_out),
            "violations" => tables.violations(&view.violations),
            "warnings" => tables.violations(&view.warnings),
            _ => tables.changes(&view.changes),
        }
        tables.html.push_str("</section>\n");
    }
    html.push_str("</aside>\n</main>\n<div id=tip hidden></div>\n<script>");
    html.push_str(SCRIPT);
    html.push_str("</script>\n</body>\n</html>\n");
    html
}

/// Adds a row for each statement of each conflict; returns the numbers of the rows.
fn add_conflicts(view: &View, rows: &mut TableRows) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    for (path, statements) in &view.conflicts {
        let start = rows.all.len();
        for (value, spans) in statements {
            rows.add_statement(&view.document, path, value, spans);
        }
        all.push(start..rows.all.len());
    }
    all
}

/// The gaps, clipped to the text and to character boundaries, in order and without overlap, each
/// with its reasons.
fn gaps(view: &View) -> Vec<(Range<usize>, Vec<&str>)> {
    let text = view.document.text();
    let floor = |at: usize| {
        let at = at.min(text.len());
        (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
    };
    let mut all: Vec<(Range<usize>, &str)> =
        view.gaps.iter().map(|(gap, reason)| (floor(gap.start)..floor(gap.end), &**reason)).collect();
    all.retain(|(gap, _)| gap.start < gap.end);
    all.sort_by_key(|(gap, _)| gap.start);
    let mut merged: Vec<(Range<usize>, Vec<&str>)> = Vec::new();
    for (gap, reason) in all {
        match merged.last_mut() {
            Some((last, reasons)) if gap.start < last.end => {
                last.end = last.end.max(gap.end);
                reasons.push(reason);
            }
            _ => merged.push((gap, vec![reason])),
        }
    }
    merged
}

fn push_head(html: &mut String, title: &str) {
    html.push_str("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    push_policy(html);
    html.push_str(
        "<meta name=viewport content=\"width=device-width\">\n<meta name=referrer content=no-referrer>\n",
    );
    // Without an icon, a browser requests one from the server.
    html.push_str("<link rel=icon href=\"data:,\">\n<title>");
    push_text(html, title);
    html.push_str("</title>\n<style>");
    html.push_str(STYLE);
    html.push_str("</style>\n</head>\n");
}

/// Says what the page is about: the document, the type, the agent, and the like.
fn push_facts(html: &mut String, view: &View) {
    html.push_str("<div><h1><bdi>");
    push_text(html, &view.title);
    html.push_str("</bdi></h1>\n");
    if !view.facts.is_empty() {
        html.push_str("<dl>");
        for (name, text) in &view.facts {
            html.push_str("<div><dt>");
            push_text(html, name);
            html.push_str("<dd><bdi>");
            push_text(html, text);
            html.push_str("</bdi></div>");
        }
        html.push_str("</dl>\n");
    }
    html.push_str("</div>\n");
}

fn push_contents(html: &mut String, parts: &[PagePart]) {
    html.push_str("<nav aria-label=Contents><a href=#text>Text</a>");
    for part in parts.iter().filter(|part| part.count > 0) {
        let _ = write!(html, " <a href=#{}>{} <small>{}</small></a>", part.id, part.title, part.count);
    }
    html.push_str("</nav>\n");
}

fn push_heading(html: &mut String, part: &PagePart) {
    let _ = writeln!(html, "<section id={}><h2>{}</h2>", part.id, part.title);
}

fn push_summary(html: &mut String, view: &View, rows: &TableRows, values: usize) {
    if let Err(error) = &view.value {
        html.push_str("<p><strong>The value could not be written: <bdi>");
        push_text(html, error);
        html.push_str("</bdi></strong></p>\n");
    }
    let count = |standing: fn(RowStanding) -> bool| {
        rows.all[..values].iter().filter(|row| standing(row.standing)).count()
    };
    let placed = count(|standing| matches!(standing, RowStanding::Placed | RowStanding::Within(_)));
    let unplaced = count(|standing| standing == RowStanding::Unplaced);
    let empty = count(|standing| standing == RowStanding::Nothing);
    let elsewhere = count(|standing| standing == RowStanding::Elsewhere);
    let mut sentences = vec![format!("{placed} with a place")];
    if unplaced > 0 {
        sentences.push(format!("{unplaced} without a place"));
    }
    if empty > 0 {
        sentences.push(format!("{empty} empty"));
    }
    if elsewhere > 0 {
        sentences.push(format!("{elsewhere} with a place that is not in this text"));
    }
    let _ = write!(html, "<p>{}: {}.", counted(values, "value"), sentences.join(", "));
    if let Some(summary) = &view.summary {
        html.push_str(" <small>");
        push_text(html, summary);
        html.push_str("</small>");
    }
    html.push_str("</p>\n");
}
