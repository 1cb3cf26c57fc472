//! Tests of a value that streams in.

mod fields;
mod violations;

use std::{
    future::Future as _,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use extract::agent::{Agent, AgentError, AgentExt as _, DeltaSink, Reply, ReplyFuture, Request, ToolCall};
use extract::partials::{PartState, Partial, PartialStep, Partials};
use extract::settings::TransportOptions;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Event, Extractable, ExtractionError, Feedback};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
#[extract(rule = has_lines)]
struct Invoice {
    number: String,
    #[extract(one_of = ["EUR", "USD"])]
    currency: String,
    lines: Vec<Line>,
    total: f64,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Extractable)]
struct Line {
    what: Option<String>,
    qty: u32,
}

fn has_lines(invoice: &Invoice) -> Result<(), &'static str> {
    assert!(invoice.number != "panic", "a bug in a rule");
    if invoice.lines.is_empty() { Err("an invoice has lines") } else { Ok(()) }
}

const INVOICE: &str = r#"{"number": "INV-7", "currency": "EUR", "lines": [{"what": "bolts", "qty": 12}, {"qty": 1}], "total": 1200}"#;

/// A short form of each step: what is shown, `restarted`, `finished`, or the error.
fn steps<T>(mut stream: Partials<'_, T>, show: impl Fn(&Partial<T>) -> String) -> Vec<String> {
    block_on(async {
        let mut shown = Vec::new();
        while let Some(step) = stream.next().await {
            shown.push(match step {
                Ok(PartialStep::Partial(partial)) => show(&partial),
                Ok(PartialStep::Restarted { attempt, violations, .. }) => {
                    format!("restarted {attempt}, {} violations", violations.len())
                }
                Ok(PartialStep::Finished(_, metrics)) => format!("finished after {}", metrics.attempts),
                Ok(step) => format!("{:?}", std::mem::discriminant(&step)),
                Err(error) => error.to_string(),
            });
        }
        shown
    })
}

fn values<T>(stream: Partials<'_, T>) -> Vec<String> {
    steps(stream, |partial| partial.to_value().to_string())
}

/// One delta for each character.
fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

fn no_retries() -> TransportOptions {
    TransportOptions::new().retries(1).backoff(Duration::ZERO, Duration::ZERO)
}

#[test]
fn a_form_fills_itself() {
    let agent = ScriptedAgent::new([INVOICE]).streaming(letters(INVOICE));
    let mut shown = steps(Invoice::extract(&agent, "…").partials(), |partial| {
        let value = |pointer| partial.get(pointer).unwrap_or_default();
        format!(
            "{} {} {:?} {} {} {:?}",
            value("/number"),
            value("/currency"),
            partial.len("/lines"),
            value("/lines/0/qty"),
            value("/total"),
            partial.state("/total"),
        )
    });
    shown.dedup();
    assert_eq!(
        shown,
        [
            "null null None null null Pending",
            "\"I\" null None null null Pending",
            "\"IN\" null None null null Pending",
            "\"INV\" null None null null Pending",
            "\"INV-\" null None null null Pending",
            "\"INV-7\" null None null null Pending",
            "\"INV-7\" \"EUR\" None null null Pending",
            "\"INV-7\" \"EUR\" Some(0) null null Pending",
            "\"INV-7\" \"EUR\" Some(1) null null Pending",
            "\"INV-7\" \"EUR\" Some(1) 12 null Pending",
            "\"INV-7\" \"EUR\" Some(2) 12 null Pending",
            "\"INV-7\" \"EUR\" Some(2) 12 null Writing",
            "\"INV-7\" \"EUR\" Some(2) 12 1200 Done",
            "finished after 1",
        ]
    );
}

#[test]
fn parts_are_typed_as_soon_as_they_are_done() {
    let agent = ScriptedAgent::new([INVOICE]).streaming(letters(INVOICE));
    let mut shown = steps(Invoice::extract(&agent, "…").partials(), |partial| {
        let part = |pointer: &str| partial.part::<Line>(pointer).map(Result::unwrap);
        format!("{:?} {:?}", part("/lines/0"), partial.part::<Invoice>("").map(|whole| whole.unwrap().total))
    });
    shown.dedup();
    let line = "Some(Line { what: Some(\"bolts\"), qty: 12 })";
    assert_eq!(
        shown,
        [
            "None None".to_owned(),
            format!("{line} None"),
            format!("{line} Some(1200.0)"),
            "finished after 1".to_owned()
        ]
    );
}

#[test]
fn the_next_attempt_restarts_with_what_was_wrong() {
    let wrong = r#"{"number": "a", "currency": "EUR", "lines": [], "total": 1}"#;
    let agent = ScriptedAgent::new([wrong]).streaming([wrong]).then(INVOICE).streaming([&INVOICE[..20]]);
    let shown =
        steps(Invoice::extract(&agent, "…").partials(), |partial| format!("{:?}", partial.get("/number")));
    let number = |number: &str| format!("{:?}", Some(Value::from(number)));
    assert_eq!(
        shown,
        [
            number("a"),
            "restarted 2, 1 violations".to_owned(),
            number("INV-7"),
            number("INV-7"),
            "finished after 2".to_owned()
        ]
    );
}

#[test]
fn a_reply_that_broke_off_no_longer_counts() {
    let reset = || AgentError::transport("connection reset");
    let contract = Contract::from_schema(json!({"type": "array"})).unwrap();
    let agent = || {
        let agent = ScriptedAgent::default().then_fail(reset()).streaming(["[1, ", "2, "]);
        agent.then_fail(reset()).then("[1, 3]").streaming(["[1, "])
    };
    let expected = ["[1]", "[1,2]", "restarted 1, 0 violations", "[1]", "[1,3]", "finished after 1"];
    let script = agent();
    let options = no_retries().retries(2);
    assert_eq!(values(contract.extract(&script, "…").transport_options(options).partials()), expected);
    // The same retry inside a layer, which shows only in the first delta of the next reply.
    let layered = agent().retrying().backoff(Duration::ZERO, Duration::ZERO);
    assert_eq!(values(contract.extract(&layered, "…").partials()), expected);
}

#[test]
fn an_agent_that_does_not_stream_shows_its_value_at_once() {
    let agent = async |_: String| Ok::<_, AgentError>("[1, 2]");
    assert_eq!(values(Vec::<u8>::extract(&agent, "…").partials()), ["[1,2]", "finished after 1"]);
}

#[test]
fn a_submitted_value_is_shown_at_once() {
    let call = ToolCall::new("submit", json!({"what": "bolts", "qty": 3})).with_id("1");
    let agent = ScriptedAgent::new([Reply::new("").with_calls([call])]).calling_tools();
    let expected = [r#"{"what":"bolts","qty":3}"#, "finished after 1"];
    assert_eq!(values(Line::extract(&agent, "…").tools().partials()), expected);
}

fn calling(name: &str, arguments: impl Into<Value>) -> Reply {
    Reply::new("").with_calls([ToolCall::new(name, arguments).with_id(name)])
}

#[test]
fn a_value_is_shown_while_it_is_submitted() {
    let arguments = r#"{"what": "long bolts", "qty": 3}"#;
    let agent = ScriptedAgent::new([calling("submit", arguments)])
        .calling_tools()
        .streaming_arguments(0, [&arguments[..15], &arguments[15..27]]);
    let expected = [
        r#"{"what":"long "}"#,
        r#"{"what":"long bolts"}"#,
        r#"{"what":"long bolts","qty":3}"#,
        "finished after 1",
    ];
    assert_eq!(values(Line::extract(&agent, "…").tools().partials()), expected);
}

#[test]
fn the_wrapper_of_an_argument_is_seen_through() {
    for (arguments, expected) in [
        (r#"{ "value" : [1, 2]}"#, ["[1]", "[1,2]", "finished after 1"].as_slice()),
        // The same value without the wrapper.
        ("[1, 2]", &["[1]", "[1,2]", "finished after 1"]),
        (r#"{"value": "[1, 2]"}"#, &["[1]", "[1,2]", "finished after 1"]),
        (r#"{"values": [1, 2]}"#, &["[1,2]", "finished after 1"]),
    ] {
        let agent = ScriptedAgent::new([calling("submit", arguments)])
            .calling_tools()
            .streaming_arguments(0, letters(arguments));
        let mut shown = values(Vec::<u8>::extract(&agent, "…").tools().partials());
        shown.dedup();
        let begun = shown.iter().position(|shown| shown != "[]").unwrap();
        assert_eq!(shown[begun..], *expected, "{arguments}");
    }
}

#[test]
fn a_value_that_is_only_validated_is_not_shown() {
    let arguments = r#"{"what": "bolts", "qty": 3}"#;
    let both = Reply::new("").with_calls([
        ToolCall::new("validate", r#"{"what": "nuts", "qty": 1}"#).with_id("1"),
        ToolCall::new("submit", arguments).with_id("2"),
        ToolCall::new("submit", r#"{"qty": 3, "what": "bolts"}"#).with_id("3"),
    ]);
    let agent = ScriptedAgent::new([calling("validate", arguments)])
        .calling_tools()
        .streaming_arguments(0, letters(arguments))
        .then(both)
        .streaming_arguments(0, [r#"{"what": "nuts","#])
        .streaming_arguments(1, [&arguments[..17]])
        .streaming_arguments(2, [r#"{"qty": 3, "#])
        .streaming_arguments(1, [&arguments[17..26]]);
    let expected = [r#"{"what":"bolts"}"#, r#"{"what":"bolts","qty":3}"#, "finished after 1"];
    let mut shown = values(Line::extract(&agent, "…").tools().partials());
    shown.dedup();
    assert_eq!(shown, expected);
    agent.assert_finished();
}

#[test]
fn a_validated_value_is_shown_when_the_attempt_is_judged_by_it() {
    // An agent that validates a right value repeatedly has submitted it.
    let call = || calling("validate", json!({"what": "bolts", "qty": 3}));
    let agent = ScriptedAgent::new((0..5).map(|_| call())).calling_tools();
    let expected = [r#"{"what":"bolts","qty":3}"#, "finished after 1"];
    assert_eq!(values(Line::extract(&agent, "…").tools().partials()), expected);
    agent.assert_finished();
}

#[test]
fn a_submitted_value_takes_the_place_of_one_in_the_text() {
    let text = r#"My analysis: {"what": "nuts", "qty": 1} "#;
    let arguments = r#"{"what": "bolts", "qty": 3}"#;
    let reply = Reply::new(format!("{text}now. {{")).with_calls([ToolCall::new("submit", arguments)]);
    let agent = ScriptedAgent::new([reply])
        .calling_tools()
        .streaming([text])
        .streaming_arguments(0, [&arguments[..17]])
        .then("");
    let expected = [
        r#"{"what":"nuts","qty":1}"#,
        "restarted 1, 0 violations",
        r#"{"what":"bolts"}"#,
        r#"{"what":"bolts","qty":3}"#,
        "finished after 1",
    ];
    assert_eq!(values(Line::extract(&agent, "…").tools().partials()), expected);
}

#[test]
fn events_say_which_call_is_written() {
    let arguments = r#"{"what": "bolts", "qty": 3}"#;
    let reply = Reply::new("I submit it.").with_calls([ToolCall::new("submit", arguments)]);
    let agent = || {
        let agent = ScriptedAgent::new([reply.clone()]).calling_tools();
        agent.streaming(["I submit"]).streaming_arguments(0, [&arguments[..17]])
    };
    let (plain, layered) = (agent(), agent().retrying());
    let agents: [&dyn Agent; 2] = [&plain, &layered];
    for agent in agents {
        let mut told = Vec::new();
        let extraction = Line::extract(agent, "…").tools().stream(true).observe(|event| match event {
            Event::Delta { text, is_first, .. } => told.push(format!("{text} {is_first}")),
            Event::Arguments { attempt, call, name, text, is_first, .. } => {
                told.push(format!("{attempt} {call} {name} {text} {is_first}"));
            }
            _ => {}
        });
        block_on(extraction).unwrap();
        let expected = [
            "I submit true".to_owned(),
            format!("1 0 submit {} false", &arguments[..17]),
            " it. false".to_owned(),
            format!("1 0 submit {} false", &arguments[17..]),
        ];
        assert_eq!(told, expected);
    }
}

#[test]
fn what_is_not_strict_is_shown_when_it_was_read() {
    let reply = r#"{"what": "bolts", 'qty': 3}"#;
    let agent = ScriptedAgent::new([reply]).streaming(letters(&reply[..20]));
    let shown = values(Line::extract(&agent, "…").partials());
    let last = &shown[shown.len() - 3..];
    assert_eq!(last, [r#"{"what":"bolts"}"#, r#"{"what":"bolts","qty":3}"#, "finished after 1"]);
}

#[test]
fn another_value_than_the_one_shown_restarts() {
    let reply = r#"I see {"what": "x", "qty": 0} here. The answer: {"what": "bolts", "qty": 3}"#;
    let agent = ScriptedAgent::new([reply]).streaming([reply]);
    let shown = values(Line::extract(&agent, "…").partials());
    let expected = [
        r#"{"what":"x","qty":0}"#,
        "restarted 1, 0 violations",
        r#"{"what":"bolts","qty":3}"#,
        "finished after 1",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn an_example_or_a_draft_is_not_shown() {
    for label in ["For example", "Draft:", "My first attempt:\n"] {
        let reply =
            format!(r#"{label} {{"what": "x", "qty": 0}}. The answer: {{"what": "bolts", "qty": 3}}"#);
        let agent = ScriptedAgent::new([&*reply]).streaming(letters(&reply));
        let shown = values(Line::extract(&agent, "…").partials());
        assert_eq!(shown, [r#"{"what":"bolts","qty":3}"#, "finished after 1"], "{label}");
    }
}

#[test]
fn a_patch_is_not_shown_but_what_it_makes() {
    let contract =
        Contract::from_schema(json!({"type": "array", "items": {"type": "integer", "maximum": 9}})).unwrap();
    let patch = r#"[{"op": "replace", "path": "/1", "value": 2}]"#;
    let agent = ScriptedAgent::new(["[1, 20]"]).streaming(["[1, 20]"]).then(patch).streaming(letters(patch));
    let stream = contract.extract(&agent, "…").feedback(Feedback::Patch).partials();
    assert_eq!(values(stream), ["[1,20]", "restarted 2, 1 violations", "[1,2]", "finished after 2"]);
}

#[test]
fn an_error_is_the_last_step() {
    let agent = ScriptedAgent::new(["[1, \"x\"]"]);
    let mut stream = Vec::<u8>::extract(&agent, "…").max_attempts(1).partials();
    block_on(async {
        assert!(matches!(stream.next().await, Some(Ok(PartialStep::Partial(_)))));
        let error = stream.next().await.unwrap().unwrap_err();
        assert_eq!(error.history().len(), 1);
        assert!(stream.next().await.is_none() && stream.next().await.is_none());
    });
}

#[test]
fn a_panic_in_a_rule_is_the_error() {
    let reply = INVOICE.replace("INV-7", "panic");
    let agent = ScriptedAgent::new([&*reply]).streaming(letters(&reply));
    let mut stream = Invoice::extract(&agent, "…").partials();
    let last = block_on(async {
        let mut last = None;
        while let Some(step) = stream.next().await {
            last = Some(step);
        }
        last
    });
    assert!(matches!(last, Some(Err(ExtractionError::Panicked { .. }))), "{last:?}");
}

/// Sends all its deltas at once, and then waits. Counts the requests that are not dropped.
struct Hurried {
    deltas: Vec<String>,
    open: Arc<AtomicUsize>,
}

struct OpenRequest(Arc<AtomicUsize>);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Agent for Hurried {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(std::future::pending())
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.open.fetch_add(1, Ordering::Relaxed);
            let _open = OpenRequest(Arc::clone(&self.open));
            self.deltas.iter().for_each(|delta| sink.send(delta));
            std::future::pending().await
        })
    }
}

#[test]
fn a_consumer_that_is_slow_gets_the_last_partial_and_one_that_stops_ends_the_request() {
    let agent = Hurried { deltas: letters("[1, 2, 3, 4, "), open: Arc::default() };
    let mut stream = Vec::<u8>::extract(&agent, "…").partials();
    let Some(Ok(PartialStep::Partial(partial))) = block_on(stream.next()) else { panic!("a partial") };
    assert_eq!(partial.to_value(), json!([1, 2, 3, 4]));
    assert_eq!(agent.open.load(Ordering::Relaxed), 1);
    drop(stream);
    assert_eq!(agent.open.load(Ordering::Relaxed), 0);
    assert_eq!(partial.to_value(), json!([1, 2, 3, 4]), "it stays");
}

#[test]
fn nothing_is_asked_until_it_is_polled_and_it_can_be_dropped_anywhere() {
    for taken in 0..20 {
        let agent = ScriptedAgent::new(["[1, x"])
            .streaming(letters("[1, "))
            .then("[1, 2]")
            .streaming(letters("[1, "));
        let mut stream = Vec::<u8>::extract(&agent, "…").partials();
        block_on(async {
            for _ in 0..taken {
                if stream.next().await.is_none() {
                    break;
                }
            }
        });
        drop(stream);
        assert_eq!(agent.requests().is_empty(), taken == 0);
    }
}

/// Sends each delta in a separate poll, again from the start where `restarts` says so, and then
/// replies with `reply`.
struct Restarting {
    deltas: Vec<&'static str>,
    restarts: usize,
    reply: &'static str,
    open: Arc<AtomicUsize>,
}

impl Agent for Restarting {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new(self.reply)) })
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.open.fetch_add(1, Ordering::Relaxed);
            let _open = OpenRequest(Arc::clone(&self.open));
            for delta in &self.deltas {
                sink.send(delta);
                next_poll().await;
            }
            for _ in 0..self.restarts {
                let mut again = sink.restart();
                self.deltas.iter().for_each(|delta| again.send(delta));
            }
            next_poll().await;
            Ok(Reply::new(self.reply))
        })
    }
}

async fn next_poll() {
    let mut is_first = true;
    std::future::poll_fn(|context| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn a_reply_that_starts_again_and_again_restarts_once_for_a_slow_consumer() {
    let deltas = vec!["[1", ", 2"];
    let agent = Restarting { deltas, restarts: 10_000, reply: "[1, 2]", open: Arc::default() };
    let shown = values(Vec::<u8>::extract(&agent, "…").partials());
    assert_eq!(shown, ["[]", "[1]", "restarted 1, 0 violations", "[1]", "[1,2]", "finished after 1"]);
}

#[test]
fn a_provider_that_sends_the_text_again_from_the_start_is_read_in_the_end() {
    let contract = Contract::from_schema(json!({"type": "object"})).unwrap();
    let whole = r#"{"what": "bolts", "qty": 3}"#;
    // Without a restart, both are one text.
    for end in 0..=whole.len() {
        let outcome = check_stream(&contract, &format!("{}{whole}", &whole[..end]));
        assert!(outcome.restarts <= 1, "{end} {outcome:?}");
    }
}

#[test]
fn it_can_be_dropped_after_every_poll() {
    let mut polls = 0;
    loop {
        let (deltas, open) = (vec!["{\"what\": \"nuts", "\", 'qty", "': 3"], Arc::default());
        let agent = Restarting {
            deltas,
            restarts: 1,
            reply: "{\"what\": \"nuts\", 'qty': 3}",
            open: Arc::clone(&open),
        };
        let mut stream = Line::extract(&agent, "…").partials();
        let mut context = Context::from_waker(Waker::noop());
        let mut has_ended = false;
        for _ in 0..polls {
            has_ended = matches!(pin!(stream.next()).poll(&mut context), Poll::Ready(None));
        }
        drop(stream);
        assert_eq!(open.load(Ordering::Relaxed), 0, "after {polls} polls");
        if has_ended {
            break;
        }
        polls += 1;
    }
    assert!(polls > 6, "{polls}");
}

#[test]
fn one_delta_may_be_the_whole_of_a_long_reply() {
    let items: Vec<Value> = (0..40_000).map(|n| json!({"what": "some bolts", "qty": n})).collect();
    let strict = Value::from(items).to_string();
    let python = strict.replace('"', "'");
    assert!(strict.len() > 1_000_000);
    for reply in [strict, python] {
        let agent = ScriptedAgent::new([reply.as_str()]).streaming([&reply[..reply.len() - 1]]);
        let shown = steps(Vec::<Line>::extract(&agent, "…").partials(), |partial| {
            format!("{:?} {:?}", partial.len(""), partial.state("/39000/qty"))
        });
        let begun: usize = shown[0][5..].split(')').next().unwrap().parse().unwrap();
        assert!(begun > 39_900 && shown[0].ends_with("Done"), "{shown:?}");
        assert_eq!(shown[1..], ["Some(40000) Done", "finished after 1"]);
    }
}

#[test]
fn nothing_of_the_value_is_logged_by_accident() {
    let agent = ScriptedAgent::new([INVOICE]);
    let mut stream = Invoice::extract(&agent, "…").partials();
    let step = block_on(stream.next()).unwrap().unwrap();
    assert_eq!(format!("{step:?}"), "Partial(Partial { state: Done, .. })");
    assert_eq!(format!("{stream:?}"), "Partials { is_running: false, .. }");
}

/// The outcome of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Outcome {
    has_value: bool,
    /// How often the answer turned out to be another value of the reply than the one shown.
    restarts: usize,
}

/// Checks each partial against the ones before it, and the last one against the value.
fn check_stream(contract: &Contract, reply: &str) -> Outcome {
    let agent = ScriptedAgent::new([reply]).streaming(letters(reply));
    let mut stream = contract.extract(&agent, "…").max_attempts(1).max_continuations(0).partials();
    let (mut done, mut last): (Vec<(String, Value)>, _) = (Vec::new(), Value::Null);
    let mut restarts = 0;
    block_on(async {
        while let Some(step) = stream.next().await {
            match step {
                Ok(PartialStep::Partial(partial)) => {
                    for (pointer, value) in &done {
                        assert_eq!(partial.get(pointer).as_ref(), Some(value), "{pointer} of {reply:?}");
                    }
                    last = partial.to_value();
                    done.clear();
                    collect_done(&partial, &last, "", &mut done);
                }
                Ok(PartialStep::Restarted { .. }) => {
                    restarts += 1;
                    (done, last) = (Vec::new(), Value::Null);
                }
                Ok(PartialStep::Finished(value, _)) => {
                    assert_eq!(last, value, "{reply:?}");
                    return Outcome { has_value: true, restarts };
                }
                Ok(_) => {}
                Err(_) => return Outcome { has_value: false, restarts },
            }
        }
        unreachable!("a stream ends with a value or an error")
    })
}

/// The finished parts, without their own parts.
fn collect_done(partial: &Partial<Value>, value: &Value, at: &str, done: &mut Vec<(String, Value)>) {
    if partial.state(at) == PartState::Done {
        return done.push((at.to_owned(), value.clone()));
    }
    match value {
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(n, item)| collect_done(partial, item, &format!("{at}/{n}"), done));
        }
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            collect_done(partial, member, &format!("{at}/{key}"), done);
        }),
        _ => {}
    }
}

/// The texts of all recorded replies.
fn recorded_replies() -> Vec<String> {
    let recorded = [
        include_str!("../../fixtures/replies/jsonrepair_js.jsonl"),
        include_str!("../../fixtures/replies/vercel_fix_json.jsonl"),
        include_str!("../../fixtures/replies/partialjson_py.jsonl"),
    ];
    let rows = recorded.iter().flat_map(|rows| rows.lines());
    let rows = rows.map(|row| serde_json::from_str::<Value>(row).unwrap());
    rows.filter_map(|row| row["raw"].as_str().map(str::to_owned)).collect()
}

/// Replies, those that came to a value, and restarts.
fn counted(outcomes: impl Iterator<Item = Outcome>) -> (usize, usize, usize) {
    outcomes.fold((0, 0, 0), |(replies, values, restarts), outcome| {
        (replies + 1, values + usize::from(outcome.has_value), restarts + outcome.restarts)
    })
}

/// The counts are also in `docs/decisions.md`.
#[test]
fn what_is_done_stays_over_all_recorded_replies() {
    let anything = Contract::from_schema(json!({})).unwrap();
    let replies = recorded_replies();
    assert_eq!(counted(replies.iter().map(|reply| check_stream(&anything, reply))), (528, 331, 7));
}

/// The counts are also in `docs/decisions.md`.
#[test]
fn the_last_partial_is_the_value_for_the_schemas_of_others() {
    let documents = [
        include_str!("../../../benches/documents/bfcl.jsonl"),
        include_str!("../../../benches/documents/restaurant8k.jsonl"),
        include_str!("../../../benches/documents/snips_union.jsonl"),
    ];
    let mut outcomes = Vec::new();
    for row in documents.iter().flat_map(|rows| rows.lines().step_by(4)) {
        let row: Value = serde_json::from_str(row).unwrap();
        let contract = Contract::from_schema(row["schema"].clone()).unwrap();
        let gold = serde_json::to_string_pretty(&row["value"]).unwrap();
        let is_right = contract.validate(&row["value"]).is_empty();
        for reply in [
            gold.clone(),
            format!("Sure:\n```json\n{gold}\n```"),
            gold.replace("null", "\"null\""),
            gold.replace("null", "None").replace("true", "True").replace('"', "'"),
            gold.replace("\n}", ",\n}"),
        ] {
            let outcome = check_stream(&contract, &reply);
            assert!(outcome.has_value || !is_right, "{reply}");
            outcomes.push(outcome);
        }
    }
    assert_eq!(counted(outcomes.into_iter()), (450, 450, 0));
}

#[test]
fn a_thousand_partials_take_no_more_memory_than_one() {
    let words: Vec<String> = (0..4_000).map(|n| format!("word {n}")).collect();
    let text =
        json!([words.join(" "), words.iter().map(|word| json!({"a": word})).collect::<Vec<_>>()]).to_string();
    let contract = Contract::from_schema(json!({"type": "array"})).unwrap();
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(8).collect();
    let agent = || {
        let deltas = bytes.iter().map(|bytes| str::from_utf8(bytes).unwrap());
        ScriptedAgent::new([text.as_str()]).streaming(deltas)
    };
    let (plain, with_partials) = (agent(), agent());
    let without = allocation_counter::measure(|| {
        block_on(contract.extract(&plain, "…").stream(true)).unwrap();
    });
    let mut kept = Vec::with_capacity(bytes.len() + 1);
    let with = allocation_counter::measure(|| {
        let mut stream = contract.extract(&with_partials, "…").partials();
        block_on(async {
            while let Some(Ok(step)) = stream.next().await {
                if let PartialStep::Partial(partial) = step {
                    kept.push(partial);
                }
            }
        });
    });
    assert!(kept.len() > bytes.len() * 9 / 10, "{} of {}", kept.len(), bytes.len());
    let more = with.bytes_max - without.bytes_max;
    assert!(more < 16 * text.len() as u64, "{more} for {}", text.len());
    assert_eq!(kept[kept.len() / 4].get("/0").unwrap().as_str().unwrap()[..6], words[0]);
}
