//! `extractable cancel`: the open batches of a job.

use std::path::PathBuf;

use extract_bulk::{CancelError, JournalBatch};

use crate::{
    agent::ModelArgs,
    error::{Exit, Failure, Outcome},
    journal::{self, JournalArgs},
    output::{self, Style},
    runtime::runtime,
};

/// Cancel the open batches of a job at their provider
///
/// The provider keeps the answers that it has until then, and they are paid for. `run --batch` of the
/// same job collects them, and sends the other requests again; with `--batch-directly-below 1000000` it
/// asks them without batches:
///
///   extractable cancel invoices.jsonl --agent openai/gpt-6-luna
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    journal: JournalArgs,

    /// Folder with the files of the batches, if they are not at a provider
    #[arg(long, value_name = "FOLDER", conflicts_with = "forget")]
    batch_folder: Option<PathBuf>,

    /// Ask nobody, and forget the batches, such as those that the provider has deleted. Their requests are sent, and
    /// paid for, again
    #[arg(long)]
    forget: bool,

    #[command(flatten)]
    model: ModelArgs,
}

pub(crate) fn run(args: &CancelArgs, style: Style) -> Outcome {
    let journal = args.journal.open()?;
    let batches = if args.forget {
        journal.forget_batches().map_err(|error| journal::failure(&error))?
    } else if journal.inspect().map_err(|error| journal::failure(&error))?.batches.is_empty() {
        Vec::new()
    } else {
        let agent = args.model.batches(args.batch_folder.as_deref())?;
        runtime()?.block_on(journal.cancel_batches(&*agent)).map_err(|error| failed(&error))?
    };
    batches.iter().try_for_each(|batch| show(batch, style))?;
    if batches.is_empty() {
        style.note("the job has no open batch");
    }
    Ok(Exit::Success)
}

fn show(batch: &JournalBatch, style: Style) -> Result<(), Failure> {
    if style.is_json { output::compact(batch) } else { output::line(&output::plain(&batch.to_string())) }
}

fn failed(error: &CancelError) -> Failure {
    match error {
        CancelError::Journal(error) => journal::failure(error),
        error => Failure::new(Exit::Agent, error.to_string()).help(
            "the same command goes on; with `--forget` nobody is asked, and the requests are paid for again",
        ),
    }
}
