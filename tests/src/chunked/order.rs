//! The order in which chunks are answered changes nothing.

use std::{
    convert::Infallible,
    sync::atomic::{AtomicUsize, Ordering},
};

use extract::{Extractable, document::Quote, testing::block_on};
use serde_json::{Value, json};

use super::*;

/// The merged value with its metrics, and the highest number of chunks in flight, of which
/// `at_once` are allowed. Chunk 0 is answered after `turns[0]` turns, and so on.
fn merged(turns: [usize; 3], at_once: usize) -> (Value, usize) {
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let agent = async |question: String| {
        most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        let chunk = chunk_of(&question);
        wait(turns[chunk]).await;
        running.fetch_sub(1, Ordering::Relaxed);
        Ok::<_, Infallible>(ANSWERS[chunk])
    };
    let (document, chunks) = document();
    let extraction =
        Report::extract(&agent, "").document(&document).chunks(chunks).concurrent_chunks(at_once);
    let (report, metrics) = block_on(extraction).unwrap();
    let ranges: Vec<_> = metrics.chunks.iter().map(|chunk| chunk.range.clone()).collect();
    let told = json!([report, metrics.conflicts, metrics.mentions, ranges, metrics.usage]);
    (told, most.load(Ordering::Relaxed))
}

#[test]
fn the_result_does_not_depend_on_the_order_in_which_chunks_finish() {
    let (expected, _) = merged([0, 0, 0], 1);
    for turns in [[0, 0, 0], [9, 5, 1], [1, 9, 5], [5, 1, 9], [1, 5, 9], [9, 1, 5]] {
        for at_once in [0, 1, 2, 3, 64, 1_000] {
            let (told, most) = merged(turns, at_once);
            assert_eq!(told, expected, "{turns:?} {at_once}");
            assert!(most <= at_once.max(1), "{most} of {at_once} at once");
        }
    }
    assert_eq!(merged([9, 9, 9], 3).1, 3, "as many at once as were asked for");
}

#[test]
fn what_chunks_state_is_merged_and_every_place_is_told() {
    let agent = extract::testing::ScriptedAgent::new(ANSWERS);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "All medications.").document(&document).chunks(chunks);
    let (report, metrics) = block_on(extraction).unwrap();

    assert_eq!(report.patient, "Ann");
    let [aspirin, zinc] = &report.medications[..] else { panic!("{report:?}") };
    assert_eq!((&*aspirin.name.value, &*zinc.name.value), ("aspirin", "zinc"));
    assert_eq!(aspirin.status.as_deref(), Some("given"), "the last statement counts");
    let words: Vec<_> = aspirin.reasons.iter().map(Quote::words).collect();
    assert_eq!(words, ["pain", "fever"]);
    for quote in aspirin.reasons.iter().chain([&aspirin.name.quote, &zinc.name.quote]) {
        assert_eq!(&TEXT[quote.span().unwrap().range()], quote.words());
    }

    assert_eq!(
        conflicts(&metrics),
        ["$.medications[0].dose_mg: 100 not 50", r#"$.medications[0].status: "given" not "stopped""#]
    );
    let dose = &metrics.conflicts[0];
    assert_eq!(&TEXT[dose.kept.spans[0].range()], "100 mg");
    assert_eq!((&TEXT[dose.others[0].spans[0].range()], dose.others[0].chunk), ("50 mg", 2));
    let [mentions] = &metrics.mentions[..] else { panic!("{:?}", metrics.mentions) };
    assert_eq!(mentions.path.to_string(), "$.medications[0].name");
    let words: Vec<_> = mentions.spans.iter().map(|span| &TEXT[span.range()]).collect();
    assert_eq!(words, ["aspirin", "Aspirin", "aspirin"]);

    assert_eq!((metrics.attempts, metrics.chunks.len(), metrics.per_attempt.len()), (3, 3, 3));
    let chunks: Vec<_> = metrics.per_attempt.iter().map(|attempt| attempt.chunk).collect();
    assert_eq!(chunks, [Some(0), Some(1), Some(2)]);
    let sum: u64 = metrics.per_attempt.iter().map(|attempt| attempt.usage.total()).sum();
    assert_eq!((metrics.usage.total(), metrics.per_model[0].usage.total()), (sum, sum));
    assert_eq!(serde_json::from_value::<ExtractionMetrics>(json!(metrics)).unwrap(), metrics);
}

/// The paths are paths in the answers; in the value, the same elements have other paths.
#[test]
fn what_was_changed_or_left_out_names_the_chunk_of_its_path() {
    let agent = extract::testing::ScriptedAgent::new(["[7]", r#"["8"]"#, "[9, -1]"]);
    let (document, chunks) = document();
    let contract =
        extract::Contract::from_schema(json!({"items": {"type": "integer", "minimum": 0}})).unwrap();
    let extraction = contract.extract(&agent, "").document(&document).chunks(chunks);
    let (value, metrics) = block_on(extraction.max_attempts(1).keep_valid_items(true)).unwrap();

    assert_eq!(value, json!([7, 8, 9]));
    let changes: Vec<_> =
        metrics.changes.iter().map(|change| (change.path.to_string(), change.chunk)).collect();
    assert_eq!(changes, [("$[0]".to_owned(), Some(1))]);
    let left_out: Vec<_> = metrics.left_out.iter().map(|item| (item.path.to_string(), item.chunk)).collect();
    assert_eq!(left_out, [("$[1]".to_owned(), Some(2))]);
    assert_eq!(serde_json::from_value::<ExtractionMetrics>(json!(metrics)).unwrap(), metrics);

    let html = extract_documents::view(&document, &value).metrics(&metrics).to_string();
    assert!(html.contains("<bdi>$[0]</bdi> <small>in the answer to chunk 1</small>"), "{html}");
    assert!(html.contains("<bdi>$[1]</bdi> <small>in the answer to chunk 2</small>"), "{html}");
}
