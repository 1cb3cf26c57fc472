//! What is sent when.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use extract::{
    Confidence, Contract,
    agent::{Agent, BatchLimits, Capabilities, Reply, ReplyFuture, Request},
    document::{Chunks, Document},
    testing::block_on,
};
use serde_json::{Value, json};

use super::{
    BatchFate, Dies, Fate, Folder, HOURS, Local, Remote, Scripted, hours, job, ordinary, outcomes, run,
    run_at,
};
use crate::{
    BatchState, Batches, BulkError, ContractBulkExt as _, Doc, Ended, Journal,
    journal::Store,
    tests::simulated::{Shared, SimulatedClock},
};

#[test]
fn three_waves_have_the_outcomes_of_a_run_without_batches() {
    let folder = Folder::new("three-waves");
    let remote = Scripted::answering();
    let report = run(&remote, 100, &folder, |batches| batches).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (90, 10, Ended::Complete));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(100, &folder));
    let sizes = remote.sizes();
    assert_eq!(sizes, [100, 20, 10]);
    assert_eq!(report.calls, 130);
    assert!(Journal::open(folder.file("j.redb")).is_ok());
    let again = run(&remote, 100, &folder, |batches| batches).unwrap();
    assert_eq!((again.calls, again.resumed, remote.provider().batches.len()), (0, 100, 3));
}

#[test]
fn a_wave_and_its_batches_have_limits() {
    let folder = Folder::new("limits");
    let mut remote = Scripted::new(|_, _| Fate::Answered);
    remote.limits = BatchLimits { requests: 10, bytes: 1 << 20 };
    let remote = Arc::new(remote);
    let report = run(&remote, 60, &folder, |batches| batches.up_to(25)).unwrap();
    assert_eq!((report.done, report.failed), (54, 6));
    let sizes = remote.sizes();
    assert!(sizes.iter().all(|size| *size <= 10), "{sizes:?}");
    assert_eq!(sizes.iter().sum::<usize>(), 60 + 6 + 12);
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(60, &folder));
}

#[test]
fn a_provider_that_takes_no_batch_is_waited_for_no_longer_than_the_bound() {
    let (folder, remote) = (Folder::new("bound"), Scripted::answering());
    remote.provider().send_errors = vec![Dies::Before; 9];
    let seldom = |batches: Batches| batches.poll_every(Duration::from_secs(35 * 60));
    let report = run(&remote, 5, &folder, seldom).unwrap();
    assert_eq!((report.ended, report.elapsed.as_secs() / 60), (Ended::Unreachable, 60));
    assert!(report.agent_error.is_some(), "{report}");
    assert_eq!(run(&remote, 5, &folder, |batches| batches).unwrap().ended, Ended::Complete);
}

#[test]
fn an_agent_that_takes_over_is_asked_directly() {
    let folder = Folder::new("escalation");
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let larger = extract::testing::ScriptedAgent::new(["77"]);
    let (remote, clock) = (Scripted::answering(), SimulatedClock::new());
    remote.set_clock(&clock);
    let local = Local::default();
    let job = job(&contract, &local, 8, &folder.file("j.redb")).clock(Arc::new(Shared(Arc::clone(&clock))));
    let job = job.batches(Batches::through(Remote(Arc::clone(&remote))));
    let job = job.configure(|extraction| extraction.escalate_to(&larger));
    let report = clock.block_on(job.into_jsonl(folder.file("o.jsonl"))).unwrap();
    assert_eq!((report.done, report.failed, larger.requests().len()), (8, 0, 1));
    let outcomes = outcomes(&folder.file("o.jsonl"));
    assert!(outcomes.contains(&("7".to_owned(), json!(77), Value::Null)), "{outcomes:?}");
}

#[test]
fn a_job_that_does_not_wait_goes_on_later() {
    let folder = Folder::new("later");
    let remote = Scripted::answering();
    let (mut runs, mut calls, mut tokens) = (0, 0, 0);
    loop {
        let report = run(&remote, 20, &folder, Batches::come_back_later).unwrap();
        (calls, tokens) = (calls + report.calls, tokens + report.usage.total());
        if report.ended == Ended::Complete {
            break;
        }
        assert_eq!(report.ended, Ended::Waiting);
        runs += 1;
        assert!(runs < 10);
        // Hours later.
        remote.provider().batches.values_mut().for_each(|batch| batch.end = Duration::ZERO);
    }
    assert_eq!((runs, remote.provider().batches.len()), (3, 3));
    // Each answer counts in the run that collected it, and in no other one.
    let summary = Journal::read(folder.file("j.redb")).unwrap().inspect().unwrap();
    assert_eq!((calls, tokens), (20 + 4 + 2, summary.usage.total()));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(20, &folder));
}

#[test]
fn no_more_is_sent_than_the_budget_allows() {
    let (folder, remote) = (Folder::new("budget"), Scripted::answering());
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let run = |budget| {
        let (clock, local) = (SimulatedClock::new(), Local::default());
        let job = job(&contract, &local, 3, &folder.file("j.redb")).clock(Arc::new(Shared(clock.clone())));
        let batches = Batches::through(Remote(Arc::clone(&remote))).come_back_later();
        let report = clock.block_on(job.batches(batches).token_budget(budget)).unwrap();
        remote.provider().batches.values_mut().for_each(|batch| batch.end = Duration::ZERO);
        (report.ended, report.done, remote.sizes())
    };
    assert_eq!(run(1), (Ended::Waiting, 0, vec![1]));
    assert_eq!(run(1), (Ended::TokenBudget, 1, vec![1]));
    assert_eq!(run(1_000_000), (Ended::Waiting, 1, vec![1, 2]));
    assert_eq!(run(1_000_000), (Ended::Complete, 3, vec![1, 2]));
}

#[test]
fn a_journal_of_an_earlier_format_goes_on_while_batches_are_open_and_answers_wait() {
    let folder = Folder::new("earlier-format");
    let remote = Scripted::answering();
    for (hour, answers) in [(0, 0), (HOURS, 6), (2 * HOURS, 6)] {
        assert_eq!(
            run_at(hour, &remote, 30, &folder, Batches::come_back_later).unwrap().ended,
            Ended::Waiting
        );
        let store = Store::open(&folder.file("j.redb")).unwrap();
        assert_eq!(store.into_format_2().unwrap(), answers, "hour {hour}");
        let summary = Journal::read(folder.file("j.redb")).unwrap().inspect().unwrap();
        assert_eq!(summary.batches.len(), 1, "hour {hour}");
    }
    let report = run_at(3 * HOURS, &remote, 30, &folder, Batches::come_back_later).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (27, 3, Ended::Complete));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(30, &folder));
    assert_eq!(remote.sizes(), [30, 6, 3]);
}

#[test]
fn the_first_answer_that_can_be_read_counts_also_if_its_document_asks_later() {
    let folder = Folder::new("read-later");
    let remote = Arc::new(Scripted::new(|_, _| Fate::Twice));
    assert_eq!(run(&remote, 20, &folder, Batches::come_back_later).unwrap().ended, Ended::Waiting);
    // The batch is collected as soon as the next run begins.
    let report = run_at(HOURS, &remote, 20, &folder, |batches| batches).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (18, 2, Ended::Complete));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(20, &folder));
    assert_eq!(remote.sizes(), [20, 4, 2]);
}

#[test]
fn results_that_are_gone_are_asked_for_again() {
    let folder = Folder::new("gone");
    let mut remote = Scripted::new(|_, _| Fate::Answered);
    remote.batch_fate = Box::new(|number| if number == 0 { BatchFate::Gone } else { BatchFate::Ended });
    let remote = Arc::new(remote);
    let report = run(&remote, 10, &folder, |batches| batches).unwrap();
    assert_eq!((report.done, report.failed), (9, 1));
    // The four lines before the file was gone keep their answers.
    assert_eq!(remote.sizes(), [10, 7, 2]);
}

#[test]
fn a_request_without_an_answer_in_three_batches_fails_its_document() {
    let folder = Folder::new("never");
    let remote = Arc::new(Scripted::new(|_, _| Fate::Missing));
    let report = run(&remote, 2, &folder, |batches| batches).unwrap();
    assert_eq!((report.done, report.failed, remote.provider().batches.len()), (0, 2, 3));
}

#[test]
fn batches_without_an_answer_are_counted_over_several_runs() {
    for fate in [Fate::Missing, Fate::Failed] {
        let folder = Folder::new(&format!("never-{fate:?}"));
        let remote = Arc::new(Scripted::new(move |_, line| if line < 2 { fate } else { Fate::Answered }));
        for hour in [0, HOURS, 2 * HOURS] {
            let report = run_at(hour, &remote, 3, &folder, Batches::come_back_later).unwrap();
            assert_eq!(report.ended, Ended::Waiting);
        }
        let report = run_at(3 * HOURS, &remote, 3, &folder, Batches::come_back_later).unwrap();
        assert_eq!((report.ended, report.failed), (Ended::Complete, 2));
        assert_eq!(remote.sizes(), [3, 2, 2]);
        let mut errors = String::new();
        for letter in Journal::read(folder.file("j.redb")).unwrap().dead_letters().unwrap() {
            errors += &letter.unwrap().failure.message;
        }
        assert_eq!(errors.matches("3 batches ended without an answer").count(), 2, "{errors}");
        assert_eq!(errors.contains("it failed"), fate == Fate::Failed, "{errors}");
    }
}

#[test]
fn what_a_provider_refused_in_an_earlier_run_is_asked_again() {
    let folder = Folder::new("mended");
    let remote = Scripted::new(|batch, _| if batch < 2 { Fate::Refused } else { Fate::Answered });
    let remote = Arc::new(remote);
    assert_eq!(run(&remote, 3, &folder, Batches::come_back_later).unwrap().ended, Ended::Waiting);
    for hour in [HOURS, 2 * HOURS, 3 * HOURS, 4 * HOURS] {
        match run_at(hour, &remote, 3, &folder, Batches::come_back_later) {
            Ok(report) => assert_eq!(report.ended, Ended::Waiting),
            Err(error) => assert!(error.to_string().contains("unknown model"), "{error}"),
        }
    }
    let report = run_at(5 * HOURS, &remote, 3, &folder, Batches::come_back_later).unwrap();
    assert_eq!((report.done, report.failed, remote.sizes()), (3, 0, vec![3, 3, 3]));
}

#[test]
fn credit_that_ends_inside_of_a_batch_ends_the_job_and_no_document() {
    let folder = Folder::new("credit");
    // The answers come in another order than the requests, so replies follow the refusals.
    let remote = Scripted::new(|batch, line| match line % 3 {
        1 if batch == 0 => Fate::NoCredit,
        _ => Fate::Answered,
    });
    let remote = Arc::new(remote);
    let error = run(&remote, 20, &folder, |batches| batches).unwrap_err();
    assert!(matches!(error, BulkError::Agent { .. }) && error.to_string().contains("no credit"), "{error}");
    // The 17th is never answered as it should be.
    assert_eq!(error.report().unwrap().failed, 1);
    let report = run(&remote, 20, &folder, |batches| batches).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(20, &folder));
}

#[test]
fn the_last_few_documents_are_asked_directly() {
    let folder = Folder::new("direct");
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (remote, clock, local) = (Scripted::answering(), SimulatedClock::new(), Local::default());
    remote.set_clock(&clock);
    let output = folder.file("o.jsonl");
    let job = job(&contract, &local, 60, &folder.file("j.redb")).clock(Arc::new(Shared(Arc::clone(&clock))));
    let job = job.batches(Batches::through(Remote(Arc::clone(&remote))).ask_directly_below(13));
    let report = clock.block_on(job.into_jsonl(&output)).unwrap();
    assert_eq!((report.done, report.failed, report.calls), (54, 6, 60 + 12 + 6));
    // Twelve of the sixty are asked twice, six of them three times.
    assert_eq!((remote.sizes(), local.calls.load(Ordering::Relaxed)), (vec![60], 18));
    assert_eq!(local.most_at_once.load(Ordering::Relaxed), 4, "as many as in a job without batches");
    assert_eq!(outcomes(&output), ordinary(60, &folder));
}

#[test]
fn after_the_deadline_open_batches_are_cancelled_and_the_rest_is_asked_directly() {
    let folder = Folder::new("deadline");
    let remote = Scripted::answering();
    // The second wave is sent after five hours, and cancelled after seven.
    let report = run(&remote, 60, &folder, |batches| batches.ask_directly_after(hours(7))).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (54, 6, Ended::Complete));
    assert_eq!((remote.sizes(), remote.now()), (vec![60, 12], hours(7)));
    // Half of the second wave was answered, and is not asked again.
    assert_eq!(report.calls, 60 + 12 + 6);
    assert!(remote.provider().batches["batch-0001"].is_cancelled);
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(60, &folder));
    // The next job with this journal has a deadline of its own.
    let more = run_at(100, &remote, 70, &folder, |batches| batches.ask_directly_after(hours(7))).unwrap();
    assert_eq!((more.done, more.failed, more.resumed), (63, 7, 60));
    assert_eq!((remote.sizes(), remote.now()), (vec![60, 12, 10, 2], hours(107)));
}

#[test]
fn a_job_that_is_run_again_keeps_its_deadline() {
    let folder = Folder::new("deadline-later");
    let remote = Scripted::answering();
    let later = |batches: Batches| batches.ask_directly_after(hours(4)).come_back_later();
    for hour in [0, 3] {
        assert_eq!(run_at(hour, &remote, 20, &folder, later).unwrap().ended, Ended::Waiting);
        assert!(!remote.provider().batches["batch-0000"].is_cancelled);
    }
    let report = run_at(4, &remote, 20, &folder, later).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (18, 2, Ended::Complete));
    assert_eq!((remote.sizes(), remote.now()), (vec![20], hours(4)));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(20, &folder));
}

#[test]
fn requests_that_wait_for_room_in_the_queue_are_asked_directly_after_the_deadline() {
    let folder = Folder::new("deadline-queue");
    let remote = Scripted::answering();
    let batches = |batches: Batches| batches.queued_tokens(1).ask_directly_after(hours(7));
    let report = run(&remote, 9, &folder, batches).unwrap();
    assert_eq!((report.done, report.failed), (8, 1));
    assert_eq!((remote.sizes(), remote.now()), (vec![1, 1], hours(7)));
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(9, &folder));
}

#[test]
fn what_does_not_fit_into_the_queue_is_sent_when_a_batch_has_ended() {
    let folder = Folder::new("queue");
    let remote = Scripted::answering();
    let tokens_of_one = {
        let probe = Scripted::answering();
        let single = Folder::new("queue-probe");
        run(&probe, 1, &single, |batches| batches).unwrap();
        let summary = serde_json::to_vec(
            &json!({"id": "0".repeat(48), "text": &probe.provider().batches["batch-0000"].lines[0].text}),
        );
        (summary.unwrap().len() / 4) as u64 + 1
    };
    // Room for ten first attempts.
    let report = run(&remote, 35, &folder, |batches| batches.queued_tokens(10 * tokens_of_one + 9)).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (32, 3, Ended::Complete));
    let most = remote.provider().most_open;
    assert!((9..=10).contains(&most), "{most}");
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(35, &folder));
    // Less than a single request needs.
    let folder = Folder::new("queue-small");
    let remote = Scripted::answering();
    run(&remote, 3, &folder, |batches| batches.queued_tokens(1)).unwrap();
    assert_eq!(remote.sizes(), [1, 1, 1]);
}

#[test]
fn a_cancelled_batch_keeps_its_answers_and_the_rest_is_asked_otherwise() {
    let folder = Folder::new("cancelled");
    let remote = Scripted::answering();
    let waiting = run(&remote, 10, &folder, Batches::come_back_later).unwrap();
    assert_eq!(waiting.ended, Ended::Waiting);
    let journal = Journal::open(folder.file("j.redb")).unwrap();
    let [sent] = &journal.inspect().unwrap().batches[..] else { panic!("one batch is open") };
    assert_eq!((sent.id.as_deref(), sent.state, sent.requests), (Some("batch-0000"), BatchState::Sent, 10));
    assert!(sent.age_seconds < 600 && sent.to_string().contains("10 requests, sent 0 h"), "{sent}");
    let cancelled = block_on(journal.cancel_batches(&Remote(Arc::clone(&remote)))).unwrap();
    assert_eq!(cancelled[0].state, BatchState::Cancelled);
    assert_eq!(journal.inspect().unwrap().batches, cancelled);
    drop(journal);

    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let local = Local::default();
    let without =
        block_on(job(&contract, &local, 10, &folder.file("j.redb")).into_jsonl(folder.file("o.jsonl")));
    assert!(matches!(without, Err(BulkError::OpenBatches { open: 1, .. })), "{without:?}");
    assert_eq!(local.calls.load(Ordering::Relaxed), 0);

    let report = run(&remote, 10, &folder, |batches| batches.ask_directly_below(usize::MAX)).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (9, 1, Ended::Complete));
    assert_eq!(remote.sizes(), [10]);
    // Five first attempts, and the later ones of documents 3 and 7, are direct. The answers of the
    // batch count if they are read after the document has asked.
    assert!((8..=13).contains(&report.calls), "{}", report.calls);
    assert_eq!(outcomes(&folder.file("o.jsonl")), ordinary(10, &folder));
    assert!(Journal::open(folder.file("j.redb")).unwrap().inspect().unwrap().batches.is_empty());
}

#[test]
fn batches_that_the_provider_has_deleted_can_be_forgotten() {
    let folder = Folder::new("forgotten");
    let remote = Scripted::answering();
    run(&remote, 3, &folder, Batches::come_back_later).unwrap();
    let journal = Journal::open(folder.file("j.redb")).unwrap();
    assert_eq!(journal.forget_batches().unwrap().len(), 1);
    assert!(journal.inspect().unwrap().batches.is_empty());
    drop(journal);
    let report = run(&remote, 3, &folder, |batches| batches).unwrap();
    assert_eq!((report.done, remote.sizes()), (3, vec![3, 3]));
}

#[test]
fn answers_that_are_not_used_yet_are_not_asked_for_again_without_batches() {
    let folder = Folder::new("unused");
    let remote = Scripted::answering();
    for hour in [0, HOURS] {
        let report = run_at(hour, &remote, 10, &folder, Batches::come_back_later).unwrap();
        assert_eq!(report.ended, Ended::Waiting);
    }
    // The second attempts of two documents, whose first answers are in the journal.
    assert_eq!(remote.sizes(), [10, 2]);
    Journal::open(folder.file("j.redb")).unwrap().forget_batches().unwrap();
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let local = Local::default();
    let without = || block_on(job(&contract, &local, 10, &folder.file("j.redb")).into_future());
    let error = without().unwrap_err();
    assert!(matches!(error, BulkError::OpenBatches { open: 0, .. }), "{error}");
    let report = run(&remote, 10, &folder, |batches| batches.ask_directly_below(usize::MAX)).unwrap();
    // One document is asked once more, the other one twice.
    assert_eq!((report.done, report.failed, remote.sizes()), (9, 1, vec![10, 2]));
    assert_eq!((without().unwrap().resumed, local.calls.load(Ordering::Relaxed)), (10, 0));
}

/// An agent that continues replies, asked about documents in chunks.
struct Continuing;

impl Agent for Continuing {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new("asked directly")) })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().continuing_replies()
    }
}

fn list() -> Contract {
    Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap()
}

/// The numbers of a text, or a list that is cut and continued.
fn listed(text: &str) -> String {
    if text.contains("[continue]") {
        return ", 200, 300]".to_owned();
    }
    if text.contains("cut <") {
        return "[100[cut]".to_owned();
    }
    let numbers = text.split('<').skip(1).filter_map(|rest| rest.split_once('>')?.0.parse::<u32>().ok());
    json!(numbers.collect::<Vec<_>>()).to_string()
}

#[test]
fn chunks_of_a_document_are_requests_of_one_wave_unless_fewer_are_wanted() {
    let folder = Folder::new("chunks");
    let document = Document::from_text("<11> in the first.\n\n<12> in the second.\n\n<14> in the third.");
    let contract = list();
    for (at_once, sizes) in [(None, &[12][..]), (Some(2), &[8, 4]), (Some(1), &[4, 4, 4])] {
        let output = folder.file(&format!("o-{at_once:?}.jsonl"));
        let mut remote = Scripted::new(|_, _| Fate::Answered);
        remote.answer = listed;
        let (remote, clock) = (Arc::new(remote), SimulatedClock::new());
        remote.set_clock(&clock);
        let docs = (0..4).map(|number| {
            Doc::new(number.to_string(), "All numbers.").document(&document).chunks(Chunks::chars(24))
        });
        let job = contract.bulk(&Continuing, docs).configure(move |extraction| match at_once {
            Some(chunks) => extraction.concurrent_chunks(chunks),
            None => extraction,
        });
        let job = job.clock(Arc::new(Shared(Arc::clone(&clock))));
        let job = job.batches(Batches::through(Remote(Arc::clone(&remote))));
        let report = clock.block_on(job.into_jsonl(&output)).unwrap();
        assert_eq!((report.done, report.failed), (4, 0));
        let values: Vec<_> = outcomes(&output).into_iter().map(|(_, value, _)| value).collect();
        assert_eq!(values, vec![json!([11, 12, 14]); 4]);
        assert_eq!(remote.sizes(), sizes);
    }
}

#[test]
fn a_cut_reply_is_continued_in_the_next_wave() {
    let folder = Folder::new("continuation");
    let (contract, output) = (list(), folder.file("o.jsonl"));
    let mut remote = Scripted::new(|_, _| Fate::Answered);
    remote.answer = listed;
    let (remote, clock) = (Arc::new(remote), SimulatedClock::new());
    remote.set_clock(&clock);
    let docs = (0..3).map(|number| Doc::new(number.to_string(), format!("cut <{number}>")));
    let job = contract.bulk(&Continuing, docs).journal(folder.file("j.redb"));
    let job = job.clock(Arc::new(Shared(Arc::clone(&clock))));
    let report =
        clock.block_on(job.batches(Batches::through(Remote(Arc::clone(&remote)))).into_jsonl(&output));
    assert_eq!(report.unwrap().done, 3);
    let values: Vec<_> = outcomes(&output).into_iter().map(|(_, value, _)| value).collect();
    assert_eq!(values, vec![json!([100, 200, 300]); 3]);
    assert_eq!(remote.sizes(), [3, 3]);
}

#[test]
fn samples_of_a_document_are_requests_of_one_wave() {
    let folder = Folder::new("samples");
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (remote, clock, local) = (Scripted::answering(), SimulatedClock::new(), Local::default());
    remote.set_clock(&clock);
    let job = job(&contract, &local, 3, &folder.file("j.redb")).clock(Arc::new(Shared(Arc::clone(&clock))));
    let job = job.configure(|extraction| extraction.confidence(Confidence::Samples(3)));
    let job = job.batches(Batches::through(Remote(Arc::clone(&remote))));
    let report = clock.block_on(job.into_jsonl(folder.file("o.jsonl"))).unwrap();
    assert_eq!((report.done, report.calls, local.calls.load(Ordering::Relaxed)), (3, 9, 0));
    assert_eq!(remote.sizes(), [9]);
}
