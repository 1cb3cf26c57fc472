//! The grammar of the command line.

use clap::{Parser, Subcommand};

use crate::commands;

/// Values that conform to a schema, from documents, by any language model
///
/// A value is read from the reply of the model, repaired where only one reading is possible, and checked against the
/// schema. If it does not conform, the model gets all violations and is asked again.
#[derive(Debug, Parser)]
#[command(name = "extractable", version, propagate_version = true, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print JSON for programs instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print no progress and no remarks, only results and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// What stands below every help.
const EXIT_CODES: &str = "\
Exit codes:
  0    everything asked for is there
  1    a reply or value does not conform, or some documents failed
  2    the command line, the schema or an input is wrong
  3    the job ended before its last document; the same command goes on
  4    the agent could not be asked
  5    a journal or an output could not be read or written
  130  Ctrl-C ended it at once";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask about many documents; the same command goes on where it stopped
    Run(commands::run::Args),
    /// Ask again about the documents of a job that failed
    RetryFailed(commands::run::RetryArgs),
    /// Say what became of a job, or of one document of it
    Inspect(commands::inspect::Args),
    /// Write what a journal holds as JSON Lines or CSV
    Export(commands::export::Args),
    /// Ask about one document and print the value
    Extract(commands::extract::Args),
    /// Read the reply of a model: the value, what was repaired, what is wrong
    Read(commands::read::Args),
    /// Check values against the schema
    Validate(commands::validate::Args),
    /// Show a schema as models and providers get it, or an example of it
    Schema(commands::schema::Args),
    /// Write an HTML page: a document with its values, or the report of a job
    View(commands::view::Args),
    /// Serve the schema to MCP clients, which submit values that conform
    ServeMcp(commands::serve_mcp::Args),
    /// Print the completions of a shell
    Completions(commands::completions::Args),
    /// Print the manual page, or write one for each command
    Man(commands::man::Args),
}
