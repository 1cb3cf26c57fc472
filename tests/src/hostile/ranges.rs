//! Numbers beyond the range of their type: serde reads some as infinity.

use std::collections::BTreeMap;

use extract::{BySchemars, Contract, Extractable, Violation, settings::SchemaNotation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Returns the value of a reply, or its violations.
fn read<T: Extractable>(reply: &str) -> Result<T, Vec<Violation>> {
    let contract = Contract::of::<T>().unwrap();
    let reading = contract.read(reply);
    let mut violations = reading.violations;
    let Some(value) = reading.value else { return Err(violations) };
    violations.extend(contract.validate(&value));
    if violations.is_empty() { Ok(T::deserialize(&value).unwrap()) } else { Err(violations) }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Inner {
    b: f32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Tagged {
    One { b: f32 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Untagged {
    Word(bool),
    Number(f32),
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Everywhere {
    plain: f32,
    optional: Option<f32>,
    list: Vec<f32>,
    tuple: (u8, f32),
    map: BTreeMap<String, f32>,
    tagged: Tagged,
    untagged: Untagged,
    #[extract(range(min = 0.0))]
    positive: f32,
    #[serde(flatten)]
    inner: Inner,
}

/// Returns a reply with `number` at one of the paths and 1.5 at the others.
fn everywhere(place: usize, number: &str) -> String {
    let at = |index: usize| if index == place { number } else { "1.5" };
    format!(
        r#"{{"plain": {}, "optional": {}, "list": [0, {}], "tuple": [1, {}], "map": {{"k": {}}}, "tagged": {{"kind": "One", "b": {}}}, "untagged": {}, "positive": {}, "b": {}}}"#,
        at(0),
        at(1),
        at(2),
        at(3),
        at(4),
        at(5),
        at(6),
        at(7),
        at(8)
    )
}

#[test]
fn f32_beyond_its_range_is_a_violation_wherever_it_is() {
    let paths = [
        "$.plain",
        "$.optional",
        "$.list[1]",
        "$.tuple[1]",
        "$.map.k",
        "$.tagged.b",
        "$.untagged",
        "$.positive",
        "$.b",
    ];
    assert!(read::<Everywhere>(&everywhere(usize::MAX, "")).is_ok());
    for (place, path) in paths.into_iter().enumerate() {
        for number in ["1e39", "3.4028236e38", "3.4028235677973366e38", "1e308", "\"1e39\"", "-1e39"] {
            let violations = read::<Everywhere>(&everywhere(place, number)).unwrap_err();
            assert!(
                violations.iter().all(|one| one.path.to_string() == path),
                "{path} {number} {violations:?}"
            );
        }
        assert!(read::<Everywhere>(&everywhere(place, "3.4028234663852886e38")).is_ok(), "{path}");
    }
    let violations = read::<f32>("1e39").unwrap_err();
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].expected.as_deref(), Some("at most 3.4028235677973362e+38"));
}

#[test]
fn f32_next_to_its_range_is_rounded_to_its_end() {
    for (number, end) in [
        ("3.4028235677973362e38", f32::MAX),
        ("3.4028235e38", f32::MAX),
        ("-3.4028235677973362e38", f32::MIN),
        ("340282346638528859811704183484516925440", f32::MAX),
    ] {
        assert_eq!(read::<f32>(number), Ok(end), "{number}");
    }
}

#[test]
fn the_range_of_f32_is_enforced_and_not_shown() {
    let contract = Contract::of::<Everywhere>().unwrap();
    for notation in [SchemaNotation::Types, SchemaNotation::JsonSchema] {
        assert!(!contract.written_as(notation).contains("e38"), "{}", contract.written_as(notation));
    }
}

#[test]
fn f32_of_a_type_of_another_crate_has_its_range() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Celsius(f32);
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Day {
        low: Option<Celsius>,
        high: f32,
    }
    assert!(read::<BySchemars<Celsius>>("20.5").is_ok());
    assert!(read::<BySchemars<Celsius>>("1e39").is_err());
    assert!(read::<BySchemars<Day>>(r#"{"low": -1.5, "high": 3}"#).is_ok());
    assert!(read::<BySchemars<Day>>(r#"{"low": -1e39, "high": 3}"#).is_err());
    assert!(read::<Vec<BySchemars<Day>>>(r#"[{"low": null, "high": 1e39}]"#).is_err());
}

#[test]
fn f64_beyond_its_range_is_a_violation() {
    for number in ["1e309", "-1e999", "1.7976931348623159e308", "1e99999999999", &"9".repeat(400)] {
        for reply in [format!("[{number}]"), format!("[{number},]"), format!("[\"{number}\"]")] {
            let violations = read::<Vec<f64>>(&reply).unwrap_err();
            let [only] = &violations[..] else { panic!("{reply} {violations:?}") };
            assert_eq!(only.path.to_string(), "$[0]", "{reply}");
            let hint = only.hint.as_deref().unwrap_or_default();
            assert!(hint.contains("to 1.7976931348623157e308"), "{reply} {hint}");
        }
    }
    assert_eq!(read::<f64>("1.7976931348623157e308"), Ok(f64::MAX));
}
