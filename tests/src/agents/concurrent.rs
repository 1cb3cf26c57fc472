//! The limit on concurrent requests.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use extract::agent::{Agent, AgentErrorKind, AgentExt as _};
use extract::testing::ScriptedAgent;

use super::tools::{Endless, ask, poll, request};

#[test]
fn the_request_too_many_waits_and_a_dropped_one_frees_its_place() {
    let inside = Endless::default();
    let agent = inside.clone().concurrent(2);
    let request = request("…");
    let mut requests: Vec<_> = (0..4).map(|_| agent.respond(&request)).collect();
    for request in &mut requests {
        assert!(poll(request).is_pending());
    }
    assert_eq!(inside.under_way(), 2);
    drop(requests.remove(0));
    assert_eq!(inside.under_way(), 1);
    for request in &mut requests {
        assert!(poll(request).is_pending());
    }
    assert_eq!(inside.under_way(), 2);
    drop(requests);
    assert_eq!(inside.under_way(), 0);
}

#[test]
fn a_dropped_waiter_does_not_keep_the_place_it_was_woken_for() {
    let inside = Endless::default();
    let agent = inside.clone().concurrent(1);
    let request = request("…");
    let (mut first, mut second, mut third) =
        (agent.respond(&request), agent.respond(&request), agent.respond(&request));
    for request in [&mut first, &mut second, &mut third] {
        assert!(poll(request).is_pending());
    }
    drop(first);
    // The second is woken, and dropped before it is polled.
    drop(second);
    assert!(poll(&mut third).is_pending());
    assert_eq!(inside.under_way(), 1);
}

#[test]
fn two_calls_with_one_place_follow_each_other() {
    let pause = Duration::from_millis(150);
    let script = ScriptedAgent::new(["1"]).after(pause).then("2").after(pause);
    let agent = Arc::new(script.concurrent(1));
    let started = Instant::now();
    let other = { Arc::clone(&agent).clone() };
    let thread = thread::spawn(move || ask(&other, "…").unwrap());
    ask(&agent, "…").unwrap();
    thread.join().unwrap();
    assert!(started.elapsed() >= 2 * pause, "{:?}", started.elapsed());
}

#[test]
fn a_panic_inside_gives_the_place_back() {
    let agent = (|_: String| async {
        assert!(std::env::var_os("NOBODY_SETS_THIS").is_some(), "on purpose");
        Ok::<_, String>("8")
    })
    .concurrent(1);
    for _ in 0..2 {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(&agent, "…")));
        assert!(result.is_err());
    }
}

#[test]
fn clones_share_the_places() {
    let inside = Endless::default();
    let agent = inside.clone().concurrent(1);
    let clone = agent.clone();
    let request = request("…");
    let (mut first, mut second) = (agent.respond(&request), clone.respond(&request));
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    assert_eq!(inside.under_way(), 1);
}

#[test]
fn no_place_is_an_error_and_not_a_hang() {
    let error = ask(&Endless::default().concurrent(0), "…").unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Unavailable);
    assert!(error.message().contains("allow at least one"));
}

#[test]
fn layers_are_agents_behind_pointers() {
    let agent: Box<dyn Agent> = Box::new(ScriptedAgent::new(["8"]).concurrent(1).retrying());
    let agent = agent.concurrent(1).rate_limited();
    assert_eq!(agent.name(), "scripted");
    assert_eq!(ask(&agent, "…").unwrap(), "8");
}
