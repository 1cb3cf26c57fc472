//! Many extractions at once, from a provider that has every fault, for as long as you like: is everything accounted for, and does
//! the memory stay flat?
//!
//! ```text
//! cargo run --release -p extractable-tests --example soak -- 10   # minutes
//! ```
//!
//! Each minute prints what was asked, the most memory that was in use in that minute, looked at each second, and what the system gave to
//! the process. The program ends with a panic if a call is in no metrics, if a value is wrong, or if a minute takes a quarter more memory than
//! the second one.
//!
//! What the system gave grows on, because the allocator keeps memory for each of 256 threads.

use std::{
    alloc::System,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use cap::Cap;
use extract::{
    Contract, ExtractionError, ExtractionMetrics,
    agent::{Agent, AgentError, DeltaSink, FinishReason, Reply, ReplyFuture, Request},
    settings::TransportOptions,
    testing::block_on,
};
use futures_timer::Delay;
use serde_json::json;

/// Counts what is in use.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

const CONCURRENT: usize = 256;

/// The part of the memory of the second minute by which it may grow: a quarter.
const MAX_GROWTH: usize = 4;

const GOOD: &str =
    r#"{"number": "INV-7", "lines": [{"what": "bolts", "qty": 3}, {"what": "nuts", "qty": 4}]}"#;

/// What a call comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    RateLimited,
    ServerError,
    Reset,
    ResetInTheMiddle,
    Slow,
    Cut,
    Repeats,
    Prose,
    WrongTypes,
    Refuses,
    Garbled,
    Empty,
    BadRequest,
}

const FAULTS: [Fault; 13] = [
    Fault::RateLimited,
    Fault::ServerError,
    Fault::Reset,
    Fault::ResetInTheMiddle,
    Fault::Slow,
    Fault::Cut,
    Fault::Repeats,
    Fault::Prose,
    Fault::WrongTypes,
    Fault::Refuses,
    Fault::Garbled,
    Fault::Empty,
    Fault::BadRequest,
];

/// A provider with every fault, in an order that looks random and is the same each time. It counts its calls.
#[derive(Default)]
struct Provider {
    calls: AtomicU64,
}

impl Provider {
    /// Half of the calls have a fault.
    fn next(&self) -> Fault {
        let number = self.calls.fetch_add(1, Relaxed);
        // SplitMix64.
        let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let drawn = usize::try_from((mixed ^ (mixed >> 31)) % (2 * FAULTS.len() as u64)).unwrap_or_default();
        FAULTS.get(drawn).copied().unwrap_or(Fault::None)
    }

    async fn answer(&self, mut sink: Option<DeltaSink<'_>>) -> Result<Reply, AgentError> {
        let mut send = |text: &str| {
            if let Some(sink) = &mut sink {
                sink.send(text);
            }
        };
        let fault = self.next();
        Delay::new(Duration::from_millis(200)).await;
        let text = match fault {
            Fault::None => GOOD.to_owned(),
            Fault::RateLimited => {
                let wait = Duration::from_millis(5);
                return Err(AgentError::rate_limited("slow down").with_status(429).with_retry_after(wait));
            }
            Fault::ServerError => return Err(AgentError::transport("internal error").with_status(500)),
            Fault::Reset => return Err(AgentError::transport("connection reset")),
            Fault::ResetInTheMiddle => {
                send(&GOOD[..40]);
                return Err(AgentError::transport("connection reset"));
            }
            Fault::Slow => {
                // Longer than a request may take.
                Delay::new(Duration::from_secs(2)).await;
                GOOD.to_owned()
            }
            Fault::Cut => {
                send(&GOOD[..50]);
                return Ok(Reply::new(&GOOD[..50]).finished(FinishReason::Length));
            }
            Fault::Repeats => {
                let text = format!("{}{}", &GOOD[..30], r#"{"what": "bolts", "qty": 3}, "#.repeat(400));
                send(&text);
                return Ok(Reply::new(text).finished(FinishReason::Length));
            }
            Fault::Prose => format!("Here it is:\n```json\n{GOOD}\n```\nAnything else?"),
            Fault::WrongTypes => GOOD.replace('3', "\"three\"").replace("\"INV-7\"", "7"),
            Fault::Refuses => return Ok(Reply::new("").with_refusal("I cannot help with that.")),
            Fault::Garbled => return Err(AgentError::garbled("the response is not JSON")),
            Fault::Empty => String::new(),
            Fault::BadRequest => return Err(AgentError::refused("unknown model").with_status(400)),
        };
        for piece in text.as_bytes().chunks(16) {
            send(&String::from_utf8_lossy(piece));
        }
        Ok(Reply::new(text))
    }
}

impl Agent for Provider {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(self.answer(None))
    }

    fn stream<'a>(&'a self, _: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(self.answer(Some(sink)))
    }
}

/// What all extractions have in their metrics.
#[derive(Debug, Default)]
struct Seen {
    extractions: u64,
    values: u64,
    attempts: u64,
    /// Requests that were repeated after a failure.
    retries: u64,
    /// Requests whose failure ended the extraction.
    last_failures: u64,
}

impl Seen {
    fn add(&mut self, metrics: &ExtractionMetrics) {
        self.extractions += 1;
        self.attempts += u64::from(metrics.attempts);
        self.retries += u64::from(metrics.transport_retries);
        assert_eq!(metrics.transport_failures.len(), metrics.transport_retries as usize);
    }
}

fn main() {
    let minutes: u64 = std::env::args().nth(1).and_then(|minutes| minutes.parse().ok()).unwrap_or(1);
    let contract = contract();
    let (provider, seen, stop) = (Provider::default(), Mutex::new(Seen::default()), AtomicBool::new(false));
    thread::scope(|scope| {
        for number in 0..CONCURRENT {
            let (contract, provider, seen, stop) = (&contract, &provider, &seen, &stop);
            scope.spawn(move || {
                while !stop.load(Relaxed) {
                    extract_once(contract, provider, number % 2 == 0, seen);
                }
            });
        }
        let (started, mut second) = (Instant::now(), None);
        for minute in 1..=minutes {
            let mut used = 0;
            while started.elapsed() < Duration::from_secs(60 * minute) {
                thread::sleep(Duration::from_secs(1));
                used = used.max(MEMORY.allocated() / 1024);
            }
            let extractions = seen.lock().expect("no extraction panics").extractions;
            println!(
                "minute {minute}: {extractions} extractions, {} calls, {used} kB in use of {} kB",
                provider.calls.load(Relaxed),
                given()
            );
            if minute == 2 {
                second = Some(used);
            }
            if let Some(second) = second {
                assert!(used <= second + second / MAX_GROWTH, "{used} kB after {second} kB");
            }
        }
        stop.store(true, Relaxed);
    });
    let (seen, calls) = (seen.into_inner().expect("no extraction panics"), provider.calls.into_inner());
    println!("{calls} calls, {seen:?}");
    assert_eq!(calls, seen.attempts + seen.retries + seen.last_failures, "a call is in no metrics");
    assert!(seen.values > 0 && seen.values < seen.extractions);
}

fn contract() -> Contract {
    let line = json!({
        "type": "object",
        "properties": {"what": {"type": "string"}, "qty": {"type": "integer"}},
        "required": ["what", "qty"],
    });
    Contract::from_schema(json!({
        "type": "object",
        "properties": {"number": {"type": "string"}, "lines": {"type": "array", "items": line, "minItems": 1}},
        "required": ["number", "lines"],
    }))
    .expect("the schema compiles")
}

fn extract_once(contract: &Contract, provider: &Provider, streams: bool, seen: &Mutex<Seen>) {
    let transport =
        TransportOptions::new().retries(2).backoff(Duration::from_millis(1), Duration::from_millis(20));
    let extraction = contract.extract(provider, "Invoice INV-7: 3 bolts, 4 nuts.");
    let extraction = extraction.stream(streams).transport_options(transport).timeout(Duration::from_secs(1));
    let result = block_on(extraction);
    let mut seen = seen.lock().expect("no extraction panics");
    match result {
        Ok((value, metrics)) => {
            seen.values += 1;
            seen.add(&metrics);
            assert!(contract.validate(&value).is_empty(), "{value}");
            assert_eq!(value["number"], "INV-7", "{value}");
        }
        Err(error) => {
            seen.last_failures += u64::from(matches!(error, ExtractionError::Agent { .. }));
            seen.add(error.metrics());
        }
    }
}

/// Resident memory in kB, as Linux says; 0 elsewhere.
fn given() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
