//! Streamed replies, through every layer around an agent.

use std::{sync::Arc, time::Duration};

use extract::agent::{Agent, AgentError, AgentExt as _, Delta, DeltaSink, MemoryStore};
use extract::testing::{Cassette, ScriptedAgent, block_on};

use super::tools::request;

/// The deltas, each with whether it was the first, and the reply.
fn stream(agent: &(impl Agent + ?Sized)) -> (Vec<(String, bool)>, Result<String, AgentError>) {
    let mut told = Vec::new();
    let request = request("…");
    let sink = DeltaSink::new(|Delta { text, is_first, .. }| told.push((text.to_owned(), is_first)));
    let reply = block_on(agent.stream(&request, sink));
    (told, reply.map(|reply| reply.text().to_owned()))
}

fn told(deltas: &[(&str, bool)]) -> Vec<(String, bool)> {
    deltas.iter().map(|(text, is_first)| ((*text).to_owned(), *is_first)).collect()
}

fn writer() -> ScriptedAgent {
    ScriptedAgent::new(["[8, 6]"]).streaming(["[8", ", "])
}

fn broken() -> ScriptedAgent {
    ScriptedAgent::default().then_fail(AgentError::transport("reset")).streaming(["[", "9"])
}

fn path(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("extract-streamed-{name}-{}.json", std::process::id()))
}

#[test]
fn an_agent_that_cannot_stream_sends_one_delta() {
    let agent = async |_: String| Ok::<_, std::io::Error>("[8]");
    let (deltas, reply) = stream(&agent);
    assert_eq!((deltas, reply.unwrap().as_str()), (told(&[("[8]", true)]), "[8]"));
}

#[test]
fn an_empty_text_is_not_a_delta() {
    let (deltas, reply) = stream(&ScriptedAgent::new([""]));
    assert_eq!((deltas, reply.unwrap().as_str()), (told(&[]), ""));
    let (deltas, _) = stream(&ScriptedAgent::new(["8"]).streaming(["", "8"]));
    assert_eq!(deltas, told(&[("8", true)]));
}

#[test]
fn everything_around_an_agent_passes_the_deltas_on() {
    let recorded = path("recorded");
    let agents: Vec<(&str, Box<dyn Agent>)> = vec![
        ("a box", Box::new(writer())),
        ("a box in a box", Box::new(Box::new(writer()) as Box<dyn Agent>)),
        ("an Arc", Box::new(Arc::new(writer()))),
        ("an Arc of any agent", Box::new(Arc::new(writer()) as Arc<dyn Agent>)),
        ("concurrent", Box::new(writer().concurrent(1))),
        ("time limited", Box::new(writer().time_limited(Duration::from_secs(60)))),
        ("rate limited", Box::new(writer().rate_limited().requests_per_minute(60))),
        ("retrying", Box::new(writer().retrying())),
        ("a fallback", Box::new(writer().or(ScriptedAgent::default()))),
        ("cached", Box::new(writer().cached(MemoryStore::new(1)))),
        ("a cassette that records", Box::new(Cassette::record(writer(), &recorded))),
    ];
    for (name, agent) in agents {
        let (deltas, reply) = stream(&*agent);
        assert_eq!(deltas, told(&[("[8", true), (", ", false), ("6]", false)]), "{name}");
        assert_eq!(reply.unwrap(), "[8, 6]", "{name}");
    }
    std::fs::remove_file(recorded).unwrap();
}

#[test]
fn another_try_starts_anew() {
    let agent = broken().then("[8]").streaming(["[8"]);
    let (deltas, reply) = stream(&agent.retrying().backoff(Duration::ZERO, Duration::ZERO));
    assert_eq!(deltas, told(&[("[", true), ("9", false), ("[8", true), ("]", false)]));
    assert_eq!(reply.unwrap(), "[8]");
}

#[test]
fn another_agent_starts_anew() {
    let (deltas, reply) = stream(&broken().or(writer()));
    assert_eq!(deltas, told(&[("[", true), ("9", false), ("[8", true), (", ", false), ("6]", false)]));
    assert_eq!(reply.unwrap(), "[8, 6]");
}

#[test]
fn a_failure_is_one_after_deltas_too() {
    let (deltas, reply) = stream(&broken());
    assert_eq!(deltas.len(), 2);
    assert_eq!(reply.unwrap_err().to_string(), "transport failure: reset");
}

#[test]
fn a_reply_from_the_cache_is_one_delta() {
    let agent = writer().cached(MemoryStore::new(1));
    stream(&agent).1.unwrap();
    let (deltas, reply) = stream(&agent);
    assert_eq!((deltas, reply.unwrap().as_str()), (told(&[("[8, 6]", true)]), "[8, 6]"));
}

#[test]
fn a_reply_that_is_replayed_is_one_delta() {
    let path = path("replayed");
    stream(&Cassette::record(writer(), &path)).1.unwrap();
    let cassette = Cassette::replay(&path).unwrap();
    let (deltas, reply) = stream(&cassette);
    assert_eq!((deltas, reply.unwrap().as_str()), (told(&[("[8, 6]", true)]), "[8, 6]"));
    cassette.assert_finished();
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_listener_is_not_shown() {
    assert_eq!(format!("{:?}", DeltaSink::new(|_| ())), "DeltaSink { is_first: true, .. }");
}

#[test]
#[should_panic(expected = "the reply `[8]` does not start with `[9`")]
fn a_scripted_delta_must_be_part_of_its_reply() {
    let _ = ScriptedAgent::new(["[8]"]).streaming(["[", "9"]);
}
