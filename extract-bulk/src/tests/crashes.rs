//! Tests with runs that are killed: a copy of the journal is what a kill leaves.

use std::{
    path::Path,
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Waker},
    time::Duration,
};

use extract::{
    Contract,
    agent::{Agent, Reply, ReplyFuture, Request},
    testing::block_on,
};
use serde_json::json;

use super::disk::file;
use crate::{Bulk, ContractBulkExt as _, Doc, Journal, Report};

/// An agent that gives no reply about some documents.
struct Hanging {
    about: &'static str,
    hanging: AtomicUsize,
}

impl Hanging {
    /// Hangs at prompts that contain `about`.
    fn new(about: &'static str) -> Self {
        Self { about, hanging: AtomicUsize::new(0) }
    }
}

impl Agent for Hanging {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async {
            if request.conversation.to_text().contains(self.about) {
                self.hanging.fetch_add(1, Ordering::Relaxed);
                std::future::pending::<()>().await;
            }
            Ok(Reply::new("1"))
        })
    }
}

fn job<'a>(agent: &'a Hanging, path: &Path, count: usize) -> Bulk<'a, serde_json::Value> {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let documents = (0..count).map(|number| Doc::new(format!("{number}"), format!("<{number}>")));
    contract.bulk(agent, documents).journal(path)
}

/// Runs the job until so many documents hang, and kills it.
fn kill(job: Bulk<'_, serde_json::Value>, agent: &Hanging, hanging: usize, path: &Path) {
    let copy = path.with_extension("copy");
    {
        let mut job = pin!(IntoFuture::into_future(job));
        while agent.hanging.load(Ordering::Relaxed) < hanging {
            assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::thread::yield_now();
        }
        // The answers are committed meanwhile.
        for _ in 0..50 {
            assert!(job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::thread::sleep(Duration::from_millis(1));
        }
        std::fs::copy(path, &copy).unwrap();
    }
    std::fs::rename(copy, path).unwrap();
}

fn rest(path: &Path, count: usize) -> Report {
    block_on(job(&Hanging::new("none of them"), path, count)).unwrap()
}

#[test]
fn kills_of_runs_with_many_documents_in_flight_poison_none() {
    let path = file("kills");
    for number in 0..8 {
        let agent = Hanging::new("<");
        kill(job(&agent, &path, 40).concurrent(8), &agent, 1, &path);
        let summary = Journal::open(&path).unwrap().inspect().unwrap();
        assert_eq!((summary.runs, summary.in_flight > 0), (number + 1, true));
    }
    let report = rest(&path, 40);
    assert_eq!((report.done, report.poisoned), (40, 0), "{report}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn kills_of_single_documents_are_spread_over_them() {
    let path = file("spread");
    // The first kill is of all documents, the others of one each.
    for _ in 0..9 {
        let agent = Hanging::new("<");
        kill(job(&agent, &path, 4).concurrent(4).poison_among(1), &agent, 1, &path);
    }
    let report = rest(&path, 4);
    assert_eq!((report.done, report.poisoned), (4, 0), "{report}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_document_that_is_among_few_in_each_crash_is_given_up() {
    for (among, crashes) in [(4, 3), (1, 3)] {
        let path = file("alone");
        for _ in 0..crashes {
            let agent = Hanging::new("<1>");
            kill(job(&agent, &path, 3).concurrent(3).poison_among(among), &agent, 1, &path);
        }
        let report = rest(&path, 3);
        assert_eq!((report.done, report.poisoned), (2, 1), "{among}: {report}");
        std::fs::remove_file(path).unwrap();
    }
}
