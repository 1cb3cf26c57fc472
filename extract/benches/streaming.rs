//! What it costs to show a value while it is written: replies of 10 kB to 10 MB in deltas of four bytes, with a partial taken
//! and read after each.
//!
//! ```text
//! cargo bench -p extractable --bench streaming
//! ```
//!
//! Measured in turns in one process: one `serde_json::from_str::<Value>` of the reply; an extraction that streams it and shows
//! nothing; the same extraction with partials. The ratio is what partials add, over the parse. The last column is how many
//! times the row before took, for twice the reply.
//!
//! Behind that are the items of lists of 10,000 and 100,000 elements, each dropped when it comes, and the memory of the process,
//! as far as the system tells it: before, when the last item was there, and when the whole value was.
//!
//! Ratios of time mean little on a machine with other work to do. With arguments, the bench does one of
//! the three so many times, so that instructions can be counted:
//!
//! ```text
//! perf stat -e instructions:u streaming --only partials 1000000 20
//! ```

mod replies;

use std::{
    future::poll_fn,
    hint::black_box,
    process::Command,
    task::Poll,
    time::{Duration, Instant},
};

use extract::{
    Contract, Extractable,
    agent::{Agent, DeltaSink, Reply, ReplyFuture, Request},
    partials::{PartState, PartialStep},
    settings::ReadingOptions,
    testing::block_on,
};
use serde::Deserialize;
use serde_json::{Value, json};

use self::replies::{contract, value};

const SIZES: [usize; 11] =
    [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_280_000, 2_560_000, 5_120_000, 10_240_000];
const DELTA: usize = 4;

/// Writes one delta per poll.
struct Typist(String);

impl Agent for Typist {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new(self.0.clone())) })
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let mut rest = self.0.as_str();
            while !rest.is_empty() {
                let (delta, after) = rest.split_at(DELTA.min(rest.len()));
                sink.send(delta);
                rest = after;
                let mut is_first = true;
                poll_fn(|context| {
                    if !std::mem::take(&mut is_first) {
                        return Poll::Ready(());
                    }
                    context.waker().wake_by_ref();
                    Poll::Pending
                })
                .await;
            }
            Ok(Reply::new(self.0.clone()))
        })
    }
}

/// Streams the reply and shows nothing.
fn streamed(contract: &Contract, agent: &Typist, options: ReadingOptions) {
    let extraction = contract.extract(agent, "…").stream(true).end_repetition(false).reading_options(options);
    drop(black_box(block_on(extraction).expect("the reply conforms")));
}

/// The same with partials, one of which is read after each delta.
fn shown(contract: &Contract, agent: &Typist, options: ReadingOptions) {
    let extraction = contract.extract(agent, "…").end_repetition(false).reading_options(options);
    let mut steps = extraction.partials();
    let mut seen = 0;
    block_on(async {
        while let Some(step) = steps.next().await {
            if let PartialStep::Partial(partial) = step.expect("the reply conforms") {
                seen += usize::from(partial.state("/number") == PartState::Done);
            }
        }
    });
    assert!(black_box(seen) > agent.0.len() / 16, "{seen}");
}

fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[derive(Deserialize, Extractable)]
struct Line {
    description: String,
    quantity: u32,
    unit_price: f64,
}

/// The most memory that the process had until now, in megabytes.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// Takes the items of a list of `count` elements, in a process of its own.
fn items(count: usize) {
    let line = |n: usize| json!({"description": format!("Position number {n}"), "quantity": n % 7, "unit_price": 2.5});
    // Line by line, so that the list itself takes no memory.
    let lines: Vec<String> = (0..count).map(|n| line(n).to_string()).collect();
    let agent = Typist(format!("[{}]", lines.join(",")));
    drop(lines);
    let before = memory();
    let started = Instant::now();
    let options = ReadingOptions::new().max_bytes(1 << 30);
    let mut items = Vec::<Line>::extract(&agent, "…").end_repetition(false).reading_options(options).items();
    block_on(async {
        for _ in 0..count {
            let line = items.next().await.expect("there is one").expect("it conforms").value;
            drop(black_box((line.description, line.quantity, line.unit_price)));
        }
        let (taken, at_last) = (started.elapsed(), memory());
        let whole = items.finish().await.expect("the list conforms").0;
        assert_eq!(whole.len(), count);
        let megabytes = |memory: Option<u64>| memory.map_or("?".to_owned(), |memory| memory.to_string());
        let [before, at_last, whole] = [before, at_last, memory()].map(megabytes);
        println!("{count:>9} {:>12} {taken:>12.2?} {before:>12} {at_last:>12} {whole:>12}", agent.0.len());
    });
}

/// Does one thing so many times, as `--only partials 1000000 20` says.
fn only(arguments: &[String], contract: &Contract, options: ReadingOptions) {
    let [what, bytes, turns] = arguments else { panic!("--only <parse|streamed|partials> <bytes> <turns>") };
    let agent = Typist(value(bytes.parse().expect("a number of bytes")).to_string());
    for _ in 0..turns.parse().expect("a number of turns") {
        match what.as_str() {
            "parse" => {
                drop(black_box(serde_json::from_str::<Value>(black_box(&agent.0)).expect("it is JSON")));
            }
            "streamed" => streamed(contract, &agent, options),
            "partials" => shown(contract, &agent, options),
            other => panic!("{other} is none of them"),
        }
    }
}

fn main() {
    if let Some(count) = std::env::args().skip_while(|argument| argument != "--items").nth(1) {
        return items(count.parse().expect("a number of items"));
    }
    let contract = contract();
    let options = ReadingOptions::new().max_bytes(1 << 30);
    let arguments: Vec<String> =
        std::env::args().skip_while(|argument| argument != "--only").skip(1).collect();
    if !arguments.is_empty() {
        return only(&arguments, &contract, options);
    }
    println!(
        "{:>9} {:>12} {:>12} {:>12} {:>7} {:>9}",
        "bytes", "serde_json", "streamed", "partials", "ratio", "doubling"
    );
    let mut before = None;
    for bytes in SIZES {
        let agent = Typist(value(bytes).to_string());
        let turns = (20_000_000 / bytes).clamp(7, 101);
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..turns {
            times[0].push(time(|| {
                drop(black_box(serde_json::from_str::<Value>(black_box(&agent.0)).expect("it is JSON")));
            }));
            times[1].push(time(|| streamed(&contract, &agent, options)));
            times[2].push(time(|| shown(&contract, &agent, options)));
        }
        let [parse, plain, partials] = times.map(median);
        let more = partials.saturating_sub(plain);
        let ratio = more.as_secs_f64() / parse.as_secs_f64();
        let doubling = before.map_or(String::new(), |before: Duration| {
            format!("{:.2}", partials.as_secs_f64() / before.as_secs_f64())
        });
        println!(
            "{:>9} {parse:>12.2?} {plain:>12.2?} {partials:>12.2?} {ratio:>7.2} {doubling:>9}",
            agent.0.len()
        );
        before = Some(partials);
    }
    println!(
        "\n{:>9} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "items", "bytes", "taken", "MB before", "MB, last", "MB, whole"
    );
    for count in ["10000", "100000"] {
        let program = std::env::current_exe().expect("this program");
        let status = Command::new(program).args(["--items", count]).status().expect("it starts");
        assert!(status.success(), "{status}");
    }
}
