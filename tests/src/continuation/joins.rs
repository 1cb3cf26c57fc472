//! Replies of agents that should continue a text, for values that are cut at every byte.
//!
//! A text is joined only to its continuation. Other additions are read alone if they are the whole
//! reply again; otherwise the agent is asked for the rest, or for the whole again.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
};

use extract::agent::{Agent, AgentError, Capabilities, Reply, ReplyFuture, Request};
use extract::partials::PartialStep;
use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Contract, Event, ExtractionMetrics};
use serde_json::{Value, json};

use super::{CUT, REST, asked, cut, table, verdicts, whole};

/// Writes `start`, which is cut, then `addition`, and then nothing more.
struct Adder<'t> {
    start: &'t str,
    addition: &'t str,
    requests: AtomicU32,
}

impl Agent for Adder<'_> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            match (self.requests.fetch_add(1, Ordering::Relaxed), &request.prefill) {
                (0, _) => Ok(cut(self.start)),
                (1, Some(prefill)) if **prefill == *self.start => Ok(Reply::new(self.addition)),
                _ => Err(AgentError::too_long("asked for something else")),
            }
        })
    }

    fn name(&self) -> Cow<'_, str> {
        "adder".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().continuing_replies()
    }
}

/// The value that is accepted if `addition` follows `start`.
fn accepted(contract: &Contract, start: &str, addition: &str) -> Option<Value> {
    let agent = Adder { start, addition, requests: AtomicU32::new(0) };
    block_on(contract.extract(&agent, "…").max_attempts(1)).ok().map(|(value, _)| value)
}

/// Values. In the last one, the continuation often looks like a repetition of the text's end.
fn values() -> Vec<Value> {
    vec![
        json!({"text": "Hello world, \"said\" the fox.\n\nIt ran é 😀 \\ on.", "note": "Ende: gut"}),
        json!([{"name": "Anna Smith", "qty": 12}, {"name": "Bob Jones", "qty": 340}, {"name": "C", "qty": 5}]),
        json!({"rows": [{"id": 70, "tags": ["red", "dark green"], "at": {"x": 1.5}}, {"id": 81, "tags": []}], "n": 2}),
        json!([[1, 2], [30, 45.25], [-60, 1_234_567], [true, false, null]]),
        json!(["one", "two", "three", "four, five", "{six}", "[7, 8]"]),
        json!("A string alone, and nothing else."),
        json!({"a": [7, 7, 7], "b": ["ok", "ok"], "c": "ha ha ha! -----", "n": 1122}),
    ]
}

fn renderings(value: &Value) -> [(&'static str, String, &'static str); 3] {
    let fence = if value.is_string() { ("", "") } else { ("Here is the JSON:\n\n```json\n", "\n```") };
    [
        ("", value.to_string(), ""),
        ("", serde_json::to_string_pretty(value).unwrap(), ""),
        (fence.0, value.to_string(), fence.1),
    ]
}

/// Words before a continuation.
const PREAMBLES: [&str; 17] = [
    "Continuing: ",
    "Continuing:\n\n",
    "Sure, continuing from where I left off: ",
    "Sure! Here is the rest: ",
    "Here is the rest of the JSON:\n",
    "Here's the remaining output: ",
    "Continuing from where I left off. ",
    "(continued) ",
    "[continued]",
    "... ",
    "…",
    "```json\n",
    "Okay. ",
    "Fortsetzung: ",
    "Voici la suite : ",
    "Continuación: ",
    "继续：",
];

/// The kind of an addition that does not continue the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Restart,
    Preamble,
    /// It starts with a token, or with the inside of a string, again.
    TokenAgain,
    /// It repeats the last characters.
    Overlap,
    /// It repeats no more than three bytes inside a word or number, or of an escape.
    ShortOverlap,
}

/// Additions that do not continue `text` at byte `at`.
fn wrong_additions(text: &str, at: usize) -> Vec<(Kind, String)> {
    let (start, rest) = text.split_at(at);
    let mut additions = vec![
        (Kind::Restart, text.to_owned()),
        (Kind::Restart, format!("```json\n{text}\n```")),
        (Kind::Restart, format!("Here is the complete answer:\n\n{text}")),
        (Kind::Restart, format!("Continuing: {text}")),
    ];
    let preambles = PREAMBLES.iter().enumerate().filter(|(index, _)| (index + at).is_multiple_of(3));
    additions.extend(preambles.map(|(_, words)| (Kind::Preamble, format!("{words}{rest}"))));
    let is_start = |index: usize| {
        let (before, after) = text.split_at(index);
        after.starts_with(['{', '[', '"'])
            || before.is_empty()
            || before.ends_with(['{', '[', '"', ',', ':', ' '])
    };
    let starts = start.char_indices().map(|(index, _)| index).rev();
    let again =
        starts.clone().filter(|index| is_start(*index)).take(6).map(|index| (Kind::TokenAgain, index));
    let overlaps = starts.enumerate().filter(|(count, _)| *count < 8 || matches!(count, 12 | 17 | 23 | 29));
    for (kind, index) in again.chain(overlaps.map(|(_, index)| (Kind::Overlap, index))) {
        let repeated = &text[index..at];
        let is_plain = |c: char| c.is_alphanumeric() || "-.".contains(c);
        let cannot_be_told = repeated.len() <= 3
            && (repeated.contains('\\') || repeated.chars().all(is_plain))
            || repeated.len() == repeated.chars().next().map_or(0, char::len_utf8) && repeated != " ";
        let kind = if cannot_be_told { Kind::ShortOverlap } else { kind };
        additions.push((kind, text[index..].to_owned()));
    }
    additions.retain(|(_, addition)| addition != rest);
    additions
}

/// Returns whether `rest` starts with the end of `start`, so that it may as well repeat that.
fn may_repeat(start: &str, rest: &str) -> bool {
    (1..=rest.len()).filter(|end| rest.is_char_boundary(*end)).any(|end| start.ends_with(&rest[..end]))
}

#[test]
fn nothing_is_joined_but_what_continues_the_text() {
    let contract = Contract::from_schema(json!({})).unwrap();
    let mut wrong: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
    let (mut additions, mut refused) = (0, Vec::new());
    for value in values() {
        for (style, (before, text, after)) in renderings(&value).into_iter().enumerate() {
            for at in (1..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (start, rest) = (format!("{before}{}", &text[..at]), &text[at..]);
                if let Some(accepted) = accepted(&contract, &start, &format!("{rest}{after}")) {
                    assert_eq!(accepted, value, "{start} + {rest}");
                } else {
                    assert!(may_repeat(&text[..at], rest), "{start} + {rest}");
                    refused.push(format!("{start} + {rest}"));
                }
                if style > 0 && at % 7 > 0 {
                    continue;
                }
                for (kind, addition) in wrong_additions(&text, at) {
                    let found = accepted(&contract, &start, &format!("{addition}{after}"));
                    additions += 1;
                    if found.is_some_and(|found| found != value) {
                        wrong.entry(kind).or_default().push(format!("{start} + {addition}"));
                    }
                }
            }
        }
    }
    let short = wrong.remove(&Kind::ShortOverlap).unwrap_or_default();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(short.len() < 450, "{} of {additions}", short.len());
    assert!(refused.len() < 100, "{}", refused.len());
}

/// An agent that adds `addition` to `CUT`.
fn continuing(addition: impl Into<Reply>) -> ScriptedAgent {
    ScriptedAgent::new([cut(CUT)]).then(addition).continuing_replies()
}

/// The value and the metrics of one attempt, and the raw text of each reply.
fn extracted(agent: &ScriptedAgent) -> (Value, ExtractionMetrics, Vec<String>) {
    let mut raw = Vec::new();
    let extraction = table();
    let extraction = extraction.extract(agent, "…").max_attempts(1).observe(|event| {
        if let Event::Judged { record, .. } = event {
            raw.push(record.raw_output.clone());
        }
    });
    let (value, metrics) = block_on(extraction).unwrap();
    (value, metrics, raw)
}

#[test]
fn a_reply_that_starts_again_is_read_alone() {
    let again = format!("Here is the whole table:\n\n```json\n{}\n```", whole());
    let (value, metrics, raw) = extracted(&continuing(&*again));
    assert_eq!(value, whole());
    assert_eq!(verdicts(&metrics), [AttemptStatus::Truncated, AttemptStatus::Accepted]);
    assert_eq!(raw[1], again);
    assert!(metrics.per_attempt[1].notes[0].contains("wrote it again from its start"));
}

#[test]
fn what_does_not_continue_the_text_is_followed_by_the_question_for_the_rest() {
    for addition in [
        r#"Continuing: me": "c"}], "total": 3}"#,
        r#"{"id": 2, "name": "c"}], "total": 3}"#,
        r#"name": "c"}], "total": 3}"#,
        r#"me": "c"}], "total": 3}, {"id": 4}"#,
        r#"me": "c"}]"#,
        "I cannot continue.",
    ] {
        let agent = continuing(addition).then(REST);
        let (value, metrics, raw) = extracted(&agent);
        assert_eq!(value, whole(), "{addition}");
        assert_eq!(
            verdicts(&metrics),
            [AttemptStatus::Truncated, AttemptStatus::Truncated, AttemptStatus::Accepted]
        );
        assert_eq!(raw[1], format!("{CUT}{addition}"), "nothing is lost");
        assert!(metrics.per_attempt[1].notes[0].contains("left out"), "{:?}", metrics.per_attempt[1].notes);
        assert!(agent.requests()[2].prefill.is_none());
        assert!(asked(&agent, 2).contains("Go on with index 2"), "{}", asked(&agent, 2));
    }
}

#[test]
fn without_a_part_to_go_on_with_the_whole_is_asked_for_again() {
    let contract = Contract::from_schema(json!({"type": "object", "required": ["text"]})).unwrap();
    let agent = ScriptedAgent::new([cut(r#"{"text": "Hello wor"#)])
        .then(r#"Continuing: ld"}"#)
        .then(r#"{"text": "Hello world"}"#)
        .continuing_replies();
    let (value, metrics) = block_on(contract.extract(&agent, "…")).unwrap();
    assert_eq!(value, json!({"text": "Hello world"}));
    assert_eq!(metrics.attempts, 3);
    assert!(asked(&agent, 2).contains("Give the whole answer"), "{}", asked(&agent, 2));
}

/// A list of objects.
fn list() -> Contract {
    Contract::from_schema(json!({"type": "array", "items": {"type": "object"}})).unwrap()
}

#[test]
fn a_join_is_told_by_all_that_follows_it() {
    // The first addition is too short to decide. The second one shows that it repeats the last row.
    let start = r#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, "#;
    let agent = ScriptedAgent::new([cut(start), cut(r#"{"id": 2, "#)])
        .then(r#""name": "b"}, {"id": 3, "name": "c"}]"#)
        .then(r#"{"from": 2, "rest": [{"id": 3, "name": "c"}]}"#)
        .continuing_replies();
    let (value, _) = block_on(list().extract(&agent, "…").max_attempts(1)).unwrap();
    assert_eq!(value.as_array().map(Vec::len), Some(3), "{value}");
    assert!(asked(&agent, 3).contains("Go on with index 2"), "{}", asked(&agent, 3));
}

#[test]
fn a_text_that_is_not_strict_json_is_not_continued() {
    let agent = ScriptedAgent::new([cut(r#"{'title': "May", 'rows': [{'id': 0, 'na"#)])
        .then(whole().to_string())
        .continuing_replies();
    assert_eq!(block_on(table().extract(&agent, "…")).unwrap().0, whole());
    assert!(agent.requests()[1].prefill.is_none());
}

#[test]
fn items_and_partials_show_nothing_that_may_not_continue_the_text() {
    let start = r#"[{"text": "one"}, {"text": "Hello wor"#;
    let addition = r#"Continuing: ld"}, {"text": "three"}]"#;
    let rest = r#"{"from": 1, "rest": [{"text": "Hello world"}, {"text": "three"}]}"#;
    let letters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    let agent = || {
        ScriptedAgent::new([cut(start)])
            .streaming(letters(start))
            .then(addition)
            .streaming(letters(addition))
            .then(rest)
            .continuing_replies()
    };
    let expected = json!([{"text": "one"}, {"text": "Hello world"}, {"text": "three"}]);
    let (for_items, for_partials, list) = (agent(), agent(), list());
    block_on(async {
        let mut items = list.extract(&for_items, "…").items_of("$");
        let mut found = Vec::new();
        while let Some(item) = items.next().await {
            found.push(item.unwrap().value);
        }
        assert_eq!((json!(found), items.finish().await.unwrap().0), (expected.clone(), expected));

        let mut steps = list.extract(&for_partials, "…").partials();
        while let Some(step) = steps.next().await {
            if let PartialStep::Partial(partial) = step.unwrap() {
                let text = partial.get("/1/text").unwrap_or_default();
                let text = text.as_str().unwrap_or_default();
                assert!("Hello world".starts_with(text), "{text}");
            }
        }
    });
}
