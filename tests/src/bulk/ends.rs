//! Jobs that end early.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use extract::TokenUsage;
use extract::agent::{FinishReason, Reply};
use extract::testing::{ScriptedAgent, block_on};
use extract_bulk::Journal;
use extract_bulk::{BulkError, ContractBulkExt as _, Doc, Ended};

use super::{Folder, doc, docs, echo, integers};

#[test]
fn a_source_that_fails_in_the_middle_ends_the_job_and_loses_nothing() {
    let folder = Folder::new();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let agent = echo();
    let broken = docs(20).map(Ok).chain([Err("line 21 is not UTF-8")]).chain(docs(40).skip(20).map(Ok));
    let job = integers().bulk(&agent, broken).concurrent(4).journal(&journal).into_jsonl(&output);
    let error = block_on(job).unwrap_err();
    assert!(error.to_string().contains("line 21 is not UTF-8"), "{error}");
    let report = error.report().unwrap();
    assert_eq!((report.documents, report.ended), (20, Ended::Failed));
    // Documents that wait for a slot are not started; those in a slot are finished.
    assert!(report.done >= 12, "{report}");
    let done = report.done;
    assert!(!output.exists());
    let report = block_on(integers().bulk(&agent, docs(40)).journal(&journal).into_jsonl(&output)).unwrap();
    assert_eq!((report.done, report.resumed, report.is_complete()), (40, done, true));
    assert_eq!(agent.take_asked().len(), 40);
}

#[test]
fn a_key_that_comes_again_with_another_content_ends_the_job() {
    let agent = echo();
    for journal in [None, Some(Folder::new())] {
        let documents = docs(30).chain([Doc::new("3", "<3> but another")]).chain(docs(30));
        let mut job = integers().bulk(&agent, documents).concurrent(2);
        if let Some(folder) = &journal {
            job = job.journal(folder.file("j.redb"));
        }
        let error = block_on(job).unwrap_err();
        assert!(matches!(&error, BulkError::DuplicateKey { key, .. } if key == "3"), "{error}");
        assert_eq!(error.report().unwrap().documents, 30);
    }
}

#[test]
fn a_document_that_comes_again_is_counted_once() {
    let agent = echo();
    let report = block_on(integers().bulk(&agent, docs(30).chain(docs(10))).concurrent(40)).unwrap();
    assert_eq!((report.documents, report.done, report.repeated), (30, 30, 10));
    assert_eq!(agent.take_asked().len(), 30);
}

#[test]
fn a_budget_ends_the_job_and_another_run_goes_on() {
    let folder = Folder::new();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let reply = || Reply::new("1").finished(FinishReason::Stop).with_usage(TokenUsage::new(90, 10));
    let agent = ScriptedAgent::new((0..100).map(|_| reply()));
    let job = || integers().bulk(&agent, docs(100)).concurrent(2).journal(&journal).into_jsonl(&output);
    let report = block_on(job().token_budget(1_000)).unwrap();
    assert_eq!((report.ended, report.failed, report.outputs.is_empty()), (Ended::TokenBudget, 0, true));
    assert!((10..=12).contains(&report.done) && report.usage.total() == 100 * report.done, "{report}");
    assert!(report.how_to_go_on().unwrap().contains("run the same job again"));
    assert!(!output.exists());
    let done = report.done;
    let report = block_on(job()).unwrap();
    assert_eq!((report.done, report.resumed, report.is_complete()), (100, done, true));
    agent.assert_finished();
}

#[test]
fn a_shutdown_ends_the_job_cleanly() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    let agent = echo();
    let job = integers().bulk(&agent, docs(10)).journal(&journal).shutdown(std::future::ready(()));
    let report = block_on(job).unwrap();
    assert_eq!((report.ended, report.done), (Ended::Shutdown, 0));
    let summary = Journal::open(&journal).unwrap().inspect().unwrap();
    assert_eq!((summary.in_flight, summary.crashed_runs), (0, 0));
}

#[test]
fn a_job_that_is_dropped_has_not_crashed() {
    let folder = Folder::new();
    let journal = folder.file("j.redb");
    for _ in 0..4 {
        let agent = ScriptedAgent::default().then_hang().then_hang();
        let mut job = pin!(IntoFuture::into_future(integers().bulk(&agent, docs(2)).journal(&journal)));
        while agent.requests().len() < 2 {
            assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::thread::yield_now();
        }
    }
    let summary = Journal::open(&journal).unwrap().inspect().unwrap();
    assert_eq!((summary.runs, summary.crashed_runs, summary.in_flight, summary.failed), (4, 0, 0, 0));
    let report = block_on(integers().bulk(&echo(), docs(2)).journal(&journal)).unwrap();
    assert_eq!((report.done, report.poisoned), (2, 0));
}

/// A stream of documents that is not always ready.
struct Slowly(Box<dyn Iterator<Item = Doc> + Send>, bool);

impl futures_core::Stream for Slowly {
    type Item = Doc;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Doc>> {
        self.1 = !self.1;
        if self.1 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.0.next())
    }
}

#[test]
fn documents_can_come_from_a_stream() {
    let agent = echo();
    let report = block_on(integers().bulk(&agent, Slowly(Box::new(docs(20)), false))).unwrap();
    assert_eq!((report.documents, report.done), (20, 20));
}

#[test]
fn the_source_is_not_read_ahead_without_bound() {
    let (read, agent) = (std::sync::atomic::AtomicU32::new(0), ScriptedAgent::default());
    let agent = (0..8).fold(agent, |agent, _| agent.then_hang());
    let documents = (0..1_000_000).map(|number: u32| {
        read.store(number, std::sync::atomic::Ordering::Relaxed);
        doc(number)
    });
    let mut job = pin!(IntoFuture::into_future(integers().bulk(&agent, documents).concurrent(8)));
    while agent.requests().len() < 8 {
        assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    for _ in 0..100 {
        assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(read.load(std::sync::atomic::Ordering::Relaxed) < 16);
}
