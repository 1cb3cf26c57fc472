//! Tests of documents that are split into chunks.

mod by_function;
mod failures;
mod order;
mod passes;
mod questions;
mod whole;

use std::{future::poll_fn, task::Poll};

use extract::{
    Extractable, ExtractionMetrics,
    document::{Chunks, Document, Grounded, Quote},
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
struct Medication {
    #[extract(key)]
    name: Grounded<String>,
    #[extract(range(min = 1))]
    dose_mg: Option<Grounded<f64>>,
    #[extract(merge = all)]
    #[serde(default)]
    reasons: Vec<Quote>,
    #[extract(merge = last)]
    status: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Report {
    patient: String,
    #[extract(length(min = 2))]
    medications: Vec<Medication>,
}

const TEXT: &str = "Ann takes aspirin 100 mg for pain.\n\nAspirin was stopped.\n\nNow zinc 5 mg, and aspirin 50 mg for fever.\n";

/// Three chunks, each a paragraph.
fn document() -> (Document, Chunks) {
    let document = Document::from_text(TEXT);
    let chunks = Chunks::chars(50);
    assert_eq!(document.chunks(&chunks).unwrap().len(), 3);
    (document, chunks)
}

/// The answers to the chunks.
const ANSWERS: [&str; 3] = [
    r#"{"patient": "Ann", "medications": [{"name": {"value": "aspirin", "quote": "aspirin"},
        "dose_mg": {"value": 100, "quote": "100 mg"}, "reasons": ["pain"], "status": "given"}]}"#,
    r#"{"medications": [{"name": {"value": "aspirin", "quote": "Aspirin"}, "status": "stopped"}]}"#,
    r#"{"medications": [{"name": {"value": "zinc", "quote": "zinc"}, "dose_mg": {"value": 5, "quote": "5 mg"}},
        {"name": {"value": "aspirin", "quote": "aspirin"}, "dose_mg": {"value": 50, "quote": "50 mg"}, "reasons": ["fever"], "status": "given"}]}"#,
];

/// Words that occur in one chunk only.
const MARKS: [&str; 3] = ["Ann takes", "was stopped", "Now zinc"];

/// The chunk that `question` is about.
fn chunk_of(question: &str) -> usize {
    MARKS.iter().position(|mark| question.contains(mark)).unwrap()
}

/// Is pending this many times.
async fn wait(mut turns: usize) {
    poll_fn(|context| {
        if turns == 0 {
            return Poll::Ready(());
        }
        turns -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns the conflicts, each with the kept and the discarded value.
fn conflicts(metrics: &ExtractionMetrics) -> Vec<String> {
    let shown = |conflict: &extract::metrics::Conflict| {
        let others: Vec<_> = conflict.others.iter().map(|other| other.value.to_string()).collect();
        format!("{}: {} not {}", conflict.path, conflict.kept.value, others.join(", "))
    };
    metrics.conflicts.iter().map(shown).collect()
}
