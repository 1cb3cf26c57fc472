//! Tests of agents that continue the text of a cut reply.

use std::sync::{Arc, Mutex};

use extract::agent::{Agent, AgentError, Capabilities, FinishReason, Reply, ReplyFuture, Request};
use extract::partials::{PartState, PartialStep};
use extract::testing::{Cassette, ScriptedAgent, block_on};
use extract::{AttemptStatus, Contract, Event, Extractable};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CUT, REST, asked, cut, table, verdicts, whole};

/// The text that follows [`CUT`].
const END: &str = r#"me": "c"}], "total": 3}"#;

#[test]
fn the_same_question_goes_out_with_the_text_so_far() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(END).continuing_replies();
    let mut going = Vec::new();
    let extraction = table().extract(&agent, "…").max_attempts(1).max_output_tokens(50);
    let (value, metrics) = block_on(extraction.observe(|event| {
        if let Event::Judged { record, .. } = event {
            going.push((record.continuation.clone(), record.raw_output.clone()));
        }
    }))
    .unwrap();
    assert_eq!(value, whole());
    assert_eq!((metrics.attempts, metrics.continuations), (2, 1));
    assert_eq!(verdicts(&metrics), [AttemptStatus::Truncated, AttemptStatus::Accepted]);
    let [first, second] = &agent.requests()[..] else { panic!("two requests") };
    assert_eq!((first.prefill.as_deref(), second.prefill.as_deref()), (None, Some(CUT)));
    assert_eq!(first.conversation, second.conversation);
    assert_eq!(first.schema, second.schema);
    assert_eq!(second.max_output_tokens, Some(50), "there is as much room as before");
    let (continuation, raw_output) = &going[1];
    let continuation = continuation.as_ref().unwrap();
    assert_eq!((&*continuation.path.to_string(), continuation.from), ("$.rows", 2));
    assert!(continuation.continues_text);
    assert_eq!(*raw_output, format!("{CUT}{END}"), "receipts point into the whole reply");
}

/// Knows the answer, and writes at most `most` bytes at once.
struct Typist {
    answer: String,
    most: usize,
    requests: Mutex<u32>,
}

impl Agent for Typist {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            *self.requests.lock().unwrap() += 1;
            let rest = self.answer.strip_prefix(request.prefill.as_deref().unwrap_or_default()).unwrap();
            let end = (0..=self.most.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end)).unwrap();
            let reason = if end == rest.len() { FinishReason::Stop } else { FinishReason::Length };
            Ok(Reply::new(&rest[..end]).finished(reason))
        })
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        "typist".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().continuing_replies()
    }
}

#[test]
fn any_value_comes_back_whole_however_often_it_is_cut() {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]},
            "code": {"enum": ["north", "south"]},
        },
        "required": ["text", "point", "code"],
    });
    // No part could be asked for by itself: a short string, a tuple, a closed value.
    let value = json!({"text": "é \"x\" \\ 😀", "point": [12.25, -3e7], "code": "south"});
    let contract = Contract::from_schema(schema).unwrap();
    for most in 4..value.to_string().len() {
        let typist = Typist { answer: value.to_string(), most, requests: Mutex::new(0) };
        let extraction = contract.extract(&typist, "…").max_attempts(1).max_continuations(100);
        let (read, metrics) = block_on(extraction).unwrap();
        assert_eq!(read, value, "{most}");
        let requests = typist.requests.into_inner().unwrap();
        assert_eq!((metrics.attempts, metrics.continuations), (requests, requests - 1));
        assert!(requests as usize <= value.to_string().len() / (most - 3) + 1, "{most}: {requests}");
    }
}

#[test]
fn a_reply_that_adds_nothing_is_followed_by_the_question_for_the_rest() {
    let agent = ScriptedAgent::new([cut(CUT), cut("")]).then(REST).continuing_replies();
    let (value, _) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!(value, whole());
    assert!(agent.requests()[2].prefill.is_none());
    assert!(asked(&agent, 2).contains("Go on with index 2"), "{}", asked(&agent, 2));
}

#[test]
fn a_text_that_leaves_no_room_is_followed_by_the_question_for_the_rest() {
    let agent = ScriptedAgent::new([cut(CUT)])
        .then_fail(AgentError::too_long("the context is full"))
        .then(REST)
        .continuing_replies();
    let (value, metrics) = block_on(table().extract(&agent, "…")).unwrap();
    assert_eq!((value, metrics.attempts), (whole(), 2));
    assert!(agent.requests()[2].prefill.is_none());
    assert!(asked(&agent, 2).contains("Go on with index 2"), "{}", asked(&agent, 2));
}

#[test]
fn more_continuations_than_allowed_are_a_cut_like_any_other() {
    let agent = ScriptedAgent::new([cut(CUT), cut("me\": \"c")]).then(whole().to_string());
    let agent = agent.continuing_replies();
    let extraction = table().extract(&agent, "…").max_continuations(1).max_output_tokens(50);
    assert_eq!(block_on(extraction).unwrap().0, whole());
    let last = &agent.requests()[2];
    assert_eq!((last.prefill.as_deref(), last.max_output_tokens), (None, Some(100)));
    assert!(asked(&agent, 2).contains("Give the whole answer"), "{}", asked(&agent, 2));
}

#[test]
fn what_is_wrong_with_the_whole_is_fed_back_as_usual() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(r#"me": [7]}], "total": 3}"#).then(whole().to_string());
    let agent = agent.continuing_replies();
    assert_eq!(block_on(table().extract(&agent, "…")).unwrap().0, whole());
    let last = &agent.requests()[2];
    assert!(last.prefill.is_none());
    assert!(asked(&agent, 2).contains("$.rows[2].name"), "{}", asked(&agent, 2));
}

#[test]
fn a_loop_that_goes_on_behind_the_cut_is_one() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "string"}})).unwrap();
    let block = r#""Ondricka", "#;
    let agent = ScriptedAgent::new([cut(format!("[{}", block.repeat(40)))])
        .then(cut(block.repeat(60)))
        .then(r#"["Ondricka"]"#)
        .continuing_replies();
    let (value, metrics) = block_on(contract.extract(&agent, "…")).unwrap();
    assert_eq!(value, json!(["Ondricka"]));
    assert_eq!(
        verdicts(&metrics),
        [AttemptStatus::Truncated, AttemptStatus::Repeated, AttemptStatus::Accepted]
    );
}

#[derive(Debug, Deserialize, Extractable)]
struct Person {
    #[extract(sensitive)]
    name: String,
    notes: Vec<String>,
}

#[test]
fn a_reply_with_sensitive_values_is_not_continued_as_text() {
    let start = r#"{"name": "Ann", "notes": ["a", "b", "#;
    let agent = ScriptedAgent::new([cut(start)]).then(r#"{"from": 2, "rest": ["c"]}"#).continuing_replies();
    let (person, _) = block_on(Person::extract(&agent, "…")).unwrap();
    assert_eq!((&*person.name, person.notes.len()), ("Ann", 3));
    assert!(agent.requests()[1].prefill.is_none());
}

#[test]
fn a_recording_is_replayed_with_what_the_reply_continued() {
    let agent = ScriptedAgent::new([cut(CUT)]).then(END).continuing_replies();
    let path = std::env::temp_dir().join(format!("extract-continued-{}.json", std::process::id()));
    let recording = Cassette::record(agent, &path);
    block_on(table().extract(&recording, "…")).unwrap();
    recording.finish().unwrap();
    let replay = Cassette::replay(&path);
    std::fs::remove_file(&path).unwrap();
    let replay = replay.unwrap();
    assert_eq!(block_on(table().extract(&replay, "…")).unwrap().0, whole());
}

/// An agent that streams the table letter by letter, and is cut once.
fn typing() -> ScriptedAgent {
    let letters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    ScriptedAgent::new([cut(CUT)])
        .streaming(letters(CUT))
        .then(END)
        .streaming(letters(END))
        .continuing_replies()
}

#[test]
fn partials_go_on_where_the_text_was_cut() {
    let agent = typing();
    let table = table();
    block_on(async {
        let mut steps = table.extract(&agent, "…").partials();
        let (mut restarts, mut names, mut last) = (0, Vec::new(), None);
        while let Some(step) = steps.next().await {
            match step.unwrap() {
                PartialStep::Partial(partial) => {
                    names.extend(partial.get("/rows/2/name"));
                    if restarts == 1 {
                        assert_eq!(partial.state("/rows/1"), PartState::Done);
                    }
                }
                PartialStep::Restarted { .. } => restarts += 1,
                PartialStep::Finished(value, _) => last = Some(value),
                _ => unreachable!(),
            }
        }
        assert_eq!((restarts, last), (1, Some(whole())));
        assert_eq!(names.last().unwrap(), "c");
    });
}

#[test]
fn items_come_once_and_before_the_reply_ends() {
    let agent = typing();
    let log = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&log);
    let table = table();
    let extraction = table.extract(&agent, "…").observe(move |event| {
        if let Event::Replied { .. } = event {
            events.lock().unwrap().push("replied".to_owned());
        }
    });
    let value: Value = block_on(async {
        let mut items = extraction.items_of("$.rows");
        while let Some(item) = items.next().await {
            log.lock().unwrap().push(item.unwrap().index.to_string());
        }
        items.finish().await.unwrap().0
    });
    assert_eq!(value, whole());
    assert_eq!(*log.lock().unwrap(), ["0", "1", "replied", "2", "replied"]);
}
