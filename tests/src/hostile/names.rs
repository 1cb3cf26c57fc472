//! Values, tags and keys that resemble a name: reported, and never replaced by it.

use extract::{Code, Contract, Extractable, Violation};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{measured, mib};

/// The violations of a reply, after reading and validating it.
fn wrong(contract: &Contract, reply: &Value) -> Vec<Violation> {
    let reading = contract.read(&reply.to_string());
    assert_eq!(reading.value.as_ref(), Some(reply), "nothing may be changed: {:?}", reading.changes);
    let mut violations = reading.violations;
    violations.extend(contract.validate(reply));
    violations
}

fn one_of(names: &[&str]) -> Contract {
    Contract::from_schema(json!({"enum": names})).unwrap()
}

#[test]
fn a_part_of_a_name_or_a_sign_less_is_no_name() {
    for (names, given, suggested) in [
        (&["refund_denied", "exchange"][..], "refund", Some("refund_denied")),
        (&["USDT", "EUR"], "USD", Some("USDT")),
        (&["not_spam", "spam"], "not", Some("not_spam")),
        (&["active_trial", "closed"], "active", Some("active_trial")),
        (&["approve_with_conditions", "reject"], "approve", Some("approve_with_conditions")),
        (&["AA", "BB"], "AA-", Some("AA")),
        (&["A", "B"], "A-", Some("A")),
        (&["AB", "0"], "AB+", Some("AB")),
        (&["MW", "kV"], "mW", Some("MW")),
        (&["mg", "g"], "Mg", Some("mg")),
        (&["kB", "MB"], "kb", Some("kB")),
        (&["1", "0"], "-1", Some("1")),
        (&["north_east", "north_west"], "north", None),
    ] {
        let violations = wrong(&one_of(names), &json!(given));
        let [violation] = &violations[..] else { panic!("{given}: {violations:?}") };
        assert_eq!(violation.code, Code::InvalidValue, "{given}");
        let asked = suggested.map(|name| format!("did you mean {name:?}?"));
        assert_eq!(violation.hint, asked, "{given}: {violation}");
    }
}

#[test]
fn another_spelling_of_a_name_is_that_name() {
    for (names, given, meant) in [
        (&["refund_denied", "refund"][..], "Refund Denied", "refund_denied"),
        (&["not_spam", "spam"], "not spam", "not_spam"),
        (&["goods", "service"], "GOODS", "goods"),
        (&["EUR", "USD"], "eur", "EUR"),
        (&["A", "B"], "a", "A"),
        (&["A-", "A"], "a-", "A-"),
        (&["mg", "kg"], "KG", "kg"),
    ] {
        let reading = one_of(names).read(&json!(given).to_string());
        assert_eq!((reading.value, reading.violations), (Some(json!(meant)), vec![]), "{given}");
    }
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "action")]
#[allow(dead_code, reason = "what a reply would do")]
enum Command {
    DeleteAll { confirm: bool },
    Keep { confirm: bool },
}

#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "what a reply would do")]
enum External {
    DeleteAll { confirm: bool },
    Keep { confirm: bool },
}

#[test]
fn a_part_of_a_tag_does_nothing() {
    let contract = Contract::of::<Command>().unwrap();
    for tag in ["delete", "Delete", "All", "DeleteAll-", "-DeleteAll", "DeleteAllNot", "!DeleteAll"] {
        let violations = wrong(&contract, &json!({"action": tag, "confirm": true}));
        assert_eq!(violations[0].path.to_string(), "$.action", "{tag}: {violations:?}");
    }
    let contract = Contract::of::<External>().unwrap();
    for tag in ["delete", "Delete", "-DeleteAll", "DeleteAll!"] {
        assert!(!wrong(&contract, &json!({tag: {"confirm": true}})).is_empty(), "{tag}");
    }
    let spelled = Contract::of::<Command>().unwrap().read(r#"{"action": "delete_all", "confirm": true}"#);
    assert_eq!(spelled.value, Some(json!({"action": "DeleteAll", "confirm": true})));
}

#[test]
fn a_key_whose_sign_or_unit_differs_is_another_key() {
    for (name, key) in [
        ("power_MW", "power_mW"),
        ("mg", "Mg"),
        ("total", "-total"),
        ("total", "total-"),
        ("total", "tot"),
        ("size_kB", "size_kb"),
        ("rate", "rate%"),
        ("t1", "t-1"),
    ] {
        let schema = json!({"type": "object", "properties": {name: {"type": "number"}}, "required": [name]});
        let violations = wrong(&Contract::from_schema(schema).unwrap(), &json!({key: 1.5}));
        assert_eq!(violations[0].code, Code::MissingField, "{key}: {violations:?}");
    }
}

/// A thousand wrong values and a thousand names: similar names are looked up.
#[test]
fn wrong_values_of_many_names_cost_little() {
    let names: Vec<String> = (0..1_000).map(|number| format!("name_{number}")).collect();
    let contract = Contract::from_schema(json!({"type": "array", "items": {"enum": names}})).unwrap();
    let reply = json!(vec!["Name-X"; 1_000]).to_string();
    let (reading, cost) = measured(|| contract.read(&reply));
    assert_eq!(reading.value.unwrap()[999], "Name-X");
    assert!(cost.total < mib(4), "{cost:?}");
}
