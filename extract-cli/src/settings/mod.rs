//! Settings from a file, which complete the command line.
//!
//! A setting is an option with its value, so it becomes a word of the command line, and nothing
//! else in this program knows about files with settings.

mod file;
mod secret;
mod tree;
mod words;
pub(crate) mod written;
mod wrong;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::{ArgMatches, CommandFactory as _};

use self::words::Completing;
use crate::{cli::Cli, env_file, error::Failure};

/// The file that is read where no other is named.
const USUAL: &str = "extractable.toml";

/// The command that compares several files with settings.
const COMPARING: &str = "eval";

/// A command line, and where its words are from.
pub(crate) struct Completed {
    pub(crate) words: Vec<OsString>,
    /// The file with settings, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Which options are from which file.
    pub(crate) remark: Option<String>,
}

/// Completes a command line with the file that it names, or with the usual one. Each of several files
/// makes a command line of its own.
pub(crate) fn completed(words: Vec<OsString>) -> Result<Vec<Completed>, Failure> {
    // Errors are reported later, about the whole.
    let lenient = Cli::command().ignore_errors(true).try_get_matches_from(&words);
    let unchanged = |words| Ok(vec![Completed { words, file: None, remark: None }]);
    // The help, or the version.
    let Ok(matches) = lenient else { return unchanged(words) };
    let (path, matches) = deepest(&matches);
    if path.is_empty() {
        return unchanged(words);
    }
    if let Some(file) = named(matches, "env_file") {
        env_file::apply(&file, &words)?;
    }
    let files = files(matches)?;
    if files.len() > 1 && path != [COMPARING] {
        return Err(Failure::usage("`--settings` names several files")
            .help(format!("only `extractable {COMPARING}` compares them; name one")));
    }
    if files.is_empty() {
        return unchanged(words);
    }
    let mut command = Cli::command();
    command.build();
    files.into_iter().map(|file| completed_with(file, words.clone(), (&command, &path, matches))).collect()
}

/// Completes the words of the command with this path and these matches by one file.
fn completed_with(
    file: PathBuf,
    words: Vec<OsString>,
    (command, path, matches): (&clap::Command, &[String], &ArgMatches),
) -> Result<Completed, Failure> {
    let text = env_file::read(&file).map_err(|error| {
        Failure::usage(format!("the settings `{}` cannot be read: {error}", file.display()))
            .help("`--no-settings` goes on without them")
    })?;
    let settings = file::parse(&text).and_then(|settings| {
        tree::check(command, &settings)?;
        Ok(settings)
    });
    let settings = settings.map_err(|wrong| wrong.in_file(&file))?;
    let completing = Completing { command: tree::command(command, path), path, matches };
    let given = completing.given(settings).map_err(|wrong| wrong.in_file(&file))?;
    let Some(place) = words::place(&words, path).filter(|_| !given.is_empty()) else {
        return Ok(Completed { words, file: Some(file), remark: None });
    };
    let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    let remark = format!("settings of `{}`: {}", file.display(), names.join(", "));
    let mut completed = words;
    let rest = completed.split_off(place);
    completed.extend(given.into_iter().flat_map(|(_, words)| words));
    completed.extend(rest);
    Ok(Completed { words: completed, file: Some(file), remark: Some(remark) })
}

/// Returns the names of the selected command, from the outermost on, and its matches.
fn deepest(matches: &ArgMatches) -> (Vec<String>, &ArgMatches) {
    let (mut path, mut deepest) = (Vec::new(), matches);
    while let Some((name, matches)) = deepest.subcommand() {
        path.push(name.to_owned());
        deepest = matches;
    }
    (path, deepest)
}

fn named(matches: &ArgMatches, id: &str) -> Option<PathBuf> {
    matches.try_get_one::<PathBuf>(id).ok().flatten().cloned()
}

/// Returns the files with settings.
fn files(matches: &ArgMatches) -> Result<Vec<PathBuf>, Failure> {
    let named = matches.try_get_many::<PathBuf>("settings").ok().flatten();
    let named: Vec<PathBuf> = named.into_iter().flatten().cloned().collect();
    let is_off = matches.try_get_one::<bool>("no_settings").ok().flatten() == Some(&true);
    match (named.is_empty(), is_off) {
        (false, true) => Err(Failure::usage("`--settings` and `--no-settings` contradict each other")),
        (true, false) if Path::new(USUAL).exists() => Ok(vec![USUAL.into()]),
        _ => Ok(named),
    }
}
