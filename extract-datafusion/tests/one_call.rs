//! A text is asked about once, whoever asks for it.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use extract::{Contract, Extractor};
use extract_bulk::{ContractBulkExt as _, Doc};
use extract_datafusion::{Job, JobStatus};
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
    assert_eq!((failed.status, failed.value.is_none(), failed.attempts), (JobStatus::Failed, true, 1));
    assert!(!failed.violations.is_empty());
    assert_eq!(answers[3].as_ref().unwrap().value, Some(json!({"total": 12})));
    assert_eq!(calls.load(Ordering::Relaxed), 2);

    job.forget_failures();
    job.ask([Some("total 12")]).await;
    assert_eq!(calls.load(Ordering::Relaxed), 2, "an answer is kept");
    job.ask([Some("a stain")]).await;
    assert_eq!(calls.load(Ordering::Relaxed), 3, "a failure is asked about again");
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
    let counted = Arc::clone(&calls);
    let agent = move |_: String| {
        counted.fetch_add(1, Ordering::Relaxed);
        async {
            tokio::task::yield_now().await;
            Ok::<_, io::Error>(r#"{"total": 1}"#)
        }
    };
    let job = Job::new(contract(), agent, Extractor::new(), 1);
    {
        let mut dropped = Box::pin(job.ask([Some("first")]));
        while calls.load(Ordering::Relaxed) == 0 {
            assert!(futures_util::poll!(dropped.as_mut()).is_pending());
            tokio::task::yield_now().await;
        }
    }
    let mut other = Box::pin(job.ask([Some("second")]));
    let mut polls = 0;
    while futures_util::poll!(other.as_mut()).is_pending() {
        polls += 1;
        assert!(polls < 1000, "the permit of the first is lost");
        tokio::task::yield_now().await;
    }
    job.ask([Some("first")]).await;
    assert_eq!(calls.load(Ordering::Relaxed), 2, "what was dropped is kept");
}

#[tokio::test]
async fn no_more_are_asked_about_at_once_than_allowed() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let agent = move |_: String| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            running.fetch_sub(1, Ordering::Relaxed);
            Ok::<_, io::Error>(r#"{"total": 1}"#)
        }
    };
    let job = Job::new(contract(), agent, Extractor::new(), 3);
    let texts: Vec<String> = (0..20).map(|index| index.to_string()).collect();
    let (odd, even) = texts.split_at(7);
    // Two partitions of a query share one limit.
    tokio::join!(
        job.ask(odd.iter().map(|text| Some(&**text))),
        job.ask(even.iter().map(|text| Some(&**text)))
    );
    assert_eq!(seen.load(Ordering::Relaxed), 3);
}
