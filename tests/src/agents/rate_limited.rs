//! Limits on requests and tokens per minute. The arithmetic has its own tests with their own clock.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use extract::testing::{ScriptedAgent, block_on};
use extract::{
    TokenUsage,
    agent::{Agent, AgentError, AgentErrorKind, AgentExt as _, Reply},
};

use super::tools::{Endless, ask, poll, request};

/// A tenth of a second, minus the inaccuracy of a clock.
const ALMOST: Duration = Duration::from_millis(95);

fn script(lines: usize) -> ScriptedAgent {
    ScriptedAgent::new(vec!["8"; lines])
}

fn took(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

#[test]
fn saved_up_requests_go_at_once() {
    let agent = script(10).rate_limited().requests_per_minute(10);
    assert!(took(|| (0..10).for_each(|_| drop(ask(&agent, "…").unwrap()))) < Duration::from_secs(3));
    let request = request("…");
    assert!(poll(&mut agent.respond(&request)).is_pending());
}

#[test]
fn the_reported_tokens_replace_the_estimate() {
    let reply = Reply::new("8").with_usage(TokenUsage::new(120, 10));
    let agent = ScriptedAgent::default().then(reply).then("8").rate_limited().tokens_per_minute(100);
    ask(&agent, "…").unwrap();
    let request = request("…");
    assert!(poll(&mut agent.respond(&request)).is_pending(), "30 tokens are owed");
}

#[test]
fn an_estimate_that_was_too_high_is_returned() {
    let reply = Reply::new("8").with_usage(TokenUsage::new(1, 1));
    let agent = ScriptedAgent::default().then(reply.clone()).then(reply);
    let agent = agent.rate_limited().tokens_per_minute(60).burst(Duration::from_secs(60));
    let mut request = request("…");
    request.max_output_tokens = Some(50);
    let both = took(|| (0..2).for_each(|_| drop(block_on(agent.respond(&request)).unwrap())));
    assert!(both < Duration::from_secs(2), "{both:?}");
}

#[test]
fn a_dropped_waiter_takes_nothing_and_frees_its_turn() {
    let agent = script(3).rate_limited().requests_per_minute(200).burst(Duration::ZERO);
    ask(&agent, "…").unwrap();
    let request = request("…");
    let mut waiting: Vec<_> = (0..50).map(|_| agent.respond(&request)).collect();
    assert!(waiting.iter_mut().all(|waiting| poll(waiting).is_pending()));
    drop(waiting);
    let next = took(|| drop(ask(&agent, "…").unwrap()));
    assert!(next < Duration::from_millis(1500), "{next:?}");
}

#[test]
fn a_small_request_does_not_overtake_a_large_one() {
    let reply = |tokens| Reply::new("8").with_usage(TokenUsage::new(tokens, 0));
    let script = Arc::new(ScriptedAgent::default().then(reply(100)).then(reply(60)).then(reply(1)));
    let agent = Arc::clone(&script).rate_limited().tokens_per_minute(6000).burst(Duration::from_secs(1));
    ask(&agent, &"x".repeat(400)).unwrap();
    let request = request(&"x".repeat(240));
    let mut large = agent.respond(&request);
    assert!(poll(&mut large).is_pending());
    let small = {
        let agent = agent.clone();
        thread::spawn(move || drop(ask(&agent, "x").unwrap()))
    };
    block_on(large).unwrap();
    small.join().unwrap();
    let asked: Vec<_> = script.requests().iter().map(|request| request.conversation.chars()).collect();
    assert_eq!(asked, [400, 240, 1]);
}

#[test]
fn one_that_is_slow_does_not_hold_the_line() {
    let inside = Endless::default();
    let agent = inside.clone().rate_limited().requests_per_minute(600);
    let request = request("…");
    let mut requests: Vec<_> = (0..5).map(|_| agent.respond(&request)).collect();
    assert!(requests.iter_mut().all(|request| poll(request).is_pending()));
    assert_eq!(inside.under_way(), 5);
}

#[test]
fn threads_share_the_rate() {
    let agent = Arc::new(script(6).rate_limited().requests_per_minute(600).burst(Duration::ZERO));
    let all = took(|| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                let agent = Arc::clone(&agent);
                thread::spawn(move || drop(ask(&agent, "…").unwrap()))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(all >= 5 * ALMOST, "{all:?}");
}

#[test]
fn clones_share_the_rate_until_they_get_another() {
    let inside = Endless::default();
    let agent = inside.clone().rate_limited().requests_per_minute(1).burst(Duration::ZERO);
    let (clone, other) = (agent.clone(), agent.clone().requests_per_minute(2));
    let request = request("…");
    let mut requests = [&agent, &clone, &other].map(|agent| agent.respond(&request));
    for (request, under_way) in requests.iter_mut().zip([1, 1, 2]) {
        assert!(poll(request).is_pending());
        assert_eq!(inside.under_way(), under_way);
    }
}

#[test]
fn a_failure_costs_its_request() {
    let agent = ScriptedAgent::default().then_fail(AgentError::transport("down")).then("8");
    let agent = agent.rate_limited().requests_per_minute(600).burst(Duration::ZERO);
    let both = took(|| {
        ask(&agent, "…").unwrap_err();
        ask(&agent, "…").unwrap();
    });
    assert!(both >= ALMOST, "{both:?}");
}

#[test]
fn nothing_per_minute_is_an_error_and_not_a_hang() {
    for agent in
        [script(1).rate_limited().requests_per_minute(0), script(1).rate_limited().tokens_per_minute(0)]
    {
        let error = ask(&agent, "…").unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Unavailable);
        assert!(error.message().contains("allow at least one"));
    }
}

#[test]
fn without_a_limit_nothing_waits() {
    let agent = script(100).rate_limited();
    assert!(took(|| (0..100).for_each(|_| drop(ask(&agent, "…").unwrap()))) < Duration::from_secs(2));
}
