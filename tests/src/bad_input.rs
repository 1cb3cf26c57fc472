//! Bad replies: each has a defined outcome.

use extract::testing::{ScriptedAgent, block_on};
use extract::{Code, Contract, Extractable as _, ExtractionError, settings::ReadingOptions};
use serde_json::json;

use crate::domain::{Invoice, good};

fn outcome(reply: String) -> ExtractionError {
    let agent = ScriptedAgent::new([reply]);
    block_on(Invoice::extract(&agent, "…").max_attempts(1)).unwrap_err()
}

#[test]
fn an_empty_reply_is_not_json() {
    for reply in ["", " \n\t", "\u{feff}"] {
        let error = outcome(reply.to_owned());
        assert_eq!(error.violations()[0].code, Code::NotJson, "{reply:?}");
        assert_eq!(error.raw_output(), Some(reply));
    }
}

#[test]
fn an_empty_reply_is_answered_with_feedback_that_providers_take() {
    let agent = ScriptedAgent::new([String::new(), good().to_string()]);
    block_on(Invoice::extract(&agent, "…")).unwrap();
    assert!(agent.requests()[1].conversation.turns().iter().all(|turn| !turn.text().is_empty()));
}

#[test]
fn a_reply_of_ten_megabytes_is_rejected_by_its_size() {
    let error = outcome("x".repeat(10_000_000));
    assert_eq!(
        error.violations()[0].to_string(),
        "[NOT_JSON] $: the answer is too long to be read (expected at most 8388608 bytes, got 10000000 bytes)"
    );
}

#[test]
fn the_size_limit_is_a_setting() {
    let mut value = good();
    value["remarks"] = json!("x".repeat(10_000_000));
    let agent = ScriptedAgent::new([value.to_string()]);
    let (invoice, _) =
        block_on(Invoice::extract(&agent, "…").reading_options(ReadingOptions::new().max_bytes(20_000_000)))
            .unwrap();
    assert_eq!(invoice.remarks.unwrap().len(), 10_000_000);
}

#[test]
fn feedback_to_a_huge_reply_stays_small() {
    let agent = ScriptedAgent::new([format!("[{}1]", "1,".repeat(1_000_000)), good().to_string()]);
    block_on(Invoice::extract(&agent, "…")).unwrap();
    assert!(agent.requests()[1].conversation.chars() < 40_000);
}

#[test]
fn a_hundred_thousand_brackets_are_not_json() {
    for bracket in ["[", "{", "{\"a\":", "[{\"a\":["] {
        let code = outcome(bracket.repeat(100_000)).violations()[0].code.clone();
        assert!(matches!(code, Code::NotJson | Code::Truncated | Code::Repetition), "{bracket} {code}");
    }
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!outcome(nested).violations().is_empty());
}

#[test]
fn thousands_of_wrong_elements_make_a_short_report() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "string"}})).unwrap();
    let agent = ScriptedAgent::new([format!("[{}{{}}]", "{},".repeat(100_000))]);
    let error = block_on(contract.extract(&agent, "…").max_attempts(1)).unwrap_err();
    assert!(error.violations().len() <= 1_001);
    assert!(error.to_string().lines().count() < 20, "{error}");
}
