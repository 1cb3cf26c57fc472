//! Schemas that lead back to themselves, or to more than can be walked.

use extract::{
    Contract,
    schema::{SchemaError, dialect::Dialect},
};
use serde_json::{Map, Value, json};

use super::{Cost, measured, mib};

/// The error of a rejected schema.
fn refused(schema: Value) -> SchemaError {
    let shown = cut(&schema.to_string());
    match Contract::from_schema(schema) {
        Ok(_) => panic!("{shown} compiles"),
        Err(error) => error,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Everything that is done with a schema, and its total cost.
fn walked(schema: &Value, replies: &[&str]) -> (Contract, Cost) {
    measured(|| {
        let contract = Contract::from_schema(schema.clone()).unwrap();
        contract.instructions();
        for reply in replies {
            contract.validate(&contract.read(reply).value.unwrap_or_default());
            contract.read(&format!("Sure! {reply} is what was asked for."));
        }
        for dialect in Dialect::ALL {
            let _ = dialect.project(schema);
        }
        contract
    })
}

#[test]
fn a_circle_on_one_value_is_an_error_that_names_it() {
    let circle = "it leads back to itself for the same value, which has no end: ";
    for (schema, at, names) in [
        (json!({"$ref": "#"}), "$", "`#` → `#`"),
        (
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}),
            r#"$["$defs"].A"#,
            "`#/$defs/A` → `#/$defs/B` → `#/$defs/A`",
        ),
        (json!({"allOf": [{"$ref": "#"}]}), "$", "`#` → `#/allOf/0` → `#`"),
        (json!({"anyOf": [{"type": "integer"}, {"$ref": "#"}]}), "$", "`#` → `#/anyOf/1` → `#`"),
        (json!({"oneOf": [{"$ref": "#"}, {"type": "integer"}]}), "$", "`#` → `#/oneOf/0` → `#`"),
        (json!({"not": {"$ref": "#"}}), "$", "`#` → `#/not` → `#`"),
        (json!({"if": {"$ref": "#"}}), "$", "`#` → `#/if` → `#`"),
        (json!({"if": true, "then": {"$ref": "#"}}), "$", "`#` → `#/then` → `#`"),
        (json!({"if": true, "else": {"$ref": "#"}}), "$", "`#` → `#/else` → `#`"),
        (json!({"dependentSchemas": {"a": {"$ref": "#"}}}), "$", "`#` → `#/dependentSchemas/a` → `#`"),
        (json!({"$dynamicAnchor": "node", "$dynamicRef": "#node"}), "$", "`#` → `#`"),
        (json!({"$anchor": "node", "allOf": [{"$ref": "#node"}]}), "$", "`#` → `#/allOf/0` → `#`"),
        (json!({"$id": "https://example.com/a", "$ref": "https://example.com/a"}), "$", "`#` → `#`"),
        // Also if a part of the value leads to it.
        (
            json!({"properties": {"a": {"items": {"anyOf": [{"$ref": "#/properties/a/items"}]}}}}),
            "$.properties.a.items",
            "`#/properties/a/items` → `#/properties/a/items/anyOf/0` → `#/properties/a/items`",
        ),
        (
            json!({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"$ref": "#/$defs/a%20b~1c"}}}),
            r#"$["$defs"]["a b/c"]"#,
            "`#/$defs/a b~1c` → `#/$defs/a b~1c`",
        ),
    ] {
        let error = refused(schema.clone());
        assert_eq!(error.path().to_string(), at, "{schema}");
        assert!(error.message().starts_with(&format!("{circle}{names}; recursion has to go")), "{error}");
    }
}

#[test]
fn a_long_circle_is_named_in_part() {
    let refs =
        |index: usize| (format!("D{index}"), json!({"$ref": format!("#/$defs/D{}", (index + 1) % 20_000)}));
    let definitions: Map<_, _> = (0..20_000).map(refs).collect();
    let error = refused(json!({"$ref": "#/$defs/D0", "$defs": definitions}));
    assert!(error.message().contains("`#/$defs/D0` → `#/$defs/D1`"), "{error}");
    assert!(error.to_string().len() < 500, "{error}");
}

#[test]
fn recursion_through_a_part_of_the_value_is_not_a_circle() {
    for (schema, good, bad) in [
        (
            json!({"properties": {"next": {"$ref": "#"}}, "type": "object"}),
            r#"{"next": {}}"#,
            r#"{"next": 1}"#,
        ),
        (json!({"items": {"$ref": "#"}, "type": "array"}), "[[], [[]]]", "[[1]]"),
        (json!({"prefixItems": [{"$ref": "#"}], "type": "array"}), "[[]]", "[1]"),
        (json!({"additionalProperties": {"$ref": "#"}, "type": "object"}), r#"{"a": {}}"#, r#"{"a": 1}"#),
        (json!({"patternProperties": {"a": {"$ref": "#"}}, "type": "object"}), r#"{"a": {}}"#, r#"{"a": 1}"#),
        (json!({"unevaluatedProperties": {"$ref": "#"}, "type": "object"}), r#"{"a": {}}"#, r#"{"a": 1}"#),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "array", "contains": {"$ref": "#"}}]}),
            "[[null]]",
            "[[1]]",
        ),
        (json!({"propertyNames": {"$ref": "#"}, "maxLength": 3}), r#"{"abc": 1}"#, r#"{"abcd": 1}"#),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "object", "properties": {"left": {"$ref": "#"}}, "required": ["left"]}]}),
            r#"{"left": {"left": 1}}"#,
            r#"{"left": {"left": "x"}}"#,
        ),
        // A reference into a circle of its own parts, and one definition without references to it.
        (
            json!({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {
                "A": {"type": "array", "items": {"$ref": "#/$defs/A"}},
                "Loop": {"$ref": "#/$defs/Loop"},
            }}),
            "[[]]",
            "[1]",
        ),
    ] {
        let (contract, _) = walked(&schema, &[good, bad]);
        let is_valid = |text: &str| contract.validate(&serde_json::from_str(text).unwrap()).is_empty();
        assert!(is_valid(good) && !is_valid(bad), "{schema}");
    }
}

fn definitions(count: usize, definition: impl Fn(String) -> Value) -> Value {
    let each = |index: usize| (format!("D{index}"), definition(format!("#/$defs/D{}", index + 1)));
    let mut all: Map<_, _> = (0..count).map(each).collect();
    all.insert(format!("D{count}"), json!({"type": "integer"}));
    json!({"$ref": "#/$defs/D0", "$defs": all})
}

#[test]
fn long_chains_of_references_are_refused() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let error = refused(definitions(10_000, |next| json!({keyword: [{"$ref": next}]})));
        assert!(error.message().starts_with("more than 64 schemas lead to each other"), "{error}");
    }
    let error = refused(definitions(100_000, |next| json!({"$ref": next})));
    assert!(error.message().starts_with("more than 64 schemas lead to each other"), "{error}");
    let (contract, _) = walked(&definitions(60, |next| json!({"$ref": next})), &["1", "x"]);
    assert_eq!(contract.example(), Some(&json!(1)), "a chain is no level of an example");
}

#[test]
fn chains_through_parts_of_the_value_may_be_long() {
    let schema = definitions(5_000, |next| json!({"type": "object", "properties": {"a": {"$ref": next}}}));
    let (_, cost) = walked(&schema, &[r#"{"a": {"a": {"a": 1}}}"#]);
    assert!(cost.total < mib(512), "{cost:?}");
}

#[test]
fn references_that_multiply_are_refused_where_they_meet_one_value() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let eight = |next: String| json!({keyword: vec![json!({"$ref": next}); 8]});
        let (error, cost) = measured(|| refused(definitions(8, eight)));
        let message = "more than 10000 schemas apply to one value here, because references repeat them";
        assert_eq!(error.message(), message);
        assert!(cost.total < mib(16), "{cost:?}");
    }
}

#[test]
fn references_that_multiply_in_parts_of_the_value_cost_in_proportion_to_the_schema() {
    let eight = |next: String| {
        let properties: Map<_, _> =
            (0..8).map(|index| (format!("p{index}"), json!({"$ref": next}))).collect();
        json!({"type": "object", "required": properties.keys().collect::<Vec<_>>(), "properties": properties})
    };
    let (contract, cost) = walked(&definitions(8, eight), &[r#"{"p0": {"p1": 1}}"#]);
    assert_eq!(contract.example(), None, "the smallest has 16 million values");
    assert!(cost.total < mib(64), "{cost:?}");
}

/// Built by hand: `json!` copies its argument by recursion.
fn nested(keyword: &str, levels: usize) -> Value {
    let mut schema = json!({"type": "integer"});
    for _ in 0..levels {
        let inside = if keyword == "allOf" { Value::Array(vec![schema]) } else { schema };
        schema = Value::Object(Map::from_iter([(keyword.to_owned(), inside)]));
    }
    schema
}

#[test]
fn schemas_that_nest_too_deep_are_refused_and_taken_apart_without_recursion() {
    for keyword in ["allOf", "not", "items", "unknown"] {
        let error = Contract::from_schema(nested(keyword, 100_000)).expect_err(keyword);
        assert_eq!(error.message(), "it nests more than 256 levels deep");
    }
    assert!(Contract::from_schema(nested("items", 250)).is_ok());
    let error = refused(nested("not", 250));
    assert!(error.message().starts_with("more than 64 schemas lead to each other"), "{error}");
}

#[test]
fn a_value_is_not_read_deeper_than_the_schema_can_be_applied() {
    let chain =
        (0..14).fold(json!({"properties": {"a": {"$ref": "#"}}}), |inside, _| json!({"anyOf": [inside]}));
    let contract = Contract::from_schema(chain).unwrap();
    let deep =
        |levels: usize, leaf: &str| format!("{}{leaf}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    assert!(contract.validate(&contract.read(&deep(20, "{}")).value.unwrap()).is_empty());
    let reading = contract.read(&deep(100, "1"));
    assert_eq!(reading.violations.last().unwrap().expected.as_deref(), Some("at most 32 levels of brackets"));
    let value: Value = serde_json::from_str(&deep(100, "1")).unwrap();
    let violations = contract.validate(&value);
    assert_eq!(
        violations[0].to_string(),
        "[INVALID_VALUE] $: nested too deeply to be looked at (expected at most 32 levels of brackets)"
    );
}

#[test]
fn a_value_that_a_program_has_put_together_may_be_deep_too() {
    let contract = Contract::from_schema(json!({"type": "array", "items": {"$ref": "#"}})).unwrap();
    let nest = |levels: usize| (0..levels).fold(json!([]), |inside, _| Value::Array(vec![inside]));
    assert!(contract.validate(&nest(200)).is_empty());
    let mut deep = nest(100_000);
    assert_eq!(contract.validate(&deep).len(), 1);
    // Dropping it unchanged would recurse.
    while let Some(inside) = deep.as_array_mut().and_then(Vec::pop) {
        deep = inside;
    }
}
