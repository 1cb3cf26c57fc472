//! The grammar of the command line.

use std::path::PathBuf;

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

    /// File with settings: options with their values, in TOML. Without it: extractable.toml in the working directory, if it
    /// is there. The command line takes precedence. `eval` compares several
    #[arg(long, global = true, value_name = "FILE")]
    settings: Vec<PathBuf>,

    /// Do not read extractable.toml
    #[arg(long, global = true)]
    no_settings: bool,

    /// File with environment variables, such as a .env with the key of a provider. Those that are set already take
    /// precedence
    #[arg(long, global = true, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

/// The text below every help.
const EXIT_CODES: &str = "\
Exit codes:
  0    everything requested was done
  1    a reply or value does not conform, some documents failed or were skipped, or fewer fields are right than
       `eval --at-least` asks for
  2    the command line, the schema or an input is wrong
  3    the job ended before its last document; the same command goes on
  4    the agent could not be asked
  5    a journal or an output could not be read or written
  6    batches are not answered yet; the same command goes on
  130  Ctrl-C ended it at once";

/// The commands; their `Args` have their help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(commands::run::RunArgs),
    RetryFailed(commands::run::RetryArgs),
    Inspect(commands::inspect::InspectArgs),
    Review(commands::review::ReviewArgs),
    Cancel(commands::cancel::CancelArgs),
    Export(commands::export::ExportArgs),
    Journal(commands::journal::JournalCommandArgs),
    Extract(commands::extract::ExtractArgs),
    Eval(commands::eval::EvalArgs),
    Tune(commands::tune::TuneArgs),
    Calibrate(commands::calibrate::CalibrateArgs),
    Read(commands::read::ReadArgs),
    Validate(commands::validate::ValidateArgs),
    Schema(commands::schema::SchemaCommandArgs),
    View(commands::view::ViewArgs),
    ServeMcp(commands::serve_mcp::ServeMcpArgs),
    Completions(commands::completions::CompletionsArgs),
    Man(commands::man::ManArgs),
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use clap::CommandFactory as _;

    use super::*;

    /// The long names of the options of a command and of those below it.
    fn options(command: &clap::Command, names: &mut BTreeSet<String>) {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        names.extend(shown.filter_map(|arg| arg.get_long()).map(str::to_owned));
        command.get_subcommands().for_each(|below| options(below, names));
    }

    #[test]
    fn every_option_is_on_the_page_about_the_command_line() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/command-line.md");
        let page = fs::read_to_string(page).unwrap();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let words: Vec<_> = page.split(|c| !is_word(c)).filter_map(|word| word.strip_prefix("--")).collect();
        let mut names = BTreeSet::new();
        options(&Cli::command(), &mut names);
        names.retain(|name| !words.contains(&&**name));
        assert!(names.is_empty(), "{names:?}");
    }
}
