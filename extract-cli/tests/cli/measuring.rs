//! What `eval`, `tune` and `calibrate` have in common: what is kept when they are interrupted.

use std::{
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use serde_json::{Value, json};

use crate::{
    gate::Gate,
    job::shared,
    program::{Ended, GOOD, Place},
    server::{Response, Server},
};

const DOCUMENTS: usize = 50;

fn place() -> Place {
    let place = Place::new();
    let value: Value = serde_json::from_str(GOOD).unwrap();
    let line = |number: usize| format!("{}\n", json!({"text": format!("No. {number}"), "value": value}));
    place.write("gold.jsonl", (0..DOCUMENTS).map(line).collect::<String>());
    place
}

/// A server that holds back all replies after the first three until the gate is open.
fn held() -> (Server, std::sync::Arc<Gate>) {
    let (gate, at_server) = shared(Gate::default());
    let count = AtomicU32::new(0);
    let server = Server::new(move |_| {
        if count.fetch_add(1, Ordering::Relaxed) >= 3 {
            at_server.pass();
        }
        Response::Reply(GOOD.to_owned())
    });
    (server, gate)
}

/// Runs a command until it waits for its fourth reply, and interrupts it.
fn interrupted(place: &Place, gate: &Gate, words: &[&str]) -> Ended {
    let child = place.command(words).spawn().unwrap();
    gate.is_met();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    Ended::of(child).code(130)
}

#[test]
fn an_interrupted_command_says_how_far_it_came_and_goes_on_with_its_cache() {
    for (command, name) in [
        (&["eval"][..], "stopped at openai/scripted: 3 of 50 done, 0 failed, 360 tokens"),
        (&["tune"], "stopped at trial 1 (as it is): 3 of 25 done, 0 failed, 360 tokens"),
        (&["calibrate", "-o", "calibration.json"], "stopped at openai/scripted: 3 of 50 done"),
    ] {
        let (place, (server, gate)) = (place(), held());
        let common = ["-s", "invoice.json", "--gold", "gold.jsonl", "--concurrent", "1"];
        let words = [command, &common, &server.options()].concat();
        let ended = interrupted(&place, &gate, &words).says(name);
        ended.says("nothing is kept; with `--cache FILE`, the same command would go on");
        gate.open();

        let (server, gate) = held();
        let words = [command, &common, &["--cache", "replies"], &server.options()].concat();
        let ended = interrupted(&place, &gate, &words).says(name);
        ended.says("the replies until now are in `replies`; the same command goes on");
        gate.open();
        // Trials of a tuning have requests in common.
        let kept =
            if command[0] == "tune" { " answers taken from" } else { "3 answers taken from `replies`" };
        place.run(&words).code(0).says(kept);
        let asked = server.asked().len();
        place.run(&words).code(0).says(" answers taken from `replies`");
        assert_eq!(server.asked().len(), asked, "{command:?}: nothing is asked again");
    }
}

#[test]
fn nothing_is_compared_with_itself() {
    let (place, server) = (place(), Server::replying(GOOD));
    let eval = ["eval", "-s", "invoice.json", "--gold", "gold.jsonl"];
    let run = |words: &[&str]| place.run(&[&eval[..], &server.options(), words].concat());
    run(&["--agent", "openai/scripted"]).code(2).says("the agent `openai/scripted` is given twice");
    place.write("types.toml", "notation = \"types\"\n");
    let twice = ["--settings", "types.toml", "--settings", "types.toml"];
    run(&twice).code(2).says("the file with settings `types.toml` is given twice");
    assert!(server.asked().is_empty());
}

#[test]
fn all_lines_whose_texts_cannot_be_read_are_named() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("letters/blank.txt", " ");
    let line = |name: &str| format!("{{\"path\": \"letters/{name}.txt\", \"value\": {GOOD}}}\n");
    place.write("gold.jsonl", ["gone", "blank", "lost"].map(line).concat());
    let eval = ["eval", "-s", "invoice.json", "--gold", "gold.jsonl"];
    let ended = place.run(&[&eval[..], &server.options()].concat()).code(2);
    let ended = ended.says("`gold.jsonl`: 3 lines cannot be used:").says("line 1: `letters/gone.txt`: ");
    ended.says("line 2: `letters/blank.txt`: it is empty").says("line 3: `letters/lost.txt`: ");
}
