//! Streamed replies, through every layer around an agent.

use std::{sync::Arc, time::Duration};

use extract::agent::{Agent, AgentError, AgentExt as _, Delta, DeltaSink, MemoryStore, Reply, ToolCall};
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

/// Records `agent` streaming this many `times`, and replays the recording.
fn replayed(name: &str, agent: ScriptedAgent, times: usize) -> (Cassette, String) {
    let path = path(name);
    let cassette = Cassette::record(agent, &path);
    for _ in 0..times {
        let _ = stream(&cassette);
    }
    let written = std::fs::read_to_string(&path).unwrap();
    let cassette = Cassette::replay(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    (cassette, written)
}

#[test]
fn a_reply_is_replayed_in_the_deltas_in_which_it_came() {
    let (cassette, written) = replayed("deltas", writer(), 1);
    assert_eq!(stream(&cassette).0, told(&[("[8", true), (", ", false), ("6]", false)]));
    cassette.assert_finished();
    assert!(written.contains(r#""deltas": "2x3""#), "{written}");
}

#[test]
fn what_came_before_a_failure_is_replayed_too() {
    let (cassette, _) = replayed("failure", broken().then("[8]").streaming(["[8"]), 2);
    let (deltas, reply) = stream(&cassette);
    assert_eq!(deltas, told(&[("[", true), ("9", false)]));
    assert_eq!(reply.unwrap_err().to_string(), "transport failure: reset");
    assert_eq!(stream(&cassette).0, told(&[("[8", true), ("]", false)]));
    cassette.assert_finished();
}

#[test]
fn a_reply_that_was_asked_again_for_is_replayed_as_it_came_at_last() {
    let path = path("retried");
    let agent = broken().then("[8]").streaming(["[8"]).retrying().backoff(Duration::ZERO, Duration::ZERO);
    stream(&Cassette::record(agent, &path)).1.unwrap();
    assert_eq!(stream(&Cassette::replay(&path).unwrap()).0, told(&[("[8", true), ("]", false)]));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn the_deltas_of_a_recording_hold_no_secret() {
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    let reply = format!("[\"{key}\", 8]");
    let agent = || ScriptedAgent::new([&*reply]).streaming([&reply[..9], &reply[9..20], &reply[20..]]);
    let failing = ScriptedAgent::default()
        .then_fail(AgentError::transport("reset"))
        .streaming([&reply[..9], &reply[9..]]);
    for (name, agent) in [("secret", agent()), ("failing", failing)] {
        let (cassette, written) = replayed(name, agent, 1);
        for part in [&key[..16], &key[8..24], &key[20..]] {
            assert!(!written.contains(part), "{written}");
        }
        let text: String = stream(&cassette).0.into_iter().map(|(text, _)| text).collect();
        assert_eq!(text, "[\"[redacted]\", 8]");
    }
}

#[test]
fn a_recording_of_before_deltas_is_replayed_as_one() {
    let path = path("old");
    block_on(Cassette::record(writer(), &path).respond(&request("…"))).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!written.contains("deltas"), "{written}");
    assert_eq!(stream(&Cassette::replay(&path).unwrap()).0, told(&[("[8, 6]", true)]));
    // And one with deltas where nothing is streamed.
    stream(&Cassette::record(writer(), &path)).1.unwrap();
    let reply = block_on(Cassette::replay(&path).unwrap().respond(&request("…"))).unwrap();
    assert_eq!(reply.text(), "[8, 6]");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn the_arguments_of_calls_are_replayed_in_their_deltas() {
    let call = ToolCall::new("submit", serde_json::json!({"legs": 8}));
    let reply = Reply::new("Done.").with_calls([call]);
    let agent = ScriptedAgent::new([reply]).streaming(["Do"]).streaming_arguments(0, ["{", "\"legs\":"]);
    let (cassette, _) = replayed("calls", agent, 1);
    let mut told = Vec::new();
    let request = request("…");
    let sink = DeltaSink::new(|Delta { text, call, .. }| {
        told.push((call.map(|call| (call.index, call.name.to_owned())), text.to_owned()));
    });
    block_on(cassette.stream(&request, sink)).unwrap();
    let submit = || Some((0, "submit".to_owned()));
    let expected = [(None, "Do"), (submit(), "{"), (submit(), "\"legs\":"), (None, "ne."), (submit(), "8}")];
    assert_eq!(told, expected.map(|(call, text)| (call, text.to_owned())));
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
