//! A text is asked about once, whoever asks for it.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use extract::{Contract, Extractor, bulk::Doc};
use extract_datafusion::Job;
use serde_json::{Value, json};

const TEXTS: [&str; 4] = ["total 12", "total 3.5", "a stain", "nothing"];

fn contract() -> Contract {
    let total = json!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
    Contract::from_schema(total).unwrap()
}

/// Reads the total, and has no answer for other texts.
fn reply(text: &str) -> Result<String, io::Error> {
    Ok(match TEXTS.iter().find(|known| text.contains(**known)) {
        Some(&"total 12") => r#"{"total": 12}"#.to_owned(),
        Some(&"total 3.5") => r#"{"total": 3.5}"#.to_owned(),
        _ => "I cannot read it.".to_owned(),
    })
}

fn counted(
    calls: &Arc<AtomicUsize>,
) -> impl Fn(String) -> std::future::Ready<Result<String, io::Error>> + use<> {
    let calls = Arc::clone(calls);
    move |prompt: String| {
        calls.fetch_add(1, Ordering::Relaxed);
        std::future::ready(reply(&prompt))
    }
}

fn job(calls: &Arc<AtomicUsize>) -> Job {
    Job::new(contract(), counted(calls), Extractor::new().max_attempts(1), 2)
}

#[tokio::test]
async fn three_fields_and_a_filter_ask_once_for_each_text() {
    let calls = Arc::default();
    let job = job(&calls);
    let ask = || job.ask(TEXTS.map(Some));
    let (a, b, c, d) = tokio::join!(ask(), ask(), ask(), ask());
    assert_eq!(calls.load(Ordering::Relaxed), TEXTS.len());
    for others in [b, c, d] {
        assert!(
            a.iter()
                .zip(&others)
                .all(|(one, other)| Arc::ptr_eq(one.as_ref().unwrap(), other.as_ref().unwrap()))
        );
    }
    ask().await;
    assert_eq!(calls.load(Ordering::Relaxed), TEXTS.len());
}

#[tokio::test]
async fn a_failure_is_an_answer_and_no_text_is_none() {
    let calls = Arc::default();
    let job = job(&calls);
    let answers = job.ask([None, Some("a stain"), None, Some("total 12")]).await;
    assert!(answers[0].is_none() && answers[2].is_none());
    let failed = answers[1].as_ref().unwrap();
    assert_eq!((failed.status, failed.value.is_none(), failed.attempts), ("failed", true, 1));
    assert!(!failed.violations.is_empty());
    assert_eq!(answers[3].as_ref().unwrap().value, Some(json!({"total": 12})));
    assert_eq!(calls.load(Ordering::Relaxed), 2);

    job.forget_failures();
    job.ask([Some("a stain"), Some("total 12")]).await;
    assert_eq!(calls.load(Ordering::Relaxed), 3, "the failure alone is asked about again");
}

#[tokio::test]
async fn outcomes_are_those_of_bulk() {
    let calls = Arc::default();
    let mine = job(&calls).ask(TEXTS.map(Some)).await;

    let (contract, agent) = (contract(), counted(&calls));
    let bulk = contract.bulk(&agent, TEXTS.map(|text| Doc::new(text, text)));
    let mut outcomes = bulk.configure(|extraction| extraction.max_attempts(1)).outcomes();
    let mut theirs = HashMap::new();
    while let Some(outcome) = outcomes.next().await {
        let outcome = outcome.unwrap();
        let result: Result<Value, String> = outcome.result.map_err(|failure| failure.name);
        theirs.insert(outcome.key, (result, outcome.metrics.attempts, outcome.metrics.usage));
    }
    assert_eq!(theirs.len(), TEXTS.len());
    for (text, answer) in TEXTS.iter().zip(mine) {
        let answer = answer.unwrap();
        let (result, attempts, usage) = &theirs[*text];
        assert_eq!(answer.value.clone().ok_or_else(|| answer.error.clone().unwrap()), *result, "{text}");
        assert_eq!(
            (answer.attempts, answer.tokens),
            (*attempts, usage.input_tokens + usage.output_tokens),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_query_that_is_dropped_holds_up_no_other() {
    let calls: Arc<AtomicUsize> = Arc::default();
    let job = job(&calls);
    {
        let mut dropped = Box::pin(job.ask(TEXTS.map(Some)));
        let polled = futures_util::poll!(dropped.as_mut());
        assert!(polled.is_pending());
    }
    let answers = job.ask(TEXTS.map(Some)).await;
    assert_eq!(answers.iter().flatten().filter(|answer| answer.status == "done").count(), 2);
    assert_eq!(calls.load(Ordering::Relaxed), TEXTS.len());
}
