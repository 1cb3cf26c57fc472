//! Documents with a schema, an instruction or alternatives of their own.

use extract::testing::{ScriptedAgent, block_on};
use extract_gold::{
    Candidate, CandidateResult, Evaluation, GoldDocument, GoldError, GoldSet, LeafOutcome, ValueComparer,
};
use serde_json::{Value, json};

fn gold(lines: &[Value]) -> GoldSet {
    GoldSet::from_documents(
        lines.iter().map(|line| serde_json::from_value::<GoldDocument>(line.clone()).unwrap()),
    )
}

fn object(key: &str, schema: &Value) -> Value {
    json!({"type": "object", "properties": {key: schema}, "required": [key]})
}

fn two_schemas() -> GoldSet {
    gold(&[
        json!({"text": "A table for two", "instruction": "How many?", "value": {"guests": 2},
            "schema": object("guests", &json!({"type": "integer"}))}),
        json!({"text": "See you in Bari!", "instruction": "Where?", "value": {"city": "Bari"},
            "schema": object("city", &json!({"type": "string"}))}),
    ])
}

#[test]
fn each_document_is_asked_about_by_its_own_schema_and_instruction() {
    let gold = two_schemas();
    let agent = ScriptedAgent::new([r#"{"guests": 2}"#, r#"{"city": "Bari"}"#]);
    let evaluator = Evaluation::by_own_schemas(&gold).unwrap().agent("scripted", &agent).concurrent(1);
    let evaluation = block_on(evaluator.run());
    assert_eq!((evaluation.candidates[0].score.right, evaluation.candidates[0].failures), (2, 0));
    let asked = agent.requests().into_iter().map(|request| request.conversation.to_text());
    let asked: Vec<String> = asked.collect();
    assert!(asked[0].contains("How many?") && asked[0].contains("guests"), "{}", asked[0]);
    assert!(asked[1].contains("Where?") && asked[1].contains("city"), "{}", asked[1]);
    assert!(!asked[1].contains("guests"), "{}", asked[1]);
}

#[test]
fn a_question_takes_precedence_over_the_instruction() {
    let gold = two_schemas().take(1);
    for (question, asked) in [("How many come?", "How many come?"), ("", "How many?")] {
        let agent = ScriptedAgent::new([r#"{"guests": 2}"#]);
        let candidate = Candidate::new("scripted", &agent).question(question);
        block_on(Evaluation::by_own_schemas(&gold).unwrap().candidate(candidate).run());
        let text = agent.requests()[0].conversation.to_text();
        assert!(text.contains(asked), "{text}");
        assert_eq!(text.contains("How many?"), question.is_empty(), "{text}");
    }
}

#[test]
fn the_rows_of_a_list_are_matched_by_the_keys_of_its_own_schema() {
    let row = json!({"type": "object", "properties": {"sku": {"type": "string", "x-key": true}, "n": {"type": "integer"}}});
    let gold = gold(&[json!({
        "text": "…",
        "value": {"lines": [{"sku": "A", "n": 1}, {"sku": "B", "n": 2}]},
        "schema": object("lines", &json!({"type": "array", "items": row})),
    })]);
    // By what the rows share, A would be the row of B.
    let agent = ScriptedAgent::new([r#"{"lines": [{"sku": "A", "n": 2}, {"sku": "B", "n": 1}]}"#]);
    let evaluation = block_on(Evaluation::by_own_schemas(&gold).unwrap().agent("scripted", &agent).run());
    let wrong: Vec<_> =
        evaluation.candidates[0].documents[0].wrong().map(|leaf| leaf.field.as_str()).collect();
    assert_eq!(wrong, ["lines[].n", "lines[].n"]);
}

#[test]
fn a_document_without_a_usable_schema_is_named() {
    let without = gold(&[
        json!({"text": "a", "value": 1, "schema": {"type": "integer"}}),
        json!({"text": "b", "value": 1}),
    ]);
    let invalid = gold(&[json!({"text": "b", "value": 1, "schema": {"type": "number of guests"}})]);
    for (gold, cause) in [(&without, "no schema"), (&invalid, "number of guests")] {
        let error = Evaluation::by_own_schemas(gold).unwrap_err();
        assert!(matches!(error, GoldError::Schema { .. }), "{error}");
        let told = error.to_string();
        assert!(told.contains("\"b\"") && told.contains(cause), "{told}");
    }
    assert!(without.take(1).contract().is_ok());
    assert!(without.contract().unwrap_err().to_string().contains("that of the first document"));
    assert!(matches!(without.take(0).contract(), Err(GoldError::Empty)));
}

#[test]
fn any_right_value_counts() {
    let line = json!({
        "text": "…",
        "value": {"unit": "celsius", "names": ["Apple"], "address": {}},
        "alternatives": {"/unit": ["C", null], "/names": [["AAPL", "NASDAQ"]], "/address/zip": ["1"]},
    });
    let document: GoldDocument = serde_json::from_value(line.clone()).unwrap();
    assert_eq!(serde_json::to_value(&document).unwrap(), line);
    let outcomes = |extracted: Value| {
        let comparer = ValueComparer::new();
        let leaves = comparer.compare(&document.value_nearest(&extracted, &comparer), &extracted);
        leaves
            .into_iter()
            .filter(|leaf| !leaf.outcome.is_right())
            .map(|leaf| (leaf.field, leaf.outcome))
            .collect::<Vec<_>>()
    };
    for right in [
        json!({"unit": "celsius", "names": ["Apple"]}),
        json!({"unit": "C", "names": ["NASDAQ", "AAPL"], "address": {"zip": "1"}}),
        json!({"names": ["Apple"], "address": {"zip": null}}),
    ] {
        assert_eq!(outcomes(right.clone()), [], "{right}");
    }
    let wrong = outcomes(json!({"unit": "K", "names": ["Apple"], "address": {"zip": "2"}}));
    assert_eq!(
        wrong,
        [("unit".to_owned(), LeafOutcome::OtherValue), ("address.zip".to_owned(), LeafOutcome::Invented)]
    );
    let lost = json!({"text": "…", "value": {"a": 1}, "alternatives": {"/a/b": [2]}});
    let error = serde_json::from_value::<GoldDocument>(lost).unwrap_err().to_string();
    assert!(error.contains("no place for the alternatives of `/a/b`"), "{error}");
}

/// One document conforms at once, one after a second attempt, and one never.
#[test]
fn the_share_that_conforms_is_known_after_each_attempt() {
    let schema = object("guests", &json!({"type": "integer"}));
    let line = |text: &str| json!({"text": text, "value": {"guests": 2}, "schema": schema});
    let gold = gold(&[line("a"), line("b"), line("c")]);
    let (right, wrong) = (r#"{"guests": 2}"#, r#"{"guests": "a few"}"#);
    let agent = ScriptedAgent::new([right, wrong, right, wrong, wrong, wrong]);
    let evaluation =
        block_on(Evaluation::by_own_schemas(&gold).unwrap().agent("scripted", &agent).concurrent(1).run());
    let CandidateResult { conforming, .. } = &evaluation.candidates[0];
    let shares: Vec<String> = conforming.iter().map(|share| format!("{:.3}", share.value)).collect();
    assert_eq!(shares, ["0.333", "0.667", "0.667"]);
    let told = evaluation.to_string();
    assert!(told.contains("0.333 [0.061, 0.792] after 1 attempt\n"), "{told}");
    assert!(told.contains("after 3 attempts\n"), "{told}");
}
