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

/// A command line, and where its words are from.
pub(crate) struct Completed {
    pub(crate) words: Vec<OsString>,
    /// Which options are from which file.
    pub(crate) remark: Option<String>,
}

/// Completes a command line with the files that it names, and with the usual one.
pub(crate) fn completed(words: Vec<OsString>) -> Result<Completed, Failure> {
    // Errors are reported later, about the whole.
    let lenient = Cli::command().ignore_errors(true).try_get_matches_from(&words);
    let unchanged = |words| Ok(Completed { words, remark: None });
    // The help, or the version.
    let Ok(matches) = lenient else { return unchanged(words) };
    let (path, matches) = deepest(&matches);
    if path.is_empty() {
        return unchanged(words);
    }
    if let Some(file) = named(matches, "env_file") {
        env_file::apply(&file, &words)?;
    }
    let Some((file, text)) = text(matches)? else { return unchanged(words) };
    let mut command = Cli::command();
    command.build();
    let settings = file::parse(&text).and_then(|settings| {
        tree::check(&command, &settings)?;
        Ok(settings)
    });
    let settings = settings.map_err(|wrong| wrong.in_file(&file))?;
    let completing = Completing { command: tree::command(&command, &path), path: &path, matches };
    let given = completing.given(settings).map_err(|wrong| wrong.in_file(&file))?;
    let Some(place) = words::place(&words, &path).filter(|_| !given.is_empty()) else {
        return unchanged(words);
    };
    let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    let remark = format!("settings of `{}`: {}", file.display(), names.join(", "));
    let mut completed = words;
    let rest = completed.split_off(place);
    completed.extend(given.into_iter().flat_map(|(_, words)| words));
    completed.extend(rest);
    Ok(Completed { words: completed, remark: Some(remark) })
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

/// Returns the file with settings, and its text; `None` without such a file.
fn text(matches: &ArgMatches) -> Result<Option<(PathBuf, String)>, Failure> {
    let named = named(matches, "settings");
    let is_off = matches.try_get_one::<bool>("no_settings").ok().flatten() == Some(&true);
    let path = match (named, is_off) {
        (Some(_), true) => {
            return Err(Failure::usage("`--settings` and `--no-settings` contradict each other"));
        }
        (Some(path), false) => path,
        (None, true) => return Ok(None),
        (None, false) if !Path::new(USUAL).exists() => return Ok(None),
        (None, false) => USUAL.into(),
    };
    let text = env_file::read(&path).map_err(|error| {
        Failure::usage(format!("the settings `{}` cannot be read: {error}", path.display()))
            .help("`--no-settings` goes on without them")
    })?;
    Ok(Some((path, text)))
}
