//! Checks any file as a cassette, and any reply recorded and replayed.

use std::{fs, path::PathBuf};

use extract::testing::{Cassette, ScriptedAgent, block_on};

use crate::reading::CONTRACTS;

/// Panics if a property does not hold. The first byte selects the contract, and whether the rest is
/// a file or a reply.
pub fn check(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let contract = &CONTRACTS[usize::from(*first) % CONTRACTS.len()];
    let file = file();
    if usize::from(*first) < CONTRACTS.len() {
        fs::write(&file, rest).expect("the file can be written");
        if let Ok(cassette) = Cassette::replay(&file) {
            let cassette = cassette.loosely();
            if let Ok((value, _)) = block_on(contract.extract(&cassette, "How many?")) {
                assert!(contract.validate(&value).is_empty(), "{value}");
            }
        }
    } else if let Ok(reply) = std::str::from_utf8(rest) {
        let agent = ScriptedAgent::new([reply, reply]);
        let asked = |agent: &Cassette| {
            block_on(contract.extract(agent, "How many?").max_attempts(2).max_continuations(0))
        };
        let recorded = asked(&Cassette::record(agent, &file));
        let has_secret = fs::read_to_string(&file).is_ok_and(|text| text.contains("[redacted]"));
        let cassette = Cassette::replay(&file).expect("what was recorded is a cassette");
        let replayed = asked(&cassette);
        if !has_secret {
            assert_eq!(outcome(recorded), outcome(replayed), "{reply:?}");
            cassette.assert_finished();
        }
    }
    let _ = fs::remove_file(file);
}

fn outcome(result: extract::ExtractionResult<serde_json::Value>) -> (Option<String>, u32) {
    match result {
        Ok((value, metrics)) => (Some(value.to_string()), metrics.attempts),
        Err(error) => (None, error.metrics().attempts),
    }
}

/// A separate file for each thread.
fn file() -> PathBuf {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    std::env::temp_dir().join(format!("extract-fuzz-cassette-{process}-{thread:?}.json"))
}
