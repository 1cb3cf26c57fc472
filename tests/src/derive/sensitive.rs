//! Sensitive values, which no message repeats.

use std::sync::Mutex;

use extract::{
    Contract, Event, Extractable, Rejection,
    testing::{ScriptedAgent, block_on},
};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = is_consistent)]
struct Account {
    #[extract(sensitive, one_of = ["secret-one", "secret-two"])]
    password: String,
    #[extract(sensitive, check = is_even)]
    pin: u32,
    #[extract(sensitive, schema_with = a_text)]
    #[serde(deserialize_with = "refused")]
    #[serde(default)]
    note: String,
    people: Vec<Person>,
    kind: u8,
}

#[derive(Debug, Deserialize, Extractable)]
struct Person {
    #[extract(sensitive)]
    #[serde(alias = "called")]
    name: String,
    age: u8,
}

fn a_text(generator: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    generator.subschema_for::<String>()
}

fn refused<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Err(serde::de::Error::custom(format!("no note may say {text}")))
}

// The signature of a check is the library's.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_even(pin: &u32) -> Result<(), Rejection> {
    if pin.is_multiple_of(2) { Ok(()) } else { Err(Rejection::new(format!("{pin} is odd")).actual(pin)) }
}

fn is_consistent(account: &Account) -> Result<(), String> {
    if account.kind == 1 { Ok(()) } else { Err(format!("{account:?} is no account")) }
}

fn said(value: &Value) -> Vec<String> {
    let violations = Contract::of::<Account>().unwrap().validate(value);
    violations.iter().map(ToString::to_string).collect()
}

#[test]
fn the_found_value_is_redacted() {
    let account = json!({ "password": "secret-tow", "pin": "a pin", "people": [{ "name": 7, "age": 1 }, { "called": 8, "age": 300 }], "kind": 1 });
    assert_eq!(
        said(&account),
        [
            "[INVALID_VALUE] $.password: not an allowed value (expected one of [\"secret-one\",\"secret-two\"], got (hidden))",
            "[WRONG_TYPE] $.people[0].name: wrong type (expected a string, got (hidden))",
            "[INVALID_VALUE] $.people[1].age: too large (expected at most 255, got 300)",
            "[WRONG_TYPE] $.people[1].called: wrong type (expected a string, got (hidden))",
            "[WRONG_TYPE] $.pin: wrong type (expected an integer, got (hidden))",
        ]
    );
}

#[test]
fn messages_of_rules_and_serde_do_not_quote_it() {
    let mut account = json!({ "password": "secret-one", "pin": 4711, "people": [{ "name": "Anna Bea", "age": 1 }], "kind": 2 });
    let rejected = said(&account);
    assert_eq!(rejected[1], "[RULE] $.pin: (hidden) is odd (got (hidden))");
    assert_eq!(
        rejected[0],
        "[RULE] $: Account { password: \"(hidden)\", pin: (hidden), note: \"\", people: [Person { name: \"(hidden)\", age: 1 }], \
         kind: 2 } is no account"
    );
    account["note"] = json!("whatever");
    let refused = said(&account);
    assert_eq!(
        refused,
        [
            "[INVALID_VALUE] $.note: not accepted (got (hidden))",
            "[RULE] $.pin: (hidden) is odd (got (hidden))"
        ]
    );
}

#[test]
fn the_agent_does_not_see_the_mark_and_the_loop_hides_values_too() {
    let shown = Mutex::new(Vec::new());
    let account = json!({ "password": "secret-one", "pin": 4712, "people": [], "kind": 1 }).to_string();
    let agent = ScriptedAgent::new([account.replace("4712", "4711"), account.clone(), account]);
    let mut decided = 0;
    let extraction = Account::extract(&agent, "?")
        .on_submit(|account| {
            decided += 1;
            if decided == 2 { Ok(()) } else { Err(format!("{} again", account.pin)) }
        })
        .observe(|event| match event {
            Event::Asked { request, .. } => shown.lock().unwrap().push(format!("{request:?}")),
            Event::Judged { record, .. } => {
                shown.lock().unwrap().extend(record.violations.iter().map(ToString::to_string));
            }
            _ => {}
        });
    block_on(extraction).unwrap();
    let shown = shown.into_inner().unwrap();
    assert!(
        shown[0].contains("password") && shown.iter().all(|text| !text.contains("x-sensitive")),
        "{shown:#?}"
    );
    assert_eq!(Account::schema()["properties"]["pin"]["x-sensitive"], true);
    assert_eq!(
        [&shown[1], &shown[3]],
        ["[RULE] $.pin: (hidden) is odd (got (hidden))", "[REJECTED] $: (hidden) again"]
    );
    let _ = |account: Account| {
        (account.password, account.note, account.people.into_iter().map(|p| (p.name, p.age)))
    };
}
