//! Patches: asking only for the wrong parts.

use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable, ExtractionError, Feedback};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::{Invoice, good, with};

/// `count` lines of which the one at `wrong` has a quantity of 0.
fn long(count: usize, wrong: usize) -> Value {
    let line = |index: usize| {
        let quantity = u32::from(index != wrong) * 2;
        json!({"description": format!("Chair number {index}"), "quantity": quantity, "unitPrice": 45.5, "kind": "goods"})
    };
    let mut value = good();
    value["lines"] = (0..count).map(line).collect();
    value["total"] = json!(91 * count);
    value
}

fn asked(agent: &ScriptedAgent, index: usize) -> String {
    agent.requests()[index].conversation.turns().last().unwrap().text().to_owned()
}

#[test]
fn a_patch_mends_the_last_submission() {
    let agent = ScriptedAgent::new([
        with("/lines/0/quantity", json!(0)),
        r#"[{"op": "replace", "path": "/lines/0/quantity", "value": 2}]"#.to_owned(),
    ]);
    let (invoice, metrics) = block_on(Invoice::extract(&agent, "…").feedback(Feedback::Patch)).unwrap();
    assert_eq!((invoice.lines[0].quantity, metrics.attempts), (2, 2));
    let question = asked(&agent, 1);
    assert!(question.contains("Attempt 2 of 3. Your answer was not accepted: 1 violation."), "{question}");
    assert!(question.contains("path: $.lines[0].quantity"), "{question}");
    assert!(question.contains("JSON Patch (RFC 6902)"), "{question}");
    assert!(question.contains("may change:\n\"/lines/0/quantity\"\nAnswer"), "{question}");
    let request = &agent.requests()[1];
    assert_eq!(request.schema.as_ref().unwrap()["type"], "array", "a decoder is constrained to the patch");
}

#[test]
fn the_patched_value_is_judged_as_a_whole_and_read_like_any_other() {
    let agent = ScriptedAgent::new([
        with("/lines/0/quantity", json!(0)),
        // A string for a number, and then a wrong total.
        r#"Here: [{"op": "replace", "path": "/lines/0/quantity", "value": "3"}]"#.to_owned(),
        r#"[{"op": "replace", "path": "/total", "value": 136.5}]"#.to_owned(),
    ]);
    let mut history = Vec::new();
    let extraction = Invoice::extract(&agent, "…").feedback(Feedback::Patch).observe(|event| {
        if let extract::Event::Judged { record, .. } = event {
            history.push((*record).clone());
        }
    });
    let (invoice, _) = block_on(extraction).unwrap();
    assert_eq!((invoice.lines[0].quantity, invoice.total), (3, 136.5));
    assert_eq!(history[1].submitted().unwrap()["lines"][0]["quantity"], 3);
    assert_eq!(history[1].patch, Some(json!([{"op": "replace", "path": "/lines/0/quantity", "value": "3"}])));
    assert_eq!(history[1].violations[0].code.as_str(), "WRONG_SUM");
    assert!(history[1].changes.iter().any(|change| change.path.to_string() == "$.lines[0].quantity"));
}

#[test]
fn the_whole_value_is_taken_instead_of_a_patch() {
    let agent = ScriptedAgent::new([with("/lines/0/quantity", json!(0)), good().to_string()]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").feedback(Feedback::Patch)).unwrap();
    assert_eq!(metrics.attempts, 2);
}

#[test]
fn a_patch_that_does_not_apply_is_a_violation_and_the_whole_value_is_asked_for() {
    for patch in [
        r#"[{"op": "replace", "path": "/lines/7/quantity", "value": 2}]"#,
        r#"[{"op": "replace", "path": "/number", "value": "INV-0008"}]"#,
        "I would rather not.",
    ] {
        let wrong = with("/lines/0/quantity", json!(0));
        let agent = ScriptedAgent::new([wrong.clone(), patch.to_owned(), good().to_string()]);
        let mut codes = Vec::new();
        let extraction = Invoice::extract(&agent, "…").feedback(Feedback::Patch).stop_on_stall(true);
        let extraction = extraction.observe(|event| {
            if let extract::Event::Judged { record, .. } = event {
                codes.push(record.violations.iter().map(|v| v.code.as_str().to_owned()).collect::<Vec<_>>());
            }
        });
        block_on(extraction).unwrap();
        assert_eq!(codes, [vec!["INVALID_VALUE"], vec!["PATCH", "INVALID_VALUE"], vec![]], "{patch}");
        let question = asked(&agent, 2);
        assert!(question.contains("code: PATCH") && !question.contains("RFC 6902"), "{question}");
        assert!(question.contains("path: $.lines[0].quantity"), "what was wrong still is: {question}");
        let echo = agent.requests()[2].conversation.turns()[2].text().to_owned();
        assert_eq!(
            serde_json::from_str::<Value>(&echo).unwrap(),
            serde_json::from_str::<Value>(&wrong).unwrap()
        );
    }
}

#[test]
fn a_patch_that_was_cut_is_a_truncation() {
    let agent = ScriptedAgent::new([
        with("/lines/0/quantity", json!(0)),
        r#"[{"op": "replace", "path": "/lines/0/qua"#.to_owned(),
    ]);
    let extraction = Invoice::extract(&agent, "…").feedback(Feedback::Patch).max_attempts(2);
    let error = block_on(extraction).unwrap_err();
    assert!(matches!(error, ExtractionError::Truncated { .. }), "{error}");
}

#[test]
fn a_long_value_with_a_small_mistake_is_patched_by_default() {
    let patch = r#"[{"op": "replace", "path": "/lines/7/quantity", "value": 2}]"#;
    let agent = ScriptedAgent::new([long(40, 7).to_string(), patch.to_owned()]);
    let (invoice, _) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(invoice.lines[7].quantity, 2);

    // A short value, many violations, and a violation without a path are answered with the whole
    // value.
    let mut many = long(40, 7);
    for line in many["lines"].as_array_mut().unwrap() {
        line["description"] = json!("");
    }
    for wrong in [long(3, 1), many, json!([1, 2])] {
        let agent = ScriptedAgent::new([wrong.to_string(), good().to_string()]);
        block_on(Invoice::extract(&agent, "…")).unwrap();
        assert!(!asked(&agent, 1).contains("RFC 6902"), "{wrong}");
    }
    let agent = ScriptedAgent::new([long(40, 7).to_string(), long(40, 40).to_string()]);
    block_on(Invoice::extract(&agent, "…").feedback(Feedback::Continue)).unwrap();
    assert!(!asked(&agent, 1).contains("RFC 6902"));
}

#[test]
fn the_repairs_of_what_a_patch_keeps_are_in_the_metrics_once() {
    #[derive(Debug, PartialEq, Deserialize, Extractable)]
    #[serde(rename_all = "camelCase")]
    struct Line {
        note: Option<String>,
        qty: i64,
        unit_price: f64,
        #[extract(one_of = ["goods", "service"])]
        kind: String,
        tags: Vec<String>,
    }
    let reply =
        r#"{"note": "null", "qty": "x", "unit_price": "1,250.00", "kind": "Goods", "tags": "a", "extra": 1}"#;
    let patch = r#"[{"op": "replace", "path": "/qty", "value": 7}]"#;
    let changes_after = |agent: ScriptedAgent| {
        let (line, metrics) = block_on(Line::extract(&agent, "…").feedback(Feedback::Patch)).unwrap();
        assert_eq!((line.note, line.qty, line.unit_price), (None, 7, 1250.0));
        let mut changes: Vec<_> =
            metrics.changes.iter().map(|change| format!("{} {:?}", change.path, change.kind)).collect();
        changes.sort();
        changes
    };
    let whole = changes_after(ScriptedAgent::new([reply.replace("\"x\"", "7")]));
    assert_eq!(whole.len(), 6, "{whole:?}");
    assert_eq!(changes_after(ScriptedAgent::new([reply, patch])), whole);
}

#[test]
fn a_patch_of_something_else_does_not_settle_what_was_left_out() {
    #[derive(Debug, PartialEq, Deserialize, Extractable)]
    struct Line {
        qty: i64,
        tags: Vec<String>,
    }
    let reply = r#"{"qty": "x", "tags": ["a", "b", ...]}"#;
    let patch = r#"[{"op": "replace", "path": "/qty", "value": 7}]"#;
    let agent = ScriptedAgent::new([reply, patch]);
    let error = block_on(Line::extract(&agent, "…").max_attempts(2).feedback(Feedback::Patch)).unwrap_err();
    assert!(error.to_string().contains("$.tags"), "{error}");
}

#[test]
fn an_enum_without_a_fitting_variant_may_be_replaced_as_a_whole() {
    #[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
    #[serde(tag = "t")]
    enum Tagged {
        A { x: i64 },
        B { y: String },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
    #[serde(untagged)]
    enum Untagged {
        A { x: i64, z: i64 },
        B { y: String, z: i64 },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
    struct Record {
        name: String,
        k: Option<Tagged>,
        u: Untagged,
        #[serde(flatten)]
        flat: Tagged,
    }
    let right = json!({"name": "n", "k": {"t": "A", "x": 1}, "u": {"x": 1, "z": 2}, "t": "A", "x": 1});
    let patched = |key: &str, wrong: Value, patch: Value| {
        let mut value = right.clone();
        value[key] = wrong;
        let agent = ScriptedAgent::new([value.to_string(), patch.to_string()]);
        let extraction = Record::extract(&agent, "…").max_attempts(2).feedback(Feedback::Patch);
        let found = block_on(extraction).map(|(record, _)| serde_json::to_value(record).unwrap());
        (found.map_err(|error| error.to_string()), asked(&agent, 1))
    };
    let replaced =
        |key: &str, value: &Value| json!([{"op": "replace", "path": format!("/{key}"), "value": value}]);
    let b = json!({"t": "B", "y": "q"});
    for wrong in [json!({"t": "C", "x": 1}), json!({"t": "Aa", "x": 1}), json!({"x": 1})] {
        let (found, question) = patched("k", wrong, replaced("k", &b));
        assert_eq!(found.unwrap()["k"], b);
        assert!(question.contains("may change:\n\"/k/t\"\n\"/k\"\nAnswer"), "{question}");
    }
    let b = json!({"y": "q", "z": 3});
    assert_eq!(patched("u", json!({"w": 1, "z": 2}), replaced("u", &b)).0.unwrap()["u"], b);
    // The variant is known, so the rest of it was right.
    let (found, _) = patched("k", json!({"t": "A", "x": "?"}), replaced("k", &json!({"t": "B", "y": "q"})));
    assert!(found.unwrap_err().contains("was right and may not change"));
    // The flattened enum is wrong, and the struct around it is not.
    let mut other = right.clone();
    other["name"] = json!("m");
    let (found, _) = patched("t", json!("C"), json!([{"op": "replace", "path": "", "value": other}]));
    assert!(found.unwrap_err().contains("$.name was right and may not change"));
}
