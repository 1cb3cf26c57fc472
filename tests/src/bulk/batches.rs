//! Jobs whose requests are files in a folder.

use std::{fs, path::Path};

use extract::testing::block_on;
use extract_agents::{DirectoryBatches, OpenAiCompatible};
use extract_bulk::{Batches, ContractBulkExt as _, Ended};
use serde_json::{Value, json};

use super::{Folder, docs, integers, lines};

/// Answers the files without results, as a server would. Returns the number of requests.
fn serve(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let results = path.with_extension("results.jsonl");
        if name.ends_with(".results.jsonl") || results.exists() {
            continue;
        }
        let answers = fs::read_to_string(&path).unwrap().lines().map(answer).collect::<Vec<_>>();
        count += answers.len();
        fs::write(results, answers.join("\n")).unwrap();
    }
    count
}

/// The first reply about the document 1 is wrong.
fn answer(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    let prompt = line["body"]["messages"].to_string();
    let number = prompt.split_once('<').and_then(|(_, rest)| rest.split_once('>')).unwrap().0;
    let text = if number == "1" && !prompt.contains("Attempt 2 of 3") { "none" } else { number };
    let message = json!({"message": {"content": text}, "finish_reason": "stop"});
    let response = json!({"status_code": 200, "body": {"choices": [message]}});
    json!({"custom_id": line["custom_id"], "response": response}).to_string()
}

#[test]
fn a_job_ends_while_its_files_wait_and_goes_on_with_their_answers() {
    let folder = Folder::new();
    let (files, output) = (folder.file("batches"), folder.file("o.jsonl"));
    let contract = integers();
    let mut sent = Vec::new();
    loop {
        let agent = OpenAiCompatible::at("http://127.0.0.1:9/v1", "my-model").build().unwrap();
        let batches = DirectoryBatches::new(agent.clone(), &files).unwrap();
        let job = contract.bulk(&agent, docs(3)).journal(folder.file("j.redb"));
        let job = job.batches(Batches::through(batches).come_back_later());
        let report = block_on(job.into_jsonl(&output)).unwrap();
        if report.ended == Ended::Complete {
            assert_eq!((report.done, report.failed), (3, 0));
            break;
        }
        assert_eq!(report.ended, Ended::Waiting);
        sent.push(serve(&files));
        assert!(sent.len() < 10, "{sent:?}");
    }
    assert_eq!(sent, [3, 1]);
    let values: Vec<_> = lines(&output).iter().map(|line| line["value"].clone()).collect();
    assert_eq!(values, [json!(0), json!(1), json!(2)]);
}
