//! Metrics, on success and on failure.

use std::{borrow::Cow, time::Duration};

use extract::agent::{
    Agent, AgentError, AgentExt as _, MemoryStore, Reply, ReplyFuture, Request, ThinkingLevel, ToolCall,
};
use extract::metrics::{Price, Prices, ReplyOrigin};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, Extractor, TokenUsage};
use serde_json::json;

use crate::{
    domain::{Invoice, good},
    reading::random::Chance,
};

#[test]
fn reported_tokens_are_added_up_over_all_attempts() {
    let agent = ScriptedAgent::new([Reply::new("no").with_usage(TokenUsage::new(100, 1))])
        .then(Reply::new(good().to_string()).with_usage(TokenUsage::new(130, 40)));
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!((metrics.usage.input_tokens, metrics.usage.output_tokens), (230, 41));
    assert!(!metrics.usage.is_estimated);
    let each: Vec<_> =
        metrics.per_attempt.iter().map(|attempt| (attempt.number, attempt.usage.total())).collect();
    assert_eq!(each, [(1, 101), (2, 170)]);
}

#[test]
fn tokens_of_failed_attempts_count_on_failure_too() {
    let agent = ScriptedAgent::new([Reply::new("no").with_usage(TokenUsage::new(100, 1))])
        .then(Reply::new("nope").with_usage(TokenUsage::new(110, 2)));
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(2)).unwrap_err();
    assert_eq!(error.metrics().usage.total(), 213);
    assert_eq!(error.history()[1].usage.total(), 112);
}

#[test]
fn unreported_tokens_are_estimated_from_characters() {
    let agent = ScriptedAgent::new(["größer"]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(1)).unwrap_err();
    let usage = error.metrics().usage;
    let asked: usize =
        agent.requests()[0].conversation.turns().iter().map(|turn| turn.text().chars().count()).sum();
    assert!(usage.is_estimated);
    assert_eq!(usage.output_tokens, 2, "six characters, not eight bytes, over four, rounded up");
    assert_eq!(usage.input_tokens, asked.div_ceil(4) as u64);
}

#[test]
fn an_agent_that_fails_later_keeps_the_history() {
    let agent = ScriptedAgent::new([Reply::new("no").with_usage(TokenUsage::new(100, 1))])
        .then_fail(AgentError::refused("no credit"));
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    assert_eq!(error.metrics().usage.total(), 101);
    assert_eq!(error.raw_output(), Some("no"));
    assert_eq!(error.history().len(), 1);
    assert_eq!(error.to_string(), "the agent gave no reply to attempt 2 of 3: request refused: no credit");
}

#[test]
fn metrics_read_well() {
    let agent = ScriptedAgent::new([Reply::new(good().to_string()).with_usage(TokenUsage::new(100, 20))]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.to_string(), "1 attempt, 0.0 s, 100 tokens in, 20 out (reported)");
}

fn from(model: &str, text: impl Into<String>, tokens: u64) -> Reply {
    let origin = ReplyOrigin::default().with_model(model).with_request_id(format!("req_{tokens}"));
    Reply::new(text).with_usage(TokenUsage::new(tokens, 1)).with_origin(origin)
}

#[test]
fn each_attempt_says_where_its_reply_came_from() {
    let agent = ScriptedAgent::new([from("m-1", "no", 100), from("m-2", good().to_string(), 130)]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    let origins: Vec<_> = metrics.per_attempt.iter().map(|attempt| attempt.origin.clone()).collect();
    assert_eq!(origins[0], ReplyOrigin::default().with_model("m-1").with_request_id("req_100"));
    assert_eq!(origins[1].request_id.as_deref(), Some("req_130"));
    assert_eq!(metrics.per_attempt[1].agent, "scripted");

    let agent = ScriptedAgent::new([from("m-1", "no", 100)]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert_eq!(error.history()[0].origin, origins[0]);
    assert!(format!("{:?}", error.history()[0]).contains("req_100"));
}

#[test]
fn failures_of_the_transport_keep_their_status() {
    let limited = AgentError::rate_limited("slow down").with_status(429).with_request_id("req_7");
    let agent = ScriptedAgent::default()
        .then_fail(limited.with_retry_after(Duration::ZERO))
        .then_fail(AgentError::transport("reset").with_retry_after(Duration::ZERO))
        .then(good().to_string());
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    let failures: Vec<_> = metrics
        .transport_failures
        .iter()
        .map(|failure| (failure.attempt, &*failure.error, failure.status, failure.request_id.as_deref()))
        .collect();
    assert_eq!(
        failures,
        [
            (1, "rate limited: slow down", Some(429), Some("req_7")),
            (1, "transport failure: reset", None, None)
        ]
    );
    assert_eq!(metrics.transport_retries, 2);
}

#[test]
fn the_agent_that_replied_is_named_and_not_the_one_before_it() {
    let named = |name: &'static str, agent: ScriptedAgent| Named { name, agent };
    let first = named("first", ScriptedAgent::default().then_fail(AgentError::too_long("…")));
    let second =
        named("second", ScriptedAgent::new([from("m", "no", 10), from("m", good().to_string(), 20)]));
    let first = named("outer", ScriptedAgent::default().then_fail(AgentError::too_long("…"))).or(first);
    let agent = first.or(second);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert_eq!(error.history()[0].agent, "second");
    let used = &error.metrics().per_model;
    assert_eq!((used.len(), &*used[0].agent, used[0].name()), (1, "second", "m"));
}

#[test]
fn a_refusal_before_the_answer_is_paid_for_as_what_it_was() {
    let refusal = from("dear", "", 1000).with_refusal("no");
    let agent = ScriptedAgent::new([refusal]).or(ScriptedAgent::new([from("cheap", good().to_string(), 50)]));
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    let used: Vec<_> =
        metrics.per_model.iter().map(|used| (used.name(), used.replies, used.usage.input_tokens)).collect();
    assert_eq!(used, [("dear", 1, 1000), ("cheap", 1, 50)]);
    assert_eq!(metrics.per_attempt[0].usage.input_tokens, 1050);
    let prices = Prices::new().model("dear", Price::per_million(1000.0, 0.0)).unwrap();
    let prices = prices.model("cheap", Price::per_million(10.0, 0.0)).unwrap();
    assert_eq!(metrics.cost(&prices).to_string(), "1.00");
}

#[test]
fn a_cached_reply_costs_nothing_and_needs_no_price() {
    let agent = ScriptedAgent::new([from("m", good().to_string(), 50)]).cached(MemoryStore::new(9));
    block_on(Invoice::extract(&agent, "…")).unwrap();
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.per_attempt[0].origin.model.as_deref(), Some("m"));
    assert_eq!(metrics.cost(&Prices::new()).to_string(), "0");
}

/// The sums by model add up to the total, for every kind of reply: attempts, calls that do not
/// count, refusals, estimates and huge numbers.
#[test]
fn the_tokens_by_model_are_all_tokens() {
    let chance = &mut Chance::new(7);
    for round in 0..400 {
        let mut agents = [ScriptedAgent::default().calling_tools(), ScriptedAgent::default().calling_tools()];
        for agent in &mut agents {
            for _ in 0..8 {
                let script = std::mem::take(agent);
                *agent = script.calling_tools().then(reply_by_chance(chance));
            }
        }
        let [first, second] = agents;
        let agent = first.or(second);
        let extraction = Invoice::extract(&agent, "…").max_attempts(4);
        let extraction = if chance.below(2) == 0 { extraction.tools() } else { extraction };
        let metrics = match block_on(extraction) {
            Ok((_, metrics)) => metrics,
            Err(error) => error.metrics().clone(),
        };
        let of = |part: fn(&TokenUsage) -> u64| {
            let all = metrics.per_model.iter().map(|used| part(&used.usage));
            (all.fold(0, u64::saturating_add), part(&metrics.usage))
        };
        for part in [
            (|usage: &TokenUsage| usage.input_tokens) as fn(&TokenUsage) -> u64,
            |usage| usage.output_tokens,
            |usage| usage.cached_input_tokens,
            |usage| usage.cache_write_tokens,
            |usage| usage.reasoning_tokens,
        ] {
            let (sum, whole) = of(part);
            assert_eq!(sum, whole, "round {round}: {metrics:#?}");
        }
        let is_estimated = metrics.per_model.iter().any(|used| used.usage.is_estimated);
        assert_eq!(is_estimated, metrics.usage.is_estimated, "round {round}");
    }
}

fn reply_by_chance(chance: &mut Chance) -> Reply {
    let text = if chance.below(4) == 0 { good().to_string() } else { "no".to_owned() };
    let mut reply = Reply::new(text);
    match chance.below(6) {
        0 => reply = reply.with_refusal("no"),
        1 => reply = reply.with_calls([ToolCall::new("example", json!({})).with_id("1")]),
        2 => reply = reply.with_calls([ToolCall::new("validate", good()).with_id("2")]),
        _ => {}
    }
    if chance.below(3) > 0 {
        let most = chance.one_of(&[9, 1000, usize::MAX]);
        let mut tokens = || chance.below(most) as u64;
        let usage = TokenUsage::new(tokens(), tokens()).cached(tokens()).cache_written(tokens());
        reply = reply.with_usage(usage.reasoning(tokens()));
    }
    match chance.below(3) {
        0 => reply,
        model => reply.with_origin(ReplyOrigin::default().with_model(format!("m-{model}"))),
    }
}

#[test]
fn a_level_of_thinking_that_nobody_follows_is_noted() {
    let agent = ScriptedAgent::new([good().to_string(), good().to_string()]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").thinking(ThinkingLevel::Budget(64))).unwrap();
    let note = "`scripted` sets no thinking level, so `budget of 64 tokens` may have no effect";
    assert_eq!(metrics.per_attempt[0].notes, [note]);
    assert_eq!(agent.requests()[0].thinking, Some(ThinkingLevel::Budget(64)));
    let agent = agent.setting_thinking();
    let extractor = Extractor::new().thinking(ThinkingLevel::Off);
    let (_, metrics) = block_on(extractor.extract::<Invoice>(&agent, "…")).unwrap();
    assert_eq!(metrics.per_attempt[0].notes, [] as [String; 0]);
    assert_eq!(agent.requests()[1].thinking, Some(ThinkingLevel::Off));
}

#[test]
fn a_cache_knows_a_question_by_its_level_of_thinking() {
    let agent = ScriptedAgent::new([good().to_string(), good().to_string()]).cached(MemoryStore::new(9));
    block_on(Invoice::extract(&agent, "…")).unwrap();
    for _ in 0..2 {
        block_on(Invoice::extract(&agent, "…").thinking(ThinkingLevel::High)).unwrap();
    }
    assert_eq!((agent.stats().misses, agent.stats().hits), (2, 1));
}

struct Named {
    name: &'static str,
    agent: ScriptedAgent,
}

impl Agent for Named {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.agent.respond(request)
    }

    fn name(&self) -> Cow<'_, str> {
        self.name.into()
    }
}
