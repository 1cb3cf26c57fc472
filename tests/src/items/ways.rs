//! Agents that do not stream, replies that are not strict, settings that matter.

use extract::agent::{AgentError, Reply, ToolCall};
use extract::testing::{ScriptedAgent, block_on};
use extract::{AttemptStatus, Extractable, ExtractionError, Feedback};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{BROKEN, GOOD, Line, collected, indexes, letters, list};

#[test]
fn an_agent_that_does_not_stream_delivers_at_once() {
    let agent = async |_: String| Ok::<_, AgentError>(list(&GOOD));
    let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
    assert_eq!((indexes(&items), outcome.unwrap().0.len()), (vec![0, 1, 2], 3));
}

#[test]
fn a_submitted_list_is_delivered_when_it_was_read() {
    let lines: Value = serde_json::from_str(&list(&GOOD)).unwrap();
    let call = ToolCall::new("submit", json!({"value": lines})).with_id("1");
    let agent = ScriptedAgent::new([Reply::new("").with_calls([call])]).calling_tools();
    let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").tools().items());
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(indexes(&items), [0, 1, 2]);
}

#[test]
fn what_is_not_strict_is_delivered_when_it_was_read() {
    let strict = list(&GOOD);
    for reply in [
        format!("<think>[1] or [2]?</think>Here:\n```json\n{strict}\n```"),
        strict.replace("\"nuts\"", "'nuts'"),
        strict.replace("\"qty\":4", "\"qty\":\"4\""),
        format!("{{\"lines\": {strict}}}"),
    ] {
        let agent = ScriptedAgent::new([reply.clone()]).streaming(letters(&reply));
        let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
        let mut seen = indexes(&items);
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2], "{reply}");
        let (whole, metrics) = outcome.unwrap();
        assert!(items.iter().all(|(index, item)| whole[*index] == *item) && metrics.attempts == 1);
    }
}

#[test]
fn another_way_of_asking_again_is_kept() {
    let agent = ScriptedAgent::new([list(&BROKEN), list(&GOOD)]);
    let extraction = Vec::<Line>::extract(&agent, "…").feedback(Feedback::Continue);
    assert_eq!(indexes(&collected(extraction.items()).0), [0, 2, 1]);
    let asked = agent.requests()[1].conversation.to_text();
    assert!(!asked.contains("RFC 6902"), "{asked}");
}

#[test]
fn with_keep_valid_items_the_index_is_that_of_the_whole_list() {
    let agent = ScriptedAgent::new([list(&BROKEN)]);
    let extraction = Vec::<Line>::extract(&agent, "…").max_attempts(1).keep_valid_items(true);
    let (items, outcome) = collected(extraction.items());
    let (whole, metrics) = outcome.unwrap();
    assert_eq!(indexes(&items), [0, 2]);
    assert!(whole.iter().eq(items.iter().map(|(_, item)| item)));
    assert_eq!(metrics.left_out[0].path.to_string(), "$[1]");
    assert_eq!(metrics.per_attempt[0].verdict, AttemptStatus::AcceptedInPart);
}

#[test]
fn no_attempt_is_accepted_in_part_that_lacks_a_delivered_item() {
    // The second reply has more valid items, but another first one.
    let other = list(&[("screws", 3), ("nuts", 4), ("rings", 0), ("pins", 1), ("caps", 1)]);
    let agent = ScriptedAgent::new([list(&BROKEN), other]);
    let extraction = Vec::<Line>::extract(&agent, "…").max_attempts(2).keep_valid_items(true);
    let (items, outcome) = collected(extraction.items());
    let (whole, metrics) = outcome.unwrap();
    assert_eq!(indexes(&items), [0, 2]);
    assert!(whole.iter().eq(items.iter().map(|(_, item)| item)), "{whole:?}");
    assert_eq!(metrics.per_attempt[0].verdict, AttemptStatus::AcceptedInPart);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
struct Tagged {
    name: String,
    #[extract(keep_valid_items)]
    tags: Vec<u8>,
}

#[test]
fn an_item_that_lost_something_inside_comes_without_it() {
    let reply = r#"[{"name": "a", "tags": [1]}, {"name": "b", "tags": [2, "x", 3, "y"]}]"#;
    let agent = ScriptedAgent::new([reply]).streaming(letters(reply));
    let extraction = Vec::<Tagged>::extract(&agent, "…").max_attempts(1).keep_valid_items(true);
    let (items, outcome) = collected(extraction.items());
    let (whole, _) = outcome.unwrap();
    assert_eq!(items, whole.into_iter().enumerate().collect::<Vec<_>>());
    assert_eq!(items[1].1.tags, [2, 3]);
}

#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
#[extract(async_rule = is_known)]
struct Known {
    name: String,
}

#[allow(clippy::unused_async, reason = "the signature of an async check")]
async fn is_known(known: &Known) -> Result<(), &'static str> {
    if known.name == "unknown" { Err("nobody knows it") } else { Ok(()) }
}

#[test]
fn items_with_async_checks_wait_for_them() {
    let wrong = r#"[{"name": "a"}, {"name": "unknown"}]"#;
    let agent = ScriptedAgent::new([wrong, r#"[{"name": "a"}, {"name": "b"}]"#]);
    let mut items = Vec::<Known>::extract(&agent, "…").items();
    block_on(async {
        assert_eq!(items.next().await.unwrap().unwrap().index, 0);
        assert_eq!(items.next().await.unwrap().unwrap().value.name, "b");
        assert!(items.next().await.is_none());
    });
    assert_eq!(agent.requests().len(), 2);
}

#[test]
fn no_value_of_a_sensitive_item_is_told_when_it_changed() {
    #[derive(Debug, Deserialize, Extractable)]
    struct Secret {
        #[extract(sensitive)]
        #[allow(dead_code, reason = "only the judgement matters")]
        pin: String,
        #[extract(range(max = 9))]
        #[allow(dead_code, reason = "only the judgement matters")]
        digit: u8,
    }
    let first = r#"[{"pin": "geheim-1", "digit": 1}, {"pin": "x", "digit": 10}]"#;
    let agent = ScriptedAgent::new([first, r#"[{"pin": "geheim-2", "digit": 1}, {"pin": "x", "digit": 1}]"#]);
    let (items, outcome) = collected(Vec::<Secret>::extract(&agent, "…").max_attempts(2).items());
    let error = outcome.unwrap_err();
    assert_eq!(indexes(&items), [0]);
    assert!(matches!(error.error(), ExtractionError::MaxRetriesExceeded { .. }));
    let text = format!("{error} {:?}", error.error().violations());
    assert!(text.contains("$[0]") && !text.contains("geheim"), "{text}");
}
