use serde_json::{Value, json};

use super::{LeafOutcome, Tolerance, ValueComparer, keys::RowKeys};

/// The outcomes that are not right, with their fields.
fn wrong(gold: &Value, extracted: &Value) -> Vec<(String, LeafOutcome)> {
    wrong_by(&ValueComparer::new(), gold, extracted)
}

fn wrong_by(comparer: &ValueComparer, gold: &Value, extracted: &Value) -> Vec<(String, LeafOutcome)> {
    let leaves = comparer.compare(gold, extracted);
    leaves
        .into_iter()
        .filter(|leaf| !leaf.outcome.is_right())
        .map(|leaf| (leaf.field, leaf.outcome))
        .collect()
}

#[test]
fn absent_and_null_are_the_same() {
    let leaves = ValueComparer::new().compare(&json!({"a": null}), &json!({}));
    assert_eq!(leaves.len(), 1);
    assert_eq!(leaves[0].outcome, LeafOutcome::RightlyAbsent);
}

#[test]
fn each_kind_of_mistake_has_its_name() {
    let gold = json!({"missing": 1, "invented": null, "other": "Lyon", "form": 19.9, "right": true});
    let extracted = json!({"invented": 2, "other": "Bari", "form": "19.90", "right": true});
    assert_eq!(
        wrong(&gold, &extracted),
        [
            ("missing".to_owned(), LeafOutcome::Missing),
            ("invented".to_owned(), LeafOutcome::Invented),
            ("other".to_owned(), LeafOutcome::OtherValue),
            ("form".to_owned(), LeafOutcome::OtherForm),
        ]
    );
}

#[test]
fn dropped_punctuation_that_changes_a_number_is_another_value() {
    for (gold, extracted) in [("1.5 mg", "15 mg"), ("-5", "5"), ("v1.2", "v12")] {
        assert_eq!(
            wrong(&json!(gold), &json!(extracted))[0].1,
            LeafOutcome::OtherValue,
            "{gold} {extracted}"
        );
    }
    for (gold, extracted) in [("J. Doe", "j doe"), ("2026-03-05", "5 March 2026"), ("1.50", "1.5")] {
        assert_eq!(wrong(&json!(gold), &json!(extracted))[0].1, LeafOutcome::OtherForm, "{gold} {extracted}");
    }
}

#[test]
fn every_digit_of_a_whole_number_counts() {
    assert_eq!(wrong(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)).len(), 1);
    assert!(wrong(&json!(2), &json!(2.0)).is_empty());
    // Also in strings, and where one is a string.
    for (gold, extracted) in [
        (json!("4111111111111111237"), json!("4111111111111111238")),
        (json!(9_007_199_254_740_993_u64), json!("9007199254740992")),
        (json!("No. 4111111111111111237.0"), json!("no. 4111111111111111.2370")),
    ] {
        assert_eq!(wrong(&gold, &extracted)[0].1, LeafOutcome::OtherValue, "{gold} {extracted}");
    }
    let written = wrong(&json!(4_111_111_111_111_111_237_u64), &json!("4111111111111111237"));
    assert_eq!(written[0].1, LeafOutcome::OtherForm);
}

#[test]
fn rows_are_compared_with_the_row_that_is_most_like_them() {
    let gold = json!([{"name": "a", "n": 1}, {"name": "b", "n": 2}, {"name": "c", "n": 3}]);
    let extracted = json!([{"name": "c", "n": 3}, {"name": "b", "n": 9}]);
    assert_eq!(
        wrong(&gold, &extracted),
        [
            ("[].name".to_owned(), LeafOutcome::Missing),
            ("[].n".to_owned(), LeafOutcome::Missing),
            ("[].n".to_owned(), LeafOutcome::OtherValue),
        ]
    );
}

#[test]
fn a_row_twice_is_two_rows() {
    assert_eq!(wrong(&json!(["a", "a"]), &json!(["a"])), [("[]".to_owned(), LeafOutcome::Missing)]);
    assert_eq!(wrong(&json!(["a"]), &json!(["a", "a"])), [("[]".to_owned(), LeafOutcome::Invented)]);
}

#[test]
fn a_key_decides_which_rows_belong_together() {
    let gold = json!({"lines": [{"sku": "A", "n": 1, "text": "x"}, {"sku": "B", "n": 2, "text": "y"}]});
    let extracted = json!({"lines": [{"sku": "A", "n": 2, "text": "y"}, {"sku": "B", "n": 1, "text": "x"}]});
    let by_key = ValueComparer::new().keys("lines", ["sku"]);
    assert_eq!(wrong_by(&by_key, &gold, &extracted).len(), 4);
    assert!(wrong(&gold, &extracted).iter().all(|(field, _)| field == "lines[].sku"));
}

#[test]
fn keys_are_found_through_references_and_unions() {
    let schema = json!({
        "properties": {"lines": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Line"}}, {"type": "null"}]}},
        "$defs": {"Line": {"properties": {
            "sku": {"type": "string", "x-key": true},
            "parts": {"items": {"$ref": "#/$defs/Line"}},
        }}},
    });
    let keys = RowKeys::of(&schema);
    assert_eq!(keys.get("lines"), Some(&["sku".to_owned()][..]));
    assert_eq!(keys.get("lines[].parts"), None, "entered once");
}

#[test]
fn values_of_two_kinds_share_nothing() {
    assert_eq!(
        wrong(&json!({"a": {"b": 1}}), &json!({"a": 1})),
        [("a.b".to_owned(), LeafOutcome::Missing), ("a".to_owned(), LeafOutcome::Invented)]
    );
}

#[test]
fn a_tolerance_of_one_field_does_not_reach_the_others() {
    let comparer = ValueComparer::new().field("name", Tolerance::default().case());
    let gold = json!({"name": "Ann", "city": "Bari"});
    assert_eq!(
        wrong_by(&comparer, &gold, &json!({"name": "ANN", "city": "BARI"})),
        [("city".to_owned(), LeafOutcome::OtherForm)]
    );
    let comparer = ValueComparer::new().equal_if("name", |_, _| true);
    assert!(wrong_by(&comparer, &json!({"name": 1}), &json!({"name": 2})).is_empty());
}

#[test]
fn a_date_with_two_readings_is_no_date() {
    let tolerance = Tolerance::default().dates();
    assert!(!tolerance.allows(&json!("05/03/2026"), &json!("2026-03-05")));
    assert!(tolerance.allows(&json!("2026-03-05"), &json!("20260305")));
    assert!(!tolerance.allows(&json!("2026-03-05"), &json!("6 March 2026")));
}

#[test]
fn a_list_beyond_the_bound_is_compared_in_its_order() {
    let rows = |shift: usize| (0..2_000).map(|n| json!(n + shift * 10_000)).collect::<Vec<_>>();
    let leaves = ValueComparer::new().compare(&json!(rows(0)), &json!(rows(1)));
    assert_eq!(leaves.len(), 2_000);
    assert!(leaves.iter().all(|leaf| leaf.outcome == LeafOutcome::OtherValue));
}
