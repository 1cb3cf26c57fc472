//! Tests of rate limits and outages of a provider.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use extract::{
    Contract,
    agent::{Agent, AgentError, Reply, ReplyFuture, Request},
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

use super::simulated::{Shared, SimulatedClock};
use crate::{Bulk, ContractBulkExt as _, Doc, Ended, clock::Clock as _};

/// An agent that answers or fails depending on the time, the question and the requests in flight.
struct Provider<F> {
    clock: Arc<SimulatedClock>,
    /// The duration of a request.
    latency: Duration,
    asked: AtomicUsize,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
    fails: F,
}

impl<F: Fn(Duration, &str, usize) -> Option<AgentError> + Send + Sync> Provider<F> {
    fn new(clock: &Arc<SimulatedClock>, fails: F) -> Self {
        Self {
            clock: Arc::clone(clock),
            latency: Duration::from_secs(1),
            asked: AtomicUsize::new(0),
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
            fails,
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl<F: Fn(Duration, &str, usize) -> Option<AgentError> + Send + Sync> Agent for Provider<F> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
            self.most_in_flight.fetch_max(in_flight, Ordering::Relaxed);
            let asked = request.conversation.to_text();
            let failure = (self.fails)(self.clock.elapsed(), &asked, in_flight);
            let time = if failure.is_some() { self.latency / 50 } else { self.latency };
            Shared(Arc::clone(&self.clock)).sleep(time).await;
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
            failure.map_or_else(|| Ok(Reply::new("1")), Err)
        })
    }
}

fn documents(count: usize) -> impl Iterator<Item = Doc> + Send {
    (0..count).map(|number| Doc::new(format!("{number}"), format!("<{number}>")))
}

fn job<'a, A: Agent>(
    clock: &Arc<SimulatedClock>,
    agent: &'a A,
    documents: impl Iterator<Item = Doc> + Send + 'a,
) -> Bulk<'a, serde_json::Value> {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    contract.bulk(agent, documents).clock(Arc::new(Shared(Arc::clone(clock))))
}

#[test]
fn a_provider_that_is_down_for_an_hour_costs_no_document() {
    let clock = SimulatedClock::new();
    let hour = Duration::from_secs(3600);
    let agent = Provider::new(&clock, |now: Duration, _: &str, _| {
        let is_down = now > Duration::from_secs(3) && now < hour;
        is_down.then(|| AgentError::transport("connection refused"))
    });
    let job = job(&clock, &agent, documents(100)).concurrent(8).transport_bound(2 * hour);
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (100, 0, Ended::Complete));
    assert!(clock.elapsed() >= hour, "{:?}", clock.elapsed());
    // One request at a time probes the provider, about once a minute.
    assert!(agent.asked() < 100 + 100, "{}", agent.asked());
}

#[test]
fn requests_that_fail_together_are_one_failure() {
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |now: Duration, _: &str, _| {
        (now < Duration::from_secs(5)).then(|| AgentError::transport("connection refused"))
    });
    let report = clock.block_on(job(&clock, &agent, documents(100)).concurrent(64)).unwrap();
    assert_eq!((report.done, report.failed), (100, 0));
    assert!(clock.elapsed() < Duration::from_secs(30), "{:?}", clock.elapsed());
    // Nor is a short bound exceeded by the pause after them.
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, _: &str, _| Some(AgentError::transport("connection refused")));
    let job = job(&clock, &agent, documents(100)).concurrent(64).transport_bound(Duration::from_secs(3));
    assert_eq!(clock.block_on(job).unwrap().ended, Ended::Unreachable);
    assert!(clock.elapsed() < Duration::from_secs(10), "{:?}", clock.elapsed());
}

#[test]
fn a_provider_that_stays_down_ends_the_job_and_not_the_documents() {
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, _: &str, _| Some(AgentError::transport("connection refused")));
    // In the shortest time, the only document fails before the provider counts as down.
    for (count, bound) in [(100, 600), (1, 600), (1, 1)] {
        let start = clock.elapsed();
        let job = job(&clock, &agent, documents(count)).concurrent(8);
        let report = clock.block_on(job.transport_bound(Duration::from_secs(bound))).unwrap();
        assert_eq!(
            (report.done, report.failed, report.ended),
            (0, 0, Ended::Unreachable),
            "{count}, {bound}"
        );
        assert_eq!(report.agent_error.as_deref(), Some("transport failure: connection refused"));
        let elapsed = clock.elapsed().saturating_sub(start);
        assert!(elapsed < Duration::from_secs(2 * bound), "{elapsed:?}");
    }
}

#[test]
fn an_outage_is_waited_out_for_no_longer_than_the_bound() {
    let seconds = Duration::from_secs;
    let refused = || AgentError::transport("connection refused");
    let errors = [
        ("refused", refused as fn() -> _),
        ("busy", || AgentError::transport("503").with_retry_after(Duration::from_secs(45))),
        ("limited", || AgentError::rate_limited("slow down").with_retry_after(Duration::from_secs(45))),
        ("garbled", || AgentError::garbled("it printed nothing")),
    ];
    for (name, error) in errors {
        for (count, concurrent) in [(1, 1), (3, 1), (100, 8), (100, 64)] {
            // After pauses of 0.5, 1, 2, … seconds, these end shortly after the start of a long one.
            for bound in [1, 2, 35, 64, 130, 600].map(seconds) {
                let clock = SimulatedClock::new();
                let agent = Provider::new(&clock, |_, _: &str, _| Some(error()));
                let job = job(&clock, &agent, documents(count)).concurrent(concurrent);
                let report = clock.block_on(job.transport_bound(bound)).unwrap();
                let case = format!("{name}: {count}, {concurrent} at once, {bound:?}");
                assert_eq!((report.failed, report.ended), (0, Ended::Unreachable), "{case}");
                let elapsed = clock.elapsed();
                assert!((bound..bound + seconds(1)).contains(&elapsed), "{case}: {elapsed:?}");
                assert!(report.agent_error.is_some(), "{case}");
            }
        }
    }
    // It begins after the last reply, also if there was another one before.
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |now: Duration, _: &str, _| {
        let is_down = (seconds(5)..seconds(50)).contains(&now) || now > seconds(100);
        is_down.then(refused)
    });
    let long = job(&clock, &agent, documents(1_000)).concurrent(4).transport_bound(seconds(64));
    let report = clock.block_on(long).unwrap();
    assert_eq!((report.failed, report.ended), (0, Ended::Unreachable), "{report}");
    assert!((seconds(164)..seconds(167)).contains(&clock.elapsed()), "{:?}", clock.elapsed());
    // A document whose requests fail does not end the job while others wait for their replies.
    let clock = SimulatedClock::new();
    let mut agent = Provider::new(&clock, |_, asked: &str, _| {
        asked.contains("<3>").then(|| AgentError::transport("500"))
    });
    agent.latency = seconds(10);
    let job = job(&clock, &agent, documents(20)).concurrent(4).transport_bound(seconds(1));
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (19, 1, Ended::Complete), "{report}");
}

#[test]
fn a_document_that_fails_until_the_bound_ends_the_job_only_if_the_next_one_fails_too() {
    for (bad, bound, concurrent) in [(0, 1, 1), (3, 0, 1), (3, 1, 1), (3, 600, 1), (19, 1, 1), (3, 1, 2)] {
        let clock = SimulatedClock::new();
        let agent = Provider::new(&clock, |_, asked: &str, _| {
            is_about(asked, &[bad]).then(|| AgentError::transport("500"))
        });
        let job = job(&clock, &agent, documents(20)).concurrent(concurrent);
        let report = clock.block_on(job.transport_bound(Duration::from_secs(bound))).unwrap();
        let ended = (report.done, report.failed, report.ended);
        assert_eq!(ended, (19, 1, Ended::Complete), "{bad}, {bound} s, {concurrent} at once");
    }
}

#[test]
fn a_refusal_of_a_document_shows_that_the_provider_works() {
    let clock = SimulatedClock::new();
    // A failure takes two seconds. Between two of the transport it answers, but takes none of three documents.
    let mut agent = Provider::new(&clock, |now: Duration, _: &str, _| match now.as_secs() {
        0 | 8..=10 => Some(AgentError::transport("connection refused")),
        1..8 => Some(AgentError::refused("too long").of_request()),
        _ => None,
    });
    agent.latency = Duration::from_secs(100);
    let job = job(&clock, &agent, documents(6)).concurrent(1).transport_bound(Duration::from_secs(5));
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (3, 3, Ended::Complete), "{report}");
}

#[test]
fn a_document_that_fails_while_others_are_answered_is_a_dead_letter() {
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, asked: &str, _| {
        asked.contains("<3>").then(|| AgentError::timeout("no reply"))
    });
    let job = job(&clock, &agent, documents(400)).concurrent(4).transport_bound(Duration::from_secs(60));
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (399, 1, Ended::Complete));
    let letter = report.dead_letters().unwrap().next().unwrap().unwrap();
    assert_eq!((&*letter.key, &*letter.failure.name), ("3", "Transport"));
    assert!(letter.metrics.transport_retries > 3 && letter.failure.message.contains("no reply"));
}

#[test]
fn a_429_slows_all_requests_and_its_wait_is_that_of_all() {
    let clock = SimulatedClock::new();
    // At most four at once; the first refusals say how long to wait.
    let agent = Provider::new(&clock, |now: Duration, _: &str, in_flight| {
        let is_first = now < Duration::from_secs(1);
        let error = || AgentError::rate_limited("slow down");
        match in_flight > 4 {
            true if is_first => Some(error().with_retry_after(Duration::from_secs(40))),
            true => Some(error()),
            false => None,
        }
    });
    let job = job(&clock, &agent, documents(400)).concurrent(64);
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed), (400, 0));
    // 60 at the start. The limit is discovered once for all 64, not by each of them.
    let refused = agent.asked() - 400;
    assert!(refused < 60 + 140, "{refused}");
    assert!(clock.elapsed() >= Duration::from_secs(40 + 90), "{:?}", clock.elapsed());
}

#[test]
fn requests_per_minute_are_an_even_flow() {
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, _: &str, _| None);
    let job = job(&clock, &agent, documents(60)).concurrent(64).requests_per_minute(60);
    let report = clock.block_on(job).unwrap();
    assert_eq!(report.done, 60);
    let seconds = clock.elapsed().as_secs();
    assert!((59..=63).contains(&seconds), "{seconds}");
    assert!(agent.most_in_flight.load(Ordering::Relaxed) <= 3);
}

#[test]
fn a_deadline_that_passes_in_an_outage_begins_again() {
    // In real time, as deadlines are: it passes in the wait of half a second after the failure.
    let agent = ScriptedAgent::default().then_fail(AgentError::transport("connection refused")).then("1");
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let job = contract.bulk(&agent, documents(1));
    let job = job.configure(|extraction| extraction.deadline(Duration::from_millis(50)));
    let report = block_on(job).unwrap();
    assert_eq!((report.done, report.failed), (1, 0), "{report}");
}

#[test]
fn what_is_in_flight_at_the_end_of_the_grace_is_given_up() {
    let clock = SimulatedClock::new();
    let mut agent = Provider::new(&clock, |_, _: &str, _| None);
    agent.latency = Duration::from_secs(10);
    let signal = Shared(Arc::clone(&clock)).sleep(Duration::from_secs(15));
    let job = job(&clock, &agent, documents(20)).concurrent(4).shutdown(signal).grace(Duration::from_secs(2));
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (4, 0, Ended::Shutdown));
    assert!(clock.elapsed() < Duration::from_secs(18));
    assert!(report.to_string().contains("not complete"), "{report}");
}

#[test]
fn what_is_in_flight_at_a_shutdown_is_finished_within_the_grace() {
    let clock = SimulatedClock::new();
    let mut agent = Provider::new(&clock, |_, _: &str, _| None);
    agent.latency = Duration::from_secs(10);
    let signal = Shared(Arc::clone(&clock)).sleep(Duration::from_secs(15));
    let job = job(&clock, &agent, documents(20)).concurrent(4).shutdown(signal);
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (8, 0, Ended::Shutdown));
}

#[test]
fn a_shutdown_does_not_wait_for_an_agent_that_is_down() {
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, _: &str, _| Some(AgentError::transport("connection refused")));
    let signal = Shared(Arc::clone(&clock)).sleep(Duration::from_secs(300));
    let job = job(&clock, &agent, documents(20)).concurrent(4).shutdown(signal);
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (0, 0, Ended::Shutdown));
    assert!(clock.elapsed() < Duration::from_secs(310), "{:?}", clock.elapsed());
}

/// Returns whether the question is about one of these documents.
fn is_about(asked: &str, names: &[usize]) -> bool {
    names.iter().any(|name| asked.contains(&format!("<{name}>")))
}

#[test]
fn documents_that_alone_get_nothing_are_dead_letters_wherever_they_are() {
    for (bad, concurrent) in [([0, 1], 1), ([0, 19], 1), ([3, 4], 4), ([18, 19], 4), ([3, 4], 64)] {
        let clock = SimulatedClock::new();
        let agent = Provider::new(&clock, |_, asked: &str, _| {
            is_about(asked, &bad).then(|| AgentError::garbled("it printed nothing"))
        });
        let report = clock.block_on(job(&clock, &agent, documents(20)).concurrent(concurrent)).unwrap();
        let ended = (report.done, report.failed, report.ended);
        assert_eq!(ended, (18, 2, Ended::Complete), "{bad:?}, {concurrent} at once");
        assert!(clock.elapsed() < Duration::from_secs(240), "{bad:?}, {concurrent}: {:?}", clock.elapsed());
        assert!(agent.asked() < 18 + 2 * 20, "{bad:?}, {concurrent}: {}", agent.asked());
        for letter in report.dead_letters().unwrap() {
            let letter = letter.unwrap();
            assert_eq!(letter.failure.name, "Transport");
            assert!(letter.failure.message.contains("while others were answered"), "{letter:?}");
        }
    }
}

#[test]
fn documents_that_alone_get_nothing_are_dead_letters_in_a_later_run() {
    let path = super::disk::file("later");
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, _: &str, _| None);
    clock.block_on(job(&clock, &agent, documents(3)).journal(&path)).unwrap();
    let agent = Provider::new(&clock, |_, _: &str, _| Some(AgentError::garbled("it printed nothing")));
    let report = clock.block_on(job(&clock, &agent, documents(5)).journal(&path)).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (3, 2, Ended::Complete), "{report}");
    assert!(clock.elapsed() < Duration::from_secs(240), "{:?}", clock.elapsed());
    assert_eq!(report.resumed, 3);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn an_outage_in_which_everything_is_garbled_costs_no_document() {
    let (from, to) = (Duration::from_secs(10), Duration::from_secs(900));
    for concurrent in [1, 8] {
        let clock = SimulatedClock::new();
        let agent = Provider::new(&clock, |now: Duration, _: &str, _| {
            (from..to).contains(&now).then(|| AgentError::garbled("it printed nothing"))
        });
        let report = clock.block_on(job(&clock, &agent, documents(200)).concurrent(concurrent)).unwrap();
        assert_eq!((report.done, report.failed, report.ended), (200, 0, Ended::Complete), "{concurrent}");
    }
}

#[test]
fn an_agent_of_which_everything_is_garbled_ends_the_job_and_not_the_documents() {
    for count in [1, 2, 100] {
        let clock = SimulatedClock::new();
        let agent = Provider::new(&clock, |_, _: &str, _| Some(AgentError::garbled("it printed nothing")));
        let bound = Duration::from_secs(600);
        let job = job(&clock, &agent, documents(count)).concurrent(8).transport_bound(bound);
        let report = clock.block_on(job).unwrap();
        assert_eq!((report.done, report.failed, report.ended), (0, 0, Ended::Unreachable), "{count}");
    }
}

#[test]
fn two_documents_whose_requests_fail_among_others_are_dead_letters_after_the_bound() {
    let clock = SimulatedClock::new();
    let agent = Provider::new(&clock, |_, asked: &str, _| {
        is_about(asked, &[3, 4]).then(|| AgentError::transport("500"))
    });
    let bound = Duration::from_secs(60);
    let job = job(&clock, &agent, documents(40)).concurrent(4).transport_bound(bound);
    let report = clock.block_on(job).unwrap();
    assert_eq!((report.done, report.failed, report.ended), (38, 2, Ended::Complete));
    assert!(clock.elapsed() >= bound);
}
