//! Agents that block their thread, so that nothing can interrupt them.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    task::{Context, Waker},
    thread::sleep,
    time::Duration,
};

use extract::agent::{Agent, AgentError, AgentExt as _, Reply, ReplyFuture, Request};
use extract::document::{Chunks, Document};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Extraction, ExtractionError, Passes, settings::TransportOptions};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_millis(20);

/// Takes longer than the deadline for each reply, and never yields.
struct Blocking {
    reply: fn() -> Result<Reply, AgentError>,
    asked: AtomicU32,
}

impl Blocking {
    fn new(reply: fn() -> Result<Reply, AgentError>) -> Self {
        Self { reply, asked: AtomicU32::new(0) }
    }
}

impl Agent for Blocking {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async {
            self.asked.fetch_add(1, Relaxed);
            sleep(DEADLINE * 2);
            (self.reply)()
        })
    }
}

fn contract() -> Contract {
    Contract::from_schema(json!({"type": "integer"})).unwrap()
}

/// Asserts that the deadline ends `asked` after this many attempts.
fn ends_after(attempts: u32, asked: Extraction<'_, Value>) {
    let error = block_on(asked.max_attempts(20).deadline(DEADLINE)).unwrap_err();
    assert!(matches!(error, ExtractionError::DeadlineExceeded { .. }), "{error}");
    assert_eq!((error.history().len(), error.metrics().attempts), (attempts as usize, attempts), "{error}");
}

#[test]
fn the_deadline_is_looked_at_between_attempts() {
    let agent = Blocking::new(|| Ok(Reply::new("three")));
    ends_after(1, contract().extract(&agent, "…"));
    assert_eq!(agent.asked.into_inner(), 1);
}

#[test]
fn a_right_answer_that_came_late_is_kept() {
    let agent = Blocking::new(|| Ok(Reply::new("3")));
    let (value, _) = block_on(contract().extract(&agent, "…").deadline(DEADLINE)).unwrap();
    assert_eq!(value, 3);
}

#[test]
fn the_deadline_is_looked_at_before_a_request_is_repeated() {
    let agent = Blocking::new(|| Err(AgentError::transport("reset")));
    let options = TransportOptions::new().retries(9).backoff(Duration::ZERO, Duration::from_secs(1));
    ends_after(0, contract().extract(&agent, "…").transport_options(options));
    assert_eq!(agent.asked.into_inner(), 1);
}

#[test]
fn the_deadline_is_looked_at_before_another_agent_is_asked() {
    let agent = Blocking::new(|| Err(AgentError::transport("reset")));
    let other = Arc::new(ScriptedAgent::new(["3"]));
    let agent = agent.or(Arc::clone(&other));
    ends_after(0, contract().extract(&agent, "…").transport_options(TransportOptions::new().retries(0)));
    assert_eq!(other.remaining(), 1);

    let agent = agent.retrying().backoff(Duration::ZERO, Duration::ZERO);
    ends_after(0, contract().extract(&agent, "…"));
    assert_eq!(other.remaining(), 1);
}

/// Asserts that `asked` yields each time before `agent` is asked again.
fn yields_between_questions(agent: &ScriptedAgent, mut asked: Extraction<'_, Value>) {
    let mut context = Context::from_waker(Waker::noop());
    while agent.remaining() > 1 {
        let before = agent.remaining();
        assert!(Pin::new(&mut asked).poll(&mut context).is_pending());
        assert!(agent.remaining() + 1 >= before, "{} questions at once", before - agent.remaining());
    }
    while Pin::new(&mut asked).poll(&mut context).is_pending() {}
}

#[test]
fn an_extraction_yields_before_it_asks_again_so_that_limits_around_it_are_looked_at() {
    let agent = ScriptedAgent::new(["three", "four", "5"]);
    yields_between_questions(&agent, contract().extract(&agent, "…"));
}

#[test]
fn an_extraction_yields_between_chunks_and_passes() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let document = Document::from_text("one. two. three. four. five. six. seven. eight. nine. ten.");
    for (chunk, passes, replies) in [(16, 1, 5), (1000, 3, 3)] {
        let agent = ScriptedAgent::new((0..replies).map(|number| format!("[{number}]")));
        let asked = contract.extract(&agent, "").document(&document).chunks(Chunks::chars(chunk));
        yields_between_questions(&agent, asked.concurrent_chunks(1).passes(Passes::exactly(passes)));
        agent.assert_finished();
    }
}

#[test]
fn the_deadline_is_looked_at_between_chunks_and_passes() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let document = Document::from_text("one. two. three. four. five. six. seven. eight. nine. ten.");
    for (chunk, passes) in [(16, 1), (1000, 3)] {
        let agent = Blocking::new(|| Ok(Reply::new("[3]")));
        let asked = contract.extract(&agent, "").document(&document).chunks(Chunks::chars(chunk));
        let asked = asked.passes(Passes::exactly(passes)).deadline(DEADLINE);
        block_on(asked).unwrap_err();
        assert_eq!(agent.asked.into_inner(), 1);
    }
}

#[test]
fn without_time_nothing_is_asked() {
    let agent = ScriptedAgent::new(["3"]);
    let error = block_on(contract().extract(&agent, "…").deadline(Duration::ZERO)).unwrap_err();
    assert!(matches!(error, ExtractionError::DeadlineExceeded { .. }), "{error}");
    assert_eq!(error.attempts(), 0);
    assert_eq!(agent.remaining(), 1);
}
