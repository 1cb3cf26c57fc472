//! What a job through batches costs beside the same job without.
//!
//! ```text
//! cargo bench -p extractable-bulk --bench batches
//! cargo bench -p extractable-bulk --bench batches -- 100000
//! ```
//!
//! A scripted agent and a scripted provider that answer at once, a journal on disk with fsync, waves of
//! 2,000 requests, one of ten documents asked about twice. Both do the same for a request: they read the
//! conversation as text and choose one of two replies. The provider does so when the request is written, and its files have an
//! id and a reply in each line, so that nothing is measured but the work of the job. Each job is a process
//! of its own, which prints its CPU time (user and system) and the most memory that it had. The jobs take turns, and the
//! ratio is that of the medians. A quarter of the documents shows whether memory grows with them. The arguments are the number of
//! the documents, 20,000 by default, and how often each job is run, 3 by default.

use std::{
    collections::HashMap,
    env, fs,
    path::Path,
    process::Command,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use extract::{
    Extractable,
    agent::{
        Agent, AgentError, BatchAgent, BatchFuture, BatchSearch, BatchSink, BatchStatus, LostBatch, Reply,
        ReplyFuture, Request, WrittenRequest,
    },
    testing::block_on,
};
use extract_bulk::{Batches, BulkExt as _, Doc};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Invoice {
    #[extract(pattern = r"^INV-\d+$")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(range(min = 0.0))]
    total: f64,
}

const REPLY: &str = r#"{"number": "INV-2041", "currency": "EUR", "total": 1234.5}"#;
const WRONG: &str = r#"{"number": "INV-2041", "currency": "EUR", "total": -1}"#;

fn reply(text: &str) -> &'static str {
    if text.contains("0: EUR") && !text.contains("Attempt 2") { WRONG } else { REPLY }
}

struct Local;

impl Agent for Local {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new(reply(&request.conversation.to_text()))) })
    }
}

/// A provider with the batches that are open.
#[derive(Default)]
struct Provider(Mutex<HashMap<String, Vec<u8>>>);

impl BatchAgent for Provider {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        let reply = reply(&request.conversation.to_text());
        Ok([id, " ", reply].concat().into_bytes().into())
    }

    fn read(&self, _: &Request, _: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        Ok(Reply::new(String::from_utf8_lossy(answer)))
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        Box::pin(async move {
            let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            open.insert(mark.to_owned(), file.to_owned());
            Ok(mark.to_owned())
        })
    }

    fn find<'a>(&'a self, _: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        Box::pin(async { Ok(BatchSearch::Missing) })
    }

    fn status<'a>(&'a self, _: &'a str) -> BatchFuture<'a, BatchStatus> {
        Box::pin(async { Ok(BatchStatus::Ended) })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let file = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id).unwrap_or_default();
            for line in file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                if let Some((id, reply)) = str::from_utf8(line).ok().and_then(|line| line.split_once(' ')) {
                    sink(id, reply.as_bytes());
                }
            }
            Ok(())
        })
    }

    fn cancel<'a>(&'a self, _: &'a str) -> BatchFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// The variable with the job of a child: `batches` or `alone`.
const JOB: &str = "EXTRACT_BENCH_JOB";

fn documents(count: u64) -> impl Iterator<Item = Doc> + Send {
    (0..count).map(|number| {
        Doc::new(format!("invoices/{number:08}.txt"), format!("Invoice {number}: EUR 1,234.50"))
    })
}

fn run(job: &str, count: u64) {
    let folder = env::temp_dir().join(format!("extract-bench-batches-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let bulk = Invoice::bulk(&Local, documents(count)).concurrent(256).journal(folder.join("j.redb"));
    let bulk = match job {
        "batches" => {
            let batches = Batches::through(Provider::default()).up_to(2_000);
            bulk.batches(batches.poll_every(Duration::from_millis(1)))
        }
        _ => bulk,
    };
    let report = block_on(bulk.into_jsonl(folder.join("o.jsonl"))).expect("the job runs");
    assert_eq!(report.done, count);
    let (cpu, memory) = (cpu().unwrap_or_default(), memory().unwrap_or_default());
    println!("{cpu} {memory}");
    let _ = fs::remove_dir_all(folder);
}

/// CPU time of the process in hundredths of seconds (proc(5), fields 14 and 15 of `stat`).
fn cpu() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

/// Most memory of the process in kilobytes.
fn memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// CPU time and memory of a job in a process of its own.
fn measured(program: &Path, job: &str, count: u64) -> (f64, f64) {
    let output = Command::new(program).arg(count.to_string()).env(JOB, job).output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().expect("a number"));
    let mut next = || numbers.next().expect("two numbers");
    (next() / 100.0, next() / 1024.0)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let mut numbers = env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let (count, runs) = (numbers.next().unwrap_or(20_000), numbers.next().unwrap_or(3).max(1));
    if let Ok(job) = env::var(JOB) {
        run(&job, count);
        return;
    }
    let program = env::current_exe().expect("this program");
    let jobs = [("alone", count / 4), ("batches", count / 4), ("alone", count), ("batches", count)];
    let mut measurements = jobs.map(|_| (Vec::new(), Vec::new()));
    for _ in 0..runs {
        for ((job, count), (times, memories)) in jobs.iter().zip(&mut measurements) {
            let (cpu, memory) = measured(&program, job, *count);
            times.push(cpu);
            memories.push(memory);
        }
    }
    let medians = measurements.map(|(times, memories)| (median(times), median(memories)));
    for ((job, count), (time, memory)) in jobs.iter().zip(medians) {
        println!("{job:8} {count:8} documents: {time:7.2} s of CPU time, {memory:6.1} MB at most");
    }
    println!("CPU time with batches: {:.2} times that without", medians[3].0 / medians[2].0);
}
