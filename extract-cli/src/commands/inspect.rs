//! `extractable inspect`: the state of a job.

use extract_bulk::{DeadLetter, Outcome as DocumentOutcome};
use serde_json::json;

use crate::{
    error::{Exit, Failure, Outcome},
    journal::{self, JournalArgs},
    output::{self, Style},
};

/// Say what became of a job, or of one document of it
///
/// The job in numbers; with --failed why documents failed; with the key of a document all that is
/// known of it: what was repaired, and every attempt if it failed.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    journal: JournalArgs,

    /// Key of a document, to show all that is known of it
    #[arg(value_name = "KEY")]
    key: Option<String>,

    /// List the documents without an answer, and why
    #[arg(long, conflicts_with = "key")]
    failed: bool,
}

pub(crate) fn run(args: &InspectArgs, style: Style) -> Outcome {
    let journal = args.journal.read()?;
    let wrong = |error: extract_bulk::JournalError| journal::failure(&error);
    if let Some(key) = &args.key {
        let outcome = journal.get(key).map_err(wrong)?.ok_or_else(|| {
            Failure::new(Exit::NotConforming, format!("the journal has no document `{key}`"))
                .help("a key is the path of a file as it was given, or what `--key` named")
        })?;
        one(&outcome, style)?;
        return Ok(Exit::Success);
    }
    if args.failed {
        for letter in journal.dead_letters().map_err(wrong)? {
            failed(&letter.map_err(wrong)?, style)?;
        }
        return Ok(Exit::Success);
    }
    let summary = journal.inspect().map_err(wrong)?;
    if style.is_json {
        output::compact(&summary)?;
    } else {
        output::line(summary.to_string().trim_end())?;
    }
    Ok(Exit::Success)
}

fn failed(letter: &DeadLetter, style: Style) -> Result<(), Failure> {
    if style.is_json {
        return output::compact(letter);
    }
    let DeadLetter { key, failure, .. } = letter;
    let message = failure.message.replace('\n', "\n  ");
    output::line(&output::plain(&format!("{key}: {}: {message}", failure.name)))
}

fn one(outcome: &DocumentOutcome, style: Style) -> Result<(), Failure> {
    let (value, failure) = match &outcome.result {
        Ok(value) => (Some(value), None),
        Err(failure) => (None, Some(failure)),
    };
    if style.is_json {
        return output::compact(&json!({
            "key": outcome.key,
            "status": outcome.status,
            "value": value,
            "failure": failure,
            "meta": outcome.meta,
            "metrics": outcome.metrics,
        }));
    }
    output::line(&output::plain(&format!("{}: {}", outcome.key, outcome.metrics)))?;
    for change in &outcome.metrics.changes {
        output::line(&output::change(change))?;
    }
    for warning in &outcome.metrics.warnings {
        output::line(&output::violation(warning))?;
    }
    for conflict in &outcome.metrics.conflicts {
        output::line(&output::conflict(conflict))?;
    }
    for gap in &outcome.metrics.gaps {
        output::line(&output::gap(gap))?;
    }
    if let Some(value) = value {
        output::pretty(value)?;
    }
    if let Some(failure) = failure {
        output::line(&output::plain(&format!("{}: {}", failure.name, failure.message)))?;
        for attempt in &failure.history {
            let reply =
                format!("attempt {} of {}: {}", attempt.number, attempt.agent, attempt.raw_output.trim());
            output::line(&output::plain(&reply))?;
            for violation in &attempt.violations {
                output::line(&format!("  {}", output::violation(violation)))?;
            }
        }
    }
    Ok(())
}
