//! Random fates of lines and batches, and kills at each call of the provider.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use extract::{Contract, testing::block_on};
use serde_json::{Value, json};

use super::{
    BatchFate, Dies, Fate, Folder, Local, Remote, Scripted, When, ordinary, outcomes,
    refusals::nothing_is_paid_twice, run,
};
use crate::{
    Batches, ContractBulkExt as _, Doc, Ended, Journal,
    tests::simulated::{Shared, SimulatedClock},
};

/// A generator of numbers, from a seed and what the number is for.
fn mixed(seed: u64, of: &[usize]) -> u64 {
    let mix = |x: u64, number: &usize| {
        let mut x = x.wrapping_add(*number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^ (x >> 27)
    };
    of.iter().fold(seed.wrapping_mul(0xD6E8_FEB8_6659_FD93), mix) >> 8
}

/// A provider with random fates. A request is without an answer in at most two batches in a row,
/// because the third fails its document.
fn provider(seed: u64) -> Scripted {
    let mut scripted = Scripted::new(move |batch, line| match mixed(seed, &[batch, line]) % 9 {
        0 => Fate::Twice,
        1 if batch % 3 != 2 => Fate::Failed,
        2 if batch % 3 != 2 => Fate::Missing,
        _ => Fate::Answered,
    });
    scripted.batch_fate = Box::new(move |batch| match mixed(seed, &[batch]) % 6 {
        0 => BatchFate::BrokenOff,
        1 if batch % 3 != 2 => BatchFate::Gone,
        _ => BatchFate::Ended,
    });
    let errors = |number: usize| match mixed(seed, &[7, number]) % 3 {
        0 => Dies::Before,
        _ => Dies::After,
    };
    let count = usize::try_from(mixed(seed, &[8]) % 3).unwrap();
    scripted.provider().send_errors = (0..count).map(errors).collect();
    scripted.provider().undecided = usize::try_from(mixed(seed, &[9]) % 3).unwrap();
    scripted
}

#[test]
fn any_fate_of_lines_gives_the_outcomes_of_a_run_without_batches_and_pays_for_no_answer_twice() {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let docs = || (0..24).map(|number| Doc::new(number.to_string(), format!("<{number}>")));
    let local = Local::default();
    let whole = Folder::new("fates-whole");
    let output = whole.file("whole.jsonl");
    block_on(contract.bulk(&local, docs()).into_jsonl(&output)).unwrap();
    let expected = outcomes(&output);
    let mut without_answer = 0;
    for seed in 0..60 {
        let (remote, clock) = (Arc::new(provider(seed)), SimulatedClock::new());
        remote.set_clock(&clock);
        let batches = Batches::through(Remote(Arc::clone(&remote)));
        let batches = batches.poll_every(Duration::from_secs(3_600));
        let batches = if seed % 3 == 0 { batches.ask_directly_below(4) } else { batches };
        let job = contract
            .bulk(&local, docs())
            .transport_bound(Duration::from_secs(36_000))
            .clock(Arc::new(Shared(Arc::clone(&clock))));
        let output = whole.file("o.jsonl");
        let report = clock.block_on(job.batches(batches).into_jsonl(&output)).unwrap();
        assert_eq!(report.ended, Ended::Complete, "seed {seed}");
        assert_eq!(outcomes(&output), expected, "seed {seed}");
        let provider = remote.provider();
        for (id, sent) in &provider.sent {
            let unanswered = provider.unanswered.get(id).map_or(0, BTreeSet::len);
            without_answer += unanswered;
            // Sent once for each batch that did not answer, and once more unless it was asked directly.
            assert!(*sent >= unanswered && *sent <= unanswered + 1, "seed {seed}: {sent}, {unanswered}");
        }
    }
    assert!(without_answer > 200, "{without_answer}");
}

/// Runs the job until it is done, and lets it die once at the call with this number. Returns how
/// often it died.
fn dies_at(remote: &Arc<Scripted>, at: usize, dies: Dies, folder: &Folder) -> usize {
    *remote.dies.lock().unwrap() = Some((at, dies));
    let run = || run(remote, 8, folder, |batches| batches.poll_every(Duration::from_secs(5 * 3_600)));
    let first = catch_unwind(AssertUnwindSafe(run));
    let deaths = usize::from(first.is_err());
    let report = first.unwrap_or_else(|_| run());
    assert_eq!(report.unwrap().ended, Ended::Complete);
    deaths
}

#[test]
fn a_kill_while_a_refused_file_is_divided_loses_and_repeats_nothing() {
    let whole = Folder::new("kills-refused-whole");
    let mut expected: Vec<(String, Value, Value)> = ordinary(8, &whole);
    (expected[4].1, expected[4].2) = (Value::Null, json!("Agent"));
    for when in [When::Sent, When::Validated] {
        let mut kills = 0;
        for at in 1.. {
            let kills_before = kills;
            for dies in [Dies::Before, Dies::After] {
                let folder = Folder::new("kills-refused-at");
                let remote = Scripted::answering();
                remote.provider().refuses =
                    Some((when, |texts| texts.iter().any(|text| text.contains("<4>"))));
                kills += dies_at(&remote, at, dies, &folder);
                assert_eq!(outcomes(&folder.file("o.jsonl")), expected, "{when:?}, {at}, {dies:?}");
                nothing_is_paid_twice(&remote);
            }
            if kills == kills_before {
                break;
            }
        }
        assert!(kills >= 20, "{when:?}: {kills}");
    }
}

#[test]
fn a_kill_at_any_call_of_the_provider_loses_no_answer_and_sends_nothing_twice() {
    let whole = Folder::new("kills-whole");
    let expected: Vec<(String, Value, Value)> = ordinary(8, &whole);
    let mut kills = 0;
    for at in 1.. {
        let kills_before = kills;
        for dies in [Dies::Before, Dies::After] {
            let folder = Folder::new("kills-at");
            let remote = Scripted::answering();
            kills += dies_at(&remote, at, dies, &folder);
            assert_eq!(outcomes(&folder.file("o.jsonl")), expected, "{at}, {dies:?}");
            let provider = remote.provider();
            assert_eq!(provider.sent.len(), 8 + 2 + 1);
            assert!(provider.sent.values().all(|sent| *sent == 1), "{at}, {dies:?}: {:?}", provider.sent);
            drop(provider);
            assert!(Journal::open(folder.file("j.redb")).unwrap().inspect().unwrap().batches.is_empty());
        }
        if kills == kills_before {
            break;
        }
    }
    assert!(kills >= 15, "{kills}");
}
