//! An evaluation as a page.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    result::{CandidateResult, DocumentResult, Evaluation},
    table,
};
use crate::compare::LeafComparison;

/// Most characters of a text that are shown.
const MAX_TEXT_CHARS: usize = 20_000;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--bad:#c22;--good:#282}\
@media(prefers-color-scheme:dark){:root{--bad:#f88;--good:#8d8}}\
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:72rem;padding:1rem}\
table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.scroll{overflow-x:auto}\
article{border-top:2px solid var(--line);padding:1rem 0;display:grid;gap:1rem;grid-template-columns:1fr}\
@media(min-width:60rem){article{grid-template-columns:1fr 1fr}}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;max-height:30rem;overflow-y:auto}\
.bad{color:var(--bad)}.good{color:var(--good)}h3{margin:0;grid-column:1/-1}";

impl Evaluation {
    /// Returns a page with the scores, and each document that is not all right with its text and
    /// its wrong values. It loads nothing and runs no script; texts and values are shown as text.
    pub fn to_html(&self) -> String {
        let mut page = format!(
            "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
             <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=viewport content=\"width=device-width,initial-scale=1\">\n\
             <title>Evaluation</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Evaluation</h1>"
        );
        for candidate in &self.candidates {
            scores(&mut page, candidate);
        }
        for difference in &self.differences {
            let _ = write!(page, "<p>{}</p>", escaped(&difference.to_string()));
        }
        for candidate in self.candidates.iter().filter(|candidate| candidate.agent_error.is_none()) {
            let _ = write!(page, "<h2>Wrong values of {}</h2>", escaped(&candidate.name));
            for document in candidate.documents.iter().filter(|document| document.wrong().next().is_some()) {
                wrong_document(&mut page, document);
            }
        }
        page + "</body></html>\n"
    }
}

fn scores(page: &mut String, candidate: &CandidateResult) {
    if let Some(error) = &candidate.agent_error {
        let (name, error) = (escaped(&candidate.name), escaped(&shortened(error)));
        let _ = write!(page, "<h2>{name}</h2><p class=\"bad\">could not be asked: {error}</p>");
        return;
    }
    let _ = write!(
        page,
        "<h2>{}</h2><p>Fields right {}, documents right {}, {} of {} failed{}</p><div class=\"scroll\"><table><tr><th>field\
         <th class=\"n\">right<th class=\"n\">of<th class=\"n\">precision<th class=\"n\">recall<th class=\"n\">missing\
         <th class=\"n\">invented<th class=\"n\">other value<th class=\"n\">other form",
        escaped(&candidate.name),
        candidate.exact,
        candidate.exact_documents,
        candidate.failures,
        candidate.documents.len(),
        conforming(candidate),
    );
    for field in &candidate.fields {
        let score = &field.score;
        let _ = write!(page, "<tr><td>{}", escaped(&field.field));
        for count in [score.right, score.total()] {
            let _ = write!(page, "<td class=\"n\">{count}");
        }
        let _ = write!(
            page,
            "<td class=\"n\">{}<td class=\"n\">{}",
            table::share_or_dash(score.precision()),
            table::share_or_dash(score.recall()),
        );
        for count in [score.missing, score.invented, score.other_value, score.other_form] {
            let _ = write!(page, "<td class=\"n\">{count}");
        }
    }
    page.push_str("</table></div>");
}

/// The shares after each attempt, if there were several.
fn conforming(candidate: &CandidateResult) -> String {
    let shares: Vec<String> = candidate.conforming.iter().map(ToString::to_string).collect();
    if shares.len() < 2 {
        String::new()
    } else {
        format!("; conforming after each attempt {}", shares.join(", "))
    }
}

fn wrong_document(page: &mut String, document: &DocumentResult) {
    let title: String = document.document.chars().take(120).collect();
    let _ = write!(
        page,
        "<article><h3>{}</h3><pre>{}</pre><div>",
        escaped(&title),
        escaped(&shortened(&document.text))
    );
    if let Some(error) = &document.error {
        let _ = write!(page, "<p class=\"bad\">{}</p>", escaped(&shortened(error)));
    }
    page.push_str("<table><tr><th>value<th>right<th>extracted<th>mistake");
    for leaf in document.wrong() {
        wrong_leaf(page, leaf);
    }
    page.push_str("</table></div></article>");
}

fn wrong_leaf(page: &mut String, leaf: &LeafComparison) {
    let _ = write!(
        page,
        "<tr><td>{}<td class=\"good\">{}<td class=\"bad\">{}<td>{}",
        escaped(&leaf.path.to_string()),
        escaped(&written(&leaf.gold)),
        escaped(&written(&leaf.extracted)),
        leaf.outcome,
    );
}

/// A value as JSON, and nothing for nothing.
fn written(value: &Value) -> String {
    if value.is_null() { "–".to_owned() } else { shortened(&value.to_string()) }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}… ({} characters more)", &text[..end], text[end..].chars().count()),
        None => text.to_owned(),
    }
}

/// Escapes what HTML would read, and shows characters that hide or reorder text by their number.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            '\n' | '\t' => shown.push(char),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                let _ = write!(shown, "[U+{:04X}]", u32::from(char));
            }
            _ if char.is_control() => {
                let _ = write!(shown, "[U+{:04X}]", u32::from(char));
            }
            _ => shown.push(char),
        }
    }
    shown
}
