//! One Rust library that does the tasks of `python/beside.py`, which starts this program.
//!
//! ```text
//! adapter ours|rstructor URL
//! ```
//!
//! Each line on standard input is a task: `{"do": "extract", "attempts": 3}` or `{"do": "repeat", "times": 100}`. Each
//! line on standard output is what came of it: `{"value": …}`, `{"error": "…"}` or
//! `{"seconds": …, "wall": …}`.

mod order;
mod ours;
mod rstructor_;

use std::{
    io::{Write as _, stdin, stdout},
    time::Instant,
};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// What every library is asked.
const PROMPT: &str = "Read the order from the delivery note that you have seen.";
const MODEL: &str = "gpt-4o-mini";

/// A library with its client.
enum Library {
    Ours(ours::Asker),
    Rstructor(rstructor_::Asker),
}

impl Library {
    async fn extract(&self, attempts: u32) -> Result<Value, String> {
        let order = match self {
            Self::Ours(asker) => asker.ask(attempts).await,
            Self::Rstructor(asker) => asker.ask(attempts).await,
        };
        order.map(|order| serde_json::to_value(order).expect("an order serializes"))
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [library, url] = words.as_slice() else { panic!("adapter ours|rstructor URL") };
    let library = match library.as_str() {
        "ours" => Library::Ours(ours::Asker::new(url)),
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
            Ok(value) => json!({ "value": value }),
            Err(error) => json!({ "error": error }),
        };
    }
    let times = task["times"].as_u64().expect("a number");
    let (started, processor) = (Instant::now(), process_time());
    for _ in 0..times {
        library.extract(1).await.expect("the reply conforms");
    }
    json!({ "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64() })
}

/// Processor time of this process in seconds, in user mode and in the kernel.
fn process_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
