//! Reports how a job ended, for people, programs and scripts.

use std::fmt::Write as _;

use extract::ExtractionError;
use extract_bulk::{BulkError, Ended, Report};
use serde::Serialize;
use serde_json::Value;

use super::RunArgs;
use crate::{
    ask,
    error::{Exit, Failure, Outcome},
    input::UnreadDocuments,
    journal,
    output::{self, Style, counted},
};

/// Reports how the job ended. The exit code says whether all results are there.
pub(super) fn ended(
    args: &RunArgs,
    report: Result<Report, BulkError>,
    skipped: u64,
    style: Style,
) -> Outcome {
    let report = report.map_err(|error| failed(args, error))?;
    let exit = exit(&report, skipped);
    if style.is_json {
        // The standard output may hold the results.
        let text = with_skipped(&report, skipped).to_string();
        if args.out().is_some() {
            output::json(&text)?;
        } else {
            output::note(output::escaped_json(&text));
        }
        return Ok(exit);
    }
    summary(args, &report, skipped, style);
    Ok(exit)
}

/// What a program is told: a part of the library, and the documents that only this program knows of.
pub(super) fn with_skipped(report: &impl Serialize, skipped: u64) -> Value {
    let mut report = serde_json::to_value(report).unwrap_or_default();
    report["skipped"] = skipped.into();
    report
}

/// How the job ended, in a few words.
pub(super) fn state(ended: Option<&Result<Report, BulkError>>) -> &'static str {
    match ended {
        None => "ended at once",
        Some(Err(_)) => "ended by an error, which the program printed",
        Some(Ok(report)) => reason(report.ended).unwrap_or("complete"),
    }
}

/// Why a job ended early.
fn reason(ended: Ended) -> Option<&'static str> {
    match ended {
        Ended::Complete => None,
        Ended::TokenBudget => Some("the token budget is used up"),
        Ended::Shutdown => Some("stopped"),
        Ended::Unreachable => Some("the agent could not be reached"),
        Ended::Waiting => Some("the batches are not answered yet"),
        _ => Some("not complete"),
    }
}

fn exit(report: &Report, skipped: u64) -> Exit {
    match report.ended {
        Ended::Complete => Exit::of(report.failed == 0 && skipped == 0),
        Ended::Unreachable => Exit::Agent,
        Ended::Waiting => Exit::Waiting,
        _ => Exit::Stopped,
    }
}

fn summary(args: &RunArgs, report: &Report, skipped: u64, style: Style) {
    let documents = match unread(report) {
        0 => counted(report.documents, "document"),
        unread => format!("{} of {}", report.documents, counted(report.documents + unread, "document")),
    };
    let mut line = format!("{documents}: {} done", report.done);
    for (count, what) in [
        (report.in_part, "of them in part"),
        (report.in_conflict, "with conflicts between chunks"),
        (report.failed, "failed"),
        (report.resumed, "known before"),
        (report.changed, "changed since and asked again"),
        (report.repeated, "given twice"),
        (skipped, "skipped"),
    ] {
        if count > 0 {
            let _ = write!(line, ", {count} {what}");
        }
    }
    let _ = write!(line, "; {}, {}", counted(report.calls, "request"), report.usage);
    if let Some(cost) = &report.cost {
        let _ = write!(line, ", cost {cost}");
    }
    let _ = write!(line, ", {:.1} s", report.elapsed.as_secs_f64());
    style.note(line);
    let journal = args.journal_path();
    if let (true, Some(path)) = (report.failed > 0, &journal) {
        style.note(format!("`extractable inspect {} --failed` says why documents failed", path.display()));
    }
    let Some(why) = reason(report.ended) else { return };
    let next = if journal.is_some() { "; the same command goes on" } else { "" };
    let all = report.expected.map(|all| (all, all.saturating_sub(report.done + report.failed)));
    let missing = all.map(|(all, missing)| format!(" ({missing} of {all} have none)")).unwrap_or_default();
    let error = report.agent_error.as_ref().map(|error| format!(" ({})", output::plain(error)));
    output::note(format!(
        "{why}{}: not every document has an outcome{missing}{next}",
        error.unwrap_or_default()
    ));
    if let (Ended::Waiting, Some(path)) = (report.ended, &journal) {
        style.note(format!("`extractable inspect {}` shows the batches", path.display()));
    }
    let has_some = report.done + report.failed > 0;
    if let Some(partial) = args.partial_path().filter(|path| has_some && path.exists()) {
        style.note(format!("`{}` has the others", partial.display()));
    }
}

/// How many documents were not read, if known.
fn unread(report: &Report) -> u64 {
    report.expected.unwrap_or_default().saturating_sub(report.documents)
}

/// Advice for results that could not be written.
pub(super) const ANOTHER_OUT: &str =
    "all outcomes are in the journal; the same command with another `--out` and this `--journal` writes them";

/// The failure of a job.
pub(super) fn failed(args: &RunArgs, error: BulkError) -> Failure {
    let message = error.to_string();
    match error {
        BulkError::Journal(error) => journal::failure(&error),
        BulkError::Source { error, .. } => {
            let is_kept = args.journal_path().is_some();
            let help = error.downcast_ref::<UnreadDocuments>().and_then(|unread| unread.help(is_kept));
            Failure { help: help.map(str::to_owned), ..Failure::usage(error.to_string()) }
        }
        BulkError::DuplicateKey { key, .. } => {
            let places = args.input.places_of(&key);
            let places = places.map(|(one, other)| format!(": {one} and {other}")).unwrap_or_default();
            Failure::usage(format!("two different documents have the key `{key}`{places}")).help(
                "without `--key` each file and line has its own; with it, name a column that tells them apart",
            )
        }
        BulkError::Setup(ExtractionError::Settings(error)) => ask::about_settings(&error),
        BulkError::Setup(_) => Failure::usage(message),
        BulkError::Agent { .. } => ask::about_agent(message),
        BulkError::OpenBatches { open, .. } => {
            let message = match open {
                0 => "answers of batches of an earlier run are not used yet".to_owned(),
                1 => "a batch of an earlier run has no answers yet".to_owned(),
                open => format!("{open} batches of an earlier run have no answers yet"),
            };
            Failure::usage(message).help(
                "add `--batch`, and `--batch-directly-below 1000000` to send no more of them; `extractable cancel` cancels them",
            )
        }
        BulkError::Output { .. } => Failure::new(Exit::Storage, message).help(ANOTHER_OUT),
        _ => Failure::new(Exit::Storage, message),
    }
}
