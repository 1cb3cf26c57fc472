//! Checks journals of jobs with any damage: reading gives an error or the original outcomes, never
//! another value.

use std::{
    fs, panic,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use arbitrary::{Result, Unstructured};
use extract::{
    Contract,
    testing::{ScriptedAgent, block_on},
};
use extract_bulk::{ContractBulkExt as _, Doc, Journal, JournalError};
use redb::{Database, TableDefinition};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A journal of four documents, one of them without an answer.
static JOURNAL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = file("whole");
    let _ = fs::remove_file(&path);
    let contract = Contract::from_schema(json!({"type": "integer"})).expect("the schema compiles");
    let agent = ScriptedAgent::new(["0", "1", "2", "none"]);
    let documents = (0..4).map(|number| Doc::new(number.to_string(), format!("document {number}")));
    let job = contract
        .bulk(&agent, documents)
        .concurrent(1)
        .journal(&path)
        .configure(|extraction| extraction.max_attempts(1));
    block_on(job).expect("the job runs");
    Journal::open(&path).and_then(|mut journal| journal.compact()).expect("it can be compacted");
    let bytes = fs::read(&path).expect("it can be read");
    let _ = fs::remove_file(path);
    bytes
});

/// The table of outcomes in the current format.
const OUTCOMES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("outcomes");

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    // The database panics on some damage, and the panic is caught; a fuzzer's own hook would end
    // the process.
    static QUIET: std::sync::Once = std::sync::Once::new();
    LazyLock::force(&JOURNAL);
    if cfg!(feature = "libfuzzer") {
        QUIET.call_once(|| panic::set_hook(Box::new(|_| {})));
    }
    let _ = checked(&mut Unstructured::new(data));
}

fn checked(u: &mut Unstructured<'_>) -> Result<()> {
    let path = file("damaged");
    if u.arbitrary()? {
        fs::write(&path, damaged(u)?).expect("it can be written");
        let values = values(&path);
        for (key, value) in values.unwrap_or_default() {
            // The last document has no answer.
            assert_eq!(
                value,
                (key != "3").then(|| json!(key.parse::<u8>().expect("the keys are numbers"))),
                "{key}"
            );
        }
    } else {
        fs::write(&path, &*JOURNAL).expect("it can be written");
        replace(&path, u.bytes(u.len())?);
        // It is a journal with right checksums, whatever was written into it. The other outcomes
        // are there, or there is an error.
        let _ = values(&path);
    }
    let _ = fs::remove_file(path);
    Ok(())
}

/// The journal with a few bytes changed, and perhaps cut.
fn damaged(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut bytes = JOURNAL.clone();
    if u.ratio(1, 4)? {
        bytes.truncate(u.int_in_range(0..=bytes.len())?);
    }
    for _ in 0..u.int_in_range(1..=8)? {
        // Half of the changes are in the file's header.
        let end = if u.arbitrary()? { 512 } else { bytes.len() };
        let end = end.min(bytes.len());
        if end == 0 {
            break;
        }
        let at = u.int_in_range(0..=end - 1)?;
        let run = u.int_in_range(1..=16)?;
        let to = (at + run).min(bytes.len());
        for byte in &mut bytes[at..to] {
            *byte = u.arbitrary()?;
        }
    }
    Ok(bytes)
}

/// Writes `record` as the outcome of a document, as another program might.
fn replace(path: &Path, record: &[u8]) {
    let database = Database::open(path).expect("it is a database");
    let transaction = database.begin_write().expect("it can be written");
    transaction
        .open_table(OUTCOMES)
        .and_then(|mut table| Ok(table.insert("1", &*sealed("1", record)).map(drop)?))
        .expect("it has the table");
    transaction.commit().expect("it can be written");
}

/// The record with its checksum: that of the table, the key and the record.
fn sealed(key: &str, record: &[u8]) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update([0]);
    hash.update((key.len() as u64).to_le_bytes());
    hash.update(key);
    hash.update(0_u64.to_le_bytes());
    hash.update(record);
    [&hash.finalize()[..16], record].concat()
}

type Values = Vec<(String, Option<Value>)>;

/// Everything that can be read from a journal.
fn values(path: &Path) -> std::result::Result<Values, JournalError> {
    let journal = Journal::open(path)?;
    let values = journal.outcomes().map(|outcome| outcome.map(|outcome| (outcome.key, outcome.result.ok())));
    let values = values.collect::<std::result::Result<Values, _>>()?;
    journal.inspect()?;
    journal.export(std::io::sink())?;
    journal.dead_letters()?.try_for_each(|letter| letter.map(drop))?;
    Ok(values)
}

/// A separate file for each thread.
fn file(name: &str) -> PathBuf {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    std::env::temp_dir().join(format!("extract-fuzz-journal-{name}-{process}-{thread:?}.redb"))
}
