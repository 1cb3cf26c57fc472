//! Attempts without progress, further budgets, and the best answer so far.

use std::{
    task::{Context, Waker},
    time::Duration,
};

use extract::agent::{
    Agent, AgentError, AgentErrorKind, AgentExt as _, Capabilities, Reply, ReplyFuture, Request, Role,
};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, ExtractionError, TokenUsage};
use serde_json::json;

use crate::domain::{Invoice, good, with};

/// The roles of each question, which distinguish continued conversations from fresh ones.
fn roles(agent: &ScriptedAgent) -> Vec<Vec<Role>> {
    let roles =
        |request: &Request| request.conversation.turns().iter().map(extract::agent::Turn::role).collect();
    agent.requests().iter().map(roles).collect()
}

#[test]
fn the_same_answer_again_changes_the_way_of_asking() {
    let wrong = with("/currency", json!("DM"));
    let agent = ScriptedAgent::new([wrong.clone(), wrong.clone(), wrong, good().to_string()]);
    block_on(Invoice::extract(&agent, "…").max_attempts(4)).unwrap();
    let opening = vec![Role::System, Role::User];
    let continued = vec![Role::System, Role::User, Role::Assistant, Role::User];
    assert_eq!(roles(&agent), [opening.clone(), continued.clone(), opening, continued]);
}

#[test]
fn an_attempt_that_fixes_something_is_not_a_stall() {
    let mut worse = good();
    worse["currency"] = json!("DM");
    worse["number"] = json!("7");
    let agent = ScriptedAgent::new([worse.to_string(), with("/currency", json!("DM")), good().to_string()]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").stop_on_stall(true)).unwrap();
    assert_eq!(metrics.attempts, 3);
}

#[test]
fn a_stall_can_end_it() {
    let agent = ScriptedAgent::new([
        with("/currency", json!("DM")),
        with("/currency", json!("Mark")),
        good().to_string(),
    ]);
    let error = block_on(Invoice::extract(&agent, "…").stop_on_stall(true)).unwrap_err();
    assert!(matches!(error, ExtractionError::Stalled { .. }), "{error}");
    assert_eq!((error.attempts(), error.max_attempts()), (2, 3));
    assert_eq!(error.history().iter().map(|attempt| attempt.is_stalled).collect::<Vec<_>>(), [false, true]);
    assert!(
        error.to_string().starts_with("attempt 2 of 3 made no progress over the one before; 1 violation"),
        "{error}"
    );
}

#[test]
fn a_token_budget_ends_it_between_attempts() {
    let reply = |text: &str| Reply::new(text).with_usage(TokenUsage::new(90, 10));
    let agent = ScriptedAgent::new([reply("no"), reply("nope"), reply("nay")]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(9).token_budget(150)).unwrap_err();
    assert!(
        matches!(&error, ExtractionError::TokenBudgetExceeded { budget: 150, record, .. } if record.attempts == 2),
        "{error}"
    );
    assert!(
        error.to_string().starts_with("200 tokens were used up after 2 attempts; the budget is 150"),
        "{error}"
    );

    let agent = ScriptedAgent::new([reply(&good().to_string())]);
    assert!(block_on(Invoice::extract(&agent, "…").token_budget(1)).is_ok(), "a right answer is kept");
}

#[test]
fn a_deadline_ends_it_in_the_middle_of_an_attempt() {
    let agent = ScriptedAgent::new(["no"]).then_hang();
    let limit = Duration::from_millis(30);
    let error = block_on(Invoice::extract(&agent, "…").deadline(limit)).unwrap_err();
    assert!(matches!(error, ExtractionError::DeadlineExceeded { .. }), "{error}");
    assert_eq!(error.attempts(), 1);
    assert_eq!(error.raw_output(), Some("no"));
    assert!(error.metrics().elapsed >= limit);
    assert!(
        error.to_string().starts_with("no acceptable answer within 30ms, after 1 attempt; 1 violation"),
        "{error}"
    );
}

#[test]
fn the_best_attempt_is_the_one_with_the_fewest_violations() {
    let mut worst = good();
    worst["currency"] = json!("DM");
    worst["number"] = json!("7");
    let best = with("/currency", json!("Mark"));
    let agent = ScriptedAgent::new([worst.to_string(), best, "nothing".to_owned()]);
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(error.best().unwrap().number, 2);

    let agent = ScriptedAgent::new(["nothing", "nothing", "nothing"]);
    assert!(block_on(Invoice::extract(&agent, "…")).unwrap_err().best().is_none());
}

#[test]
fn a_stronger_agent_takes_over_after_a_stall() {
    let wrong = with("/currency", json!("DM"));
    let small = ScriptedAgent::new([wrong.clone(), wrong.clone()]);
    let large = ScriptedAgent::new([with("/currency", json!("Mark")), good().to_string()]);
    let mut told = Vec::new();
    let extraction =
        Invoice::extract(&small, "PROMPT").max_attempts(4).escalate_to(&large).observe(|event| {
            if let extract::Event::FeedingBack { record, request, .. } = event {
                told.push((record.number, request.conversation.turns().len()));
            }
        });
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!((metrics.attempts, small.remaining(), large.remaining()), (4, 0, 0));
    let first = large.requests()[0].conversation.to_text();
    assert!(
        first.contains("PROMPT") && first.contains("\"DM\"") && first.contains("Attempt 3 of 4"),
        "{first}"
    );
    assert!(!first.contains("Your previous answer"), "it was not the large one's: {first}");
    // The first agent continues. The one that takes over gets everything in one turn. Its own stall
    // changes the strategy again.
    assert_eq!(told, [(1, 4), (2, 2), (3, 4)]);
}

#[test]
fn the_name_of_the_agent_is_in_the_record() {
    let agent = ScriptedAgent::new(["no"]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert_eq!(error.history()[0].agent, Agent::name(&agent));
}

#[test]
fn a_stall_can_raise_the_temperature() {
    let wrong = with("/currency", json!("DM"));
    let agent = ScriptedAgent::new([wrong.clone(), wrong.clone(), good().to_string()]);
    block_on(Invoice::extract(&agent, "…").temperature(0.0).temperature_on_stall(0.8)).unwrap();
    let temperatures: Vec<_> = agent.requests().iter().map(|request| request.temperature).collect();
    assert_eq!(temperatures, [Some(0.0), Some(0.0), Some(0.8)]);
}

#[test]
fn a_low_temperature_is_raised_on_a_stall_and_an_unknown_one_is_left_alone() {
    let wrong = with("/currency", json!("DM"));
    for (set, on_stall, expected) in [
        (Some(0.2), None, Some(0.7)),
        (Some(1.0), None, Some(1.0)),
        (None, None, None),
        (Some(0.2), Some(0.2), Some(0.2)),
        (None, Some(0.9), Some(0.9)),
    ] {
        let agent = ScriptedAgent::new([wrong.clone(), wrong.clone(), good().to_string()]);
        let mut extraction = Invoice::extract(&agent, "…");
        if let Some(temperature) = set {
            extraction = extraction.temperature(temperature);
        }
        if let Some(temperature) = on_stall {
            extraction = extraction.temperature_on_stall(temperature);
        }
        block_on(extraction).unwrap();
        let temperatures: Vec<_> = agent.requests().iter().map(|request| request.temperature).collect();
        assert_eq!(temperatures, [set, set, expected]);
    }
}

#[test]
fn the_temperature_of_an_agent_counts_where_none_is_set() {
    /// Reports its temperature, through a layer.
    struct Cold(ScriptedAgent);

    impl Agent for Cold {
        fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
            self.0.respond(request)
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::default().at_temperature(0.0)
        }
    }

    let wrong = with("/currency", json!("DM"));
    let cold = Cold(ScriptedAgent::new([wrong.clone(), wrong, good().to_string()]));
    let layered: Box<dyn Agent> = Box::new(cold.concurrent(1));
    assert_eq!(layered.capabilities().temperature, Some(0.0));
    let asked = std::sync::Mutex::new(Vec::new());
    let extraction = Invoice::extract(&*layered, "…").observe(|event| {
        if let extract::Event::Asked { request, .. } = event {
            asked.lock().unwrap().push(request.temperature);
        }
    });
    block_on(extraction).unwrap();
    assert_eq!(*asked.lock().unwrap(), [None, None, Some(0.7)]);
}

#[test]
fn a_regression_is_named() {
    let mut second = good();
    second["number"] = json!("7");
    let agent = ScriptedAgent::new([with("/currency", json!("DM")), second.to_string(), good().to_string()]);
    let mut regressions = Vec::new();
    let extraction = Invoice::extract(&agent, "…").observe(|event| {
        if let extract::Event::Judged { record, .. } = event {
            regressions.push(record.regressions.iter().map(|r| r.path.to_string()).collect::<Vec<_>>());
        }
    });
    block_on(extraction).unwrap();
    assert_eq!(regressions, [vec![], vec!["$.number".to_owned()], vec![]]);
    let asked = agent.requests()[2].conversation.turns().last().unwrap().text().to_owned();
    assert!(asked.contains("   got: \"7\"\n   was right before: \"INV-0007\"\n"), "{asked}");
    let second = agent.requests()[1].conversation.turns().last().unwrap().text().to_owned();
    assert!(!second.contains("was right before"), "{second}");
}

#[test]
fn after_a_cut_there_is_more_room_as_far_as_the_agent_gives_it() {
    let cut = || {
        let reply = Reply::new(r#"{"number": "INV-"#).finished(extract::agent::FinishReason::Length);
        reply.with_usage(TokenUsage::new(90, 5_000))
    };
    let agent = ScriptedAgent::new([cut(), cut()]).then(good().to_string());
    block_on(Invoice::extract(&agent, "…")).unwrap();
    let rooms: Vec<_> = agent.requests().iter().map(|request| request.max_output_tokens).collect();
    assert_eq!(rooms, [None, Some(10_000), Some(20_000)]);

    let refused = || AgentError::new(AgentErrorKind::Refused, "at most 64 tokens");
    let agent = ScriptedAgent::new([cut()]).then_fail(refused()).then(good().to_string());
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").max_output_tokens(50)).unwrap();
    let rooms: Vec<_> = agent.requests().iter().map(|request| request.max_output_tokens).collect();
    assert_eq!((rooms, metrics.attempts), (vec![Some(50), Some(100), Some(50)], 2));

    // A context that is too short for the higher limit is not tried again.
    let too_long = AgentError::new(AgentErrorKind::TooLong, "4096 + 8192 is more than the context");
    let agent = ScriptedAgent::new([cut()]).then_fail(too_long).then(cut()).then(good().to_string());
    let mut notes = Vec::new();
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").max_output_tokens(50).observe(|event| {
        if let extract::Event::Judged { record, .. } = event {
            notes.extend(record.notes.clone());
        }
    }))
    .unwrap();
    let rooms: Vec<_> = agent.requests().iter().map(|request| request.max_output_tokens).collect();
    assert_eq!((rooms, metrics.attempts), (vec![Some(50), Some(100), Some(50), Some(50)], 3));
    assert_eq!(notes, ["100 output tokens were refused: 4096 + 8192 is more than the context"]);

    // Rejected for another reason, it is rejected again.
    let agent =
        ScriptedAgent::new([cut()]).then_fail(refused()).then_fail(refused()).then(good().to_string());
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert!(matches!(error, ExtractionError::Agent { .. }), "{error}");
    assert_eq!(error.attempts(), 1);
}

/// Its tokens say where it broke off, not how many the agent allows.
#[test]
fn the_room_stays_after_a_reply_that_was_interrupted_and_is_never_tiny() {
    use extract::agent::FinishReason::{Interrupted, Length};
    let interrupted = || Interrupted("abort".to_owned());
    for (finish, tokens, limit, expected) in [
        (interrupted(), 2, None, None),
        (interrupted(), 0, None, None),
        (interrupted(), 2, Some(50), Some(50)),
        (Length, 2, None, Some(4_096)),
        (Length, 0, None, Some(4_096)),
        (Length, 2, Some(50), Some(100)),
    ] {
        let cut = Reply::new(r#"{"number": "INV-"#).finished(finish.clone());
        let cut = cut.with_usage(TokenUsage::new(90, tokens));
        let agent = ScriptedAgent::new([cut]).then(good().to_string());
        let extraction = Invoice::extract(&agent, "…");
        block_on(limit.into_iter().fold(extraction, extract::Extraction::max_output_tokens)).unwrap();
        assert_eq!(agent.requests()[1].max_output_tokens, expected, "{finish:?} {tokens}");
    }
}

#[test]
fn an_observer_keeps_its_events_when_the_extraction_is_dropped() {
    let agent = ScriptedAgent::new([with("/currency", json!("DM"))]).then_hang();
    let mut sink = Vec::new();
    let mut extraction = Box::pin(Invoice::extract(&agent, "…").observe(|event| {
        if let extract::Event::Judged { record, .. } = event {
            sink.push((*record).clone());
        }
    }));
    // It yields before each question.
    for _ in 0..3 {
        let poll = extraction.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(poll.is_pending(), "the second attempt hangs");
    }
    drop(extraction);
    assert_eq!(sink.len(), 1);
    assert_eq!(sink[0].submitted().unwrap()["currency"], "DM");
    assert_eq!((sink[0].violations.len(), agent.requests().len()), (1, 2));
}
