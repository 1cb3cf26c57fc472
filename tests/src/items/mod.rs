//! Tests of the items of a list that streams in.

mod arbitrary;
mod faults;
mod places;
mod ways;

use extract::items::{Items, ItemsError};
use extract::testing::{ScriptedAgent, block_on};
use extract::{
    Code, Contract, Event, Extractable, ExtractionError, ExtractionMetrics, Feedback, Path, Rejection, at,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
struct Line {
    what: String,
    #[extract(range(min = 1), check = is_no_bug)]
    qty: u32,
    note: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "a check takes a reference")]
fn is_no_bug(qty: &u32) -> Result<(), &'static str> {
    assert!(*qty != 666, "a bug in a check");
    if *qty == 13 { Err("nobody sells 13") } else { Ok(()) }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
struct Order {
    customer: String,
    lines: Vec<Line>,
    total: u32,
}

fn total_is_the_sum(order: &Order) -> Result<(), Rejection> {
    if order.customer == "nobody" {
        return Err(Rejection::new("not on the list").at(at!(order.lines[0].what)));
    }
    let sum: u32 = order.lines.iter().map(|line| line.qty).sum();
    if sum == order.total { Ok(()) } else { Err(Rejection::new("not the sum").at(at!(order.total))) }
}

fn line(what: &str, qty: u32) -> Line {
    Line { what: what.to_owned(), qty, note: None }
}

fn list(lines: &[(&str, u32)]) -> String {
    let lines = lines.iter().map(|(what, qty)| json!({"what": what, "qty": qty}));
    Value::Array(lines.collect()).to_string()
}

/// One delta for each character.
fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

type Outcome<T> = Result<(T, ExtractionMetrics), ItemsError>;

/// All items in the order in which they come, and the end.
fn collected<T, V: DeserializeOwned>(mut items: Items<'_, T, V>) -> (Vec<(usize, V)>, Outcome<T>) {
    block_on(async {
        let mut all = Vec::new();
        while let Some(Ok(item)) = items.next().await {
            all.push((item.index, item.value));
        }
        assert!(items.next().await.is_none(), "it is over");
        assert_eq!(items.delivered().len(), all.len());
        (all, items.finish().await)
    })
}

fn indexes<V>(items: &[(usize, V)]) -> Vec<usize> {
    items.iter().map(|(index, _)| *index).collect()
}

/// The codes and paths of each attempt.
fn judged(event: &Event<'_>, into: &mut Vec<Vec<String>>) {
    if let Event::Judged { record, .. } = event {
        let short = record.violations.iter().map(|one| format!("{} {}", one.code, one.path));
        into.push(short.collect());
    }
}

const GOOD: [(&str, u32); 3] = [("bolts", 3), ("nuts", 4), ("rings", 5)];
const BROKEN: [(&str, u32); 3] = [("bolts", 3), ("nuts", 0), ("rings", 5)];

#[test]
fn an_item_comes_when_it_is_complete() {
    let reply = list(&GOOD);
    for size in 1..reply.len() {
        let chunks: Vec<String> =
            reply.as_bytes().chunks(size).map(|chunk| String::from_utf8_lossy(chunk).into_owned()).collect();
        let agent = ScriptedAgent::new([reply.clone()]).streaming(chunks);
        let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
        let (whole, metrics) = outcome.unwrap();
        assert_eq!(items, whole.into_iter().enumerate().collect::<Vec<_>>());
        assert_eq!(metrics.attempts, 1);
    }
}

#[test]
fn a_list_inside_comes_item_by_item_and_then_the_whole() {
    let reply = json!({"customer": "Kim", "lines": serde_json::from_str::<Value>(&list(&GOOD)).unwrap(), "total": 12});
    let reply = reply.to_string();
    let agent = ScriptedAgent::new([reply.clone()]).streaming(letters(&reply));
    let (items, outcome) = collected(Order::extract(&agent, "…").items_of(at!(Order, lines)));
    assert_eq!(items, [(0, line("bolts", 3)), (1, line("nuts", 4)), (2, line("rings", 5))]);
    assert_eq!(outcome.unwrap().0.total, 12);
}

#[test]
fn a_broken_item_is_held_back_and_asked_for_by_its_index() {
    for (wrong, path) in [(0, "/1/qty"), (13, "/1/qty")] {
        let broken = list(&[("bolts", 3), ("nuts", wrong), ("rings", 5)]);
        let patch = r#"[{"op": "replace", "path": "/1/qty", "value": 4}]"#;
        let agent = ScriptedAgent::new([broken.clone()])
            .streaming(letters(&broken))
            .then(patch)
            .streaming(letters(patch));
        let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
        assert_eq!(items, [(0, line("bolts", 3)), (2, line("rings", 5)), (1, line("nuts", 4))]);
        let (whole, metrics) = outcome.unwrap();
        assert_eq!((whole[1].qty, metrics.attempts), (4, 2));
        let asked = agent.requests()[1].conversation.turns().last().unwrap().text().to_owned();
        assert!(asked.contains("RFC 6902"), "{asked}");
        assert!(asked.contains(&format!("may change:\n\"{path}\"\nAnswer")), "{asked}");
    }
}

#[test]
fn a_patch_that_looks_like_items_is_none() {
    #[derive(Debug, PartialEq, Deserialize, Extractable)]
    struct Edit {
        op: String,
        path: String,
        #[extract(range(max = 9))]
        value: u32,
    }
    let broken = r#"[{"op": "a", "path": "b", "value": 10}]"#;
    let patch = r#"[{"op": "replace", "path": "/0/value", "value": 2}]"#;
    let agent = ScriptedAgent::new([broken]).then(patch).streaming(letters(patch));
    let (items, outcome) = collected(Vec::<Edit>::extract(&agent, "…").items());
    assert_eq!(items, [(0, Edit { op: "a".to_owned(), path: "b".to_owned(), value: 2 })]);
    assert!(outcome.is_ok());
}

#[test]
fn what_was_delivered_may_not_change() {
    let changed = list(&[("bolts", 3), ("nuts", 4), ("rings", 9)]);
    let agent = ScriptedAgent::new([list(&BROKEN), changed, list(&GOOD)]);
    let mut all = Vec::new();
    let extraction = Vec::<Line>::extract(&agent, "…").observe(|event| judged(event, &mut all));
    let (items, outcome) = collected(extraction.items());
    // If a reply changes a delivered item, nothing in that reply is delivered.
    assert_eq!(items, [(0, line("bolts", 3)), (2, line("rings", 5)), (1, line("nuts", 4))]);
    assert_eq!(outcome.unwrap().1.attempts, 3);
    assert_eq!(all, [vec!["INVALID_VALUE $[1].qty"], vec!["CHANGED $[2].qty"], vec![]]);
    let asked = agent.requests()[2].conversation.turns().last().unwrap().text().to_owned();
    assert!(asked.contains("expected: 5") && asked.contains("got: 9"), "{asked}");
}

#[test]
fn what_was_delivered_may_not_be_missing() {
    for reply in [list(&GOOD[..2]), "[]".to_owned()] {
        let agent = ScriptedAgent::new([list(&BROKEN), reply]);
        let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").max_attempts(2).items());
        let error = outcome.unwrap_err();
        assert_eq!(error.delivered(), [0, 2]);
        assert_eq!(indexes(&items), [0, 2]);
        let violation = &error.error().violations()[0];
        assert_eq!((&violation.code, &violation.path), (&Code::Changed, &Path::root()));
    }
}

#[test]
fn the_order_of_keys_and_the_form_of_a_number_change_nothing() {
    let again = r#"[{"qty": 3.0, "what": "bolts"}, {"what": "nuts", "qty": 4}, {"qty": 5, "what": "rings"}]"#;
    let agent = ScriptedAgent::new([list(&BROKEN), again.to_owned()]);
    let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").items());
    assert_eq!((indexes(&items), outcome.unwrap().1.attempts), (vec![0, 2, 1], 2));
}

#[test]
fn members_that_the_schema_does_not_know_are_not_compared() {
    let unknown = |member: &str| format!(r#"[{{"what": "bolts", {member}"qty": 3}}]"#);
    for member in
        [r#""extra": "x", "#, r#""extra": {"a": [1]}, "#, r#""extra": null, "#, r#""What": "bolts", "#]
    {
        let reply = unknown(member);
        for text in [reply.clone(), format!("Here it is:\n```json\n{reply}\n```"), reply.replace("}]", "},]")]
        {
            let agent = ScriptedAgent::new([text.clone()]).streaming(letters(&text));
            let (items, outcome) = collected(Vec::<Line>::extract(&agent, "…").max_attempts(1).items());
            assert_eq!(items, [(0, line("bolts", 3))]);
            assert_eq!(outcome.unwrap().0, [line("bolts", 3)]);
        }
        let order = |total: u32| format!(r#"{{"customer": "Kim", "lines": {reply}, "total": {total}}}"#);
        let agent = ScriptedAgent::new([order(1)]).streaming(letters(&order(1)));
        // The next attempt omits the member.
        let agent = agent.then(order(3).replace(member, ""));
        let extraction = Order::extract(&agent, "…").feedback(Feedback::Continue);
        let (items, outcome) = collected(extraction.items_of(at!(Order, lines)));
        assert_eq!((items, outcome.unwrap().1.attempts), (vec![(0, line("bolts", 3))], 2));
    }
}

#[test]
fn an_item_that_is_json_is_delivered_with_all_of_its_members() {
    let list = |items: Value| Contract::from_schema(json!({"type": "array", "items": items})).unwrap();
    let what = json!({"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]});
    let value = json!([{"what": "a"}, {"what": "b", "extra": {"x": [1]}}, {"extra": 1, "what": "c"}]);
    for text in [value.to_string(), format!("Here: {value}"), value.to_string().replace('"', "'")] {
        let agent = ScriptedAgent::new([text.clone()]).streaming(letters(&text));
        let (items, outcome) = collected(list(what.clone()).extract(&agent, "…").items_of("$"));
        let mut items: Vec<_> = items;
        items.sort_by_key(|(index, _)| *index);
        let delivered: Value = items.into_iter().map(|(_, item)| item).collect();
        assert_eq!((&delivered, outcome.unwrap().0), (&value, value.clone()), "{text}");
    }

    let mut closed = what;
    closed["additionalProperties"] = json!(false);
    let text = value.to_string();
    let agent = ScriptedAgent::new([text.clone()]).streaming(letters(&text));
    let (items, outcome) = collected(list(closed).extract(&agent, "…").max_attempts(1).items_of("$"));
    assert_eq!(items, [(0, json!({"what": "a"}))]);
    assert_eq!(outcome.unwrap_err().error().violations()[0].code, Code::UnknownField);
}

#[test]
fn a_rule_at_the_end_is_an_error_that_says_what_was_delivered() {
    let reply = |customer: &str| {
        json!({"customer": customer, "lines": serde_json::from_str::<Value>(&list(&GOOD)).unwrap(), "total": 1})
            .to_string()
    };
    let agent = ScriptedAgent::new([reply("Kim"), reply("Kim")]);
    let extraction = Order::extract(&agent, "…").max_attempts(2);
    let (items, outcome) = collected(extraction.items_of(at!(Order, lines)));
    let error = outcome.unwrap_err();
    assert_eq!((indexes(&items), error.delivered()), (vec![0, 1, 2], &[0, 1, 2][..]));
    assert!(matches!(error.error(), ExtractionError::MaxRetriesExceeded { .. }), "{error}");
    assert!(error.to_string().starts_with("after 3 delivered items: no acceptable answer"), "{error}");

    // No value can be right if a delivered item may neither stay nor change.
    let agent = ScriptedAgent::new([reply("nobody")]);
    let (_, outcome) = collected(Order::extract(&agent, "…").items_of(at!(Order, lines)));
    assert!(matches!(outcome.unwrap_err().error(), ExtractionError::Fatal { .. }));
}

#[test]
fn a_rule_about_something_else_is_asked_again_and_the_items_stay() {
    let lines: Value = serde_json::from_str(&list(&GOOD)).unwrap();
    let reply = json!({"customer": "Kim", "lines": lines, "total": 1}).to_string();
    let agent =
        ScriptedAgent::new([reply, r#"[{"op": "replace", "path": "/total", "value": 12}]"#.to_owned()]);
    let (items, outcome) = collected(Order::extract(&agent, "…").items_of(at!(Order, lines)));
    assert_eq!(indexes(&items), [0, 1, 2]);
    assert_eq!(outcome.unwrap().0.total, 12);
}

#[test]
fn the_error_is_reported_once_and_again_at_the_end() {
    let agent = ScriptedAgent::new(["[7]"]);
    let mut items = Vec::<Line>::extract(&agent, "…").max_attempts(1).items();
    block_on(async {
        let error = items.next().await.unwrap().unwrap_err();
        assert!(items.next().await.is_none());
        assert_eq!(items.finish().await.unwrap_err().to_string(), error.to_string());
        assert!(error.to_string().starts_with("after 0 delivered items: "), "{error}");
    });
}

#[test]
fn finish_alone_has_the_value() {
    let agent = ScriptedAgent::new([list(&BROKEN), list(&GOOD)]);
    let (whole, _) = block_on(Vec::<Line>::extract(&agent, "…").items().finish()).unwrap();
    assert_eq!(whole.len(), 3);
}

#[test]
fn many_changes_are_listed_up_to_a_limit_and_then_counted() {
    let long = |qty: u32, last: u32| {
        list(&(0..150).map(|_| ("bolts", qty)).chain([("nuts", last)]).collect::<Vec<_>>())
    };
    let agent = ScriptedAgent::new([long(3, 0), long(4, 1)]);
    let extraction = Vec::<Line>::extract(&agent, "…").end_repetition(false).max_attempts(2);
    let error = collected(extraction.items()).1.unwrap_err();
    let violations = error.error().violations();
    let changed = violations.iter().filter(|violation| violation.code == Code::Changed);
    assert_eq!((changed.count(), error.delivered().len()), (100, 150));
    let more = violations.last().unwrap();
    assert_eq!((&more.code, &*more.message), (&Code::More, "50 more items changed"));
}
