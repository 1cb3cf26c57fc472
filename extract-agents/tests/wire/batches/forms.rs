//! Batches in the form of each provider, whose hours are simulated.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::PathBuf};

use extract::agent::{AgentError, BatchAgent as _, BatchSearch, BatchStatus, LostBatch, Reply, Request};
use extract_agents::{BatchMark, ProviderAgent, ProviderBatches};
use serde_json::{Value, json};

use super::scripted::{Fate, ScriptedProvider};
use crate::{KEY, legs, request};

/// Every provider that takes batches.
const PROVIDERS: [&str; 8] =
    ["openai", "openai-responses", "azure", "groq", "together", "mistral", "anthropic", "gemini"];

const MARK: &str = "fedcba98765432100123456789abcdeffedcba9876543210";

const FATES: [Fate; 6] =
    [Fate::Answered, Fate::Refused, Fate::Expired, Fate::Twice, Fate::Missing, Fate::Answered];

fn id(number: usize) -> String {
    format!("{number:048x}")
}

fn batches(provider: &ScriptedProvider) -> ProviderBatches {
    let agent = ProviderAgent::at(provider.url(), format!("{}/some-model", provider.name())).unwrap();
    ProviderBatches::new(agent.key(KEY)).unwrap()
}

/// Sends as many requests as there are fates. Returns the id of the batch.
async fn sent(batches: &ProviderBatches, mark: &str, count: usize) -> String {
    submitted(batches, mark, (&request(), count)).await
}

async fn submitted(batches: &ProviderBatches, mark: &str, (request, count): (&Request, usize)) -> String {
    let mut file = Vec::new();
    for number in 0..count {
        file.extend(batches.write(&id(number), request).unwrap().line);
        file.push(b'\n');
    }
    batches.submit(&file, mark).await.unwrap()
}

type Answers = BTreeMap<usize, Vec<Result<Reply, AgentError>>>;

/// The answers of a batch by the number of the request.
async fn answers(batches: &ProviderBatches, batch: &str) -> Result<Answers, AgentError> {
    let (mut answers, request) = (Answers::new(), request());
    let note = batches.write(&id(0), &request).unwrap().sent;
    let receive = |id: &str, line: &[u8]| {
        let number = usize::from_str_radix(id, 16).unwrap();
        answers.entry(number).or_default().push(batches.read(&request, &note, line));
    };
    batches.results(batch, Box::new(receive)).await?;
    Ok(answers)
}

fn lost(mark: &str, requests: usize) -> LostBatch<'_> {
    LostBatch { mark, requests }
}

#[tokio::test]
async fn each_line_has_its_fate() {
    for name in PROVIDERS {
        let provider = ScriptedProvider::start(name, &FATES);
        let batches = batches(&provider);
        let batch = sent(&batches, MARK, FATES.len()).await;
        assert_eq!(batches.status(&batch).await.unwrap(), BatchStatus::Open, "{name}");
        provider.pass_hours(4);
        assert_eq!(batches.status(&batch).await.unwrap(), BatchStatus::Open, "{name}");
        provider.pass_hours(1);
        assert_eq!(batches.status(&batch).await.unwrap(), BatchStatus::Ended, "{name}");
        let answers = answers(&batches, &batch).await.unwrap();
        assert_eq!(answers.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 5], "{name}");
        let text = |number: usize| answers[&number][0].as_ref().unwrap().text();
        assert_eq!((text(0), text(3), text(5)), ("[0]", "[3]", "[5]"), "{name}");
        assert_eq!(answers[&3].len(), 2, "{name}");
        let usage = answers[&0][0].as_ref().unwrap().usage().unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (21, 7), "{name}");
        let refused = answers[&1][0].as_ref().unwrap_err();
        assert!(!refused.is_transient() && refused.to_string().contains("not allowed"), "{name}: {refused}");
        assert!(answers[&2][0].as_ref().unwrap_err().is_transient(), "{name}");
        let state = provider.state();
        assert!(state.seen.iter().all(|(_, body)| !String::from_utf8_lossy(body).contains(KEY)), "{name}");
    }
}

#[tokio::test]
async fn a_batch_whose_id_was_lost_is_found_by_its_mark() {
    for name in PROVIDERS {
        let provider = ScriptedProvider::start(name, &[]);
        let batches = batches(&provider);
        assert_eq!(batches.find(lost(MARK, 2)).await.unwrap(), BatchSearch::Missing, "{name}");
        let batch = sent(&batches, MARK, 2).await;
        // Later ones are on the pages before.
        for number in 0..4 {
            sent(&batches, &format!("{number:048x}"), 3).await;
        }
        let is_open = batches.find(lost(MARK, 2)).await.unwrap();
        let interface = extract_agents::Profile::find(name).unwrap().batch.unwrap();
        if interface.mark == BatchMark::RequestIds {
            assert_eq!(is_open, BatchSearch::Undecided, "{name}");
            assert_eq!(batches.find(lost(MARK, 7)).await.unwrap(), BatchSearch::Missing, "{name}");
        } else {
            assert_eq!(is_open, BatchSearch::Found(batch.clone()), "{name}");
        }
        provider.pass_hours(9);
        assert_eq!(batches.find(lost(MARK, 2)).await.unwrap(), BatchSearch::Found(batch), "{name}");
        let other = "1".repeat(48);
        assert_eq!(batches.find(lost(&other, 2)).await.unwrap(), BatchSearch::Missing, "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_batch_keeps_the_answers_that_it_has() {
    for name in PROVIDERS {
        let provider = ScriptedProvider::start(name, &[]);
        let batches = batches(&provider);
        let batch = sent(&batches, MARK, 3).await;
        batches.cancel(&batch).await.unwrap();
        assert_eq!(batches.status(&batch).await.unwrap(), BatchStatus::Ended, "{name}");
        let answers = answers(&batches, &batch).await.unwrap();
        assert_eq!(answers[&0][0].as_ref().unwrap().text(), "[0]", "{name}");
        assert!(answers[&1][0].is_err() && answers[&2][0].is_err(), "{name}");
        batches.cancel(&batch).await.unwrap();
    }
}

#[tokio::test]
async fn results_that_are_gone_are_no_more_answers() {
    for name in PROVIDERS {
        let provider = ScriptedProvider::start(name, &[]);
        let batches = batches(&provider);
        let batch = sent(&batches, MARK, 3).await;
        provider.pass_hours(5);
        provider.state().are_results_gone = true;
        match answers(&batches, &batch).await {
            Ok(answers) => assert!(answers.is_empty() && name == "gemini", "{name}: {answers:?}"),
            Err(error) => assert!(!error.is_transient() && name != "gemini", "{name}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_batch_that_the_provider_does_not_know_is_an_error() {
    for name in PROVIDERS {
        let provider = ScriptedProvider::start(name, &[]);
        let error = batches(&provider).status("b7").await.unwrap_err();
        assert!(!error.is_transient(), "{name}: {error}");
    }
}

/// The cases that the official SDKs judge: what creates a batch, its lines, and what providers say.
#[tokio::test]
async fn the_batches_of_the_oracle_are_written() {
    let mut cases = String::new();
    for name in PROVIDERS {
        let provider = ScriptedProvider::start(name, &FATES);
        let batches = batches(&provider);
        let mut request = request();
        request.schema = Some(legs());
        let batch = submitted(&batches, MARK, (&request, FATES.len())).await;
        provider.pass_hours(5);
        batches.status(&batch).await.unwrap();
        let mut lines = Vec::new();
        batches.results(&batch, Box::new(|_, line| lines.push(line.to_vec()))).await.unwrap();
        let state = provider.state();
        let mut add = |what: &str, body: Value| {
            let _ = writeln!(cases, "{}", json!({"provider": name, "what": what, "body": body}));
        };
        let is_creation = |path: &str| {
            path.ends_with(":batchGenerateContent") || path.ends_with("batches") || path.ends_with("jobs")
        };
        let created = state.seen.iter().find(|(path, _)| path.starts_with("POST") && is_creation(path));
        add("create", serde_json::from_slice(&created.unwrap().1).unwrap());
        state.files.values().flat_map(|(_, file)| file.split(|byte| *byte == b'\n')).for_each(|line| {
            if !line.is_empty() {
                add("request", serde_json::from_slice(line).unwrap());
            }
        });
        state.said.iter().for_each(|said| add("batch", said.clone()));
        for line in &lines {
            add("answer", serde_json::from_slice(line).unwrap());
        }
    }
    let folder =
        env::var_os("EXTRACT_ORACLE").map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("batches.jsonl"), cases).unwrap();
}
