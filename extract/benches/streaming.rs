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
    task::Poll,
    time::{Duration, Instant},
};

use extract::{
    Contract,
    agent::{Agent, DeltaSink, Reply, Request, Responding},
    partials::{PartState, Step},
    settings::ReadingOptions,
    testing::block_on,
};
use serde_json::Value;

use self::replies::{contract, value};

const SIZES: [usize; 11] =
    [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_280_000, 2_560_000, 5_120_000, 10_240_000];
const DELTA: usize = 4;

/// Writes one delta per poll.
struct Typist(String);

impl Agent for Typist {
    fn respond<'a>(&'a self, _: &'a Request) -> Responding<'a> {
        Box::pin(async { Ok(Reply::new(self.0.clone())) })
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> Responding<'a> {
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
            if let Step::Partial(partial) = step.expect("the reply conforms") {
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
}
