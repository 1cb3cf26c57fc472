//! Which lists can be followed.

use std::collections::BTreeSet;

use extract::testing::ScriptedAgent;
use extract::{Contract, Extractable, ExtractionError, at};
use serde::Deserialize;
use serde_json::json;

use super::{collected, indexes, letters};

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Book {
    chapters: Vec<Chapter>,
    index: Option<BTreeSet<String>>,
    #[serde(flatten)]
    more: More,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[serde(rename_all = "camelCase")]
struct More {
    #[allow(clippy::box_collection, reason = "a pointer to a list is a list too")]
    page_numbers: Box<Vec<u8>>,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Chapter {
    words: Vec<String>,
}

const BOOK: &str = r#"{"chapters": [{"words": ["a"]}], "index": ["x", "y"], "pageNumbers": [3, 1, 2]}"#;

#[test]
fn lists_in_options_boxes_and_flattened_structs_have_items() {
    let agent = || ScriptedAgent::new([BOOK]).streaming(letters(BOOK));
    let script = agent();
    let (items, _) = collected(Book::extract(&script, "…").items_of(at!(Book, index?)));
    assert_eq!(items, [(0, "x".to_owned()), (1, "y".to_owned())]);
    let script = agent();
    let (items, _) = collected(Book::extract(&script, "…").items_of(at!(Book, more.page_numbers)));
    assert_eq!(items, [(0, 3), (1, 1), (2, 2)]);
}

#[test]
fn an_absent_list_has_no_items() {
    let reply = r#"{"chapters": [], "pageNumbers": []}"#;
    let agent = ScriptedAgent::new([reply]);
    let (items, outcome) = collected(Book::extract(&agent, "…").items_of(at!(Book, index?)));
    assert!(items.is_empty() && outcome.is_ok());
}

#[test]
fn a_place_in_every_element_is_an_error_before_anything_is_asked() {
    let agent = ScriptedAgent::default();
    let (_, outcome) = collected(Book::extract(&agent, "…").items_of(at!(Book, chapters[..].words)));
    let error = outcome.unwrap_err();
    assert!(
        error.to_string().contains("`$.chapters[*].words` cannot be delivered: `[*]` stands for many"),
        "{error}"
    );
    assert!(agent.requests().is_empty());
}

#[test]
fn a_contract_without_a_type_has_lists_too() {
    let schema = json!({"type": "object", "properties": {"rows": {"items": {"type": "integer"}}, "name": {"type": "string"}}});
    let contract = Contract::from_schema(schema).unwrap();
    let reply = r#"{"rows": [1, "x", 3], "name": "n"}"#;
    let patch = r#"[{"op": "replace", "path": "/rows/1", "value": 2}]"#;
    let agent = ScriptedAgent::new([reply, patch]);
    let (items, outcome) = collected(contract.extract(&agent, "…").items_of("$.rows"));
    assert_eq!(items, [(0, json!(1)), (2, json!(3)), (1, json!(2))]);
    assert!(outcome.is_ok());

    let agent = ScriptedAgent::new([reply]);
    let (_, outcome) = collected(contract.extract(&agent, "…").items_of("$.row"));
    let error = outcome.unwrap_err();
    assert!(matches!(error.error(), ExtractionError::Narrowing(_)), "{error}");
    assert!(error.to_string().contains("did you mean `rows`?") && agent.requests().is_empty(), "{error}");

    let agent = ScriptedAgent::new([r#"{"name": "n"}"#]);
    let (_, outcome) = collected(contract.extract(&agent, "…").items_of("$.name"));
    assert!(outcome.unwrap_err().to_string().contains("it is not a list"));

    let list = Contract::from_schema(json!({"type": "array"})).unwrap();
    let agent = ScriptedAgent::new(["[1, [2]]"]);
    assert_eq!(indexes(&collected(list.extract(&agent, "…").items()).0), [0, 1]);
}
