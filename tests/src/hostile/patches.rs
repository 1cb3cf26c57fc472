//! Patches that write, move or nest far more than their own length.

use std::fmt::Write as _;

use extract::{
    AttemptRecord, Contract, Feedback,
    settings::ReadingOptions,
    testing::{ScriptedAgent, block_on},
};
use serde_json::{Value, json};

use super::{Cost, measured, mib};

/// A contract that allows anything except under the key `wrong`.
fn contract() -> Contract {
    let schema =
        json!({"type": "object", "properties": {"wrong": {"type": "integer"}}, "required": ["wrong"]});
    Contract::from_schema(schema).unwrap()
}

/// The attempt with the reply `patch` for `base`, in which `$.wrong` is wrong, and its cost.
fn patched(base: &Value, patch: &str) -> (AttemptRecord, Cost) {
    let replies = [base.to_string(), patch.to_owned(), r#"{"wrong": 1}"#.to_owned()];
    let (contract, agent) = (contract(), ScriptedAgent::new(replies));
    let mut records = Vec::new();
    let (result, cost) = measured(|| {
        let asked = contract.extract(&agent, "…").feedback(Feedback::Patch).observe(|event| {
            if let extract::Event::Judged { record, .. } = event {
                records.push((*record).clone());
            }
        });
        block_on(asked)
    });
    assert!(result.is_ok(), "an answer after it is accepted as usual: {result:?}");
    (records.swap_remove(1), cost)
}

fn refusal(record: &AttemptRecord) -> &str {
    assert_eq!(record.violations[0].code.as_str(), "PATCH", "{:?}", record.violations);
    &record.violations[0].message
}

fn operations(count: usize, operation: impl Fn(usize) -> Value) -> String {
    let mut text = "[".to_owned();
    for number in 0..count {
        let _ = write!(text, "{}{}", if number == 0 { "" } else { "," }, operation(number));
    }
    text + "]"
}

#[test]
fn no_value_is_copied_into_itself() {
    let base = json!({"wrong": "x", "data": "0123456789"});
    let bomb = operations(30, |number| json!({"op": "copy", "from": "", "path": format!("/b{number}")}));
    let (record, cost) = patched(&base, &bomb);
    let message =
        "operation 1 of the patch failed, so none of the patch was applied: $ cannot be put inside of itself";
    assert_eq!(refusal(&record), message);
    assert_eq!(record.submitted(), Some(&base), "the submission stays as it was");
    assert!(cost.peak < mib(4), "{cost:?}");

    for (op, from, path) in [("copy", "/wrong", "/wrong/a/b"), ("move", "/wrong", "/wrong/a")] {
        let base = json!({"wrong": {"a": {"b": 1}}});
        let (record, _) = patched(&base, &json!([{"op": op, "from": from, "path": path}]).to_string());
        assert!(
            refusal(&record).ends_with("$.wrong cannot be put inside of itself"),
            "{op}: {:?}",
            record.violations
        );
    }
}

/// `a` doubles with each pair.
fn doubling(number: usize) -> Value {
    if number.is_multiple_of(2) {
        json!({"op": "copy", "from": "/wrong/a", "path": "/wrong/b"})
    } else {
        json!({"op": "move", "from": "/wrong/b", "path": "/wrong/a/-"})
    }
}

#[test]
fn a_patch_writes_at_most_as_much_as_a_reply() {
    for count in [40, 400] {
        let base = json!({"wrong": {"a": ["0123456789".repeat(100)]}});
        let (record, cost) = patched(&base, &operations(count, doubling));
        assert!(
            refusal(&record).ends_with("the patch would write more than 8388608 bytes"),
            "{:?}",
            record.violations
        );
        assert!(cost.peak < mib(64) && cost.total < mib(256), "{cost:?}");
    }
}

#[test]
fn copying_to_one_place_again_and_again_is_counted_each_time() {
    let base = json!({"wrong": {"a": "x".repeat(1 << 20)}});
    let again = operations(5_000, |_| json!({"op": "copy", "from": "/wrong/a", "path": "/wrong/b"}));
    let (record, cost) = patched(&base, &again);
    assert!(refusal(&record).starts_with("operation 8 of the patch failed"), "{:?}", record.violations);
    assert!(cost.total < mib(512), "{cost:?}");
}

#[test]
fn moving_to_and_fro_is_counted_each_time() {
    let base = json!({"wrong": {"a": "x".repeat(1 << 20)}});
    let to_and_fro = |number: usize| {
        let (from, path) = if number.is_multiple_of(2) { ("a", "b") } else { ("b", "a") };
        json!({"op": "move", "from": format!("/wrong/{from}"), "path": format!("/wrong/{path}")})
    };
    let (record, _) = patched(&base, &operations(5_000, to_and_fro));
    assert!(refusal(&record).starts_with("operation 8 of the patch failed"), "{:?}", record.violations);
}

#[test]
fn elements_that_move_up_or_down_are_counted() {
    let base = json!({"wrong": vec![0; 100_000]});
    let from_the_middle =
        |number: usize| json!({"op": "remove", "path": format!("/wrong/{}", 50_000 - number)});
    let (record, _) = patched(&base, &operations(20_000, from_the_middle));
    assert!(
        refusal(&record).ends_with("the patch would write more than 8388608 bytes"),
        "{:?}",
        record.violations
    );

    let from_the_end = |number: usize| json!({"op": "remove", "path": format!("/wrong/{}", 99_999 - number)});
    let (record, _) = patched(&base, &operations(20_000, from_the_end));
    assert_eq!(record.submitted().unwrap()["wrong"].as_array().unwrap().len(), 80_000);
}

#[test]
fn lists_of_which_elements_have_moved_are_found_at_once() {
    let base = json!({"wrong": vec![json!([0, 1]); 20_000]});
    let first_of_each = |number: usize| json!({"op": "remove", "path": format!("/wrong/{number}/0")});
    let (record, cost) = patched(&base, &operations(20_000, first_of_each));
    assert_eq!(record.submitted().unwrap()["wrong"][19_999], json!([1]));
    assert!(cost.total < mib(256), "{cost:?}");
}

/// Nests `a` in another value that is moved to its path: one level more with each pair.
fn deeper(number: usize) -> Value {
    if number.is_multiple_of(2) {
        json!({"op": "move", "from": "/wrong/a", "path": "/wrong/b/0"})
    } else {
        json!({"op": "move", "from": "/wrong/b", "path": "/wrong/a"})
    }
}

#[test]
fn a_patched_value_nests_no_deeper_than_a_reply_may() {
    let base = json!({"wrong": {"a": 1, "b": [], "c": []}});
    let nest = |number: usize| match number % 3 {
        0 => json!({"op": "copy", "from": "/wrong/c", "path": "/wrong/b"}),
        step => deeper(step - 1),
    };
    let (record, _) = patched(&base, &operations(30_000, nest));
    assert!(
        refusal(&record).ends_with("the value would nest more than 128 levels deep"),
        "{:?}",
        record.violations
    );

    let (record, _) = patched(&base, &operations(90, nest));
    assert_eq!(record.violations.len(), 1, "30 levels are no matter: {:?}", record.violations);
    assert_eq!(record.violations[0].path.to_string(), "$.wrong");

    // A deep path stays deep, whatever is put there.
    let path = "/0".repeat(100_000);
    let (record, _) =
        patched(&base, &json!([{"op": "add", "path": format!("/wrong{path}"), "value": 1}]).to_string());
    assert!(refusal(&record).contains("operation 1 of the patch failed"), "{:?}", record.violations);
}

#[test]
fn a_shortened_path_is_not_parsed_as_a_path() {
    let base = json!({"wrong": "x"});
    let path = format!("${}", ".a".repeat(300_000));
    let (record, cost) = patched(&base, &json!([{"op": "add", "path": path, "value": 1}]).to_string());
    assert_eq!(refusal(&record), "the answer is neither a JSON Patch nor the whole value");
    assert!(cost.total < mib(512), "{cost:?}");
}

#[test]
fn many_large_tests_cost_what_they_are_long() {
    let base = json!({"wrong": {"a": vec!["0123456789"; 1_000]}});
    let test = operations(200, |_| json!({"op": "test", "path": "/wrong/a", "value": base["wrong"]["a"]}));
    let (record, cost) = patched(&base, &test);
    assert_eq!(record.submitted(), Some(&base));
    assert!(cost.peak < 64 * test.len() as u64, "{cost:?} for {} bytes", test.len());
}

#[test]
fn a_smaller_bound_of_replies_is_that_of_patches_too() {
    let base = json!({"wrong": {"a": "x".repeat(600)}});
    let patch = operations(
        2,
        |number| json!({"op": "copy", "from": "/wrong/a", "path": format!("/wrong/b{number}")}),
    );
    let agent = ScriptedAgent::new([base.to_string(), patch]);
    let contract = contract();
    let asked = contract
        .extract(&agent, "…")
        .feedback(Feedback::Patch)
        .reading_options(ReadingOptions::new().max_bytes(1_000))
        .max_attempts(2);
    let error = block_on(asked).unwrap_err();
    assert!(refusal(&error.history()[1]).ends_with("more than 1000 bytes"), "{error}");
}
