use std::path::PathBuf;

use extract::{
    Extractable as _, TokenUsage,
    agent::{AgentExt as _, FinishReason},
    testing::{ScriptedAgent, block_on},
};

use super::*;

struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("extract-{name}-{}.redb", std::process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        for number in 1..9 {
            let _ = std::fs::remove_file(format!("{}.damaged-{number}", self.0.display()));
        }
    }
}

#[test]
fn replies_outlive_the_store() {
    let file = File::new("outlive");
    let reply = Reply::new("8").finished(FinishReason::Stop).with_usage(TokenUsage::new(5, 1));
    {
        let store = RedbStore::open(&file.0).unwrap();
        assert_eq!(store.get("a").unwrap(), None);
        store.put("a", &Reply::new("old")).unwrap();
        store.put("a", &reply).unwrap();
    }
    let store = RedbStore::open(&file.0).unwrap();
    assert_eq!(store.get("a").unwrap(), Some(reply));
    assert_eq!(store.get("b").unwrap(), None);
}

#[test]
fn the_oldest_goes_when_it_is_full() {
    let file = File::new("full");
    let store = RedbStore::open(&file.0).unwrap().max_replies(2);
    for key in ["a", "b", "a", "c"] {
        store.put(key, &Reply::new(key)).unwrap();
    }
    let kept = ["a", "b", "c"].map(|key| store.get(key).unwrap().is_some());
    assert_eq!(kept, [true, false, true]);
    let store = store.max_replies(0);
    store.put("d", &Reply::new("d")).unwrap();
    assert!(["a", "c", "d"].iter().all(|key| store.get(key).unwrap().is_none()));
}

#[test]
fn a_second_owner_is_told_so() {
    let file = File::new("owner");
    let _store = RedbStore::open(&file.0).unwrap();
    let error = RedbStore::open(&file.0).unwrap_err().to_string();
    assert!(error.contains("cannot be opened") && error.contains("already open"), "{error}");
}

#[test]
fn a_file_that_is_no_store_is_refused() {
    let file = File::new("broken");
    std::fs::write(&file.0, "not a store, but long enough to be looked at".repeat(1000)).unwrap();
    assert!(RedbStore::open(&file.0).is_err());
}

#[test]
fn an_extraction_is_paid_for_once() {
    let file = File::new("once");
    for lines in [&["[8]"][..], &[]] {
        let agent = ScriptedAgent::new(lines.iter().copied()).cached(RedbStore::open(&file.0).unwrap());
        let (legs, metrics) = block_on(Vec::<u8>::extract(&agent, "How many legs?")).unwrap();
        assert_eq!(legs, [8]);
        assert_eq!(metrics.usage.total() == 0, lines.is_empty());
    }
}

const ENTRIES: usize = 40;

fn entry(number: usize) -> (String, Reply) {
    let key = format!("{number} legs? {}", "why ".repeat(number * 7 % 200));
    (key, Reply::new(format!("[{number}] {}", "because ".repeat(number * 11 % 150))))
}

/// A file with all entries.
fn healthy(file: &File) -> Vec<u8> {
    let store = RedbStore::open(&file.0).unwrap();
    for (key, reply) in (0..ENTRIES).map(entry) {
        store.put(&key, &reply).unwrap();
    }
    drop(store);
    std::fs::read(&file.0).unwrap()
}

/// Damage of every kind all over the file, most of it in content.
fn damages(healthy: &[u8]) -> Vec<(String, Vec<u8>)> {
    let used: Vec<usize> = (0..healthy.len()).filter(|at| healthy[*at] != 0).collect();
    let place = |number: usize| used[number * 7_919 % used.len()];
    let mut damages = Vec::new();
    for number in 0..18 {
        let at = place(number);
        let mut flipped = healthy.to_vec();
        flipped[at] ^= 1 << (number % 8);
        damages.push((format!("bit {number} at {at}"), flipped));
        let mut zeroed = healthy.to_vec();
        let end = (at + [1, 16, 512, 4096, 100_000][number % 5]).min(healthy.len());
        zeroed[at..end].fill(0);
        damages.push((format!("zeros at {at}..{end}"), zeroed));
        let mut noisy = healthy.to_vec();
        for (offset, byte) in noisy[at..end].iter_mut().enumerate() {
            *byte = u8::try_from((at + offset * 31) * 17 % 251).unwrap();
        }
        damages.push((format!("noise at {at}..{end}"), noisy));
        let length = number * healthy.len() / 18;
        damages.push((format!("cut at {length}"), healthy[..length].to_vec()));
    }
    // The header: the bytes without a checksum one by one, and some of the rest.
    for at in (0..40).chain((40..320).step_by(35)) {
        let mut flipped = healthy.to_vec();
        flipped[at] ^= 0xff;
        damages.push((format!("header at {at}"), flipped));
    }
    damages
}

#[test]
fn no_damage_panics_or_gives_a_wrong_reply() {
    let file = File::new("damages");
    let healthy = healthy(&file);
    let (mut moved, mut refused) = (0, 0);
    for (name, damaged) in damages(&healthy) {
        std::fs::write(&file.0, &damaged).unwrap();
        let store = match RedbStore::open(&file.0) {
            Ok(store) => store,
            // Without the bytes at its start nobody can tell that it was a store, so it is not
            // moved.
            Err(error) => {
                assert!(!damaged.starts_with(b"redb\x1a\x0a\xa9\x0d\x0a"), "{name}: {error}");
                assert_eq!(std::fs::read(&file.0).unwrap(), damaged, "{name}");
                refused += 1;
                continue;
            }
        };
        for (key, reply) in (0..ENTRIES).map(entry) {
            let found = store.get(&key);
            assert!(!matches!(&found, Ok(Some(found)) if *found != reply), "{name}: {found:?}");
        }
        let (key, reply) = (String::from("new"), Reply::new("new"));
        // The first read may be the one that notices the damage.
        let _ = store.put(&key, &reply);
        store.put(&key, &reply).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(store.get(&key).unwrap(), Some(reply), "{name}");
        for aside in store.moved_aside() {
            moved += 1;
            std::fs::remove_file(aside).unwrap();
        }
    }
    assert!(moved > 30 && refused < 20, "{moved} {refused}");
}

#[test]
fn a_damaged_file_is_kept_and_an_extraction_goes_on() {
    let file = File::new("aside");
    let mut damaged = healthy(&file);
    let end = damaged.len();
    damaged[4096..end].fill(0x55);
    std::fs::write(&file.0, &damaged).unwrap();
    let agent = ScriptedAgent::new(["[8]"]).cached(RedbStore::open(&file.0).unwrap());
    for _ in 0..2 {
        let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs?")).unwrap();
        assert_eq!(legs, [8]);
    }
    let stats = agent.stats();
    assert_eq!((stats.misses, stats.hits, stats.failures), (1, 1, 1));
    let aside = format!("{}.damaged-1", file.0.display());
    let said = stats.last_failure.unwrap();
    assert!(said.contains("was damaged") && said.contains(&aside), "{said}");
    assert_eq!(std::fs::metadata(aside).unwrap().len(), damaged.len() as u64);
}
