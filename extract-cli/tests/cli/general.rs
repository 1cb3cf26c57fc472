//! What holds for every command.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::program::{Ended, GOOD, Place};

#[test]
fn a_wrong_word_is_a_mistake_of_usage_with_a_suggestion() {
    let place = Place::new();
    place.run(&["inspct"]).code(2).says("a similar subcommand exists: 'inspect'");
    place.run(&["read", "--schem", "x"]).code(2).says("--schema");
    let ended = place.run(&[]).code(2);
    assert!(ended.out.is_empty() && ended.err.contains("Usage: extractable"), "{ended:?}");
}

#[test]
fn help_has_the_exit_codes() {
    let ended = Place::new().run(&["--help"]).code(0);
    for line in [
        "0    everything",
        "1    a reply",
        "2    the command",
        "3    the job",
        "4    the agent",
        "5    a journal",
    ] {
        assert!(ended.out.contains(line), "{}", ended.out);
    }
}

#[test]
fn the_help_of_a_command_has_its_whole_story() {
    let place = Place::new();
    let long = place.run(&["run", "--help"]).code(0).out;
    assert!(
        long.starts_with("Extract a value from each of many documents")
            && long.contains("a second one ends at once"),
        "{long}"
    );
    let all = place.run(&["-h"]).code(0).out;
    let line = "Extract a value from each of many documents; the same command goes on where it stopped\n  retry-failed";
    assert!(all.contains(line), "{all}");
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let ended = Place::new().run(&["schema", "none.json", "--json"]).code(2);
    let error: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(error["error"]["exit"], 2);
    assert!(error["error"]["message"].as_str().unwrap().contains("`none.json`"), "{error}");
    // Of the command line itself, too.
    let ended = Place::new().run(&["schema", "--no-such-option", "--json"]).code(2);
    let error: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("unexpected argument '--no-such-option'"), "{message}");
    assert!(error["error"]["help"].as_str().unwrap().contains("Usage:"), "{error}");
}

#[test]
fn there_are_colours_only_where_they_are_wanted() {
    let place = Place::new();
    let with = |name: &str, value: &str| {
        let mut command = place.command(&["validate", "-s", "invoice.json", "invoice.json"]);
        Ended::of(command.env(name, value).spawn().unwrap()).code(1).out
    };
    assert!(!with("X", "1").contains('\u{1b}'), "a pipe has no colours");
    assert!(with("CLICOLOR_FORCE", "1").contains("\u{1b}[1m\u{1b}[31m"), "{}", with("CLICOLOR_FORCE", "1"));
    assert!(!with("NO_COLOR", "1").contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    let line = "{\"number\": 1}\n";
    place.write("many.jsonl", line.repeat(20_000));
    let mut command = place.command(&["validate", "-s", "invoice.json", "many.jsonl"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("many.jsonl:1: "), "{first}");
    let ended = Ended::of(child).code(0);
    assert_eq!(ended.err, "");
}

#[test]
fn nobody_who_reads_is_no_failure_of_any_command() {
    let place = Place::new();
    place.write("a.txt", "Invoice");
    place.write("reply", GOOD);
    let model = "sh -c 'cat > /dev/null; cat reply'";
    let ask = ["-s", "invoice.json", "--command", model, "a.txt", "-q"];
    place.run(&[&["run"], &ask[..], &["-o", "out.jsonl"]].concat()).code(0);
    let closed = |words: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Ended::of(place.command(words).stdout(writer).spawn().unwrap())
    };
    let commands: &[&[&str]] = &[
        &["--help"],
        &["run", "--help"],
        &["--version"],
        &["schema", "invoice.json"],
        &["schema", "invoice.json", "--as", "example", "--json"],
        &["read", "-s", "invoice.json", "reply", "-q"],
        &["read", "-s", "invoice.json", "reply", "--json"],
        &["inspect", "out.jsonl"],
        &["inspect", "out.jsonl", "a.txt"],
        &["export", "out.jsonl"],
        &["export", "out.jsonl", "--as", "everything"],
        &["export", "out.jsonl", "--as", "csv"],
        &["view", "job", "out.jsonl"],
        &["view", "document", "a.txt", "reply"],
        &["completions", "bash"],
        &["man"],
        &["journal", "compact", "out.jsonl"],
    ];
    let extract = [&["extract"], &ask[..]].concat();
    let dry_run = [&["run"], &ask[..], &["--dry-run"]].concat();
    for words in commands.iter().copied().chain([&extract[..], &dry_run]) {
        let ended = closed(words);
        assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{words:?}");
    }
    // The job did not come to its end.
    let ended = closed(&[&["run"], &ask[..]].concat());
    assert_eq!((ended.code, &*ended.err), (Some(3), ""));
}

#[test]
fn every_shell_has_completions_and_every_command_a_page() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.run(&["completions", shell]).code(0).out;
        assert!(script.contains("serve-mcp") && script.contains("keep-valid-items"), "{shell}");
    }
    let page = place.run(&["man"]).code(0).out;
    assert!(page.contains(".TH extractable 1") && page.contains("Ctrl\\-C ended it at once"), "{page}");
    std::fs::create_dir(place.path("man")).unwrap();
    place.run(&["man", "--out", "man"]).code(0);
    assert!(place.text("man/extractable-read.1").contains("\\-\\-lossy"));
    place.run(&["man", "--out", "none"]).code(5).says("`none` cannot be written");
}

#[test]
fn a_schema_is_reported_with_its_mistake() {
    let place = Place::new();
    place.write("broken.json", "{\"type\": \"objet\"}");
    place
        .run(&["read", "-s", "broken.json"])
        .code(2)
        .says("`broken.json`: the JSON Schema does not compile at $.type");
    place.write("types.ts", "type Invoice = {\n  day: Date\n}");
    place
        .run(&["read", "-s", "types.ts"])
        .code(2)
        .says("`types.ts`: line 2, column 8: no type `Date` is defined");
    place.write("no.json", "{\"a\": 1,}");
    place.run(&["schema", "no.json"]).code(2).says("is not JSON: trailing comma at line 1 column 9");
}

#[test]
fn types_are_a_schema_too() {
    let place = Place::new();
    let types = place.run(&["schema", "invoice.json"]).code(0).out;
    place.write("types.ts", &types);
    assert_eq!(place.run(&["schema", "types.ts"]).code(0).out, types);
    let read = place.pipe(&GOOD.replace("INV-3107", "3107"), &["read", "-s", "types.ts"]).code(1);
    read.says("$.number");
    place.pipe(GOOD, &["read", "-s", "types.ts"]).code(0);
}
