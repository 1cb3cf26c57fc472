//! The remaining value is judged again by everything.

use std::sync::atomic::{AtomicUsize, Ordering};

use extract::testing::block_on;
use extract::{Contract, Extractable, ExtractionError, Rejection};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{agent, naturals, told};

fn sum(value: &Value) -> i64 {
    value.as_array().into_iter().flatten().filter_map(Value::as_i64).sum()
}

#[test]
fn a_list_that_is_now_too_short_or_breaks_a_rule_is_an_error_as_before() {
    let schema = |least: usize| json!({"type": "array", "items": {"type": "integer"}, "minItems": least});
    for (least, is_kept) in [(2, true), (3, false)] {
        let contract = Contract::from_schema(schema(least)).unwrap();
        let agent = agent([json!([1, "x", 3])]);
        let result = block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true));
        assert_eq!(result.is_ok(), is_kept);
        if let Err(error) = result {
            assert_eq!(error.history()[0].violations.len(), 1, "{error}");
            assert!(error.metrics().left_out.is_empty());
        }
    }
    let contract =
        naturals().with_rule(|value: &Value| if sum(value) == 6 { Ok(()) } else { Err("the sum is not 6") });
    for (reply, is_kept) in [(json!([1, -1, 5]), true), (json!([1, -1, 6]), false)] {
        let agent = agent([reply]);
        let result = block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true));
        assert_eq!(result.is_ok(), is_kept);
    }
}

#[test]
fn callbacks_see_what_is_left_and_may_break_more_of_it() {
    let agent = agent([json!([1, -1, 5, -2, 7])]);
    let mut seen = Vec::new();
    let extraction = naturals().extract(&agent, "…").max_attempts(1).keep_valid_items(true);
    let extraction = extraction.on_submit(|value: &Value| {
        seen.push(value.clone());
        match value.as_array().unwrap().iter().position(|item| *item == 5) {
            Some(index) => Err(Rejection::new("never 5").at(format!("$[{index}]")).code("FIVE")),
            None => Ok(()),
        }
    });
    let (value, metrics) = block_on(extraction).unwrap();
    assert_eq!(value, json!([1, 7]));
    assert_eq!(seen, [json!([1, 5, 7]), json!([1, 7])]);
    assert_eq!(told(&metrics), ["$[1] INVALID_VALUE", "$[2] FIVE", "$[3] INVALID_VALUE"]);
    assert_eq!(metrics.left_out[1].violations[0].path.to_string(), "$[2]", "at the place of the submission");
}

#[test]
fn a_fatal_violation_and_a_panic_are_no_matter_of_items() {
    let fatal = |value: &Value| {
        if sum(value) == 6 { Err(Rejection::fatal("never").at("$[0]")) } else { Ok(()) }
    };
    let agent_ = || agent([json!([1, -1, 5])]);
    let contract = naturals().with_rule(fatal);
    let error =
        block_on(contract.extract(&agent_(), "…").max_attempts(1).keep_valid_items(true)).unwrap_err();
    assert_eq!(error.name(), "MaxRetriesExceeded");
    let coded = naturals().with_rule(|value: &Value| {
        if sum(value) == 6 { Err(Rejection::new("never").at("$[0]").code("MINE")) } else { Ok(()) }
    });
    let extract = |codes: &[&'static str]| {
        let agent = agent_();
        let extraction = coded.extract(&agent, "…").max_attempts(1).keep_valid_items(true);
        block_on(extraction.fatal_codes(codes.to_vec()))
    };
    assert_eq!(extract(&[]).unwrap().0, json!([5]));
    assert!(extract(&["MINE"]).is_err());

    let panicking = naturals().with_rule(|value: &Value| -> Result<(), String> {
        assert_ne!(sum(value), 6, "a bug");
        Ok(())
    });
    let error =
        block_on(panicking.extract(&agent_(), "…").max_attempts(1).keep_valid_items(true)).unwrap_err();
    let ExtractionError::Panicked { message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("a bug"), "{message}");
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Name {
    #[extract(async_check = is_known, length(min = 2))]
    name: String,
}

static ASKED: AtomicUsize = AtomicUsize::new(0);

#[expect(clippy::unused_async, reason = "the signature is the library's")]
async fn is_known(name: &str) -> Result<(), String> {
    ASKED.fetch_add(1, Ordering::Relaxed);
    if name == "Nobody" { Err("unknown".to_owned()) } else { Ok(()) }
}

#[test]
fn async_checks_run_on_what_is_left() {
    let agent = agent([json!([{"name": "A"}, {"name": "Nobody"}, {"name": "Ann"}])]);
    let (names, metrics) =
        block_on(Vec::<Name>::extract(&agent, "…").max_attempts(1).keep_valid_items(true)).unwrap();
    assert_eq!(names, [Name { name: "Ann".to_owned() }]);
    assert_eq!(told(&metrics), ["$[0] INVALID_VALUE", "$[1] RULE"]);
    assert_eq!(ASKED.load(Ordering::Relaxed), 3, "two of the first rest, one of the second");
}

#[test]
fn warnings_are_about_what_is_left() {
    let contract = naturals().with_rule(|value: &Value| {
        if sum(value) == 6 { Err(Rejection::warning("six").at("$[1]")) } else { Ok(()) }
    });
    let agent = agent([json!([1, -1, 5])]);
    let (value, metrics) =
        block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true)).unwrap();
    assert_eq!(value, json!([1, 5]));
    assert_eq!(metrics.warnings[0].path.to_string(), "$[1]");
}
