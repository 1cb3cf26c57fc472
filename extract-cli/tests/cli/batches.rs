//! Jobs whose requests are files.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    job::{gold, lines, place, rows},
    program::{Ended, Place},
};

fn run(place: &Place, options: &[&str]) -> Ended {
    let words = ["run", "-s", "booking.json", "messages.jsonl", "--key", "id", "-p", "What is booked?"];
    place.run(&[&words, options].concat())
}

const IN_A_FOLDER: [&str; 7] = [
    "--agent",
    "vllm/my-model",
    "--base-url",
    "http://127.0.0.1:9/v1",
    "--batch",
    "--batch-folder",
    "batches",
];

fn answer(line: &str) -> String {
    let request: Value = serde_json::from_str(line).unwrap();
    let text = gold(&request["body"]["messages"].to_string()).unwrap();
    let choice = json!({"message": {"content": text}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 50, "completion_tokens": 5});
    let response = json!({"status_code": 200, "body": {"choices": [choice], "usage": usage}});
    json!({"custom_id": request["custom_id"], "response": response}).to_string()
}

#[test]
fn a_job_waits_for_its_files_and_the_same_command_goes_on() {
    let place = place();
    let options = [&IN_A_FOLDER[..], &["-o", "out.jsonl"]].concat();
    for _ in 0..2 {
        // Still not answered, and not sent again.
        let ended = run(&place, &options).code(6);
        let ended = ended.says("the batches are not answered yet").says("the same command goes on");
        let ended = ended.says("inspect out.jsonl.journal` shows the batches");
        assert!(!ended.err.contains("has the others"), "{}", ended.err);
        assert_eq!(std::fs::read_dir(place.path("batches")).unwrap().count(), 1);
    }
    let file = std::fs::read_dir(place.path("batches")).unwrap().next().unwrap().unwrap().path();
    let requests = std::fs::read_to_string(&file).unwrap();
    let answers: Vec<_> = requests.lines().map(answer).collect();
    std::fs::write(file.with_extension("results.jsonl"), answers.join("\n")).unwrap();
    let options = [&options[..], &["--price", "1000,1000"]].concat();
    let ended =
        run(&place, &options).code(0).says("12 documents: 12 done; 12 requests, 600 tokens in, 60 out");
    ended.says("cost 0.66");
    for (line, row) in lines(&place.text("out.jsonl")).iter().zip(rows()) {
        assert_eq!((&line["key"], &line["value"]), (&row["id"], &row["gold"]));
    }
}

#[test]
fn a_second_process_learns_which_one_has_the_job_and_sends_nothing() {
    let place = place();
    let words = ["run", "-s", "booking.json", "messages.jsonl", "--key", "id", "-p", "What is booked?"];
    let options = [&IN_A_FOLDER[..], &["-o", "out.jsonl", "--batch-wait"]].concat();
    let mut first = place.command(&[&words[..], &options].concat()).spawn().unwrap();
    let files = || std::fs::read_dir(place.path("batches")).map_or(0, Iterator::count);
    let started = Instant::now();
    while files() == 0 {
        assert!(started.elapsed() < Duration::from_secs(60) && first.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = run(&place, &options).code(5);
    second.says(&format!("in use by process {}", first.id())).says("wait until that one has ended");
    first.kill().unwrap();
    first.wait().unwrap();
    // The batch is found by its mark, also if its id was not recorded.
    run(&place, &options[..options.len() - 1]).code(6);
    assert_eq!(files(), 1);
}

#[test]
fn after_the_deadline_the_batch_is_cancelled_and_the_rest_is_asked_directly() {
    let place = place();
    let options = [
        &IN_A_FOLDER[..],
        &["-o", "out.jsonl", "--wait", "0", "--batch-wait", "--batch-directly-after", "0.00001"],
    ];
    let options = options.concat();
    // The batch is sent, and cancelled soon after. Nobody answers at the address of the server.
    run(&place, &options).code(4).says("the agent could not be reached");
    let named: Vec<_> =
        std::fs::read_dir(place.path("batches")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(named.len() == 1 && named[0].to_string_lossy().ends_with(".cancelled.jsonl"), "{named:?}");
    let wrong = [&IN_A_FOLDER[..], &["-o", "out.jsonl", "--batch-directly-after", "0"]].concat();
    run(&place, &wrong).code(2).says("--batch-directly-after");
}

#[test]
fn batches_need_a_journal_and_a_server_that_takes_files() {
    let place = place();
    run(&place, &IN_A_FOLDER).code(2).says("give `--out` or `--journal`");
    let ended = run(&place, &["--command", "cat", "--batch", "-o", "out.jsonl"]).code(2);
    ended.says("batches are for models of providers");
    let ollama = ["--agent", "ollama/gemma3", "--batch", "-o", "out.jsonl"];
    run(&place, &ollama).code(2).says("batches of `ollama` are not supported").says("`--batch-folder`");
    run(&place, &["--agent", "ollama/gemma3", "--batch-wait"]).code(2).says("--batch");
}

#[test]
fn batches_are_shown_with_their_age_and_can_be_cancelled() {
    let place = place();
    let options = [&IN_A_FOLDER[..], &["-o", "out.jsonl"]].concat();
    run(&place, &options).code(6);
    place.run(&["inspect", "out.jsonl"]).code(0).prints("12 requests, sent 0 h 00 min ago");
    let without = ["--agent", "vllm/my-model", "--base-url", "http://127.0.0.1:9/v1", "-o", "out.jsonl"];
    run(&place, &without)
        .code(2)
        .says("a batch of an earlier run has no answers yet")
        .says("extractable cancel");
    let cancel = [&["cancel", "out.jsonl"][..], &IN_A_FOLDER[..4], &IN_A_FOLDER[5..]].concat();
    place.run(&cancel).code(0).prints("12 requests, cancelled, sent 0 h");
    let named: Vec<_> =
        std::fs::read_dir(place.path("batches")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(named.len() == 1 && named[0].to_string_lossy().ends_with(".cancelled.jsonl"), "{named:?}");
    place.run(&["inspect", "out.jsonl"]).code(0).prints("cancelled, sent 0 h");
    place.run(&["cancel", "out.jsonl", "--forget"]).code(0).prints("12 requests");
    place.run(&["cancel", "out.jsonl"]).code(0).says("the job has no open batch");
    let help = place.run(&["cancel", "--help"]).code(0).prints("--agent").out;
    assert!(!help.contains("--command") && !help.contains("--local") && !help.contains("command:"), "{help}");
    place.run(&["run", "--help"]).code(0).prints("local:MODEL, or command:PROGRAM ARGS").prints("--local");
}
