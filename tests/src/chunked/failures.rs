//! Chunks without an answer.

#![allow(clippy::single_range_in_vec_init, reason = "one range of bytes, and not what is in it")]

use std::time::Duration;

use extract::{
    ExtractionError,
    agent::AgentError,
    settings::SettingsError,
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

use super::*;

#[test]
fn a_chunk_that_fails_is_an_error_with_everything_that_was_found() {
    let agent = ScriptedAgent::new([ANSWERS[0], "no", "no"]);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).max_attempts(2);
    let error = block_on(extraction).unwrap_err();
    assert_eq!(error.name(), "Incomplete");
    assert!(error.to_string().starts_with("chunk 2 of 3 has no answer, which leaves "), "{error}");
    assert_eq!((error.attempts(), error.history().len()), (3, 2));
    assert_eq!(error.history()[1].chunk, Some(1));
    let metrics = error.metrics().clone();
    let ExtractionError::Incomplete { source, coverage, .. } = error else { panic!() };
    let extract::Coverage { chunk, covered, uncovered, found, .. } = *coverage;
    assert_eq!((chunk, source.name()), (1, "MaxRetriesExceeded"));
    let end = TEXT.find("Aspirin").unwrap();
    assert_eq!((covered, uncovered), (vec![0..end], vec![end..TEXT.len()]));
    assert_eq!(found["patient"], "Ann");
    assert_eq!(found["medications"][0]["dose_mg"], json!({"value": 100, "quote": "100 mg"}));
    let reasons: Vec<_> = metrics.gaps.iter().map(|gap| (gap.chunk, &*gap.error)).collect();
    assert_eq!(reasons, [(1, "MaxRetriesExceeded"), (2, "NotAsked")]);
    agent.assert_finished();
}

#[test]
fn gaps_are_accepted_on_request_and_told() {
    let agent = ScriptedAgent::new([ANSWERS[0], "no", ANSWERS[2]]);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).max_attempts(1);
    let (report, metrics) = block_on(extraction.accept_gaps(true)).unwrap();
    assert_eq!(report.medications.len(), 2);
    let [gap] = &metrics.gaps[..] else { panic!("{:?}", metrics.gaps) };
    assert_eq!((gap.chunk, gap.pass, &TEXT[gap.range.clone()]), (1, 1, "Aspirin was stopped.\n\n"));
    assert!(gap.message.contains("no acceptable answer after 1 of 1 attempts"), "{}", gap.message);
    let (attempts, passes): (Vec<_>, Vec<_>) =
        metrics.chunks.iter().map(|chunk| (chunk.attempts, chunk.passes)).unzip();
    assert_eq!((attempts, passes, metrics.attempts), (vec![1, 1, 1], vec![1, 0, 1], 3));
    assert!(metrics.to_string().ends_with(", 1 conflict, 1 gap"), "{metrics}");
}

#[test]
fn an_agent_that_refuses_all_requests_leaves_no_gap() {
    for (status, is_gap) in [(401, false), (400, true)] {
        let agent = ScriptedAgent::new([ANSWERS[0], "no", "no", ANSWERS[2]]);
        let refusal = AgentError::refused("invalid x-api-key").with_status(status);
        let stronger = ScriptedAgent::default().then_fail(refusal);
        let (document, chunks) = document();
        let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).max_attempts(3);
        let result = block_on(extraction.escalate_to(&stronger).accept_gaps(true));
        assert_eq!(result.is_ok(), is_gap, "{status}");
    }
}

#[test]
fn no_gap_is_as_large_as_the_document() {
    let agent = ScriptedAgent::new(["no", "no", "no"]);
    let (document, chunks) = document();
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).max_attempts(1);
    let error = block_on(extraction.accept_gaps(true)).unwrap_err();
    let ExtractionError::Incomplete { coverage, .. } = error else { panic!("{error}") };
    let extract::Coverage { covered, uncovered, found, .. } = *coverage;
    assert_eq!((covered.len(), uncovered, found), (0, vec![0..TEXT.len()], json!(null)));
}

#[test]
fn the_budget_of_tokens_is_that_of_the_whole() {
    let (document, chunks) = document();
    let agent = ScriptedAgent::new(ANSWERS);
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks.clone());
    let (_, metrics) = block_on(extraction).unwrap();
    let of_two = metrics.per_attempt[..2].iter().map(|attempt| attempt.usage.total()).sum();

    let agent = ScriptedAgent::new(ANSWERS);
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).token_budget(of_two);
    let error = block_on(extraction).unwrap_err();
    let ExtractionError::Incomplete { source, coverage, .. } = &error else { panic!("{error}") };
    assert_eq!((coverage.chunk, source.name()), (2, "TokenBudgetExceeded"));
    assert_eq!((source.attempts(), source.metrics().usage.total()), (2, of_two));
    let used = format!("{of_two} tokens were used up after 2 attempts");
    assert!(error.to_string().contains(&used), "{error}");
    assert_eq!(agent.remaining(), 1);
}

#[test]
fn the_deadline_is_that_of_the_whole() {
    let (document, chunks) = document();
    let agent = ScriptedAgent::new([ANSWERS[0]]).then_hang();
    let extraction = Report::extract(&agent, "").document(&document).chunks(chunks);
    let extraction = extraction.deadline(Duration::from_millis(50)).accept_gaps(true);
    let error = block_on(extraction);
    // The rules of the whole need two medications, and no time is left to ask again.
    let error = error.unwrap_err();
    assert_eq!(error.name(), "DeadlineExceeded", "{error}");
    let gaps: Vec<_> = error.metrics().gaps.iter().map(|gap| (gap.chunk, &*gap.error)).collect();
    assert_eq!(gaps, [(1, "DeadlineExceeded"), (2, "DeadlineExceeded")]);
    assert_eq!(error.metrics().gaps[0].message, "no acceptable answer within 50ms, after 1 attempt");
}

#[test]
fn dropping_the_extraction_ends_all_chunks() {
    let (document, chunks) = document();
    let agent = ScriptedAgent::new([] as [&str; 0]).then_hang().then_hang().then_hang();
    {
        let extraction = Report::extract(&agent, "").document(&document).chunks(chunks).concurrent_chunks(2);
        let mut extraction = std::pin::pin!(extraction);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        for _ in 0..5 {
            assert!(extraction.as_mut().poll(&mut context).is_pending());
        }
    }
    assert_eq!((agent.requests().len(), agent.remaining()), (2, 1));
}

#[test]
fn chunks_need_a_document_that_they_fit() {
    let agent = ScriptedAgent::new([] as [&str; 0]);
    let error = block_on(Report::extract(&agent, "").chunks(Chunks::chars(5))).unwrap_err();
    assert!(matches!(error, ExtractionError::Settings(SettingsError::ChunksWithoutDocument)), "{error}");
    let (document, _) = document();
    let chunks = Chunks::from_ranges([0..10]);
    let error = block_on(Report::extract(&agent, "").document(&document).chunks(chunks)).unwrap_err();
    assert!(matches!(error, ExtractionError::Settings(SettingsError::Chunks(_))), "{error}");
}

#[test]
fn a_panic_in_a_check_ends_it_whether_or_not_gaps_are_accepted() {
    fn panics(_: &str) -> Result<(), String> {
        panic!("a bug")
    }
    #[derive(Debug, Deserialize, Extractable)]
    struct Name {
        #[extract(check = panics)]
        #[allow(dead_code, reason = "only read")]
        name: String,
    }
    let agent = ScriptedAgent::new(["[]", r#"[{"name": "x"}]"#, "[]"]);
    let (document, chunks) = document();
    let extraction = Vec::<Name>::extract(&agent, "").document(&document).chunks(chunks).accept_gaps(true);
    let ExtractionError::Incomplete { source, .. } = block_on(extraction).unwrap_err() else { panic!() };
    assert_eq!(source.name(), "Panicked");
    assert_eq!(agent.remaining(), 1);
}
