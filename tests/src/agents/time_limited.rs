//! Time limits, and the state after an extraction that gives up.

use std::time::Duration;

use extract::agent::{Agent as _, AgentErrorKind, AgentExt as _, MemoryStore};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, ExtractionError};

use super::tools::{Endless, ask};

const SHORT: Duration = Duration::from_millis(30);

#[test]
fn a_request_that_takes_too_long_is_dropped() {
    let inside = Endless::default();
    let error = ask(&inside.clone().time_limited(SHORT), "…").unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (AgentErrorKind::Timeout, "`endless` gave no reply within 30ms")
    );
    assert_eq!(inside.under_way(), 0);
}

#[test]
fn a_request_in_time_is_left_alone() {
    let agent = ScriptedAgent::new(["8"]).after(SHORT).time_limited(Duration::from_secs(60));
    assert_eq!((ask(&agent, "…").unwrap().as_str(), agent.name().as_ref()), ("8", "scripted"));
}

#[test]
fn an_extraction_that_gives_up_leaves_every_layer_usable() {
    let inside = Endless::default();
    let agent = inside
        .clone()
        .rate_limited()
        .requests_per_minute(6000)
        .concurrent(1)
        .retrying()
        .or(Endless::default())
        .cached(MemoryStore::new(10));
    for _ in 0..3 {
        let error = block_on(Vec::<u8>::extract(&agent, "…").deadline(SHORT)).unwrap_err();
        assert!(matches!(error, ExtractionError::DeadlineExceeded { .. }), "{error}");
        assert_eq!(inside.under_way(), 0);
    }
    assert_eq!(agent.stats().misses, 3);
}
