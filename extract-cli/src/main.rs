//! The command `extractable`: the library `extract` for people who do not write Rust.
//!
//! `cli` is the grammar of the command line, `commands` has one file for each command, and `input`
//! finds the documents. Results go to the standard output, everything else to the standard error.

#![forbid(unsafe_code)]

mod agent;
mod ask;
mod cli;
mod commands;
mod destination;
mod error;
mod example_schema;
mod fields;
mod input;
mod journal;
mod output;
mod own;
#[cfg(any(feature = "office", feature = "parquet", feature = "pdf"))]
mod panics;
mod report;
mod results;
mod runtime;
mod schema_file;
mod shots;
mod shutdown;
mod status;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::{
    cli::{Cli, Command},
    error::Outcome,
    output::Style,
};

fn main() -> ExitCode {
    #[cfg(any(feature = "office", feature = "parquet", feature = "pdf"))]
    panics::keep_quiet();
    let cli = Cli::parse();
    let exit = match run(&cli) {
        Ok(exit) => exit,
        Err(failure) => {
            if !failure.is_silent() {
                output::failure(&failure, cli.json);
            }
            failure.exit
        }
    };
    ExitCode::from(exit as u8)
}

fn run(cli: &Cli) -> Outcome {
    output::set_quiet(cli.quiet);
    let style = Style { is_json: cli.json, is_quiet: cli.quiet };
    match &cli.command {
        Command::Run(args) => commands::run::run(args, style),
        Command::RetryFailed(args) => commands::run::retry_failed(args, style),
        Command::Inspect(args) => commands::inspect::run(args, style),
        Command::Export(args) => commands::export::run(args),
        Command::Journal(args) => commands::journal::run(args, style),
        Command::Extract(args) => commands::extract::run(args, style),
        Command::Read(args) => commands::read::run(args, style),
        Command::Validate(args) => commands::validate::run(args, style),
        Command::Schema(args) => commands::schema::run(args, style),
        Command::View(args) => commands::view::run(args),
        Command::ServeMcp(args) => commands::serve_mcp::run(args, style),
        Command::Completions(args) => commands::completions::run(args, Cli::command()),
        Command::Man(args) => commands::man::run(args, Cli::command()),
    }
}
