//! Types that are agents, and the ways to pass them.

mod cached;
mod cassette;
mod concurrent;
mod fallback;
mod rate_limited;
mod retrying;
mod scripted;
mod streamed;
mod time_limited;
mod tools;

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use extract::agent::{Agent, AgentExt as _, FinishReason, MemoryStore, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Extractable as _, TokenUsage};

fn numbers(agent: &(impl Agent + ?Sized)) -> Vec<u8> {
    block_on(Vec::<u8>::extract(agent, "Which numbers?")).unwrap().0
}

async fn says_one(_prompt: String) -> Result<String, io::Error> {
    Ok("[1]".to_owned())
}

#[test]
fn closures_functions_and_agents_behind_pointers() {
    assert_eq!(numbers(&|_: String| async { Ok::<_, Infallible>("[1]".to_owned()) }), [1]);
    assert_eq!(numbers(&async |_: String| Ok::<_, Infallible>(Reply::new("[1]"))), [1]);
    assert_eq!(numbers(&|_: String| async { Ok::<_, String>("[1]") }), [1]);
    assert_eq!(numbers(&says_one), [1]);
    assert_eq!(numbers(&Arc::new(ScriptedAgent::new(["[1]"]))), [1]);
    let boxed: Box<dyn Agent> = Box::new(ScriptedAgent::new(["[1]", "[1]"]));
    assert_eq!(numbers(&boxed), [1]);
    assert_eq!(numbers(&*boxed), [1]);
    let shared: Arc<dyn Agent> = Arc::new(says_one);
    assert_eq!(numbers(&shared), [1]);
}

#[test]
fn layers_pass_on_the_capabilities_of_their_agent() {
    let agent = || ScriptedAgent::default().calling_tools();
    let layered: [Box<dyn Agent>; 7] = [
        Box::new(Arc::new(agent())),
        Box::new(agent().retrying()),
        Box::new(agent().rate_limited()),
        Box::new(agent().concurrent(1)),
        Box::new(agent().time_limited(Duration::from_secs(1))),
        Box::new(agent().cached(MemoryStore::new(1))),
        Box::new(agent().or(agent())),
    ];
    assert!(layered.iter().all(|agent| agent.capabilities().calls_tools));
    assert!(!agent().or(ScriptedAgent::default()).capabilities().calls_tools, "the other one may be asked");
}

#[test]
fn a_closure_may_report_usage_and_the_finish_reason() {
    let agent = |_: String| async {
        Ok::<_, Infallible>(Reply::new("[1").finished(FinishReason::Length).with_usage(TokenUsage::new(9, 1)))
    };
    let error = block_on(Vec::<u8>::extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert!(matches!(error, extract::ExtractionError::Truncated { .. }), "{error}");
    assert_eq!(error.metrics().usage.total(), 10);
}

#[test]
fn an_extraction_can_be_sent_to_another_thread() {
    let agent = Arc::new(ScriptedAgent::new(["[1]"]));
    let worker = std::thread::spawn(move || block_on(Vec::<u8>::extract(&*agent, "…")).unwrap().0);
    assert_eq!(worker.join().unwrap(), [1]);
}

#[test]
fn a_script_that_is_over_fails_for_good() {
    let agent = ScriptedAgent::new(["no"]);
    let contract = Contract::from_schema(serde_json::json!({"type": "integer"})).unwrap();
    let error = block_on(contract.extract(&agent, "…")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent gave no reply to attempt 2 of 3: agent unavailable: the script has no line for request number 2"
    );
}
