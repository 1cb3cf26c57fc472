//! The tables of the page.

use std::{fmt::Write as _, time::Duration};

use extract::metrics::ModelUsage;
use extract_bulk::Status;

use super::{
    escape::{escaped, push_text},
    links::Links,
    tally::{DocumentCost, FailedOutcome, FindingPlaces, name},
};

/// Width of the canvas of a bar; the browser scales it.
const WIDTH: u64 = 1_000;

/// A bar of adjacent parts. It is a picture, because the policy of the page forbids inline styles.
pub(super) fn push_bar(html: &mut String, parts: &[(&str, u64)]) {
    let all: u64 = parts.iter().map(|(_, count)| count).sum();
    if all == 0 {
        return;
    }
    let _ = write!(html, "<svg viewBox=\"0 0 {WIDTH} 10\" preserveAspectRatio=none aria-hidden=true>");
    let mut at = 0;
    for (class, count) in parts.iter().filter(|(_, count)| *count > 0) {
        // A part must be visible, however small it is.
        let width = (u128::from(*count) * u128::from(WIDTH) / u128::from(all)).max(4);
        let _ = write!(html, "<rect class={class} x={at} width={width} height=10 />");
        at += width;
    }
    html.push_str("</svg>");
}

/// Paths with their findings.
pub(super) fn push_places(html: &mut String, id: &str, title: &str, about: &str, places: &FindingPlaces) {
    let all = places.sorted();
    if all.is_empty() {
        return;
    }
    let most = all.first().map_or(1, |(.., found)| found.count);
    let _ = write!(
        html,
        "<section id={id}><h2>{title}</h2>\n<p class=w>{about}</p>\n<table><thead><tr><th class=p>Path<th>Kind<th class=n>Times\
         <th class=n>Documents<th>For example</thead><tbody>\n"
    );
    for (path, kind, found) in all {
        let _ = write!(
            html,
            "<tr><th scope=row class=j>{}<td class=k>{}<td class=n data-l=Times>{}",
            escaped(path),
            escaped(kind),
            found.count
        );
        push_bar(html, &[("b", found.count), ("e", most - found.count)]);
        let _ = writeln!(
            html,
            "<td class=n data-l=Documents>{}<td class=j>{}",
            found.documents,
            escaped(&found.example)
        );
    }
    html.push_str("</tbody></table>\n");
    if places.beyond > 0 {
        let _ = writeln!(html, "<p class=w>{} more at further places.</p>", places.beyond);
    }
    html.push_str("</section>\n");
}

/// Tokens by model.
pub(super) fn push_models(html: &mut String, models: &[ModelUsage]) {
    if models.is_empty() {
        return;
    }
    html.push_str(
        "<section id=models><h2>Models</h2>\n<table><thead><tr><th>Model<th>Agent<th class=n>Replies<th class=n>Tokens in\
         <th class=n>cached<th class=n>Tokens out</thead><tbody>\n",
    );
    for used in models {
        let usage = used.usage;
        let _ = writeln!(
            html,
            "<tr><th scope=row>{}<td>{}<td class=n data-l=Replies>{}<td class=n data-l=\"Tokens in\">{}<td class=n \
             data-l=cached>{}<td class=n data-l=\"Tokens out\">{}{}",
            escaped(used.name()),
            escaped(&used.agent),
            used.replies,
            usage.input_tokens,
            usage.cached_input_tokens,
            usage.output_tokens,
            if usage.is_estimated { " <span class=w>estimated</span>" } else { "" },
        );
    }
    html.push_str("</tbody></table></section>\n");
}

/// Documents with their costs.
pub(super) fn push_spent<'a>(
    html: &mut String,
    id: &str,
    title: &str,
    all: impl Iterator<Item = &'a DocumentCost>,
    links: &Links,
) {
    let _ = write!(
        html,
        "<section id={id}><h2>{title}</h2>\n<table><thead><tr><th>Document<th>Outcome<th class=n>Seconds<th class=n>Attempts\
         <th class=n>Tokens</thead><tbody>\n"
    );
    for spent in all {
        let class = class(spent.status);
        html.push_str("<tr><th scope=row class=j>");
        push_key(html, &spent.key, links);
        let _ = writeln!(
            html,
            "<td class={class}>{}<td class=n data-l=Seconds>{}<td class=n data-l=Attempts>{}<td class=n data-l=Tokens>{}",
            name(&spent.status),
            seconds(spent.elapsed),
            spent.attempts,
            spent.tokens,
        );
    }
    html.push_str("</tbody></table></section>\n");
}

/// The documents, each with a link to its page.
pub(super) fn push_listed(html: &mut String, all: &[DocumentCost], more: u64, links: &Links) {
    push_spent(html, "documents", "Documents", all.iter(), links);
    if more > 0 {
        let _ =
            writeln!(html, "<p class=w>{more} more: <code>extractable export JOURNAL</code> lists all.</p>");
    }
}

/// The key of a document, as a link if it has a page.
fn push_key(html: &mut String, key: &str, links: &Links) {
    match links.to(key) {
        Some(link) => {
            let _ = write!(html, "<a href=\"{link}\">{}</a>", escaped(key));
        }
        None => push_text(html, key),
    }
}

/// The documents without an answer.
pub(super) fn push_failed(html: &mut String, all: &[FailedOutcome], more: u64, links: &Links) {
    if all.is_empty() {
        return;
    }
    html.push_str("<section id=failed><h2>Failed documents</h2>\n");
    for failed in all {
        let _ = writeln!(
            html,
            "<details><summary><span class=j>{}</span> <strong>{}</strong> {}</summary>",
            escaped(&failed.key),
            escaped(&failed.name),
            escaped(&failed.message)
        );
        if let Some(link) = links.to(&failed.key) {
            let _ = writeln!(html, "<p><a href=\"{link}\">The document and its last value</a></p>");
        }
        if !failed.violations.is_empty() {
            html.push_str("<ul>");
            for violation in &failed.violations {
                let _ = write!(html, "<li>{}", escaped(violation));
            }
            html.push_str("</ul>\n");
        }
        if !failed.reply.is_empty() {
            html.push_str("<p class=w>The last reply:</p><pre>");
            push_text(html, &failed.reply);
            html.push_str("</pre>\n");
        }
        html.push_str("</details>\n");
    }
    if more > 0 {
        let _ = writeln!(
            html,
            "<p class=w>{more} more: <code>extractable inspect JOURNAL --failed</code> lists all.</p>"
        );
    }
    html.push_str("</section>\n");
}

/// The colour of an outcome.
fn class(status: Status) -> &'static str {
    match status {
        Status::Done => "ok",
        Status::InPart => "part",
        _ => "bad",
    }
}

pub(super) fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}
