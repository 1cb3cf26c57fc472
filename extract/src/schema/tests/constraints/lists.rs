//! Constraints on lists.

use serde_json::{Value, json};

use super::Case;

pub(super) fn cases() -> Vec<Case> {
    let list = |name, keyword: &str, value: Value, fits, breaks| {
        Case::of(name, json!({"type": "array", "items": {"type": "integer"}, keyword: value}), fits, breaks)
    };
    let pair = json!([{"type": "string"}, {"type": "integer"}]);
    let same = json!([{"type": "integer"}, {"type": "integer"}]);
    vec![
        Case::of(
            "`items`",
            json!({"type": "array", "items": {"type": "integer"}}),
            json!([[], [1], [1, 2]]),
            json!([["a"], [1, "a"], 1]),
        ),
        list("`minItems`", "minItems", json!(2), json!([[1, 2], [1, 2, 3]]), json!([[], [1]])),
        list("`maxItems`", "maxItems", json!(2), json!([[], [1, 2]]), json!([[1, 2, 3]])),
        list("`maxItems` of 0", "maxItems", json!(0), json!([[]]), json!([[1]])),
        list("`uniqueItems`", "uniqueItems", json!(true), json!([[1, 2]]), json!([[1, 1], [1, 2, 1]])),
        list("`contains`", "contains", json!({"const": 3}), json!([[3], [1, 3]]), json!([[], [1]])),
        Case::of(
            "`minContains`",
            json!({"type": "array", "items": {"type": "integer"}, "contains": {"const": 3}, "minContains": 2}),
            json!([[3, 3]]),
            json!([[3, 1]]),
        ),
        Case::of(
            "`maxContains`",
            json!({"type": "array", "items": {"type": "integer"}, "contains": {"const": 3}, "maxContains": 1}),
            json!([[3, 1]]),
            json!([[3, 3]]),
        ),
        Case::of(
            "`prefixItems`: the types of a tuple",
            json!({"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2}),
            json!([["a", 1]]),
            json!([[1, "a"], ["a", "b"]]),
        ),
        Case::of(
            "the length of a tuple",
            json!({"type": "array", "prefixItems": same, "minItems": 2, "maxItems": 2}),
            json!([[1, 2]]),
            json!([[1], [], [1, 2, 3]]),
        ),
        Case::of(
            "`items: false` behind `prefixItems`",
            json!({"type": "array", "prefixItems": same, "items": false}),
            json!([[1, 2], []]),
            json!([[1, 2, 3]]),
        ),
        Case::of(
            "`items` behind `prefixItems`",
            json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}),
            json!([["a", 1, 2], []]),
            json!([["a", "b"], [1]]),
        ),
        Case::of(
            "`unevaluatedItems`",
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}], "unevaluatedItems": false}),
            json!([["a", "b"], ["a"]]),
            json!([["a", "b", "c"]]),
        ),
        Case::of(
            "constraints of elements",
            json!({"type": "array", "items": {"type": "string", "pattern": r"^\d+$"}}),
            json!([["1", "22"]]),
            json!([["1", "x"]]),
        ),
        Case::of("`const`, a list", json!({"const": [1, "a"]}), json!([[1, "a"]]), json!([[1], [1, "b"]])),
    ]
}
