//! The page of the documentation: every command that it shows is run, and prints what it shows.

use std::{env, ffi::OsString, fs, path::Path, process::Command};

use crate::program::{Ended, Place};

/// The folder of the package.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A command of the page, and the lines that it prints.
struct Shown<'p> {
    command: String,
    output: Vec<&'p str>,
}

#[test]
fn every_command_of_the_page_prints_what_it_shows() {
    let page = fs::read_to_string(Path::new(HERE).join("../docs/command-line.md")).unwrap();
    let place = Place::new();
    copy(&Path::new(HERE).join("example"), &place.path(""));
    let shown: Vec<_> = page
        .split("```console\n")
        .skip(1)
        .flat_map(|block| commands(block.split("\n```").next().unwrap()))
        .collect();
    assert!(shown.len() > 15, "{}", shown.len());
    for Shown { command, output } in shown {
        let printed = shell(&place, &command);
        assert_eq!(timeless(&printed), timeless(&output.join("\n")), "$ {command}");
    }
}

/// What a shell prints for `command`, both streams as they come.
fn shell(place: &Place, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_extractable")).parent().unwrap();
    let mut path = OsString::from(program);
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let ours = place.command(&[]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{{ {command}\n}} 2>&1")).current_dir(place.path("")).env("PATH", path);
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let ended = Ended::of(
        shell.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped()).spawn().unwrap(),
    );
    ended.out.trim_end().to_owned()
}

/// The commands of a block: a line that starts with `$ `, with those that follow where it ends with a backslash.
fn commands(block: &str) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::new();
    let mut goes_on = false;
    for line in block.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Shown { command: command.to_owned(), output: Vec::new() }),
            (None, Some(last)) if goes_on => {
                last.command.push('\n');
                last.command.push_str(line);
            }
            (None, Some(last)) => last.output.push(line),
            (None, None) => panic!("a block starts with `$ `, not with {line}"),
        }
        goes_on = line.ends_with('\\');
    }
    all
}

/// Without times, and without the size of a file that depends on the system.
fn timeless(text: &str) -> String {
    let is_number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let line = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        let unit = |at: usize| words.get(at + 1).map(|unit| unit.trim_end_matches([',', ';', ')']));
        let is_time = |at: usize| matches!(unit(at), Some("s" | "bytes")) && is_number(words[at]);
        (0..words.len()).map(|at| if is_time(at) { "…" } else { words[at] }).collect::<Vec<_>>().join(" ")
    };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
