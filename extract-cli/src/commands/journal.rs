//! `extractable journal`: operations on journal files.

use serde_json::json;

use crate::{
    error::{Exit, Outcome},
    journal::{self, JournalArgs},
    output::{self, Style, counted},
};

/// Merge journals, or make one smaller
#[derive(Debug, clap::Args)]
pub(crate) struct JournalCommandArgs {
    #[command(subcommand)]
    command: JournalCommand,
}

#[derive(Debug, clap::Subcommand)]
enum JournalCommand {
    Merge(Merge),
    Compact(Compact),
}

/// Add the outcomes of other journals to one, such as those of machines that did a part each
///
/// Of two outcomes of a document one with an answer counts, and of equals the later one. The others stay as they are.
#[derive(Debug, clap::Args)]
struct Merge {
    #[command(flatten)]
    into: JournalArgs,

    /// Journals whose outcomes are added, or the outputs next to them
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<std::path::PathBuf>,
}

/// Make the file of a journal as small as it can be
#[derive(Debug, clap::Args)]
struct Compact {
    #[command(flatten)]
    journal: JournalArgs,
}

pub(crate) fn run(args: &JournalCommandArgs, style: Style) -> Outcome {
    match &args.command {
        JournalCommand::Merge(args) => merge(args, style),
        JournalCommand::Compact(args) => compact(args, style),
    }
}

fn merge(args: &Merge, style: Style) -> Outcome {
    let wrong = |error| journal::failure(&error);
    let mut into = args.into.open()?;
    for other in &args.others {
        let merged = into.merge(&JournalArgs::of(other).read()?).map_err(wrong)?;
        if style.is_json {
            output::compact(&json!({"journal": other, "merged": merged}))?;
        } else {
            let added = counted(merged.added, "document");
            output::line(&format!(
                "{}: {added} added, {} replaced, {} kept",
                output::plain(&other.display().to_string()),
                merged.replaced,
                merged.kept
            ))?;
        }
    }
    Ok(Exit::Success)
}

fn compact(args: &Compact, style: Style) -> Outcome {
    let before = args.journal.open()?.compact().map_err(|error| journal::failure(&error))?.before;
    // Closing the journal writes the list of its free pages.
    let after = args.journal.bytes()?;
    if style.is_json {
        output::compact(&json!({"before": before, "after": after}))?;
    } else {
        output::line(&format!("{after} bytes, {before} before"))?;
    }
    Ok(Exit::Success)
}
