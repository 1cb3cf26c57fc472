//! Replies that break off, consumers that stop, checks that panic.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use extract::agent::{
    Agent, AgentError, AgentExt as _, DeltaSink, FinishReason, Reply, ReplyFuture, Request,
};
use extract::settings::TransportOptions;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable, ExtractionError};

use super::{BROKEN, GOOD, Line, collected, indexes, letters, line, list};

fn reset() -> AgentError {
    AgentError::transport("connection reset")
}

fn no_wait() -> TransportOptions {
    TransportOptions::new().retries(2).backoff(Duration::ZERO, Duration::ZERO)
}

#[test]
fn a_reply_that_begins_anew_delivers_only_what_is_new() {
    let reply = list(&GOOD);
    let script = || {
        let agent = ScriptedAgent::default().then_fail(reset()).streaming([&reply[..60]]);
        agent.then(reply.clone()).streaming(letters(&reply))
    };
    let agent = script();
    let extraction = Vec::<Line>::extract(&agent, "…").transport_options(no_wait());
    let (items, outcome) = collected(extraction.items());
    assert_eq!(indexes(&items), [0, 1, 2]);
    assert_eq!(outcome.unwrap().1.attempts, 1);
    // The same retry inside a layer, which shows only in the first delta of the next reply.
    let layered = script().retrying().backoff(Duration::ZERO, Duration::ZERO);
    assert_eq!(indexes(&collected(Vec::<Line>::extract(&layered, "…").items()).0), [0, 1, 2]);
}

#[test]
fn a_reply_that_begins_anew_with_something_else_is_told_so() {
    let agent = ScriptedAgent::default().then_fail(reset()).streaming([&list(&GOOD)[..30]]);
    let other = list(&[("screws", 3), ("nuts", 4), ("rings", 5)]);
    let agent = agent.then(other).then(list(&GOOD)).expecting(r#"expected: "bolts""#);
    let extraction = Vec::<Line>::extract(&agent, "…").transport_options(no_wait());
    let (items, outcome) = collected(extraction.items());
    assert_eq!(items, [(0, line("bolts", 3)), (1, line("nuts", 4)), (2, line("rings", 5))]);
    assert_eq!(outcome.unwrap().1.attempts, 2);
}

#[test]
fn a_reply_that_was_cut_is_asked_for_again_and_goes_on_behind_what_was_delivered() {
    let reply = list(&GOOD);
    let cut = Reply::new(&reply[..60]).finished(FinishReason::Length);
    let agent = ScriptedAgent::new([cut]).streaming(letters(&reply[..60])).then(reply.clone());
    let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
    assert_eq!(indexes(&items), [0, 1, 2]);
    assert_eq!(outcome.unwrap().1.attempts, 2);
}

#[test]
fn a_panic_in_a_check_is_the_error_and_the_others_are_delivered() {
    let reply = list(&[("bolts", 3), ("nuts", 666), ("rings", 5)]);
    let agent = ScriptedAgent::new([reply.clone()]).streaming(letters(&reply));
    let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
    let error = outcome.unwrap_err();
    assert_eq!((indexes(&items), error.delivered()), (vec![0, 2], &[0, 2][..]));
    assert!(matches!(error.error(), ExtractionError::Panicked { .. }), "{error}");
}

/// Sends `first` at once, and the rest in a separate poll. Counts polls and open requests.
struct Watched {
    deltas: Vec<String>,
    polls: AtomicUsize,
    open: Arc<AtomicUsize>,
}

impl Watched {
    fn new(deltas: Vec<String>) -> Self {
        Self { deltas, polls: AtomicUsize::new(0), open: Arc::default() }
    }
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Agent for Watched {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(std::future::pending())
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.open.fetch_add(1, Ordering::Relaxed);
            let _open = Open(Arc::clone(&self.open));
            for delta in &self.deltas {
                sink.send(delta);
                self.polls.fetch_add(1, Ordering::Relaxed);
                let mut is_first = true;
                poll_fn(|waker| {
                    waker.waker().wake_by_ref();
                    if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }
                })
                .await;
            }
            std::future::pending().await
        })
    }
}

#[test]
fn nothing_is_polled_while_items_wait_and_a_consumer_that_stops_ends_the_request() {
    let reply = list(&GOOD);
    let agent = Watched::new(vec![reply[..reply.len() - 1].to_owned(), " ".to_owned()]);
    let mut items = Vec::<Line>::extract(&agent, "…").items();
    assert_eq!(agent.polls.load(Ordering::Relaxed), 0);
    for index in 0..3 {
        let item = block_on(items.next()).unwrap().unwrap();
        assert_eq!((item.index, agent.polls.load(Ordering::Relaxed)), (index, 1));
    }
    assert_eq!(agent.open.load(Ordering::Relaxed), 1);
    drop(items);
    assert_eq!(agent.open.load(Ordering::Relaxed), 0);
}

#[test]
fn it_can_be_dropped_anywhere() {
    for taken in 0..6 {
        let agent = ScriptedAgent::new([list(&BROKEN)]).streaming(letters(&list(&BROKEN))).then(list(&GOOD));
        let mut items = Vec::<Line>::extract(&agent, "…").items();
        block_on(async {
            for _ in 0..taken {
                items.next().await;
            }
        });
        drop(items);
        assert_eq!(agent.requests().is_empty(), taken == 0);
    }
}

#[test]
fn nothing_of_the_items_is_logged_by_accident() {
    let agent = ScriptedAgent::new([list(&GOOD)]);
    let items = Vec::<Line>::extract(&agent, "…").items();
    assert_eq!(format!("{items:?}"), "Items { is_running: true, .. }");
}

/// Each item is examined once: twice as many take twice the allocations.
#[test]
fn the_work_grows_with_the_list() {
    let bytes = |count: u32| {
        let reply = list(&(0..count).map(|n| ("bolts", n % 12 + 1)).collect::<Vec<_>>());
        let chunks: Vec<String> =
            reply.as_bytes().chunks(100).map(|c| String::from_utf8_lossy(c).into()).collect();
        let agent = ScriptedAgent::new([reply]).streaming(chunks);
        let info = allocation_counter::measure(|| {
            let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").end_repetition(false).items());
            assert!(items.len() == count as usize && outcome.is_ok());
        });
        info.count_total
    };
    let (small, large) = (bytes(1_000), bytes(4_000));
    assert!(large < 5 * small, "{small} and {large}");
}

/// Writes one row after the other and never ends.
struct Endless;

impl Agent for Endless {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.stream(request, DeltaSink::new(|_| ()))
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        let mut row = 0_u32;
        sink.send("[");
        Box::pin(poll_fn(move |context| {
            let text = format!(r#"{{"what": "row number {row}", "qty": 7}}, "#);
            // The delta ends inside a row.
            let (start, end) = text.split_at(20);
            sink.send(start);
            sink.send(end);
            row += 1;
            context.waker().wake_by_ref();
            Poll::Pending
        }))
    }
}

/// While items are taken, only the text of the reply and of the items is kept, to compare them with
/// later attempts.
#[test]
fn what_is_kept_is_the_text() {
    let bytes = |count: usize| {
        let info = allocation_counter::measure(|| {
            let mut items = Vec::<Line>::extract(&Endless, "…").end_repetition(false).items();
            block_on(async {
                for index in 0..count {
                    assert_eq!(items.next().await.unwrap().unwrap().index, index);
                }
            });
        });
        info.bytes_max
    };
    // Just above a power of two, where the buffers of the text have twice the room they need.
    let (small, large) = (bytes(1_100), bytes(8_800));
    let each = (large - small) / 7_700;
    println!("{small} bytes for 1,100 items, {large} for 8,800, {each} for each more");
    // A row is 40 bytes of text. Its nodes would take 300 more.
    assert!(each < 200, "{each} bytes for each item");
}
