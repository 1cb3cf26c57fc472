//! The answers of the server: a page, its style and script, and the state as JSON.

use std::fmt::Write as _;

use super::state::{JobNumbers, JobState};
use crate::{
    loopback::{LoopbackAnswer, LoopbackRequest, Method, RefusedRequest, Site},
    report::escape::{escaped, push_text},
};

const STYLE: &str = concat!(include_str!("../report/report.css"), include_str!("status.css"));
const SCRIPT: &str = include_str!("status.js");

impl Site for JobState {
    /// Nothing is changed by looking.
    const MAX_BODY: usize = 0;

    fn answer(&self, request: &LoopbackRequest) -> Result<LoopbackAnswer, RefusedRequest> {
        let answer = match &*request.path {
            "/" => LoopbackAnswer::html(page(&self.look())),
            "/status.json" => LoopbackAnswer::json(serde_json::to_string(&self.look()).unwrap_or_default()),
            "/status.css" => LoopbackAnswer::css(STYLE),
            "/status.js" => LoopbackAnswer::javascript(SCRIPT),
            _ => return Err(RefusedRequest::NotFound),
        };
        match request.method {
            Method::Get => Ok(answer),
            Method::Post => Err(RefusedRequest::NotAllowed),
        }
    }
}

/// The page with the state of now, which its script keeps up to date. Without a script it loads
/// itself again.
fn page(seen: &JobNumbers) -> String {
    let mut html = String::from("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    html.push_str(
        "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<link rel=icon href=\"data:,\">\n\
         <link rel=stylesheet href=status.css>\n<script src=status.js defer></script>\n",
    );
    if seen.ended.is_none() {
        html.push_str("<noscript><meta http-equiv=refresh content=3></noscript>\n");
    }
    html.push_str("<title>");
    push_text(&mut html, &seen.title);
    html.push_str("</title>\n</head>\n<body>\n<header>\n<h1><bdi id=title>");
    push_text(&mut html, &seen.title);
    let _ = write!(html, "</bdi></h1>\n<p id=state role=status>{}</p>\n<dl>", escaped(&seen.state));
    for (id, name, value) in numbers(seen) {
        let hidden = if value.is_empty() { " hidden" } else { "" };
        let _ = write!(html, "<div{hidden}><dt>{name}<dd id={id}>{}</div>", escaped(&value));
    }
    html.push_str("</dl>\n");
    push_progress(&mut html, seen);
    html.push_str("</header>\n<main>\n<section id=failed");
    html.push_str(if seen.failures.is_empty() { " hidden" } else { "" });
    html.push_str("><h2>Failed documents, the last first</h2>\n<ol id=failures>");
    for failed in &seen.failures {
        let _ = writeln!(
            html,
            "<li><bdi class=j>{}</bdi> <strong class=bad>{}</strong> <span>{}</span></li>",
            escaped(&failed.key),
            escaped(&failed.name),
            escaped(&failed.message)
        );
    }
    let _ =
        write!(html, "</ol>\n<p class=w id=more>{}</p>\n</section>\n</main>\n</body>\n</html>\n", more(seen));
    html
}

/// How far the job is, as a picture and in words.
fn push_progress(html: &mut String, seen: &JobNumbers) {
    let all = seen.documents.unwrap_or(seen.done + seen.failed).max(seen.done + seen.failed).max(1);
    let part = |count: u64| u128::from(count) * 1_000 / u128::from(all);
    let (done, failed) = (part(seen.done), part(seen.failed));
    let _ = writeln!(
        html,
        "<svg id=bar viewBox=\"0 0 1000 10\" preserveAspectRatio=none role=img aria-label=\"{} done, {} failed\">\
         <rect class=e width=1000 height=10 /><rect class=ok id=bar-done width={done} height=10 />\
         <rect class=bad id=bar-failed x={done} width={failed} height=10 /></svg>",
        seen.done, seen.failed
    );
}

fn more(seen: &JobNumbers) -> String {
    match seen.more_failures {
        0 => String::new(),
        more => format!("{more} more before: <code>extractable inspect JOURNAL --failed</code> lists all."),
    }
}

/// The numbers, each with its id and its name. An empty one is not shown.
fn numbers(seen: &JobNumbers) -> [(&'static str, &'static str, String); 11] {
    let documents = seen.documents.map(|count| count.to_string()).unwrap_or_default();
    let rate = seen.per_minute.map(|rate| format!("{rate:.1}")).unwrap_or_default();
    let cost = seen.cost.map(|cost| format!("{cost:.4}")).unwrap_or_default();
    let some = |count: u64| if count > 0 { count.to_string() } else { String::new() };
    [
        ("documents", "documents", documents),
        ("done", "done", seen.done.to_string()),
        ("failed-count", "failed", seen.failed.to_string()),
        ("resumed", "known before", some(seen.resumed)),
        ("in-flight", "in flight", seen.in_flight.to_string()),
        ("rate", "documents a minute", rate),
        ("left", "left", seen.left_seconds.map(span).unwrap_or_default()),
        ("elapsed", "elapsed", span(seen.elapsed_seconds)),
        ("tokens-in", "tokens in", seen.tokens_in.to_string()),
        ("tokens-out", "tokens out", seen.tokens_out.to_string()),
        ("cost", "cost", cost),
    ]
}

/// `1 h 02 min`, `3 min 20 s` or `12 s`.
fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "</script><img src=x onerror=alert(1)>'\"&\u{202e}";

    #[test]
    fn foreign_text_stays_text() {
        let state = JobState::new(EVIL.to_owned());
        state.failed(EVIL, EVIL, EVIL);
        state.end(EVIL);
        let html = page(&state.look());
        assert!(!html.contains("<img") && !html.contains('\u{202e}'), "{html}");
        assert_eq!(html.matches("</script>").count(), 1, "its own");
    }

    #[test]
    fn a_page_loads_nothing_from_elsewhere() {
        for body in [&page(&JobState::new("job".to_owned()).look()), STYLE, SCRIPT] {
            assert!(
                !body.contains("http:") && !body.contains("https:") && !body.contains("innerHTML"),
                "{body}"
            );
        }
    }

    #[test]
    fn the_script_and_the_page_name_the_same_places() {
        let html = page(&JobState::new("job".to_owned()).look());
        for (id, ..) in numbers(&JobNumbers::default()) {
            assert!(SCRIPT.contains(&format!("'{id}'")) && html.contains(&format!(" id={id}>")), "{id}");
        }
        for id in ["title", "state", "bar-done", "bar-failed", "failures", "failed", "more", "bar"] {
            assert!(SCRIPT.contains(&format!("'{id}'")) && html.contains(&format!("id={id}")), "{id}");
        }
        // Each value that the script reads is one that the state has.
        let state = serde_json::to_value(JobNumbers::default()).unwrap();
        for (at, _) in SCRIPT.match_indices("seen.") {
            let name: String =
                SCRIPT[at + 5..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            assert!(state.get(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_span_is_short() {
        assert_eq!([5, 200, 3_725].map(span), ["5 s", "3 min 20 s", "1 h 02 min"]);
    }
}
