//! Checks settings against the options of all commands.

use clap::Command;

use super::{file::Setting, wrong::Wrong};

/// Options that mean something else for each command, so they belong in its table.
const SEVERAL_MEANINGS: [&str; 4] = ["out", "as", "title", "overwrite"];

/// Options of the command line only: files that name further files.
const NEVER: [&str; 5] = ["settings", "no-settings", "env-file", "help", "version"];

/// The command of this path, which exists.
pub(super) fn command<'c>(root: &'c Command, path: &[String]) -> &'c Command {
    path.iter().fold(root, |command, name| command.find_subcommand(name).unwrap_or(command))
}

/// Checks that there is an option for each setting.
pub(super) fn check(root: &Command, settings: &[Setting]) -> Result<(), Wrong> {
    settings.iter().try_for_each(|setting| known(root, setting))
}

fn known(root: &Command, setting: &Setting) -> Result<(), Wrong> {
    let Setting { table, name, line, .. } = setting;
    let mut command = root;
    for part in table {
        let Some(inner) = command.find_subcommand(part) else {
            let names = command.get_subcommands().map(Command::get_name);
            let nearest = nearest(part, names.filter(|name| *name != "help"));
            return Err(Wrong::new(*line, format!("there is no command `{part}`")).help(match nearest {
                Some(nearest) => {
                    format!("did you mean the table [{}]?", [&table[..0], &[nearest]].concat().join("."))
                }
                None => format!("`{}` has no commands", command.get_name()),
            }));
        };
        command = inner;
    }
    if NEVER.contains(&&**name) {
        return Err(Wrong::new(*line, format!("`{name}` is an option of the command line only")));
    }
    let mut names = Vec::new();
    options(command, &mut names);
    if !names.contains(name) {
        let owner = if table.is_empty() { String::new() } else { format!(" of `{}`", table.join(" ")) };
        let candidates = names.iter().map(String::as_str).filter(|name| !NEVER.contains(name));
        let nearest = nearest(name, candidates).unwrap_or_default();
        return Err(Wrong::new(*line, format!("`{name}` is not an option{owner}"))
            .help(format!("did you mean `{nearest}`? The settings are the options of the commands")));
    }
    if table.is_empty() && SEVERAL_MEANINGS.contains(&&**name) {
        return Err(Wrong::new(*line, format!("`{name}` means something else for each command"))
            .help("put it into the table of a command, such as [run]"));
    }
    Ok(())
}

/// The names of the options of a command and of those below it.
fn options(command: &Command, names: &mut Vec<String>) {
    names.extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned));
    command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .for_each(|command| options(command, names));
}

fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    names.min_by_key(|other| strsim::damerau_levenshtein(name, other)).map(str::to_owned)
}

/// The option called `name` of a command.
pub(super) fn arg<'c>(command: &'c Command, name: &str) -> Option<&'c clap::Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}
