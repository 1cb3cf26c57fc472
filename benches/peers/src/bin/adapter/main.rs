//! One Rust library that does the tasks of `python/beside.py`, which starts this program.
//!
//! ```text
//! adapter ours|instructors|rig|rstructor URL
//! ```
//!
//! Each line on standard input is a task: `{"do": "extract", "attempts": 3}`, `{"do": "repeat", "times": 100}`,
//! `{"do": "many", "times": 1000, "at_once": 64}` (`job` for the same with a journal), `{"do": "partials"}` or `{"do": "items"}`.
//! Each line on standard output is the outcome: `{"value": …}`, `{"error": "…"}` or
//! `{"seconds": …, "wall": …}` with more.

mod instructors_;
mod order;
mod ours;
mod rig_;
mod rstructor_;
mod shown;

use std::{
    io::{Write as _, stdin, stdout},
    time::Instant,
};

use futures_util::StreamExt as _;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::order::Order;

/// The prompt for every library.
const PROMPT: &str = "Read the order from the delivery note that you have seen.";
const MODEL: &str = "gpt-4o-mini";

/// A library with its client.
enum Library {
    Ours(ours::Asker),
    Instructors(instructors_::Asker),
    Rig(rig_::Asker),
    Rstructor(rstructor_::Asker),
}

impl Library {
    async fn extract(&self, attempts: u32) -> Result<Order, String> {
        match self {
            Self::Ours(asker) => asker.ask(attempts).await,
            Self::Instructors(asker) => asker.ask(attempts).await,
            Self::Rig(asker) => asker.ask(attempts).await,
            Self::Rstructor(asker) => asker.ask(attempts).await,
        }
    }

    async fn partials(&self) -> Value {
        match self {
            Self::Ours(asker) => asker.stream().await,
            Self::Rstructor(asker) => asker.stream().await,
            Self::Instructors(_) | Self::Rig(_) => panic!("it does not stream"),
        }
    }

    async fn items(&self) -> Value {
        match self {
            Self::Ours(asker) => asker.items().await,
            Self::Rstructor(asker) => asker.items().await,
            Self::Instructors(_) | Self::Rig(_) => panic!("it does not stream"),
        }
    }

    async fn job(&self, documents: usize, at_once: usize) -> u64 {
        let Self::Ours(asker) = self else { panic!("it has no jobs") };
        asker.job(documents, at_once).await
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [library, url] = words.as_slice() else { panic!("adapter ours|instructors|rig|rstructor URL") };
    let library = match library.as_str() {
        "ours" => Library::Ours(ours::Asker::new(url)),
        "instructors" => Library::Instructors(instructors_::Asker::new(url)),
        "rig" => Library::Rig(rig_::Asker::new(url)),
        "rstructor" => Library::Rstructor(rstructor_::Asker::new(url)),
        other => panic!("`{other}` is not a library"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for line in stdin().lines() {
        let task: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        let answer = runtime.block_on(answer(&library, &task));
        writeln!(stdout(), "{answer}").expect("somebody reads");
    }
}

async fn answer(library: &Library, task: &Value) -> Value {
    if task["do"] == "extract" {
        let attempts = u32::try_from(task["attempts"].as_u64().expect("a number")).expect("a small number");
        return match library.extract(attempts).await {
            Ok(order) => json!({ "value": order }),
            Err(error) => json!({ "error": error }),
        };
    }
    match task["do"].as_str().unwrap_or_default() {
        "partials" => return library.partials().await,
        "items" => return library.items().await,
        "many" | "job" => return many(library, task).await,
        _ => {}
    }
    let times = task["times"].as_u64().expect("a number");
    let (started, processor) = (Instant::now(), process_time());
    for _ in 0..times {
        library.extract(1).await.expect("the reply conforms");
    }
    json!({ "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64() })
}

/// Runs `times` extractions, `at_once` in flight.
async fn many(library: &Library, task: &Value) -> Value {
    let number =
        |name: &str| usize::try_from(task[name].as_u64().expect("a number")).expect("a small number");
    let (times, at_once) = (number("times"), number("at_once"));
    let (started, processor) = (Instant::now(), process_time());
    let done = if task["do"] == "job" {
        library.job(times, at_once).await
    } else {
        let answers =
            futures_util::stream::iter(0..times).map(|_| library.extract(1)).buffer_unordered(at_once);
        answers.filter(|answer| std::future::ready(answer.is_ok())).count().await as u64
    };
    json!({
        "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64(),
        "done": done, "peak": peak_memory(),
    })
}

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() * 1024
}

/// Processor time of this process in seconds, in user mode and in the kernel.
fn process_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
