//! Tests of violations in complete parts.

use std::cell::{Cell, RefCell};

use extract::partials::{PartState, Partial, PartialStep};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable, ExtractionError, Path, Violation, WithContext};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fields::{chunks, partials};

thread_local! {
    static CHECKED: Cell<usize> = const { Cell::new(0) };
    static SHOWN: RefCell<Option<Partial<Order>>> = const { RefCell::new(None) };
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = has_lines)]
#[allow(dead_code, reason = "only the judgement matters")]
struct Order {
    #[extract(pattern = "^INV")]
    number: String,
    #[extract(sensitive, check = is_ours)]
    iban: Option<String>,
    lines: Vec<Line>,
    payment: Option<Payment>,
    #[extract(check = is_positive)]
    total: f64,
}

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = is_affordable)]
struct Line {
    #[extract(check = is_counted, range(max = 99))]
    qty: u32,
    price: f64,
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "by")]
#[allow(dead_code, reason = "only the judgement matters")]
enum Payment {
    Card {
        #[extract(length(equal = 4))]
        digits: String,
    },
    Transfer {
        #[extract(length(min = 8))]
        digits: String,
    },
}

fn has_lines(order: &Order) -> Result<(), &'static str> {
    if order.lines.is_empty() { Err("an order has lines") } else { Ok(()) }
}

#[allow(clippy::ref_option, reason = "the signature of a check")]
fn is_ours(iban: &Option<String>) -> Result<(), String> {
    match iban {
        Some(iban) if !iban.starts_with("DE") => Err(format!("{iban} is not in Germany")),
        _ => Ok(()),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_positive(total: &f64) -> Result<(), &'static str> {
    assert!(*total < 666.0, "a bug in a check");
    if *total > 0.0 { Ok(()) } else { Err("the total is positive") }
}

#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_counted(qty: &u32) -> Result<(), &'static str> {
    CHECKED.set(CHECKED.get() + 1);
    // It may ask for violations itself.
    SHOWN.with_borrow(|shown| shown.as_ref().map(|partial| partial.violations("")));
    if *qty == 0 { Err("at least one") } else { Ok(()) }
}

fn is_affordable(line: &Line) -> Result<(), &'static str> {
    if f64::from(line.qty) * line.price > 1000.0 { Err("too much in one line") } else { Ok(()) }
}

fn said(violations: &[Violation]) -> Vec<String> {
    let said = violations.iter().map(|violation| format!("{}: {}", violation.path, violation.message));
    let mut said: Vec<String> = said.collect();
    said.sort();
    said
}

/// The violations of the whole value.
fn finally<T: Extractable + WithContext + Send>(reply: &str) -> Vec<Violation> {
    T::from_reply(reply).err().map(|error| error.violations().to_vec()).unwrap_or_default()
}

/// Returns whether `violation` concerns a part that was judged by itself. That excludes the whole
/// value, and parts that may still become something else, such as a string for a number.
fn is_of_a_part<T>(violation: &Violation, partial: &Partial<T>) -> bool {
    let parts = std::iter::successors(Some(violation.path.clone()), Path::parent);
    let mut states = parts.map(|part| (part.is_root(), partial.state(&part.to_pointer())));
    states.find(|(_, state)| *state != PartState::Pending) == Some((false, PartState::Done))
}

#[test]
fn a_field_turns_red_while_the_rest_is_written() {
    let reply = r#"{"number": "7", "lines": [{"qty": 0, "price": 1}, {"qty": 2, "price": 600}, {"qty": 1, "price": 1}], "total": -1}"#;
    let (partials, order) = partials::<Order>(reply, &chunks(reply, 1));
    assert!(order.is_none());
    let mut seen: Vec<Vec<String>> = partials.iter().map(|partial| said(&partial.violations(""))).collect();
    seen.dedup();
    let all = [
        "$.number: does not have the required form",
        "$.lines[0].qty: at least one",
        "$.lines[1]: too much in one line",
        "$.total: the total is positive",
    ];
    let upto = |count: usize| {
        let mut some: Vec<String> = all[..count].iter().map(|one| (*one).to_owned()).collect();
        some.sort();
        some
    };
    assert_eq!(seen, [upto(0), upto(1), upto(2), upto(3), upto(4)]);

    let last = partials.last().unwrap();
    let at = |pointer: &str| said(&last.violations(pointer));
    assert_eq!(at("/lines"), ["$.lines[0].qty: at least one", "$.lines[1]: too much in one line"]);
    assert_eq!(at("/lines/0"), ["$.lines[0].qty: at least one"]);
    assert_eq!(at("/lines/0/qty"), ["$.lines[0].qty: at least one"]);
    assert_eq!(
        [at("/lines/2"), at("/line"), at("/lines/10"), at("/nowhere")],
        [const { Vec::<String>::new() }; 4]
    );
}

/// Orders with mistakes of all kinds, some quite strange.
fn orders() -> Vec<Value> {
    let numbers = [json!("INV-1"), json!("1"), json!(null), json!(7)];
    let ibans = [json!(null), json!("DE12"), json!("AT99")];
    let lines = [
        json!([]),
        json!([{"qty": 1, "price": 2}]),
        json!([{"qty": 0, "price": 2}, {"qty": 50, "price": 60}, {"qty": 100, "price": 60}]),
        json!([{"qty": 0}, {"qty": 0, "price": 1}, "x", {"price": 1, "qty": "0"}]),
        json!({"qty": 0, "price": 1}),
    ];
    let payments = [
        json!(null),
        json!({"digits": "1234", "by": "Card"}),
        json!({"by": "Transfer", "digits": "1234"}),
        json!({"digits": "12", "by": "Transfer"}),
        json!({"digits": "12", "by": "Cash"}),
    ];
    let totals = [json!(1), json!(-1.5), json!("none")];
    let mut orders = Vec::new();
    for (n, number) in numbers.iter().enumerate() {
        for (l, lines) in lines.iter().enumerate() {
            for (p, payment) in payments.iter().enumerate() {
                let (iban, total) = (&ibans[(n + l) % 3], &totals[(l + p) % 3]);
                orders.push(json!({
                    "number": number, "iban": iban, "lines": lines, "payment": payment, "total": total,
                }));
            }
        }
    }
    orders
}

#[test]
fn what_is_said_of_parts_is_what_the_whole_says() {
    let mut of_parts = 0;
    for order in orders() {
        let reply = order.to_string();
        let whole = finally::<Order>(&reply);
        let last = |size: usize| partials::<Order>(&reply, &chunks(&reply, size)).0.pop().unwrap();
        let partial = last(1);
        let parts = partial.violations("");
        for violation in &parts {
            assert!(whole.contains(violation), "{violation:?} of {reply} is not in {whole:#?}");
        }
        for violation in whole.iter().filter(|violation| is_of_a_part(violation, &partial)) {
            assert!(parts.contains(violation), "{violation:?} of {reply} is not in {parts:#?}");
        }
        for size in [3, 17, 10_000] {
            assert_eq!(last(size).violations(""), parts, "{reply} by {size}");
        }
        of_parts += parts.len();
    }
    assert!(of_parts > 200, "{of_parts}");
}

#[test]
fn each_part_is_judged_once_however_often_it_is_asked_for() {
    let lines: Vec<Value> = (0..20).map(|_| json!({"qty": 1, "price": 1})).collect();
    let reply = json!({"number": "INV", "lines": lines, "total": 1}).to_string();
    let checked = |size: usize, times: usize| {
        CHECKED.set(0);
        let (partials, _) = partials::<Order>(&reply, &chunks(&reply, size));
        let finally = CHECKED.replace(0);
        assert_eq!(finally, 20, "once by the judgement of the whole, and nothing that nobody asks for");
        for _ in 0..times {
            for partial in &partials {
                assert!(partial.violations("").is_empty());
                assert!(partial.clone().violations("/lines/3").is_empty());
            }
        }
        CHECKED.get()
    };
    // As a number, in its line, and in the list.
    assert_eq!([checked(1, 1), checked(1, 3), checked(1000, 2)], [60, 60, 60]);
}

#[test]
fn a_partial_never_changes() {
    let reply = r#"{"number": "7", "lines": [{"qty": 0, "price": 1}], "total": -1}"#;
    let (partials, _) = partials::<Order>(reply, &chunks(reply, 1));
    let last = said(&partials.last().unwrap().violations(""));
    assert_eq!(last.len(), 3);
    assert!(partials[0].violations("").is_empty());
    let counts: Vec<usize> = partials.iter().map(|partial| partial.violations("").len()).collect();
    assert!(counts.is_sorted() && counts.contains(&1) && counts.contains(&2), "{counts:?}");
}

#[test]
fn a_panic_in_a_check_is_the_error_in_the_end() {
    let reply = r#"{"total": 666, "number": "7", "lines": []}"#;
    let agent = ScriptedAgent::new([reply]).streaming(chunks(reply, 1));
    let mut stream = Order::extract(&agent, "…").partials();
    let mut seen = Vec::new();
    let error = block_on(async {
        loop {
            match stream.next().await {
                Some(Ok(PartialStep::Partial(partial))) => seen = said(&partial.violations("")),
                Some(Err(error)) => return error,
                other => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(seen, ["$.number: does not have the required form"]);
    assert!(matches!(error, ExtractionError::Panicked { .. }), "{error}");
}

#[test]
fn a_check_may_ask_for_violations() {
    let reply = r#"{"number": "INV", "lines": [{"qty": 0, "price": 1}, {"qty": 1, "price": 1}], "total": 1}"#;
    let (partials, _) = partials::<Order>(reply, &[reply]);
    SHOWN.set(partials.first().cloned());
    assert_eq!(said(&partials[0].violations("")), ["$.lines[0].qty: at least one"]);
    SHOWN.set(None);
}

#[test]
fn sensitive_values_are_redacted() {
    let reply = r#"{"iban": "AT99", "number": "INV", "lines": [], "total": 1}"#;
    let (partials, _) = partials::<Order>(reply, &[&reply[..20]]);
    assert_eq!(said(&partials[0].violations("/iban")), ["$.iban: (hidden) is not in Germany"]);
}

#[test]
fn many_violations_are_known_up_to_a_limit() {
    let reply = format!("[{}0]", "400, ".repeat(2000));
    let (partials, _) = partials::<Vec<u8>>(&reply, &chunks(&reply, 64));
    assert_eq!(partials.last().unwrap().violations("").len(), 1000);
    assert_eq!(partials.last().unwrap().violations("/7").len(), 1);
}

struct Catalogue(Vec<&'static str>);

#[derive(Debug, Deserialize, Extractable)]
#[extract(context = Catalogue)]
#[allow(dead_code, reason = "only the judgement matters")]
struct Basket {
    #[extract(check = is_listed)]
    part: String,
    qty: u8,
}

fn is_listed(part: &str, catalogue: &Catalogue) -> Result<(), &'static str> {
    CHECKED.set(CHECKED.get() + 1);
    if catalogue.0.contains(&part) { Ok(()) } else { Err("not in the catalogue") }
}

#[test]
fn rules_with_a_context_are_run_when_a_part_is_shown() {
    let reply = r#"{"part": "nut", "qty": 1}"#;
    let agent = ScriptedAgent::new([reply]).streaming(chunks(reply, 1));
    let catalogue = Catalogue(vec!["bolt"]);
    let mut stream = Basket::extract(&agent, "…").context(&catalogue).max_attempts(1).partials();
    CHECKED.set(0);
    let mut seen = Vec::new();
    let mut last = None;
    block_on(async {
        while let Some(Ok(PartialStep::Partial(partial))) = stream.next().await {
            seen.push(partial.violations("/part").len());
            last = Some(partial);
        }
    });
    assert_eq!(CHECKED.get(), 2, "once, and by the judgement of the whole");
    assert!(seen.is_sorted() && seen.first() == Some(&0) && seen.last() == Some(&1), "{seen:?}");
    // A partial may outlive the context.
    drop(stream);
    drop(catalogue);
    assert_eq!(said(&last.unwrap().violations("")), ["$.part: not in the catalogue"]);
}

#[test]
fn the_violations_of_an_attempt_are_not_those_of_the_next() {
    let wrong = r#"{"part": "nut", "qty": 1}"#;
    let right = r#"{"part": "bolt", "qty": 1}"#;
    let agent = ScriptedAgent::new([wrong]).streaming([wrong]).then(right).streaming([right]);
    let catalogue = Catalogue(vec!["bolt"]);
    let mut stream = Basket::extract(&agent, "…").context(&catalogue).partials();
    let mut seen = Vec::new();
    block_on(async {
        while let Some(step) = stream.next().await {
            match step.unwrap() {
                PartialStep::Partial(partial) => seen.push(partial.violations("").len()),
                PartialStep::Restarted { .. } => seen.push(100),
                _ => {}
            }
        }
    });
    seen.dedup();
    assert_eq!(seen, [1, 100, 0]);
}
