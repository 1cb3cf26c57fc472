//! The page around the tables.

use std::fmt::Write as _;

use extract_bulk::JournalSummary;

use super::{
    escape::{escaped, push_text},
    links::Links,
    tables::{push_bar, push_failed, push_listed, push_models, push_places, push_spent},
    tally::OutcomeTally,
};

const STYLE: &str = include_str!("report.css");

/// SHA-256 of [`STYLE`] in Base64. The test below checks it.
const STYLE_HASH: &str = "w6HurCRRHNKt5GByljc+gtNY+YWneofafNvafwAD9YU=";

pub(super) fn page(title: &str, summary: &JournalSummary, tally: &OutcomeTally, links: &Links) -> String {
    let mut html = String::with_capacity(64 << 10);
    push_head(&mut html, title);
    push_header(&mut html, title, summary);
    let start = html.len();
    html.push_str("<main>\n");
    push_outcomes(&mut html, summary, tally);
    push_places(
        &mut html,
        "violations",
        "Violations",
        "In all attempts at the documents that failed. A path that leads the list is often a description to improve \
         in the schema, or a constraint that the documents do not keep.",
        &tally.violations,
    );
    push_failed(&mut html, &tally.failed, tally.more_failed, links);
    push_places(&mut html, "warnings", "Warnings", "About accepted values.", &tally.warnings);
    push_places(
        &mut html,
        "repairs",
        "Repairs",
        "What was changed in reading the accepted replies; nothing that was asked for is lost by it.",
        &tally.repairs,
    );
    push_models(&mut html, &summary.per_model);
    if !tally.slowest.is_empty() {
        push_spent(&mut html, "slowest", "Slowest documents", tally.slowest.iter(), links);
        push_spent(&mut html, "largest", "Documents with the most tokens", tally.largest.iter(), links);
    }
    if links.are_there() {
        push_listed(&mut html, &tally.listed, tally.more_listed, links);
    }
    html.push_str("</main>\n</body>\n</html>\n");
    let contents = contents(&html[start..]);
    html.insert_str(start, &contents);
    html
}

/// Links to the sections that are there.
fn contents(main: &str) -> String {
    let sections = [
        ("violations", "Violations"),
        ("failed", "Failed"),
        ("warnings", "Warnings"),
        ("repairs", "Repairs"),
        ("models", "Models"),
        ("slowest", "Slowest"),
        ("largest", "Largest"),
        ("documents", "Documents"),
    ];
    let mut html = String::from("<nav aria-label=Contents>");
    for (id, name) in sections {
        // Foreign text in the page has no tags.
        if main.contains(&format!("<section id={id}>")) {
            let _ = write!(html, "<a href=#{id}>{name}</a> ");
        }
    }
    html + "</nav>\n"
}

/// The page loads its own style and nothing else.
fn push_head(html: &mut String, title: &str) {
    html.push_str("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    let _ = writeln!(
        html,
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; \
         img-src data:; base-uri 'none'; form-action 'none'\">"
    );
    html.push_str(
        "<meta name=viewport content=\"width=device-width\">\n<meta name=referrer content=no-referrer>\n\
         <link rel=icon href=\"data:,\">\n<title>",
    );
    push_text(html, title);
    let _ = write!(html, "</title>\n<style>{STYLE}</style>\n</head>\n<body>\n");
}

fn push_header(html: &mut String, title: &str, summary: &JournalSummary) {
    html.push_str("<header>\n<h1><bdi>");
    push_text(html, title);
    html.push_str("</bdi></h1>\n<dl>");
    let usage = summary.usage;
    for (name, value) in [
        ("documents", summary.documents),
        ("done", summary.done),
        ("in part", summary.in_part),
        ("failed", summary.failed),
        ("in flight", summary.in_flight),
        ("tokens in", usage.input_tokens),
        ("tokens out", usage.output_tokens),
        ("runs", summary.runs),
        ("of them crashed", summary.crashed_runs),
    ] {
        let is_shown = value > 0 || matches!(name, "documents" | "done" | "failed");
        if is_shown {
            let _ = write!(html, "<div><dt>{name}<dd>{}</div>", grouped(value));
        }
    }
    html.push_str("</dl>\n");
    let whole = summary.done.saturating_sub(summary.in_part);
    push_bar(html, &[("ok", whole), ("part", summary.in_part), ("bad", summary.failed)]);
    html.push_str("</header>\n");
}

fn push_outcomes(html: &mut String, summary: &JournalSummary, tally: &OutcomeTally) {
    html.push_str("<div class=two>\n");
    if !tally.attempts.is_empty() {
        html.push_str(
            "<section id=attempts><h2>Attempts</h2>\n<table><thead><tr><th class=n>Attempts<th class=n>Documents<th></thead><tbody>\n",
        );
        let most = tally.attempts.values().copied().max().unwrap_or(1);
        for (attempts, documents) in &tally.attempts {
            let _ = write!(html, "<tr><td class=n>{attempts}<td class=n>{}<td>", grouped(*documents));
            push_bar(html, &[("b", *documents), ("e", most - documents)]);
            html.push('\n');
        }
        html.push_str("</tbody></table></section>\n");
    }
    if !summary.failures.is_empty() {
        html.push_str(
            "<section id=failures><h2>Why documents failed</h2>\n<table><thead><tr><th>Reason<th class=n>Documents</thead><tbody>\n",
        );
        for (name, count) in &summary.failures {
            let _ = writeln!(html, "<tr><td>{}<td class=n>{}", escaped(name), grouped(*count));
        }
        html.push_str("</tbody></table></section>\n");
    }
    html.push_str("</div>\n");
}

/// A number with digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_hash_is_that_of_the_style() {
        assert_eq!(STYLE_HASH, BASE64_STANDARD.encode(Sha256::digest(STYLE)));
    }

    #[test]
    fn digits_stand_in_groups() {
        assert_eq!(
            [grouped(7), grouped(1_000), grouped(12_345_678)],
            ["7", "1\u{202f}000", "12\u{202f}345\u{202f}678"]
        );
    }
}
