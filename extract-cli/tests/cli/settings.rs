//! `extractable.toml` and `--env-file`.

use std::fs;

use crate::{
    job::lines,
    program::{Ended, GOOD, Place},
};

/// Prints what it is given into a file, and a good value.
const MODEL: &str = "sh -c 'cat > asked; cat reply'";

fn place(settings: &str) -> Place {
    let place = Place::new();
    place.write("reply", GOOD);
    place.write("docs/a.txt", "an invoice");
    place.write("extractable.toml", settings);
    place
}

#[test]
fn settings_are_options_and_the_command_line_takes_precedence() {
    let place = place(&format!(
        r#"
        schema = "invoice.json"
        command = "{MODEL}"
        max_attempts = 2
        [run]
        out = "out.jsonl"
        concurrent = 3
        prompt = "From the file."
        [retry-failed]
        system = "Again."
        [read]
        schema = "none.json"
        "#
    ));
    let ended = place.run(&["run", "docs"]).code(0);
    ended.says("settings of `extractable.toml`: out, concurrent, prompt, schema, command, max-attempts");
    assert!(place.text("asked").contains("From the file."));
    assert_eq!(lines(&place.text("out.jsonl")).len(), 1);
    place.run(&["run", "docs", "-o", "other.jsonl", "-p", "From the shell."]).code(0);
    assert!(place.text("asked").contains("From the shell."));
    assert_eq!(lines(&place.text("other.jsonl")).len(), 1);
    // What the command line has displaces what cannot be beside it.
    place.write("question", "From a file of its own.");
    place.run(&["run", "docs", "--prompt-file", "question", "-o", "third.jsonl"]).code(0);
    assert!(place.text("asked").contains("From a file of its own."));
    place.run(&["extract", "docs/a.txt", "--fields", "number, currency, total number"]).code(0);
    place.run(&["extract", "docs/a.txt", "--agent", "none/none"]).code(2).says("none");

    // `retry-failed` has the options of `run`.
    place.write("reply", "no value");
    place.write("docs/b.txt", "a stain");
    place.run(&["run", "docs"]).code(1);
    place.write("reply", GOOD);
    place.run(&["retry-failed", "docs"]).code(0).says("1 request");
    let asked = place.text("asked");
    assert!(asked.contains("Again.") && asked.contains("From the file."), "{asked}");

    place.run(&["read", "-q", "reply"]).code(2).says("none.json");
    place.run(&["read", "-q", "-s", "invoice.json", "reply"]).code(0);
    place.run(&["--no-settings", "read", "reply"]).code(2).says("--schema");
    let quiet = place.run(&["read", "-s", "invoice.json", "reply", "--json"]).code(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn a_file_is_named_before_or_behind_the_command() {
    let place = place("schema = 'none.json'");
    place.write("mine.toml", "schema = 'invoice.json'\nquiet = true");
    for words in [
        &["--settings", "mine.toml", "read", "reply"][..],
        &["read", "reply", "--settings", "mine.toml"],
        &["read", "--settings=mine.toml", "--", "reply"],
    ] {
        let ended = place.run(words).code(0);
        assert!(!ended.err.contains("settings of"), "{}", ended.err);
    }
    place.run(&["read", "reply", "--settings", "none.toml"]).code(2).says("`none.toml` cannot be read");
    place.run(&["read", "reply", "--settings", "mine.toml", "--no-settings"]).code(2).says("contradict");
    place.run(&["view", "job", "x", "--settings", "mine.toml"]).code(2).says("no journal");
}

#[test]
fn lists_numbers_and_switches_are_values() {
    let place = place(
        "[run]\nschema = 'invoice.json'\nmeta = ['n', 'm']\nkey = 'id'\nstatus = '127.0.0.1:0'\nskip-unreadable = true\n\
         dry-run = false\ntemperature = 0.5\ngrace = 0x10\nthinking = 'low'",
    );
    place.write("t.csv", "id,text,n,m\n1,a,2,3\n");
    let ended = place.run(&["run", "t.csv", "-o", "out.jsonl", "--command", MODEL]).code(0);
    ended.says("the progress is at http://127.0.0.1:");
    assert_eq!(lines(&place.text("out.jsonl"))[0]["meta"], serde_json::json!({"n": "2", "m": "3"}));
}

#[test]
fn a_mistake_is_named_with_its_line_and_a_cure() {
    let place = place("");
    let with = |settings: &str, words: &[&str]| -> Ended {
        place.write("extractable.toml", settings);
        place.run(words).code(2)
    };
    let run = ["run", "docs", "-s", "invoice.json", "--command", MODEL];
    let read = ["read", "reply", "-s", "invoice.json"];
    let ended = with("schema = 'invoice.json'\nagnet = 'x/y'", &run);
    ended.says("`extractable.toml`, line 2: `agnet` is not an option").says("did you mean `agent`?");
    with("[run]\n\nconcurent = 2", &run)
        .says("line 3: `concurent` is not an option of `run`")
        .says("`concurrent`");
    // A mistake is one for every command.
    with("[run]\nconcurent = 2", &read).says("line 2: `concurent` is not");
    with("[rum]\nout = 'x'", &run).says("there is no command `rum`").says("[run]");
    with("out = 'x.jsonl'", &run).says("`out` means something else for each command").says("[run]");
    with("schema = ", &run).says("line 1: not TOML");
    with("max-attempts = 1\nmax_attempts = 2", &run).says("line 2: `max-attempts` is set twice");
    with("[run]\ndry-run = 'yes'", &run).says("line 2: `dry-run` is true or false");
    let extract = ["extract", "docs/a.txt", "-s", "invoice.json"];
    with("agent = true", &extract).says("line 1: `agent` takes one value, AGENT");
    with("[run]\nconcurrent = [1, 2]", &run).says("line 2: `concurrent` takes one value");
    with("[run]\nconcurrent = 0", &run)
        .says("it is a number from 1")
        .says("settings of `extractable.toml`: concurrent");
    with("[run]\nprompt = 1979-05-27", &run).says("line 2: `prompt` takes a string");
    for name in ["settings", "env-file", "env_file", "no-settings"] {
        with(&format!("{name} = 'x'"), &run).says("is an option of the command line only");
    }
}

#[test]
fn keys_of_providers_are_refused_wherever_they_are() {
    let place = place("");
    let key = format!("sk-{}", "a1".repeat(20));
    for settings in [
        "OPENAI_API_KEY = 'x'".to_owned(),
        "[run]\nopenai_api_key = 'x'".to_owned(),
        format!("agent = '{key}'"),
        format!("[run]\nthen = ['local', 'command:curl -H {key}']"),
        "base-url = 'https://me:word@localhost/'".to_owned(),
        "[keys]\nanthropic-api-key = 'x'".to_owned(),
    ] {
        place.write("extractable.toml", &settings);
        let ended = place.run(&["read", "reply", "-s", "invoice.json"]).code(2);
        let ended = ended.says("does not belong in a file with settings").says("--env-file");
        assert!(!ended.err.contains("a1a1") && !ended.err.contains("word@"), "{}", ended.err);
    }
}

#[test]
fn settings_that_cannot_be_together_are_a_mistake_that_names_the_file() {
    let place = place("agent = 'openai/x'\ncommand = 'cat'\nschema = 'invoice.json'");
    place
        .run(&["extract", "docs/a.txt"])
        .code(2)
        .says("cannot be used with")
        .says("settings of `extractable.toml`");
    // The table of a command takes precedence over those around it.
    place.write(
        "extractable.toml",
        format!("agent = 'openai/x'\nbase-url = 'http://localhost:1/'\nschema = 'invoice.json'\n[extract]\ncommand = \"{MODEL}\""),
    );
    place.run(&["extract", "docs/a.txt"]).code(0);
    // The address is that of the agent in the file, and of no other one.
    let words =
        ["extract", "docs/a.txt", "--agent", "openai/gpt-6-luna", "--timeout", "1", "--max-attempts", "1"];
    place.write(
        "extractable.toml",
        "agent = 'openai/x'\nbase-url = 'http://localhost:1/'\nschema = 'invoice.json'",
    );
    let ended = place.run(&words);
    assert!(!ended.err.contains("settings of `extractable.toml`: base-url"), "{}", ended.err);
    assert!(ended.err.contains("settings of `extractable.toml`: schema\n"), "{}", ended.err);
}

#[test]
fn variables_come_from_a_file_only_if_it_is_asked_for() {
    let place = place("");
    place.write(".env", "# keys\nMY_KEY='a b'\nexport OTHER=two # not this\nHOME=/elsewhere\n");
    let model = "sh -c 'cat > /dev/null; echo \"$MY_KEY|$OTHER|$HOME\" > variables; cat reply'";
    let words = ["extract", "docs/a.txt", "-s", "invoice.json", "--command", model];
    let home = std::env::var("HOME").unwrap_or_default();
    place.run(&words).code(0);
    assert_eq!(place.text("variables"), format!("||{home}\n"));
    let with = [&words[..], &["--env-file", ".env"]].concat();
    place.run(&with).code(0);
    assert_eq!(place.text("variables"), format!("a b|two|{home}\n"));
    // Those that exist stay.
    let mut command = place.command(&with);
    Ended::of(command.env("OTHER", "").spawn().unwrap()).code(0);
    assert_eq!(place.text("variables"), format!("a b||{home}\n"));

    place.write(".env", "A=1\nsk-secret\n");
    let ended = place.run(&with).code(2).says("`.env`, line 2: there is no `=`");
    assert!(!ended.err.contains("sk-secret"), "{}", ended.err);
    fs::remove_file(place.path(".env")).unwrap();
    place.run(&with).code(2).says("the variables `.env` cannot be read");
}
