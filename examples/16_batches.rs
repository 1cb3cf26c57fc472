//! A job in batches of a provider, which answers within hours for half the price: three waves.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use extract::{
    Extractable,
    agent::{
        Agent, AgentError, BatchAgent, BatchFuture, BatchSearch, BatchSink, BatchStatus, LostBatch, Reply,
        ReplyFuture, Request, WrittenRequest,
    },
};
use extract_bulk::{Batches, BulkExt as _, Doc, Status};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Extractable)]
struct Invoice {
    number: String,
    #[extract(range(min = 0.0))]
    total: f64,
}

/// Of ten documents, one needs a second attempt, and another one never gets a right answer.
fn answer(question: &str) -> String {
    let name = question.split_once("invoice ").and_then(|(_, rest)| rest.split_once('.'));
    let name = name.map_or("", |(name, _)| name);
    let total = match name.chars().last() {
        Some('3') if !question.contains("Attempt 2") => -1,
        Some('7') => -1,
        _ => 12,
    };
    format!(r#"{{"number": "INV-{name}", "total": {total}}}"#)
}

/// The model, asked directly.
struct Model;

impl Agent for Model {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new(answer(&request.conversation.to_text()))) })
    }
}

/// Hours that a batch takes.
const HOURS: u32 = 5;

/// A provider with its batches: when each was sent, and its requests. Whenever it is asked for the
/// state of one, an hour has passed.
#[derive(Default)]
struct Provider {
    hour: u32,
    batches: Vec<(u32, Vec<Line>)>,
}

impl Provider {
    /// The hour at which the last answer for a document came. One that was asked directly, after
    /// that, was answered at once.
    fn answered(&self, document: &str) -> u32 {
        let name = format!("invoice {document}.");
        let has_it = |lines: &[Line]| lines.iter().any(|line| line.question.contains(&name));
        let ends = self.batches.iter().filter(|(_, lines)| has_it(lines)).map(|(sent, _)| sent + HOURS);
        ends.max().unwrap_or_default()
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    id: String,
    question: String,
}

#[derive(Clone, Default)]
struct Scripted(Arc<Mutex<Provider>>);

impl Scripted {
    fn provider(&self) -> MutexGuard<'_, Provider> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> AgentError {
    AgentError::refused(error.to_string())
}

impl BatchAgent for Scripted {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        let line = Line { id: id.to_owned(), question: request.conversation.to_text() };
        Ok(serde_json::to_vec(&line).map_err(|error| unreadable(&error))?.into())
    }

    fn read(&self, _: &Request, _: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        Ok(Reply::new(str::from_utf8(answer).map_err(|error| unreadable(&error))?))
    }

    fn submit<'a>(&'a self, file: &'a [u8], _: &'a str) -> BatchFuture<'a, String> {
        Box::pin(async {
            let lines = file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let lines: Result<Vec<Line>, _> = lines.map(serde_json::from_slice).collect();
            let lines = lines.map_err(|error| unreadable(&error))?;
            let mut provider = self.provider();
            let hour = provider.hour;
            provider.batches.push((hour, lines));
            Ok((provider.batches.len() - 1).to_string())
        })
    }

    fn find<'a>(&'a self, _: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        Box::pin(async { Ok(BatchSearch::Missing) })
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        Box::pin(async {
            let mut provider = self.provider();
            provider.hour += 1;
            let number: usize = id.parse().map_err(|error| unreadable(&error))?;
            let is_open = provider.hour < provider.batches[number].0 + HOURS;
            Ok(if is_open { BatchStatus::Open } else { BatchStatus::Ended })
        })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let number: usize = id.parse().map_err(|error| unreadable(&error))?;
            for Line { id, question } in &self.provider().batches[number].1 {
                sink(id, answer(question).as_bytes());
            }
            Ok(())
        })
    }

    fn cancel<'a>(&'a self, _: &'a str) -> BatchFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

async fn run(batches: impl FnOnce(Batches) -> Batches) -> Result<(), Box<dyn std::error::Error>> {
    let provider = Scripted::default();
    let documents =
        (0..100).map(|number| Doc::new(format!("{number}"), format!("This is invoice {number}.")));
    let batches = batches(Batches::through(provider.clone()).poll_every(Duration::from_millis(1)));
    let mut outcomes = Invoice::bulk(&Model, documents).batches(batches).outcomes();
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    while let Some(outcome) = outcomes.next().await {
        let outcome = outcome?;
        let hour = provider.provider().answered(&outcome.key);
        if outcome.status == Status::Failed { failed.push(hour) } else { done.push(hour) }
    }
    for (sent, lines) in &provider.provider().batches {
        let (requests, end) = (lines.len(), sent + HOURS);
        let until = |hours: &[u32]| hours.iter().filter(|hour| **hour <= end).count();
        let (done, failed) = (until(&done), until(&failed));
        println!(
            "sent after {sent:2} h: {requests:3} requests; after {end:2} h {done} done, {failed:2} failed"
        );
    }
    let calls = outcomes.report().map_or(0, |report| report.calls);
    println!("{calls} requests in all");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("in batches only");
    run(|batches| batches).await?;
    println!("\nfewer than 50 directly");
    run(|batches| batches.ask_directly_below(50)).await
}
