//! Rules with a context.

use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::{AtomicUsize, Ordering},
};

use extract::{
    __private::{judge, judge_within},
    Extractable, ExtractionError, Extractor, Rejection, WithContext,
    settings::PromptOptions,
    testing::{ScriptedAgent, assert_extractable, block_on},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

struct Catalogue(Vec<&'static str>);

const CATALOGUE: Catalogue = Catalogue(Vec::new());

fn catalogue() -> Catalogue {
    Catalogue(vec!["bolt", "nut"])
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(context = Catalogue, rule = is_not_too_much)]
struct Line {
    #[extract(check = is_known)]
    part: String,
    quantity: u32,
}

fn is_known(part: &str, catalogue: &Catalogue) -> Result<(), String> {
    if catalogue.0.contains(&part) { Ok(()) } else { Err(format!("there is no {part}")) }
}

fn is_not_too_much(line: &Line, catalogue: &Catalogue) -> Result<(), Rejection> {
    if line.quantity as usize <= catalogue.0.len() {
        return Ok(());
    }
    Err(Rejection::new("more than there are").at("quantity").actual(line.quantity))
}

fn said<T: WithContext<Catalogue>>(value: Value) -> Vec<String> {
    let value: T = serde_json::from_value(value).unwrap();
    let violations = judge_within(&value, &catalogue());
    violations.into_iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
}

#[test]
fn checks_and_rules_get_the_context() {
    assert_eq!(said::<Line>(json!({ "part": "bolt", "quantity": 1 })), [""; 0]);
    assert_eq!(
        said::<Line>(json!({ "part": "wheel", "quantity": 7 })),
        ["$.part: there is no wheel", "$.quantity: more than there are"]
    );
}

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Order {
    list: Vec<Line>,
    boxed: Option<Box<Line>>,
    by_name: BTreeMap<String, Line>,
    by_hash: HashMap<u8, Line>,
    pair: (u8, Line),
    array: [Line; 1],
    page: Page<Line>,
    #[serde(flatten)]
    flat: Plain,
    kind: Kind,
}

/// Has no rules of its own.
#[derive(Deserialize, Extractable)]
struct Page<T> {
    item: T,
    next: Option<Box<Page<T>>>,
}

#[derive(Deserialize, Extractable)]
struct Plain {
    #[extract(check = is_even)]
    number: u32,
}

// The signature of a check is the library's.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_even(number: &u32) -> Result<(), String> {
    if number.is_multiple_of(2) { Ok(()) } else { Err(format!("{number} is odd")) }
}

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
enum Kind {
    #[extract(rule = is_one_of_two)]
    Part(#[extract(check = is_known)] String, String),
    Nothing,
}

fn is_one_of_two(one: &str, other: &str, catalogue: &Catalogue) -> Result<(), &'static str> {
    if catalogue.0 == [one, other] { Ok(()) } else { Err("not the two that there are") }
}

#[test]
fn the_context_goes_through_containers_and_types_without_one() {
    let line = json!({ "part": "wheel", "quantity": 1 });
    let order = json!({
        "list": [{ "part": "nut", "quantity": 2 }, line], "boxed": line, "by_name": { "a": line }, "by_hash": { "1": line },
        "pair": [1, line], "array": [line], "page": { "item": line, "next": { "item": line } }, "number": 3,
        "kind": { "Part": ["wheel", "nut"] },
    });
    let paths = [
        "list[1].part",
        "boxed.part",
        "by_name.a.part",
        r#"by_hash["1"].part"#,
        "pair[1].part",
        "array[0].part",
        "page.item.part",
        "page.next.item.part",
    ];
    let mut expected: Vec<_> = paths.iter().map(|path| format!("$.{path}: there is no wheel")).collect();
    expected.extend(
        [
            "$.number: 3 is odd",
            "$.kind.Part[0]: there is no wheel",
            "$.kind.Part: not the two that there are",
        ]
        .map(str::to_owned),
    );
    assert_eq!(said::<Order>(order), expected);
    let _ = Kind::Nothing;
}

#[test]
fn an_extraction_asks_again_until_the_context_is_satisfied() {
    let agent = ScriptedAgent::new([r#"{"part":"wheel","quantity":1}"#, r#"{"part":"nut","quantity":1}"#]);
    let catalogue = catalogue();
    let (line, metrics) = block_on(Line::extract(&agent, "Which?").context(&catalogue)).unwrap();
    assert_eq!((line.part.as_str(), metrics.attempts), ("nut", 2));

    let agent = ScriptedAgent::new([r#"{"part":"wheel","quantity":1}"#]);
    let extraction = Extractor::new().max_attempts(1).extract::<Line>(&agent, "Which?").context(&catalogue);
    let error = block_on(extraction).unwrap_err();
    assert!(matches!(error, ExtractionError::MaxRetriesExceeded { .. }));
    assert_eq!(error.violations()[0].message, "there is no wheel");
}

#[test]
fn a_reply_that_is_there_is_judged_within_the_context() {
    let reply = r#"{"part":"bolt","quantity":1}"#;
    assert_eq!(Line::from_reply_within(reply, &catalogue()).unwrap().0.part, "bolt");
    let error = Line::from_reply_within(reply, &CATALOGUE).unwrap_err();
    assert_eq!(error.violations().len(), 2);
}

#[test]
fn a_type_without_context_accepts_any() {
    assert!(u8::from_reply_within("1", &catalogue()).is_ok());
    let agent = ScriptedAgent::new(["[1]"]);
    let (numbers, _) = block_on(Vec::<u8>::extract(&agent, "?").context(&catalogue())).unwrap();
    assert_eq!(numbers, [1]);
}

#[test]
fn without_a_context_the_rules_that_need_one_do_not_run() {
    let line = json!({ "part": "wheel", "quantity": 7 });
    assert_eq!(extract::Contract::of::<Line>().unwrap().validate(&line), []);
    assert_eq!(judge(&serde_json::from_value::<Line>(line).unwrap()), []);
    assert_extractable::<Line>();
}

/// The request of the agent.
fn opening(catalogue: &Catalogue) -> String {
    let shown = std::sync::Mutex::new(String::new());
    let agent = ScriptedAgent::new([r#"{"part":"bolt","quantity":1}"#]);
    let extraction = Example::extract(&agent, "Which?")
        .context(catalogue)
        .prompt_options(PromptOptions::new().show_example(true))
        .observe(|event| {
            if let extract::Event::Asked { request, .. } = event {
                *shown.lock().unwrap() = format!("{:?}", request.conversation);
            }
        });
    let _ = block_on(extraction);
    shown.into_inner().unwrap()
}

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Example {
    #[extract(check = is_known, example = "bolt")]
    part: String,
}

#[test]
fn an_example_that_the_context_rejects_is_not_shown() {
    let _ = |example: Example| example.part;
    assert!(opening(&catalogue()).contains("to show the form"));
    assert!(!opening(&CATALOGUE).contains("to show the form"));
}

#[test]
fn rules_do_not_run_on_an_example_that_nobody_sees() {
    struct Calls(AtomicUsize);

    fn counts(counted: &Counted, calls: &Calls) -> Result<(), &'static str> {
        calls.0.fetch_add(1, Ordering::Relaxed);
        if counted.part.is_empty() { Err("no part") } else { Ok(()) }
    }

    #[derive(Deserialize, Extractable)]
    #[extract(context = Calls, rule = counts)]
    struct Counted {
        part: String,
    }

    let calls = Calls(AtomicUsize::new(0));
    let agent = ScriptedAgent::new([r#"{"part": "bolt"}"#]);
    let (counted, _) = block_on(Counted::extract(&agent, "…").context(&calls)).unwrap();
    assert_eq!((&*counted.part, calls.0.into_inner()), ("bolt", 1));
}
