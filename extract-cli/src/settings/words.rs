//! Turns settings into words of the command line.

use std::{cmp::Reverse, collections::BTreeMap, ffi::OsString};

use clap::{Arg, ArgAction, ArgMatches, Command, Id, parser::ValueSource};

use super::{
    file::{Setting, Value},
    tree::arg,
    wrong::Wrong,
};

/// Options that only make sense with another option, and are dropped with it.
const ABOUT: [(&str, &str); 1] = [("base-url", "agent")];

/// The words of each setting, by its name.
pub(super) type SettingWords = Vec<(String, Vec<OsString>)>;

/// The command that is completed.
pub(super) struct Completing<'c> {
    pub(super) command: &'c Command,
    pub(super) path: &'c [String],
    /// The matches of the command line.
    pub(super) matches: &'c ArgMatches,
}

impl Completing<'_> {
    /// Returns the words that the command line does not have. The command line takes precedence,
    /// then the table of the command, then the tables around it.
    pub(super) fn given(&self, settings: Vec<Setting>) -> Result<SettingWords, Wrong> {
        let mut taken: Vec<&Arg> = self.command.get_arguments().filter(|arg| self.is_explicit(arg)).collect();
        let (mut given, mut displaced) = (SettingWords::new(), Vec::new());
        for of_table in self.nearest_first(settings) {
            // Settings of one table that exclude each other are a mistake, which is reported later.
            let mut of_this = Vec::new();
            for setting in of_table {
                let Some(arg) = arg(self.command, &setting.name) else { continue };
                if taken.iter().any(|other| self.excludes(arg, other)) {
                    displaced.push(setting.name);
                    continue;
                }
                of_this.push(arg);
                let words = words(arg, &setting)?;
                given.push((setting.name, words));
            }
            taken.append(&mut of_this);
        }
        let lost: Vec<_> =
            ABOUT.iter().filter(|(_, about)| self.is_lost(about, &taken, &displaced)).collect();
        given.retain(|(given, words)| !words.is_empty() && !lost.iter().any(|(name, _)| name == given));
        Ok(given)
    }

    /// The settings of this command by their table, the nearest table first.
    fn nearest_first(&self, settings: Vec<Setting>) -> Vec<Vec<Setting>> {
        let mut tables: BTreeMap<Reverse<usize>, Vec<Setting>> = BTreeMap::new();
        for setting in settings {
            if let Some(depth) = self.depth(&setting.table) {
                tables.entry(Reverse(depth)).or_default().push(setting);
            }
        }
        tables.into_values().collect()
    }

    /// Returns whether the option that this one depends on was displaced or excluded. An address
    /// without an agent is reported later, because it may be meant for documents that nobody else may see.
    fn is_lost(&self, about: &str, taken: &[&Arg], displaced: &[String]) -> bool {
        let Some(about) = arg(self.command, about) else { return false };
        let is_same = |other: &&Arg| other.get_id() == about.get_id();
        displaced.iter().any(|name| about.get_long() == Some(name))
            || taken.iter().any(|other| !is_same(other) && self.excludes(about, other))
    }

    /// How near a table is to the command; `None` if it belongs to another one. `retry-failed` has
    /// the options of `run`, and its settings.
    fn depth(&self, table: &[String]) -> Option<usize> {
        if self.path.starts_with(table) {
            return Some(2 * table.len());
        }
        (self.path == ["retry-failed"] && table == ["run"]).then_some(1)
    }

    fn is_explicit(&self, arg: &Arg) -> bool {
        let source = self.matches.value_source(arg.get_id().as_str());
        matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
    }

    /// Returns whether two options are the same, or cannot be used together.
    fn excludes(&self, one: &Arg, other: &Arg) -> bool {
        let conflicts = |one: &Arg, other: &Arg| {
            !one.is_global_set()
                && self.command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
        };
        let are_grouped = || {
            self.command.get_groups().any(|group| {
                let has = |arg: &Arg| group.get_args().any(|id: &Id| id == arg.get_id());
                !group.clone().is_multiple() && has(one) && has(other)
            })
        };
        one.get_id() == other.get_id() || conflicts(one, other) || conflicts(other, one) || are_grouped()
    }
}

/// The words of a setting; none for a switch that is off.
fn words(arg: &Arg, setting: &Setting) -> Result<Vec<OsString>, Wrong> {
    let Setting { name, value, line, .. } = setting;
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    match value {
        Value::Is(is) if is_switch => Ok(if *is { vec![option(name, None)] } else { Vec::new() }),
        _ if is_switch => Err(Wrong::new(*line, format!("`{name}` is true or false"))),
        Value::One(value) => Ok(vec![option(name, Some(value))]),
        Value::Several(all) if is_list => Ok(all.iter().map(|value| option(name, Some(value))).collect()),
        Value::Is(_) | Value::Several(_) => {
            let what = arg.get_value_names().and_then(|names| names.first());
            let what = what.map_or_else(|| "a value".to_owned(), |name| format!("one value, {name}"));
            Err(Wrong::new(*line, format!("`{name}` takes {what}")))
        }
    }
}

/// The option as it is written on the command line.
fn option(name: &str, value: Option<&str>) -> OsString {
    let mut word = OsString::from("--");
    word.push(name);
    if let Some(value) = value {
        word.push("=");
        word.push(value);
    }
    word
}

/// Where words of the selected command may be added: after its name.
pub(super) fn place(words: &[OsString], path: &[String]) -> Option<usize> {
    let mut path = path.iter();
    let mut next = path.next()?;
    let mut is_value = false;
    for (at, word) in words.iter().enumerate().skip(1) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        is_value = word == "--settings" || word == "--env-file";
        if word.as_encoded_bytes().starts_with(b"-") {
            continue;
        }
        if word != next.as_str() {
            return None;
        }
        match path.next() {
            Some(inner) => next = inner,
            None => return Some(at + 1),
        }
    }
    None
}
