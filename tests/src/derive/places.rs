//! `at!`, the path that the compiler checks.

use std::collections::BTreeMap;

use extract::{Extractable, at};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    plain: u8,
    r#type: u8,
    #[serde(rename = "the price")]
    price: u8,
    lines: Vec<Line>,
    by_name: BTreeMap<String, Line>,
    boxed: Box<Line>,
    pair: (u8, Line),
    name: Name,
    #[serde(flatten)]
    flat: Flat,
    skipping: Skipping,
}

#[derive(Deserialize, Extractable)]
#[serde(rename_all = "camelCase")]
struct Line {
    unit_price: u8,
    #[serde(rename = "of")]
    part: Option<Box<Line>>,
}

#[derive(Deserialize, Extractable)]
struct Name(Line);

#[derive(Deserialize, Extractable)]
struct Flat {
    inside: u8,
}

#[derive(Deserialize, Extractable)]
struct Skipping(u8, #[serde(skip)] (), u8);

fn order() -> Order {
    let line = r#"{"unitPrice": 1, "of": null}"#;
    let reply = format!(
        r#"{{"plain": 1, "type": 1, "the price": 1, "lines": [{line}], "by_name": {{"a b": {line}}}, "boxed": {line},
        "pair": [1, {line}], "name": {line}, "inside": 1, "skipping": [1, 2]}}"#
    );
    Order::from_reply(reply).unwrap().0
}

#[test]
fn a_place_has_the_names_of_the_json() {
    let order = order();
    let by_reference = &order;
    let i = 7;
    let key = "a b".to_owned();
    let paths = [
        (at!(order), "$"),
        (at!(order.plain), "$.plain"),
        (at!(order.r#type), "$.type"),
        (at!(order.price), r#"$["the price"]"#),
        (at!(order.lines), "$.lines"),
        // Nothing is evaluated, so the seventh need not exist.
        (at!(order.lines[i]), "$.lines[7]"),
        (at!(order.lines[i + 1].unit_price), "$.lines[8].unitPrice"),
        (at!(order.lines[0].part), "$.lines[0].of"),
        (at!(order.by_name["a b"].unit_price), r#"$.by_name["a b"].unitPrice"#),
        (at!(order.by_name[&key]), r#"$.by_name["a b"]"#),
        (at!(order.boxed.unit_price), "$.boxed.unitPrice"),
        (at!(order.pair.1.unit_price), "$.pair[1].unitPrice"),
        (at!(order.name.0.unit_price), "$.name.unitPrice"),
        (at!(order.flat.inside), "$.inside"),
        (at!(order.skipping.2), "$.skipping[1]"),
        (at!(by_reference.lines[0].unit_price), "$.lines[0].unitPrice"),
    ];
    for (path, expected) in paths {
        assert_eq!(path.to_string(), expected);
    }
    let Order { plain, r#type, price, flat, skipping, .. } = order;
    assert_eq!((plain, r#type, price, flat.inside, skipping.0, skipping.2), (1, 1, 1, 1, 1, 2));
}

#[test]
fn a_place_of_a_type_has_the_names_of_the_json() {
    let places = [
        (at!(Order, plain).to_string(), "$.plain"),
        (at!(Order, r#type).to_string(), "$.type"),
        (at!(Order, price).to_string(), r#"$["the price"]"#),
        (at!(Order, lines).to_string(), "$.lines"),
        (at!(Order, lines[..]).to_string(), "$.lines[*]"),
        (at!(Order, lines[..].unit_price).to_string(), "$.lines[*].unitPrice"),
        (at!(Order, lines[..].part?.part?.unit_price).to_string(), "$.lines[*].of.of.unitPrice"),
        (at!(Order, by_name[..].unit_price).to_string(), "$.by_name[*].unitPrice"),
        (at!(Order, boxed.unit_price).to_string(), "$.boxed.unitPrice"),
        (at!(Order, pair.1.unit_price).to_string(), "$.pair[1].unitPrice"),
        (at!(Order, name.0.unit_price).to_string(), "$.name.unitPrice"),
        (at!(Order, flat.inside).to_string(), "$.inside"),
        (at!(Order, skipping.2,).to_string(), "$.skipping[1]"),
        (at!(Vec<Option<Line>>, [..]?.unit_price).to_string(), "$[*].unitPrice"),
        (at!(Option<Line>, ?.unit_price).to_string(), "$.unitPrice"),
        (at!((u8, (Line, u8)), 1.0.unit_price).to_string(), "$[1][0].unitPrice"),
        (at!(crate::domain::Line, quantity).to_string(), "$.quantity"),
        (Order::of_self(), "$.lines[*].unitPrice"),
    ];
    for (place, expected) in places {
        assert_eq!(place, expected);
    }
}

impl Order {
    fn of_self() -> String {
        at!(Self, lines[..].unit_price).to_string()
    }
}
