//! Narrowings that do not fit.

use super::*;

fn message(result: Result<Contract, extract::schema::NarrowingError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_place_that_does_not_exist_says_what_there_is() {
    for (place, expected) in [
        ("$.categry", "`$` has no key `categry`; did you mean `category`?"),
        (
            "$.x1y2",
            "`$` has no key `x1y2`; it has the keys category, priority, parts, sender, ratings, diagnosis",
        ),
        ("$.parts.partNumber", "`$.parts` is a list; `$.parts[*]` stands for all its elements"),
        ("$.parts[0].partNumber", "`$.parts` is a list; `$.parts[*]` stands for all its elements"),
        ("$.ratings.speed", "`$.ratings` is a map; `$.ratings[*]` stands for the values of all entries"),
        ("$.sender[*]", "`$.sender` is not a list; it has the keys name"),
        ("$.category.name", "the contract describes no parts of `$.category`"),
        (
            "not a path",
            "`$` has no key `not a path`; it has the keys category, priority, parts, sender, ratings, diagnosis",
        ),
    ] {
        let found = message(base().one_of(place, ["a"]));
        let start =
            format!("the contract cannot be narrowed at {}: ", extract::path::PathPattern::from(place));
        assert_eq!(found.strip_prefix(&start), Some(expected), "{found}");
        assert_eq!(message(base().describe(place, "text")), found);
    }
}

#[test]
fn an_empty_list_leaves_no_value() {
    for place in ["$.category", "$.priority"] {
        let found = message(base().one_of(place, [""; 0]));
        assert!(found.ends_with(": no value is left, because the list is empty"), "{found}");
    }
}

#[test]
fn a_value_that_cannot_stand_there_is_named_with_what_could() {
    for (place, values, expected) in [
        ("$.category", json!(["a", 3]), "value 2 of the list, 3, does not fit: expected a string"),
        ("$.category", json!([null]), "value 1 of the list, null, does not fit: expected a string"),
        (
            "$.parts[*].partNumber",
            json!(["P-1", "p-1"]),
            "value 2 of the list, \"p-1\", does not fit: expected a string that matches the pattern ^[A-Z]-[0-9]+$",
        ),
        (
            "$.priority",
            json!(["high", "lower"]),
            "value 2 of the list, \"lower\", does not fit: expected one of [\"high\",\"low\",\"lowest\"]; did you mean \"lowest\"?",
        ),
        ("$.ratings[*]", json!([256]), "value 1 of the list, 256, does not fit: expected at most 255"),
        ("$.diagnosis", json!([3]), "value 1 of the list does not fit what the contract says of the place"),
    ] {
        let found = message(base().one_of(place, values.as_array().unwrap()));
        assert!(found.contains(&format!(": {expected}")), "{found}");
    }
}

#[test]
fn an_alternative_that_would_be_left_without_a_value_is_an_error() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "size": {"enum": [1, 2]}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "size": {"enum": [2, 3]}}, "required": ["kind"]},
    ]});
    let contract = Contract::from_schema(schema).unwrap();
    let narrow = contract.one_of("$.size", [2, 3]).unwrap();
    assert!(
        allows(&narrow, &json!({"kind": "b", "size": 3}))
            && !allows(&narrow, &json!({"kind": "a", "size": 1}))
    );
    assert!(
        message(contract.one_of("$.size", [3])).contains("no value is left in one of several alternatives")
    );
    assert!(message(contract.one_of("$.size", [2, 4])).contains("value 2 of the list, 4, does not fit"));
}

#[test]
fn nothing_is_asked_after_an_error() {
    let agent = ScriptedAgent::new([r#"{"category": "a"}"#]);
    let broken = Ticket::extract(&agent, "It is late.")
        .one_of("$.categry", ["a"])
        .one_of(at!(Ticket, category), ["a"])
        .describe(at!(Ticket, category), "The subject.");
    let error = block_on(broken).unwrap_err();
    assert!(error.to_string().contains("did you mean `category`?"), "{error}");
    assert_eq!((error.attempts(), error.history().len(), agent.requests().len()), (0, 0, 0));
}

#[test]
fn a_value_without_a_json_form_is_an_error() {
    let map = BTreeMap::from([((1, 2), 3)]);
    let found = message(base().one_of(at!(Ticket, category), [map]));
    assert!(found.contains("value 1 of the list has no JSON form: "), "{found}");
}
