//! All violations are reported at once, even if a value is broken elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use extract::{
    Contract, Extractable, Rejection,
    testing::{ScriptedAgent, block_on},
};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
struct Order {
    #[extract(check = is_short)]
    name: String,
    lines: Vec<Line>,
    total: u32,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Extractable)]
#[extract(rule = is_ordered)]
struct Line {
    #[serde(alias = "least")]
    #[extract(check = is_even)]
    min: u32,
    max: u32,
}

fn total_is_the_sum(order: &Order) -> Result<(), String> {
    let sum: u32 = order.lines.iter().map(|line| line.max).sum();
    if sum == order.total { Ok(()) } else { Err("wrong sum".to_owned()) }
}

fn is_short(name: &str) -> Result<(), &'static str> {
    if name.len() < 5 { Ok(()) } else { Err("too long a name") }
}

// The signature of a check is the library's.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_even(number: &u32) -> Result<(), String> {
    if number.is_multiple_of(2) { Ok(()) } else { Err(format!("{number} is odd")) }
}

fn is_ordered(line: &Line) -> Result<(), Rejection> {
    if line.min <= line.max { Ok(()) } else { Err(Rejection::new("not in order").at("max")) }
}

fn said<T: Extractable>(value: &Value) -> Vec<String> {
    let violations = Contract::of::<T>().unwrap().validate(value);
    violations.iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
}

const ALL_AT_ONCE: [&str; 3] =
    ["$.lines[1].max: not in order", "$.name: too long a name", "$.total: wrong type"];

fn broken_order() -> Value {
    json!({
        "name": "Bartholomew",
        "lines": [{ "min": 2, "max": 3 }, { "min": 4, "max": 3 }],
        "total": "six",
    })
}

#[test]
fn a_wrong_type_a_failing_check_and_a_failing_rule_are_reported_together() {
    assert_eq!(said::<Order>(&broken_order()), ALL_AT_ONCE);
}

#[test]
fn the_agent_hears_everything_after_its_first_reply() {
    let right = json!({ "name": "Bea", "lines": [{ "min": 2, "max": 3 }], "total": 3 });
    let agent = ScriptedAgent::new([broken_order().to_string(), right.to_string()]);
    let mut reported = Vec::new();
    let extraction = Order::extract(&agent, "?").observe(|event| {
        if let extract::Event::Judged { record, .. } = event {
            let said = |violation: &extract::Violation| format!("{}: {}", violation.path, violation.message);
            reported.push(record.violations.iter().map(said).collect::<Vec<_>>());
        }
    });
    let (order, metrics) = block_on(extraction).unwrap();
    assert_eq!((order.name.as_str(), metrics.attempts), ("Bea", 2));
    assert_eq!(reported, [ALL_AT_ONCE.map(str::to_owned).to_vec(), Vec::new()]);
}

#[test]
fn rules_of_a_value_with_a_broken_part_do_not_run_but_its_checks_do() {
    let order = json!({ "name": "Bea", "lines": [{ "min": 3 }, { "least": 5, "max": "x" }], "total": 3 });
    assert_eq!(
        said::<Order>(&order),
        [
            "$.lines[0].max: required, but absent",
            "$.lines[0].min: 3 is odd",
            "$.lines[1].least: 5 is odd",
            "$.lines[1].max: wrong type",
        ]
    );
}

#[derive(Deserialize, Extractable)]
#[extract(rule = never)]
struct Bounded {
    #[extract(range(max = 5), check = is_even)]
    number: u32,
}

fn never(bounded: &Bounded) -> Result<(), String> {
    if bounded.number == 0 { Ok(()) } else { Err(format!("{} is not 0", bounded.number)) }
}

#[test]
fn nothing_is_asked_about_a_value_that_breaks_the_schema_though_serde_takes_it() {
    assert_eq!(said::<Bounded>(&json!({ "number": 7 })), ["$.number: too large"]);
    assert_eq!(said::<Bounded>(&json!({ "number": 5 })), ["$: 5 is not 0", "$.number: 5 is odd"]);
}

#[derive(Deserialize, Extractable)]
struct Deep {
    option: Option<Box<Line>>,
    by_name: BTreeMap<String, Line>,
    pair: (u8, Line),
    array: [Line; 2],
    set: BTreeSet<Line>,
    #[serde(flatten)]
    flat: Flat,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
    new: New,
    page: Page<Line>,
    broken: u8,
}

#[derive(Deserialize, Extractable)]
struct Flat {
    #[extract(check = is_even)]
    inside: u32,
}

#[derive(Deserialize, Extractable)]
struct New(Line);

#[derive(Deserialize, Extractable)]
struct Page<T> {
    items: Vec<T>,
    next: Option<Box<Self>>,
}

#[test]
fn it_goes_through_containers() {
    let (bad, good) = (json!({ "min": 4, "max": 3 }), json!({ "min": 2, "max": 3 }));
    let half = json!({ "min": 1 });
    let deep = json!({
        "option": bad, "by_name": { "a": bad, "b": half }, "pair": [1, bad], "array": [good, bad], "set": [good, bad],
        "inside": 7, "new": bad, "page": { "items": [good], "next": { "items": [bad, half] } }, "broken": -1, "more": 1,
    });
    let expected = [
        "$.array[1].max: not in order",
        "$.broken: too small",
        "$.by_name.a.max: not in order",
        "$.by_name.b.max: required, but absent",
        "$.by_name.b.min: 1 is odd",
        "$.inside: 7 is odd",
        "$.new.max: not in order",
        "$.option.max: not in order",
        "$.page.next.items[0].max: not in order",
        "$.page.next.items[1].max: required, but absent",
        "$.page.next.items[1].min: 1 is odd",
        "$.pair[1].max: not in order",
        // A set has no positions.
        "$.set.max: not in order",
    ];
    assert_eq!(said::<Deep>(&deep), expected);
    let _ = |deep: Deep| (deep.flat.inside, deep.rest, deep.new.0, deep.page.next.map(|page| page.items));
    let _ = |deep: Deep| (deep.option, deep.by_name, deep.pair, deep.array, deep.set, deep.broken);
}

macro_rules! kinds {
    ($(#[$attribute:meta])* $name:ident) => {
        #[derive(Deserialize, Extractable)]
        $(#[$attribute])*
        #[allow(dead_code)]
        enum $name {
            Other,
            Named { #[extract(check = is_even)] a: u32, b: u32 },
            New(Line),
        }
    };
}

kinds!(External);
kinds!(
    #[serde(tag = "t")]
    Internal
);
kinds!(
    #[serde(tag = "t", content = "c")]
    Adjacent
);
kinds!(
    #[serde(untagged)]
    Untagged
);

#[test]
fn it_goes_into_the_variant_that_the_tag_names() {
    assert_eq!(
        said::<External>(&json!({ "Named": { "a": 1, "b": "x" } })),
        ["$.Named.a: 1 is odd", "$.Named.b: wrong type"]
    );
    assert_eq!(
        said::<Internal>(&json!({ "t": "Named", "a": 1, "b": "x" })),
        ["$.a: 1 is odd", "$.b: wrong type"]
    );
    assert_eq!(
        said::<Adjacent>(&json!({ "t": "Named", "c": { "a": 1, "b": "x" } })),
        ["$.c.a: 1 is odd", "$.c.b: wrong type"]
    );
    for (value, at) in [
        (said::<External>(&json!({ "New": { "min": 1, "max": "x" } })), "New."),
        (said::<Internal>(&json!({ "t": "New", "min": 1, "max": "x" })), ""),
    ] {
        assert_eq!(value, [format!("$.{at}max: wrong type"), format!("$.{at}min: 1 is odd")]);
    }
    assert_eq!(said::<Untagged>(&json!({ "a": 1, "b": "x" })).len(), 1, "nobody knows which was meant");
}

fn odd<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let number = u8::deserialize(deserializer)?;
    if number == 7 { Err(serde::de::Error::custom("seven is refused")) } else { Ok(number) }
}

fn a_byte(generator: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    generator.subschema_for::<u8>()
}

#[derive(Deserialize, Extractable)]
struct Picky {
    #[serde(deserialize_with = "odd")]
    #[extract(schema_with = a_byte)]
    number: u8,
    #[extract(check = is_short)]
    name: String,
}

#[derive(Deserialize, Extractable)]
struct Holds {
    #[serde(flatten)]
    inside: HoldsPicky,
    #[extract(check = is_short)]
    title: String,
}

#[derive(Deserialize, Extractable)]
struct HoldsPicky {
    picky: Picky,
}

#[test]
fn a_rejection_by_serde_does_not_hide_other_violations() {
    assert_eq!(
        said::<Picky>(&json!({ "number": 7, "name": "Bartholomew" })),
        ["$.name: too long a name", "$.number: seven is refused"]
    );
    // Under `flatten` serde reports no path.
    assert_eq!(
        said::<Holds>(&json!({ "picky": { "number": 7, "name": "Bea" }, "title": "Bartholomew" })),
        ["$.picky.number: seven is refused", "$.title: too long a name"]
    );
    let _ = |holds: Holds| (holds.inside.picky.number, holds.inside.picky.name, holds.title);
}

#[test]
fn a_value_that_is_broken_as_a_whole_has_no_valid_parts() {
    assert_eq!(said::<Order>(&json!(7)).len(), 1);
    assert_eq!(said::<Vec<Line>>(&json!({ "min": 1 })).len(), 1);
}
