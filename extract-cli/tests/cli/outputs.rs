//! Where results may go, and what reaches a terminal.

use std::{fs, os::unix::fs::symlink, process::Command};

use serde_json::{Value, json};

use crate::program::{Ended, GOOD, Place};

/// A program that reads the prompt, and prints a good value.
const MODEL: &str = "sh -c 'cat > /dev/null; cat reply'";

fn place() -> Place {
    let place = Place::new();
    place.write("reply", GOOD);
    place.write("letters/a.txt", "Invoice INV-3107");
    place
}

fn run(place: &Place, input: &str, options: &[&str]) -> Ended {
    let words = ["run", "-s", "invoice.json", "--command", MODEL, "-q", input];
    place.run(&[&words[..], options].concat())
}

#[test]
fn results_never_replace_what_this_program_did_not_write() {
    let place = place();
    place.write("notes.jsonl", "mine");
    place.write("empty", "");
    let refused = run(&place, "letters", &["-o", "notes.jsonl"]).code(2);
    refused.says("`notes.jsonl` is there already, and this program did not write it").says("--overwrite");
    assert_eq!(place.text("notes.jsonl"), "mine");
    run(&place, "letters", &["-o", "empty"]).code(0);
    run(&place, "letters", &["-o", "notes.jsonl", "--overwrite"]).code(0);
    // Now it is one of this program, also for the other commands.
    run(&place, "letters", &["-o", "notes.jsonl"]).code(0);
    for form in ["results", "everything", "csv"] {
        for _ in 0..2 {
            place.run(&["export", "notes.jsonl", "--as", form, "-o", "copy"]).code(0);
        }
    }
    place.write("copy", "mine");
    place.run(&["export", "notes.jsonl", "--as", "csv", "-o", "copy"]).code(2).says("--overwrite");
    for _ in 0..2 {
        place.run(&["view", "job", "notes.jsonl", "-o", "page.html"]).code(0);
        place.run(&["view", "document", "letters/a.txt", "reply", "-o", "page.html"]).code(0);
    }
    place.run(&["view", "job", "notes.jsonl", "-o", "copy"]).code(2).says("--overwrite");
    assert_eq!(place.text("copy"), "mine");
}

#[test]
fn csv_has_values_as_they_are_also_those_that_a_spreadsheet_would_run() {
    let place = place();
    place
        .write("s.json", r#"{"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}"#);
    place.write("reply", r#"{"n": "=cmd|' /C calc'!A0"}"#);
    place.run(&["run", "-s", "s.json", "--command", MODEL, "letters", "-o", "o.csv"]).code(0);
    assert_eq!(place.text("o.csv"), "key,status,error,n\nletters/a.txt,done,,=cmd|' /C calc'!A0\n");
}

#[test]
fn results_go_to_files_only() {
    let place = place();
    symlink(place.path("target"), place.path("link")).unwrap();
    fs::create_dir(place.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    run(&place, "letters", &["-o", "out.jsonl"]).code(0);
    for (out, what) in [
        ("/dev/null", "a device, a pipe or a socket"),
        ("pipe", "a device, a pipe or a socket"),
        ("link", "a link"),
        ("folder", "a folder"),
    ] {
        for overwrite in [&[][..], &["--overwrite"]] {
            let options = [&["-o", out, "--journal", "j"], overwrite].concat();
            run(&place, "letters", &options).code(2).says(what);
            let words = [&["export", "out.jsonl", "--as", "csv", "-o", out], overwrite].concat();
            place.run(&words).code(2).says(what);
            place.run(&[&["view", "job", "out.jsonl", "-o", out], overwrite].concat()).code(2).says(what);
        }
        run(&place, "letters", &["--journal", out]).code(2).says(what);
        place.run(&["serve-mcp", "-s", "invoice.json", "--out", out]).code(2).says(what);
    }
    assert!(!place.path("target").exists() && !place.path("j").exists());
    assert!(place.path("pipe").exists() && place.path("link").is_symlink());
}

#[test]
fn results_never_go_over_what_is_read() {
    let place = place();
    fs::hard_link(place.path("invoice.json"), place.path("again.json")).unwrap();
    symlink(place.path("letters"), place.path("there")).unwrap();
    place.write("ask.txt", "What is it?");
    for out in
        ["invoice.json", "./letters/../invoice.json", "again.json", "ask.txt", "letters/a.txt", "there/a.txt"]
    {
        for option in ["-o", "--journal"] {
            let options = [option, out, "--prompt-file", "ask.txt"];
            let ended = run(&place, "letters/a.txt", &options).code(2);
            assert!(
                ended.err.contains("used here too") || ended.err.contains("results or their journal go"),
                "{ended:?}"
            );
        }
        run(&place, "letters", &["-o", out, "--overwrite", "--prompt-file", "ask.txt"]).code(2);
    }
    assert_eq!(place.text("letters/a.txt"), "Invoice INV-3107");
    run(&place, "letters", &["-o", "new", "--journal", "new"]).code(2).says("used here too");
    run(&place, "letters", &["-o", "out.jsonl"]).code(0);
    place
        .run(&["export", "out.jsonl", "-o", "out.jsonl.journal", "--overwrite"])
        .code(2)
        .says("used here too");
    place.run(&["view", "document", "letters/a.txt", "reply", "-o", "reply", "--overwrite"]).code(2);
    assert_eq!(place.text("reply"), GOOD);
    place.run(&["inspect", "out.jsonl"]).code(0);
}

#[test]
fn patterns_do_not_follow_links_to_folders() {
    let place = place();
    place.write("secret/b.txt", "b");
    place.write("letters/deep/c.txt", "c");
    symlink(place.path("secret"), place.path("letters/link")).unwrap();
    symlink(place.path("letters"), place.path("letters/deep/cycle")).unwrap();
    symlink(place.path("secret/b.txt"), place.path("letters/file.txt")).unwrap();
    symlink(place.path("letters"), place.path("named")).unwrap();
    let keys = |pattern: &str| {
        let out = run(&place, pattern, &[]).code(0).out;
        let mut keys: Vec<String> = out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_owned())
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(keys("letters/**/*.txt"), ["letters/a.txt", "letters/deep/c.txt", "letters/file.txt"]);
    assert_eq!(keys("letters/*/*.txt"), ["letters/deep/c.txt"]);
    assert_eq!(keys("./let*/[a-d].txt"), ["letters/a.txt"]);
    assert_eq!(keys("**/c.txt"), ["letters/deep/c.txt"]);
    assert_eq!(keys("*/deep/?.txt"), ["letters/deep/c.txt"]);
    // Named by the user.
    assert_eq!(keys("named/*.txt"), ["named/a.txt", "named/file.txt"]);
    run(&place, "letters/link*/*", &[]).code(2).says("links to folders are not followed");
    run(&place, "letters/*.pdf", &[]).code(2).says("no file matches");
}

#[test]
fn what_moves_the_cursor_is_escaped_and_never_lost() {
    let place = Place::new();
    place.write("any.json", r#"{"type": "object", "title": "a"}"#);
    let value = json!({"k\u{7f}": "a\u{7f}b\u{9b}2J\u{202e}c\u{2066}d\u{1b}[2J\u{200f}\u{e0041}é"});
    place.write("value.json", value.to_string());
    place.write("reply", value.to_string());
    place.write("a.txt", "a");
    let moves = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2066}\u{200f}\u{e0041}".contains(c);
    let read: &[&str] = &["read", "-s", "any.json", "value.json"];
    let extract: &[&str] = &["extract", "-s", "any.json", "--command", MODEL, "a.txt", "-q"];
    for words in [read, extract] {
        for json in [&[][..], &["--json"]] {
            let ended = place.run(&[words, json].concat()).code(0);
            let found: Value = serde_json::from_str(&ended.out).unwrap();
            assert_eq!(if json.is_empty() { &found } else { &found["value"] }, &value);
            assert!(!ended.out.contains(moves), "{:?}", ended.out);
        }
    }
    let lines = place.run(&["run", "-s", "any.json", "--command", MODEL, "a.txt", "-q"]).code(0).out;
    assert_eq!(serde_json::from_str::<Value>(&lines).unwrap()["value"], value);
    assert!(!lines.contains(moves), "{lines:?}");
    place.run(&["run", "-s", "any.json", "--command", MODEL, "a.txt", "-q", "-o", "out"]).code(0);
    for form in ["results", "everything"] {
        let out = place.run(&["export", "out", "--as", form]).code(0).out;
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["value"], value);
        assert!(!out.contains(moves), "{form}: {out:?}");
    }
    assert!(place.run(&["export", "out", "--as", "csv"]).code(0).out.contains("a\u{7f}b"), "for a program");
    place.write("odd.json", json!({"type": "object", "properties": value}).to_string());
    for words in
        [&["schema", "odd.json"][..], &["validate", "-s", "invoice.json", "value.json"], &["inspect", "out"]]
    {
        let ended = place.run(words);
        assert!(!ended.err.contains(moves), "{ended:?}");
    }
}

#[test]
fn documents_for_which_a_program_prints_nothing_are_dead_letters() {
    let place = place();
    for name in ["b", "c", "d", "e", "f"] {
        place.write(&format!("letters/{name}.txt"), format!("letter {name}"));
    }
    let model = "sh -c 'text=$(cat); case \"$text\" in *\"letter c\"*) exit 1;; *\"letter e\"*) ;; *) cat reply;; esac'";
    let words =
        ["run", "-s", "invoice.json", "--command", model, "-q", "letters", "-o", "out.jsonl", "-n", "1"];
    place.run(&words).code(1);
    let status =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["status"].as_str().unwrap().to_owned();
    let all: Vec<_> = place.text("out.jsonl").lines().map(status).collect();
    assert_eq!(all, ["done", "done", "failed", "done", "failed", "done"]);
}
