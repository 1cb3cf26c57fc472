//! Parts of a value that are judged by themselves.

use std::collections::BTreeMap;

use extract::__private::judge_part;
use extract::{Contract, Extractable, Path, Violation};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "only the judgement matters")]
struct Order {
    #[extract(pattern = "^N", check = is_no_test)]
    number: String,
    lines: Vec<Line>,
    #[extract(length(max = 2))]
    stages: Option<Vec<Stage>>,
    prices: BTreeMap<String, Line>,
    payment: Payment,
    pair: (Line, Line),
    node: Option<Box<Node>>,
    #[serde(flatten)]
    more: More,
    #[extract(sensitive, check = is_long)]
    pin: Option<String>,
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = is_affordable)]
struct Line {
    #[extract(range(min = 1), check = is_no_dozen)]
    qty: u32,
    price: Option<f64>,
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code, reason = "only the judgement matters")]
enum Stage {
    Work { lines: Vec<Line>, days: u8 },
    Wait { days: i64, lines: Option<String> },
}

#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "only the judgement matters")]
enum Payment {
    Card { number: String, line: Line },
    Cash(Line),
}

#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "only the judgement matters")]
struct Node {
    line: Line,
    children: Vec<Node>,
}

#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "only the judgement matters")]
struct More {
    extra: Option<Line>,
}

fn is_no_test(number: &str) -> Result<(), &'static str> {
    if number.contains("test") { Err("a test order") } else { Ok(()) }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "a check takes a reference")]
fn is_no_dozen(qty: &u32) -> Result<(), String> {
    assert!(*qty != 666, "a bug in a check");
    if *qty == 12 { Err(format!("{qty} is a dozen")) } else { Ok(()) }
}

fn is_affordable(line: &Line) -> Result<(), &'static str> {
    match line.price {
        Some(price) if price * f64::from(line.qty) > 1000.0 => Err("too expensive"),
        _ => Ok(()),
    }
}

#[allow(clippy::ref_option, reason = "a check takes a reference")]
fn is_long(pin: &Option<String>) -> Result<(), String> {
    match pin {
        Some(pin) if pin.len() < 4 => Err(format!("{pin} is too short")),
        _ => Ok(()),
    }
}

fn order() -> Value {
    let line = json!({"qty": 3, "price": 2.5});
    let leaf = json!({"line": line, "children": []});
    json!({
        "number": "N7",
        "lines": [line, {"qty": 1}, line],
        "stages": [{"kind": "work", "lines": [line], "days": 3}, {"kind": "wait", "days": -900, "lines": "none"}],
        "prices": {"a": line, "a b": line},
        "payment": {"Card": {"number": "12", "line": line}},
        "pair": [line, line],
        "node": {"line": line, "children": [leaf, {"line": line, "children": [leaf]}]},
        "extra": line,
        "pin": "12345",
    })
}

/// All parts of `value`, itself included.
fn parts(value: &Value, at: Path, found: &mut Vec<Path>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| parts(item, at.clone().index(index), found));
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| parts(member, at.clone().key(key), found));
        }
        _ => {}
    }
    found.push(at);
}

fn orders() -> Contract {
    Contract::of::<Order>().unwrap()
}

fn judged(contract: &Contract, path: &str, whole: &Value) -> Vec<String> {
    shown(&judge_part(contract, &path.into(), whole).unwrap())
}

fn shown(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(ToString::to_string).collect()
}

#[test]
fn a_part_is_judged_as_in_the_whole_value() {
    let contract = orders();
    let mut found = Vec::new();
    parts(&order(), Path::root(), &mut found);
    assert!(found.len() > 60 && shown(&contract.validate(&order())).is_empty());
    let mut wrong = 0;
    for broken in &found {
        for value in
            [json!(12), json!("x test"), json!(0), json!(4000), json!(null), json!([]), json!({"y": 1})]
        {
            let mut whole = order();
            *whole.pointer_mut(&broken.to_pointer()).unwrap() = value;
            let violations = contract.validate(&whole);
            wrong += usize::from(!violations.is_empty());
            let is_near = |path: &&Path| path.is_within(broken) || broken.is_within(path);
            for path in found.iter().filter(is_near).filter(|path| path.resolve(&whole).is_some()) {
                // The tag of an alternative is only known together with its parts.
                let is_untagged = broken.segments().last() == Path::from("kind").segments().last()
                    || *broken == Path::from("stages[0]")
                    || *broken == Path::from("stages[1]");
                let is_inside = |one: &&Violation| one.path.is_within(path);
                let expected: Vec<_> = violations.iter().filter(is_inside).cloned().collect();
                if !(is_untagged && path.is_within(&"stages".into()) && path != &Path::from("stages")) {
                    let found = judge_part(&contract, path, &whole).unwrap();
                    assert_eq!(shown(&found), shown(&expected), "{path} of {whole}");
                }
            }
        }
    }
    assert!(wrong > 300, "{wrong}");
}

#[test]
fn without_its_tag_a_part_of_an_alternative_is_what_any_of_them_allows() {
    let days = |kind: Value, days: i64| {
        judged(&orders(), "stages[0].days", &json!({"stages": [{"kind": kind, "days": days}]}))
    };
    assert_eq!(days(json!({}), -3), [] as [String; 0]);
    assert_eq!(days(json!("wait"), -3), [] as [String; 0]);
    assert_eq!(days(json!("work"), -3).len(), 1);
    assert_eq!(days(json!("other"), -3), ["[INVALID_VALUE] $.stages[0].days: not what the schema asks for"]);
}

#[test]
fn a_part_that_the_schema_does_not_allow_is_wrong() {
    let schema = json!({
        "properties": {"a": {"type": "string"}, "b": false, "c": {"prefixItems": [{"type": "null"}], "items": {"type": "integer"}}},
        "patternProperties": {"^x": {"maximum": 3}, "y$": {"minimum": 1}},
        "additionalProperties": {"type": "boolean"},
    });
    let contract = Contract::from_schema(schema).unwrap();
    let value = json!({"a": 1, "b": 1, "c": [1, "1", 2], "x": 4, "xy": 0, "other": 1, "okay": true});
    // A forbidden key is reported for the object.
    let of_parts = |one: &Violation| one.path != Path::from("b");
    let whole: Vec<_> = contract.validate(&value).into_iter().filter(of_parts).collect();
    let parts = ["a", "c[0]", "c[1]", "other", "x", "xy"].map(|path| judged(&contract, path, &value));
    assert_eq!(parts.concat(), shown(&whole));
    for right in ["c[2]", "okay"] {
        assert_eq!(judged(&contract, right, &value), [] as [String; 0]);
    }
    assert_eq!(judged(&contract, "b", &value).len(), 1);
}

#[test]
fn a_panic_in_a_check_is_an_error() {
    let whole = json!({"lines": [{"qty": 666}]});
    let error = judge_part(&orders(), &"lines[0]".into(), &whole).unwrap_err();
    assert!(error.contains("a bug in a check"), "{error}");
}

#[test]
fn no_violation_of_a_part_repeats_a_sensitive_value() {
    for pin in [json!("987"), json!(987_654)] {
        let found = judged(&orders(), "pin", &json!({"pin": pin}));
        assert!(found.len() == 1 && !found[0].contains("987"), "{found:?}");
    }
}

/// Each union on the way could double the work.
#[test]
fn a_deep_part_of_a_recursive_union_is_judged_at_once() {
    let tree = json!({"anyOf": [
        {"properties": {"a": {"$ref": "#/$defs/T"}, "b": {"type": "integer"}}},
        {"properties": {"a": {"$ref": "#/$defs/T"}, "b": {"type": "boolean"}}},
    ]});
    let contract = Contract::from_schema(json!({"$ref": "#/$defs/T", "$defs": {"T": tree}})).unwrap();
    let (mut path, mut value) = (Path::root().key("b"), json!({"b": "x"}));
    for _ in 0..60 {
        (path, value) = (Path::root().key("a").join(&path), json!({"a": value}));
    }
    assert_eq!(judge_part(&contract, &path, &value).unwrap().len(), 1);
}
