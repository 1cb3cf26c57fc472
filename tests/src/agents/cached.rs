//! Cached replies.

use extract::agent::{
    AgentError, AgentExt as _, Conversation, FinishReason, MemoryStore, Reply, ReplyStore, Request, Role,
    StoreError,
};
use extract::testing::{ScriptedAgent, block_on};
use extract::{TokenUsage, agent::Agent as _};
use serde_json::json;

use super::tools::{ask, request};

#[test]
fn a_cached_reply_is_not_asked_for_and_costs_nothing() {
    let reply = Reply::new("8").finished(FinishReason::Stop).with_usage(TokenUsage::new(20, 1));
    let agent = ScriptedAgent::default().then(reply).cached(MemoryStore::new(10));
    let usage = || block_on(agent.respond(&request("legs?"))).unwrap().usage().unwrap().total();
    assert_eq!((usage(), usage(), usage()), (21, 0, 0));
    let stats = agent.stats();
    assert_eq!((stats.hits, stats.misses, stats.failures), (2, 1, 0));
}

#[test]
fn everything_that_could_change_the_reply_is_part_of_the_key() {
    let conversation = |role| Conversation::new().with(role, "legs?");
    let plain = || Request::new(conversation(Role::User));
    let mut requests = vec![
        plain(),
        Request::new(conversation(Role::System)),
        Request::new(conversation(Role::User).with(Role::User, "")),
        plain().with_schema(json!({"type": "integer"}).into()),
        plain().with_schema(json!({"type": "number"}).into()),
    ];
    for change in [
        |request: &mut Request| request.temperature = Some(0.0),
        |request: &mut Request| request.temperature = Some(0.5),
        |request: &mut Request| request.max_output_tokens = Some(10),
    ] {
        requests.push(plain());
        requests.last_mut().map(change).unwrap();
    }
    let agent = ScriptedAgent::new((0..requests.len()).map(|number| number.to_string()));
    let agent = agent.cached(MemoryStore::new(100));
    for _ in 0..2 {
        for (number, request) in requests.iter().enumerate() {
            assert_eq!(block_on(agent.respond(request)).unwrap().text(), number.to_string());
        }
    }
}

#[test]
fn agents_of_other_names_share_a_store_and_no_replies() {
    let store = MemoryStore::new(10);
    let first = ScriptedAgent::new(["8"]).cached(store.clone());
    let second = (|_: String| async { Ok::<_, AgentError>("9") }).cached(store.clone());
    assert_eq!((ask(&first, "…").unwrap().as_str(), ask(&second, "…").unwrap().as_str()), ("8", "9"));
    assert_eq!((ask(&first, "…").unwrap().as_str(), store.len()), ("8", 2));
}

#[test]
fn failures_and_replies_that_were_cut_are_not_kept() {
    let agent = ScriptedAgent::default()
        .then_fail(AgentError::transport("down"))
        .then(Reply::new("[8").finished(FinishReason::Length))
        .then(Reply::new("[8").finished(FinishReason::ContentFilter))
        .then("[8]");
    let agent = agent.cached(MemoryStore::new(10));
    assert!(ask(&agent, "…").is_err());
    for text in ["[8", "[8", "[8]", "[8]"] {
        assert_eq!(ask(&agent, "…").unwrap(), text);
    }
}

struct Broken;

impl ReplyStore for Broken {
    fn get(&self, _key: &str) -> Result<Option<Reply>, StoreError> {
        Err("the disk is gone".into())
    }

    fn put(&self, _key: &str, _reply: &Reply) -> Result<(), StoreError> {
        Err("the disk is full".into())
    }
}

#[test]
fn a_store_that_fails_costs_no_reply_and_is_counted() {
    let agent = ScriptedAgent::new(["8"]).cached(Broken);
    assert_eq!(ask(&agent, "…").unwrap(), "8");
    let stats = agent.stats();
    assert_eq!((stats.hits, stats.misses, stats.failures), (0, 1, 2));
    assert_eq!(stats.last_failure.unwrap(), "the disk is full");
}
