//! Attempts: which replies count, when the loop ends, and the history.

use extract::testing::{ScriptedAgent, block_on};
use extract::{
    Code, Contract, Event, Extractable as _, ExtractionError, Extractor, Rejection, settings::SettingsError,
};
use serde_json::json;

use crate::domain::{Invoice, good, with};

#[test]
fn accepts_the_first_answer() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let (invoice, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(invoice.number, "INV-0007");
    assert_eq!(invoice.remarks, None);
    assert_eq!(metrics.attempts, 1);
    assert_eq!(agent.requests().len(), 1);
}

#[test]
fn accepts_a_correction_in_the_second_attempt() {
    let agent = ScriptedAgent::new([with("/total", json!(-91)), good().to_string()]);
    let (invoice, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert!((invoice.total - 91.0).abs() < f64::EPSILON);
    assert_eq!(metrics.attempts, 2);
}

#[test]
fn not_json_then_the_wrong_shape_then_right_in_one_budget() {
    let agent = ScriptedAgent::new(["I think so.".to_owned(), "[1]".to_owned(), good().to_string()]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!(metrics.attempts, 3);
}

#[test]
fn every_kind_of_failure_costs_one_attempt_of_the_same_budget() {
    let agent = ScriptedAgent::new([
        "no JSON here".to_owned(),
        "17".to_owned(),
        with("/currency", json!("DM")),
        with("/lines/0/unitPrice", json!(45.123)),
        with("/total", json!(90)),
        good().to_string(),
    ]);
    let error =
        block_on(Invoice::extract(&agent, "…").max_attempts(6).on_submit(|_| Err("not today"))).unwrap_err();
    let codes: Vec<Vec<_>> = error
        .history()
        .iter()
        .map(|attempt| attempt.violations.iter().map(|v| v.code.as_str()).collect())
        .collect();
    assert_eq!(
        codes,
        [
            vec!["NOT_JSON"],
            vec!["NOT_OBJECT"],
            vec!["INVALID_VALUE"],
            vec!["RULE", "WRONG_SUM"],
            vec!["WRONG_SUM"],
            vec!["REJECTED"]
        ]
    );
}

#[test]
fn the_error_has_every_attempt_in_order() {
    let replies: Vec<_> = ["DM", "Mark", "Taler"].map(|currency| with("/currency", json!(currency))).into();
    let agent = ScriptedAgent::new(replies.clone());
    let error = block_on(Invoice::extract(&agent, "…")).unwrap_err();
    let ExtractionError::MaxRetriesExceeded { attempts, max_attempts, history, raw_output, metrics, .. } =
        error
    else {
        panic!("{error}");
    };
    assert_eq!((attempts, max_attempts), (3, 3));
    assert_eq!(history.iter().map(|attempt| attempt.raw_output.clone()).collect::<Vec<_>>(), replies);
    assert_eq!(history.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(raw_output, replies[2]);
    assert_eq!(metrics.attempts, 3);
    for (attempt, currency) in history.iter().zip(["DM", "Mark", "Taler"]) {
        assert_eq!(attempt.submitted().unwrap()["currency"], currency);
        assert_eq!(attempt.violations.len(), 1);
        assert_eq!(attempt.violations[0].actual.as_deref(), Some(format!("\"{currency}\"").as_str()));
    }
}

/// A `main` that returns an error, and `unwrap`, print `{:?}`.
#[test]
fn an_error_prints_what_happened_and_with_all_attempts_on_request() {
    let agent = ScriptedAgent::new(["seventeen", "[\"17\", 18.5]"]);
    let error = block_on(Vec::<u32>::extract(&agent, "…").max_attempts(2)).unwrap_err();
    assert_eq!(format!("{error:?}"), format!("MaxRetriesExceeded: {error}"));
    assert!(!format!("{error:?}").contains("seventeen"));
    let everything = format!("{error:#?}");
    for part in ["seventeen", "input_tokens", "WrongType"] {
        assert!(everything.contains(part), "{everything}");
    }
}

#[test]
fn five_errors_are_reported_at_once() {
    let reply = json!({
        "number": "2041",
        "currency": "euro",
        "lines": [{"description": "", "quantity": "two", "unitPrice": 1, "kind": "goods"}],
    });
    let agent = ScriptedAgent::new([reply.to_string(), good().to_string()]);
    block_on(Invoice::extract(&agent, "…")).unwrap();
    let asked = agent.requests()[1].conversation.clone();
    let feedback = asked.turns().last().unwrap().text().to_owned();
    for path in ["$.number", "$.currency", "$.lines[0].description", "$.lines[0].quantity", "$.total"] {
        assert!(feedback.contains(&format!("path: {path}\n")), "{path} in {feedback}");
    }
    assert!(feedback.contains("5 violations"), "{feedback}");
}

#[test]
fn a_fatal_rejection_ends_it() {
    let agent = ScriptedAgent::new([good().to_string(), good().to_string()]);
    let error = block_on(
        Invoice::extract(&agent, "…")
            .on_submit(|_| Err(Rejection::fatal("this is a delivery note").code("WRONG_DOCUMENT"))),
    )
    .unwrap_err();
    let ExtractionError::Fatal { record, .. } = &error else { panic!("{error}") };
    assert_eq!((record.attempts, record.max_attempts), (1, 3));
    assert_eq!(record.history[0].violations[0].code, Code::from("WRONG_DOCUMENT"));
    assert_eq!(agent.remaining(), 1);
    assert_eq!(
        error.to_string(),
        "the answer was rejected for good in attempt 1 of 3; 1 violation in the last one:\n\
         [WRONG_DOCUMENT] $: this is a delivery note"
    );
}

#[test]
fn a_callback_runs_after_all_other_checks() {
    let agent = ScriptedAgent::new([
        with("/currency", json!("DM")),
        with("/total", json!(1)),
        good().to_string(),
        with("/number", json!("INV-0008")),
    ]);
    let mut seen = Vec::new();
    let extraction = Invoice::extract(&agent, "…").max_attempts(4).on_submit(|invoice: &Invoice| {
        seen.push(invoice.number.clone());
        if invoice.number == "INV-0007" { Err("this number is taken") } else { Ok(()) }
    });
    let (invoice, _) = block_on(extraction).unwrap();
    assert_eq!(invoice.number, "INV-0008");
    assert_eq!(seen, ["INV-0007", "INV-0008"]);
}

#[test]
fn all_callbacks_run() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let extraction = Invoice::extract(&agent, "…")
        .max_attempts(1)
        .on_submit(|_| Err("first"))
        .on_submit(|_| Err("second"));
    let error = block_on(extraction).unwrap_err();
    let messages: Vec<_> = error.violations().iter().map(|violation| violation.message.as_str()).collect();
    assert_eq!(messages, ["first", "second"]);
}

#[test]
fn an_error_without_a_reason_is_a_rejection_all_the_same() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let extraction =
        Invoice::extract(&agent, "…").max_attempts(1).on_submit(|_| Err(extract::Rejections::new()));
    let error = block_on(extraction).unwrap_err();
    assert_eq!(error.violations()[0].to_string(), "[REJECTED] $: rejected without a reason");
}

#[test]
fn a_warning_is_reported_and_accepted() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let extraction =
        Invoice::extract(&agent, "…").on_submit(|_| Err(Rejection::warning("an old form").at("number")));
    let (_, metrics) = block_on(extraction).unwrap();
    assert_eq!(metrics.attempts, 1);
    assert_eq!(metrics.warnings[0].path.to_string(), "$.number");
}

#[test]
fn a_cut_answer_is_its_own_outcome() {
    let whole = good().to_string();
    let half = whole[..whole.len() / 2].to_owned();
    let agent = ScriptedAgent::new([half.clone(), whole]);
    let (_, metrics) = block_on(Invoice::extract(&agent, "…").max_output_tokens(100)).unwrap();
    assert_eq!(metrics.attempts, 2);
    let requests = agent.requests();
    let feedback = requests[1].conversation.turns().last().unwrap().text();
    assert!(feedback.contains("cut off") && !feedback.contains("Fix"), "{feedback}");
    assert_eq!(
        requests.iter().map(|request| request.max_output_tokens).collect::<Vec<_>>(),
        [Some(100), Some(200)]
    );

    let agent = ScriptedAgent::new([half.clone(), half.clone()]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(2)).unwrap_err();
    assert!(matches!(error, ExtractionError::Truncated { .. }), "{error}");
    assert_eq!(error.attempts(), 2);
    assert_eq!(error.violations()[0].code, Code::Truncated);
    assert_eq!(error.raw_output(), Some(half.as_str()));
}

#[test]
fn a_panic_in_a_callback_keeps_the_story() {
    let agent = ScriptedAgent::new([with("/currency", json!("DM")), good().to_string()]);
    let extraction =
        Invoice::extract(&agent, "…").on_submit(|_: &Invoice| -> Result<(), String> { panic!("out of ink") });
    let error = block_on(extraction).unwrap_err();
    let ExtractionError::Panicked { message, record, .. } = &error else { panic!("{error}") };
    let history = &record.history;
    assert_eq!(message, "out of ink");
    assert_eq!(history.len(), 2);
    assert_eq!(history[1].submitted(), Some(&good()));
    // The value was not accepted.
    assert!(history[1].holding().is_empty() && history[1].violations[0].is_fatal());
}

#[test]
fn numbers_that_make_no_sense_are_errors_before_anything_is_asked() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let ask = || Invoice::extract(&agent, "…");
    for (setting, extraction) in [
        ("temperature", ask().temperature(f64::NAN)),
        ("temperature", ask().temperature(-1.0)),
        ("temperature_on_stall", ask().temperature_on_stall(f64::INFINITY)),
        ("max_output_tokens", ask().max_output_tokens(0)),
        ("token_budget", ask().token_budget(0)),
    ] {
        let error = block_on(extraction).unwrap_err();
        let ExtractionError::Settings(SettingsError::OutOfRange { setting: found, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!(found, setting);
    }
    assert!(agent.requests().is_empty());
}

#[test]
fn no_attempts_is_an_error_before_anything_is_asked() {
    let agent = ScriptedAgent::new([good().to_string()]);
    let error = block_on(Invoice::extract(&agent, "…").max_attempts(0)).unwrap_err();
    assert!(matches!(error, ExtractionError::Settings(SettingsError::NoAttempts)), "{error}");
    assert!(error.history().is_empty() && error.raw_output().is_none() && error.metrics().attempts == 0);
    assert!(agent.requests().is_empty());
}

#[test]
fn an_extractor_configures_once() {
    let extractor = Extractor::new().max_attempts(2).system("You read invoices.");
    for _ in 0..2 {
        let agent = ScriptedAgent::new(["no", "no", "no"]);
        let error = block_on(extractor.clone().extract::<Invoice>(&agent, "…")).unwrap_err();
        assert_eq!(error.metrics().attempts, 2);
        assert!(agent.requests()[0].conversation.turns()[0].text().starts_with("You read invoices.\n\n"));
    }
    let agent = ScriptedAgent::new(["no", "no", "no"]);
    let error = block_on(extractor.extract::<Invoice>(&agent, "…").max_attempts(1)).unwrap_err();
    assert_eq!(error.metrics().attempts, 1, "a later setting takes precedence over that of the extractor");
}

#[test]
fn a_schema_known_at_run_time_takes_the_same_way() {
    let contract =
        Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}, "minItems": 2})).unwrap();
    let agent = ScriptedAgent::new(["[1]", "[1, 2.5]", "The numbers are [1, 2]."]);
    let (value, metrics) = block_on(contract.extract(&agent, "Which numbers?")).unwrap();
    assert_eq!(value, json!([1, 2]));
    assert_eq!(metrics.attempts, 3);
    assert_eq!(metrics.changes.len(), 2, "{:?}", metrics.changes);
}

#[test]
fn events_come_in_the_order_in_which_things_happen() {
    let agent = ScriptedAgent::new(["no".to_owned(), good().to_string()]);
    let mut events = Vec::new();
    let extraction = Invoice::extract(&agent, "…").observe(|event| {
        events.push(match event {
            Event::Asked { attempt, max_attempts, .. } => format!("asked {attempt}/{max_attempts}"),
            Event::Replied { attempt, .. } => format!("replied {attempt}"),
            Event::Read { attempt, reading, .. } => format!("read {attempt} {}", reading.value.is_some()),
            Event::FeedingBack { record, agent, .. } => format!("feeding {} back to {agent}", record.number),
            Event::Judged { record, is_accepted, .. } => format!("judged {} {is_accepted}", record.number),
            Event::Done { is_success, metrics, .. } => format!("done {is_success} {}", metrics.attempts),
            other => format!("{other:?}"),
        });
    });
    block_on(extraction).unwrap();
    assert_eq!(
        events,
        [
            "asked 1/3",
            "replied 1",
            "read 1 false",
            "judged 1 false",
            "feeding 1 back to scripted",
            "asked 2/3",
            "replied 2",
            "read 2 true",
            "judged 2 true",
            "done true 2"
        ]
    );
}

#[test]
fn a_fatal_code_ends_it_and_others_are_asked_again() {
    fn rule(invoice: &Invoice) -> Result<(), Rejection> {
        match &*invoice.currency {
            "USD" => Err(Rejection::new("not our currency").code("WRONG_MARKET")),
            "GBP" => Err(Rejection::new("not ours either").code("OLD_MARKET")),
            _ => Ok(()),
        }
    }
    for (currency, is_fatal) in [("USD", true), ("GBP", false)] {
        let agent = ScriptedAgent::new([with("/currency", json!(currency)), good().to_string()]);
        let extraction =
            Invoice::extract(&agent, "…").on_submit(rule).fatal_codes(["WRONG_MARKET", "NO_MARKET"]);
        match block_on(extraction) {
            Ok((_, metrics)) => assert!(!is_fatal && metrics.attempts == 2, "{currency}"),
            Err(error) => {
                assert!(is_fatal && matches!(error, ExtractionError::Fatal { .. }), "{currency}: {error}");
                assert!(error.violations()[0].is_fatal());
                assert_eq!(agent.remaining(), 1);
            }
        }
    }
}

#[test]
fn codes_of_the_library_can_be_fatal_and_warnings_cannot() {
    let agent = ScriptedAgent::new(["no JSON", "8"]);
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let error = block_on(contract.extract(&agent, "…").fatal_codes([Code::NotJson])).unwrap_err();
    assert!(matches!(error, ExtractionError::Fatal { .. }), "{error}");

    let warns = contract.with_rule(|_| Err::<(), _>(Rejection::warning("large").code("LARGE")));
    let agent = ScriptedAgent::new(["8"]);
    let (_, metrics) = block_on(warns.extract(&agent, "…").fatal_codes(["LARGE"])).unwrap();
    assert_eq!(metrics.warnings[0].code, Code::from("LARGE"));
}

#[test]
fn only_fixable_violations_are_retried_whatever_their_code() {
    use extract::{Path, Severity, Violation, feedback::should_retry};
    let codes = [
        "NOT_JSON",
        "NOT_OBJECT",
        "MISSING_FIELD",
        "UNKNOWN_FIELD",
        "WRONG_TYPE",
        "INVALID_VALUE",
        "RULE",
        "REJECTED",
    ];
    for code in codes.into_iter().chain(["TRUNCATED", "PATCH", "CONTINUATION", "MORE", "MY_OWN"]) {
        let of = |severity| Violation::new(Path::root(), Code::from(code), "…").severity(severity);
        assert!(should_retry(&[of(Severity::Fixable)]), "{code}");
        assert!(should_retry(&[of(Severity::Fixable), of(Severity::Warning)]), "{code}");
        assert!(!should_retry(&[of(Severity::Warning)]), "{code}");
        assert!(!should_retry(&[of(Severity::Fixable), of(Severity::Fatal)]), "{code}");
    }
}
