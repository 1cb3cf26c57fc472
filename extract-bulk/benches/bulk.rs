//! What a job costs beside judging alone, and what a run costs that finds everything in the journal.
//!
//! ```text
//! cargo bench -p extractable-bulk --bench bulk
//! cargo bench -p extractable-bulk --bench bulk -- 1000000
//! ```
//!
//! A scripted agent that replies at once, 256 documents at a time, a journal on disk with fsync. Judging alone is
//! `Invoice::from_reply` of the same replies. The number is that of the documents; 20,000 by default.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use extract::{Extractable, agent::AgentError, testing::block_on};
use extract_bulk::{BulkExt as _, Doc, Report};
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

fn documents(count: u64) -> impl Iterator<Item = Doc> + Send {
    (0..count).map(|number| {
        Doc::new(format!("invoices/{number:08}.txt"), format!("Invoice {number}: EUR 1,234.50"))
    })
}

fn job(count: u64, journal: &std::path::Path, output: &std::path::Path) -> (Report, Duration) {
    let agent = |_: String| async { Ok::<_, AgentError>(REPLY) };
    let started = Instant::now();
    let job = Invoice::bulk(&agent, documents(count)).concurrent(256).journal(journal).into_jsonl(output);
    let report = block_on(job).expect("the job runs");
    (report, started.elapsed())
}

/// Memory of the process in kilobytes, where the system says it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(20_000);
    let folder = std::env::temp_dir().join(format!("extract-bench-bulk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (journal, output) = (folder.join("j.redb"), folder.join("o.jsonl"));

    let started = Instant::now();
    for _ in 0..count {
        let (invoice, _) = Invoice::from_reply(black_box(REPLY)).expect("it is an invoice");
        black_box((invoice.number, invoice.currency, invoice.total));
    }
    let judging = started.elapsed();
    let (first, asked) = job(count, &journal, &output);
    let (again, resumed) = job(count, &journal, &output);
    assert_eq!((first.done, again.resumed, again.calls), (count, count, 0));

    let rate = |time: Duration| Duration::from_secs(1).as_secs_f64() / time.as_secs_f64();
    let per = |time: Duration| time / u32::try_from(count).unwrap_or(u32::MAX).max(1);
    println!("{count} documents, 256 at once");
    for (what, time) in [("judging alone", judging), ("a job", asked), ("the same again", resumed)] {
        println!("{what:>16}: {:>9.0} a second, {:>9.2?} each, {time:.1?}", rate(per(time)), per(time));
    }
    println!("{:>16}: {:.2} times judging", "a job", asked.as_secs_f64() / judging.as_secs_f64());
    println!("{:>16}: {:.2?} each", "beyond judging", per(asked.saturating_sub(judging)));
    if let Some(memory) = memory() {
        println!("{:>16}: {} MB at most", "memory", memory / 1024);
    }
    let _ = std::fs::remove_dir_all(folder);
}
