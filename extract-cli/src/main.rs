//! The command `extractable`: the library `extract` for people who do not write Rust.
//!
//! `cli` is the grammar of the command line, `commands` has one file for each command, and `input`
//! finds the documents. Results go to the standard output, everything else to the standard error.

#![forbid(unsafe_code)]

mod agent;
mod ask;
mod cache;
mod cli;
mod commands;
mod destination;

mod env_file;
mod error;
mod example_schema;
mod fields;
mod gold;
mod gold_paths;
mod input;
mod install;
mod journal;
mod loopback;
mod lost_parts;
mod numbers;
mod output;
mod own;
mod panics;
mod presentation;
mod progress;
mod report;
mod results;
mod review;
mod runtime;
mod schema_file;
mod settings;
mod shots;
mod shutdown;
mod status;

use std::{env, ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{CommandFactory as _, Parser as _};

use crate::{
    cli::{Cli, Command},
    error::{Exit, Failure, Outcome},
    output::{FailureForm, Style},
    settings::Completed,
};

fn main() -> ExitCode {
    panics::keep_quiet();
    let words: Vec<OsString> = env::args_os().collect();
    let is_json = words.iter().any(|word| word == "--json");
    let form = if is_json { FailureForm::Json } else { FailureForm::Text };
    let completed = match settings::completed(words) {
        Ok(completed) => completed,
        Err(failure) => return failed(&failure, form),
    };
    let parsed = completed.into_iter().map(|completed| parse(completed, form)).collect::<Result<Vec<_>, _>>();
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    // There is at least one.
    let Some((_, cli)) = parsed.first() else { return ExitCode::SUCCESS };
    match run(cli, &parsed) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => failed(&failure, if cli.json { FailureForm::Json } else { FailureForm::Text }),
    }
}

/// A command line and the file that completed it.
type Parsed = (Option<PathBuf>, Cli);

/// Parses a command line. What is wrong with it is printed.
fn parse(completed: Completed, form: FailureForm) -> Result<Parsed, ExitCode> {
    let Completed { words, file, remark } = completed;
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) if form == FailureForm::Json && error.use_stderr() => {
            let text = error.render().to_string();
            let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
            let failure = Failure::usage(message.trim_start_matches("error: ").trim_end());
            return Err(failed(&failure.help(help.trim_end()), form));
        }
        Err(error) => {
            // If printing the error fails, there is no way to report that.
            let _ = error.print();
            if let Some(remark) = remark.filter(|_| error.use_stderr()) {
                output::note(remark);
            }
            return Err(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8)));
        }
    };
    if let Some(remark) = remark.filter(|_| !cli.json && !cli.quiet) {
        output::note(output::plain(&remark));
    }
    Ok((file, cli))
}

fn failed(failure: &Failure, form: FailureForm) -> ExitCode {
    if !failure.is_silent() {
        output::failure(failure, form);
    }
    ExitCode::from(failure.exit as u8)
}

/// Runs a command. `all` has it once for each file with settings.
fn run(cli: &Cli, all: &[Parsed]) -> Outcome {
    output::set_quiet(cli.quiet);
    let style = Style { is_json: cli.json, is_quiet: cli.quiet };
    match &cli.command {
        Command::Run(args) => commands::run::run(args, style),
        Command::RetryFailed(args) => commands::run::retry_failed(args, style),
        Command::Cancel(args) => commands::cancel::run(args, style),
        Command::Inspect(args) => commands::inspect::run(args, style),
        Command::Export(args) => commands::export::run(args),
        Command::Journal(args) => commands::journal::run(args, style),
        Command::Review(args) => commands::review::run(args, style),
        Command::Extract(args) => commands::extract::run(args, style),
        Command::Eval(_) => {
            let variants = all.iter().filter_map(|(file, cli)| match &cli.command {
                Command::Eval(args) => Some((file.as_deref(), args)),
                _ => None,
            });
            commands::eval::run(&variants.collect::<Vec<_>>(), style)
        }
        Command::Tune(args) => commands::tune::run(args, style),
        Command::Calibrate(args) => commands::calibrate::run(args, style),
        Command::Read(args) => commands::read::run(args, style),
        Command::Validate(args) => commands::validate::run(args, style),
        Command::Schema(args) => commands::schema::run(args, style),
        Command::View(args) => commands::view::run(args),
        Command::ServeMcp(args) => commands::serve_mcp::run(args, style),
        Command::Completions(args) => commands::completions::run(args, Cli::command()),
        Command::Man(args) => commands::man::run(args, Cli::command()),
    }
}
