//! Async checks and rules.
#![expect(clippy::unused_async, reason = "the signature is the library's")]

use std::{
    cell::Cell,
    future::poll_fn,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
};

use extract::{
    Contract, Extractable, ExtractionError, Rejection,
    testing::{ScriptedAgent, assert_extractable, block_on},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A register that records lookups.
#[derive(Default)]
struct Register {
    asked: Mutex<Vec<String>>,
    decided: AtomicUsize,
}

impl Register {
    /// Answers after one pending poll.
    async fn knows(&self, name: &str) -> bool {
        let mut has_waited = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.asked.lock().unwrap().push(name.to_owned());
        !name.starts_with("No")
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(context = Register, async_rule = is_registered)]
struct Company {
    people: Vec<Person>,
    #[extract(check = is_short)]
    name: String,
    seat: Seat,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(context = Register)]
struct Person {
    #[extract(async_check = is_known, check = is_short)]
    name: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(context = Register)]
enum Seat {
    #[extract(async_rule = is_a_place)]
    Abroad {
        country: String,
        city: String,
    },
    Unknown,
}

fn is_short(text: &str, _: &Register) -> Result<(), &'static str> {
    if text.len() < 9 { Ok(()) } else { Err("too long") }
}

async fn is_known(name: &str, register: &Register) -> Result<(), String> {
    if register.knows(name).await { Ok(()) } else { Err(format!("{name} is unknown")) }
}

async fn is_registered(company: &Company, register: &Register) -> Result<(), Rejection> {
    if register.knows(&company.name).await {
        return Ok(());
    }
    Err(Rejection::new("not registered").at("name").actual(&company.name))
}

async fn is_a_place(country: &str, city: &str, register: &Register) -> Result<(), &'static str> {
    if register.knows(&format!("{city}, {country}")).await { Ok(()) } else { Err("no such place") }
}

fn company(people: [&str; 2], name: &str, city: &str) -> String {
    let people = people.map(|name| json!({ "name": name }));
    let seat = json!({ "Abroad": { "country": "CH", "city": city } });
    json!({ "people": people, "name": name, "seat": seat }).to_string()
}

fn violations(error: &ExtractionError) -> Vec<String> {
    error.violations().iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
}

#[test]
fn they_are_asked_at_their_places_and_reported_like_the_others() {
    let register = Register::default();
    let agent = ScriptedAgent::new([company(["Anna", "Noone"], "Nowhere", "Noville")]);
    let extraction = Company::extract(&agent, "Which?").max_attempts(1).context(&register);
    let error = block_on(extraction).unwrap_err();
    assert_eq!(
        violations(&error),
        ["$.name: not registered", "$.people[1].name: Noone is unknown", "$.seat.Abroad: no such place"]
    );
    assert_eq!(register.asked(), ["Anna", "Noone", "Noville, CH", "Nowhere"]);
}

#[test]
fn async_rules_run_after_all_others_and_before_callbacks() {
    let register = Register::default();
    let agent = ScriptedAgent::new([
        company(["Anna", "Bartholomew"], "Firma", "Chur"),
        company(["Anna", "Noone"], "Firma", "Chur"),
        company(["Anna", "Bea"], "Firma", "Chur"),
    ]);
    let extraction = Company::extract(&agent, "Which?").context(&register).on_submit(|_| {
        register.decided.fetch_add(1, Ordering::Relaxed);
        Ok::<(), String>(())
    });
    let (company, metrics) = block_on(extraction).unwrap();
    assert_eq!((company.people[1].name.as_str(), metrics.attempts), ("Bea", 3));
    assert_eq!(register.asked()[..2], ["Anna", "Noone"], "the first answer was not asked about");
    assert_eq!(register.decided.load(Ordering::Relaxed), 1);
}

#[test]
fn a_warning_lets_the_value_pass() {
    #[derive(Deserialize, Extractable)]
    #[extract(async_rule = is_doubtful)]
    struct Doubt(u8);

    async fn is_doubtful(_: &Doubt) -> Result<(), Rejection> {
        Err(Rejection::warning("doubtful"))
    }

    let (doubt, metrics) = block_on(Doubt::extract(&ScriptedAgent::new(["1"]), "?")).unwrap();
    assert_eq!((doubt.0, metrics.warnings[0].message.as_str()), (1, "doubtful"));
}

async fn panics(number: &u8) -> Result<(), String> {
    if *number == 1 { panic!("one is too few") } else { Ok(()) }
}

#[derive(Debug, Deserialize, Extractable)]
struct Panics {
    #[extract(async_check = panics)]
    number: u8,
    /// Not `Sync`: only judged values have to be.
    #[extract(schema_with = a_byte)]
    cell: Cell<u8>,
}

fn a_byte(generator: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    generator.subschema_for::<u8>()
}

#[test]
fn a_panic_ends_the_extraction_with_its_story() {
    let agent = ScriptedAgent::new([r#"{"number": 1, "cell": 0}"#]);
    let error = block_on(Panics::extract(&agent, "?")).unwrap_err();
    assert!(
        matches!(&error, ExtractionError::Panicked { message, .. } if message == "one is too few"),
        "{error}"
    );
    assert_eq!(error.history().len(), 1);
}

#[test]
fn without_an_extraction_they_do_not_run() {
    let value = json!({ "number": 1, "cell": 0 });
    assert_eq!(Contract::of::<Panics>().unwrap().validate(&value), []);
    let (panics, _) = Panics::from_reply(value.to_string()).unwrap();
    assert_eq!((panics.number, panics.cell.get()), (1, 0));
    assert_extractable::<Company>();
    let _ = Seat::Unknown;
}

#[derive(Deserialize, Extractable)]
#[serde(from = "u8")]
#[extract(async_rule = is_not_one)]
struct Converted(u8);

impl From<u8> for Converted {
    fn from(number: u8) -> Self {
        Self(number)
    }
}

async fn is_not_one(converted: &Converted) -> Result<(), &'static str> {
    if converted.0 == 1 { Err("is one") } else { Ok(()) }
}

#[test]
fn a_rule_sees_the_converted_value() {
    let agent = ScriptedAgent::new(["1", "2"]);
    assert_eq!(block_on(Converted::extract(&agent, "?")).unwrap().0.0, 2);
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

// The signature of a check is the library's.
#[expect(clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps)]
fn counts(number: &u8) -> Result<(), String> {
    // The example is judged too.
    if *number == 77 {
        RUNS.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

#[derive(Deserialize, Extractable)]
struct Counted {
    #[extract(check = counts, async_check = is_any)]
    number: u8,
}

async fn is_any(_: &u8) -> Result<(), String> {
    Ok(())
}

#[test]
fn synchronous_checks_run_once() {
    let (counted, _) = block_on(Counted::extract(&ScriptedAgent::new([r#"{"number": 77}"#]), "?")).unwrap();
    assert_eq!((counted.number, RUNS.load(Ordering::Relaxed)), (77, 1));
}
