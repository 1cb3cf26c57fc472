//! Which items are left out of which lists.

use std::collections::BTreeSet;

use extract::{Extractable, ExtractionResult, WithContext, context::NoContext, testing::block_on};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Line, Order, agent, line, told};

fn kept<T: Extractable + WithContext<NoContext> + Send>(reply: Value) -> ExtractionResult<T> {
    block_on(T::extract(&agent([reply]), "…").max_attempts(1).keep_valid_items(true))
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Day {
    #[extract(keep_valid_items)]
    orders: Vec<Order>,
}

#[test]
fn the_innermost_marked_item_is_left_out() {
    let order =
        |number: Value, lines: Value, tags: Value| json!({"number": number, "lines": lines, "tags": tags});
    let (day, metrics) = kept::<Day>(json!({"orders": [
        order(json!(1), json!([line("a", 0), line("b", 1)]), json!([])),
        order(json!("x"), json!([line("c", 1), line("d", 0)]), json!([])),
        order(json!(3), json!([line("e", 1)]), json!([1, 300])),
        order(json!(4), json!([line("f", 1)]), json!([1])),
    ]}))
    .unwrap();
    let numbers: Vec<_> = day.orders.iter().map(|order| (order.number, order.lines.len())).collect();
    assert_eq!(numbers, [(1, 1), (4, 1)]);
    assert_eq!(
        told(&metrics),
        [
            "$.orders[0].lines[0] INVALID_VALUE",
            "$.orders[1] INVALID_VALUE WRONG_TYPE",
            "$.orders[2] INVALID_VALUE",
        ]
    );
}

#[test]
fn a_list_without_a_valid_item_breaks_the_item_around_it_or_the_answer() {
    let order = |count| json!({"number": 1, "lines": [line("a", count), line("b", 0)], "tags": []});
    let (day, metrics) = kept::<Day>(json!({"orders": [order(0), order(1)]})).unwrap();
    assert_eq!((day.orders.len(), day.orders[0].lines.len()), (1, 1));
    assert_eq!(
        told(&metrics),
        ["$.orders[0] INVALID_VALUE INVALID_VALUE", "$.orders[1].lines[1] INVALID_VALUE"]
    );
    for reply in [json!({"orders": [order(0), order(0)]}), json!({"orders": [{}]})] {
        assert_eq!(kept::<Day>(reply).unwrap_err().name(), "MaxRetriesExceeded");
    }
    assert!(kept::<Vec<u8>>(json!(["x"])).is_err());
    assert!(
        kept::<Day>(json!({"orders": []})).unwrap().0.orders.is_empty(),
        "an empty list may be an answer"
    );
}

#[test]
fn violations_outside_of_items_are_not_solved() {
    for (pointer, value) in
        [("number", json!("x")), ("tags", json!([300])), ("lines", json!(7)), ("extra", json!(1))]
    {
        let mut reply = json!({"number": 1, "lines": [line("a", 1), line("b", 0)], "tags": []});
        assert!(kept::<Order>(reply.clone()).is_ok());
        reply[pointer] = value;
        // An unknown key is not part of the contract, and not a violation.
        assert_eq!(kept::<Order>(reply).is_ok(), pointer == "extra", "{pointer}");
    }
    let error = kept::<Order>(json!({"lines": [line("a", 1), line("b", 0)], "tags": []})).unwrap_err();
    assert_eq!(error.violations().len(), 2, "{error}");
}

#[test]
fn optional_lists_sets_and_newtypes_of_lists_lose_items_too() {
    #[derive(Debug, Deserialize, Extractable)]
    struct Lines(Vec<Line>);

    #[derive(Debug, Deserialize, Extractable)]
    struct All {
        #[extract(keep_valid_items)]
        optional: Option<Vec<u8>>,
        #[extract(keep_valid_items)]
        set: BTreeSet<u8>,
        #[extract(keep_valid_items)]
        lines: Lines,
        #[extract(keep_valid_items)]
        absent: Option<Vec<u8>>,
    }
    let reply = json!({"optional": [1, "x"], "set": [1, 2, 1], "lines": [line("a", 0), line("b", 1)]});
    let (all, metrics) = kept::<All>(reply).unwrap();
    assert_eq!((all.optional, all.absent), (Some(vec![1]), None));
    assert_eq!((all.set, all.lines.0.len()), (BTreeSet::from([1, 2]), 1));
    assert_eq!(
        told(&metrics),
        ["$.lines[0] INVALID_VALUE", "$.optional[1] WRONG_TYPE", "$.set[2] INVALID_VALUE"]
    );
}

#[test]
fn nothing_is_left_out_of_tuples_arrays_and_maps() {
    #[derive(Debug, Deserialize, Extractable)]
    #[allow(dead_code, reason = "never read")]
    struct All {
        #[extract(keep_valid_items)]
        list: Vec<u8>,
        pair: (u8, u8),
        #[extract(keep_valid_items)]
        three: [u8; 3],
        map: std::collections::BTreeMap<String, u8>,
    }
    let right = json!({"list": [1, "x"], "pair": [1, 2], "three": [1, 2, 3], "map": {"a": 1}});
    assert!(kept::<All>(right.clone()).is_ok());
    for (field, value) in
        [("pair", json!([1, "x"])), ("three", json!([1, 2, "x"])), ("map", json!({"a": 1, "b": "x"}))]
    {
        let mut reply = right.clone();
        reply[field] = value;
        assert!(kept::<All>(reply).is_err(), "{field}");
    }
}

#[test]
fn sensitive_values_of_what_is_left_out_are_redacted() {
    #[derive(Debug, Deserialize, Extractable)]
    #[allow(dead_code, reason = "never read")]
    struct Account {
        #[extract(sensitive)]
        iban: String,
        #[extract(range(min = 0))]
        balance: i64,
        note: String,
    }
    let account = |balance: i64| json!({"iban": "DE99500105", "balance": balance, "note": "of DE99500105"});
    let (accounts, metrics) = kept::<Vec<Account>>(json!([account(-1), account(1)])).unwrap();
    assert_eq!(accounts.len(), 1);
    assert_eq!(metrics.left_out[0].value, json!({"iban": "(hidden)", "balance": -1, "note": "of (hidden)"}));
    assert!(!format!("{metrics:?}").contains("DE99"));
}
