//! The runs of a journal.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::{Error, ReadableTable, TableError};

use super::{
    entry::JournalEntry,
    error::JournalError,
    record::RecordHead,
    store::{EXPECTED, IN_FLIGHT, INTENTS, META, ORDER, OUTCOMES, Store},
    write::{InFlight, Intent},
};
use crate::outcome::Status;

/// Statistics that a journal keeps about itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunCounts {
    pub(super) runs: u64,
    pub(super) crashed_runs: u64,
    pub(super) in_flight: u64,
    /// Documents of the last source, read or not, if known.
    pub(super) expected: Option<u64>,
    /// Documents of the last source that have an outcome.
    pub(super) settled: u64,
}

/// The documents that were in flight when the last run ended, and have no answer.
fn in_flight(
    intents: &impl ReadableTable<&'static str, &'static [u8]>,
    outcomes: &impl ReadableTable<&'static str, &'static [u8]>,
    flight: Option<&impl ReadableTable<(), &'static [u8]>>,
) -> Result<Vec<(String, Intent)>, Error> {
    let mut open: Vec<(String, Intent)> = Vec::new();
    for entry in intents.iter()? {
        let (key, intent) = entry?;
        let intent = JournalEntry::Intent(key.value()).read(intent.value(), Intent::read)?;
        if intent.is_open {
            open.push((key.value().to_owned(), intent));
        }
    }
    let Some(entry) = flight.map(|flight| flight.get(())).transpose()?.flatten() else { return Ok(open) };
    for (key, intent) in JournalEntry::InFlight.read(entry.value(), InFlight::read)? {
        // Its outcome may have been committed since.
        let outcome = outcomes.get(&*key)?;
        let read = |bytes: &[u8]| RecordHead::read(bytes).map(|(head, _)| head.status);
        let status =
            outcome.map(|outcome| JournalEntry::Outcome(&key).read(outcome.value(), read)).transpose()?;
        if status.is_none_or(|status| status == Status::Failed) {
            open.push((key, intent));
        }
    }
    Ok(open)
}

impl Store {
    /// Starts a run of `expected` documents, if their number is known. Open intents belong to a run that
    /// crashed; returns their number. If there are more than `few`, the crash says little about each of them.
    pub(crate) fn begin_run(&self, few: usize, expected: Option<u64>) -> Result<u64, JournalError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            let mut crashed = 0;
            {
                let mut intents = transaction.open_table(INTENTS)?;
                let outcomes = transaction.open_table(OUTCOMES)?;
                let mut flight = transaction.open_table(IN_FLIGHT)?;
                let open = in_flight(&intents, &outcomes, Some(&flight))?;
                flight.remove(())?;
                let are_few = open.len() <= few;
                for (key, mut intent) in open {
                    crashed += 1;
                    let count = if are_few { &mut intent.crashes } else { &mut intent.crowded };
                    *count = count.saturating_add(1);
                    intent.is_open = false;
                    intents.insert(&*key, &*JournalEntry::Intent(&key).sealed(&intent.bytes()))?;
                }
                let mut meta = transaction.open_table(META)?;
                match expected {
                    Some(expected) => meta.insert(EXPECTED, expected)?,
                    None => meta.remove(EXPECTED)?,
                };
                for (name, add) in [("runs", 1), ("crashed_runs", u64::from(crashed > 0))] {
                    let count = meta.get(name)?.map_or(0, |count| count.value());
                    meta.insert(name, count.saturating_add(add))?;
                }
            }
            transaction.commit()?;
            Ok(crashed)
        })
    }

    pub(super) fn counts(&self) -> Result<RunCounts, JournalError> {
        self.with(|database| {
            let transaction = database.begin_read()?;
            let meta = transaction.open_table(META)?;
            let count = |name| Ok::<_, Error>(meta.get(name)?.map_or(0, |count| count.value()));
            let (intents, outcomes) = (transaction.open_table(INTENTS)?, transaction.open_table(OUTCOMES)?);
            let flight = match transaction.open_table(IN_FLIGHT) {
                Err(TableError::TableDoesNotExist(_)) => None,
                flight => Some(flight?),
            };
            let in_flight = in_flight(&intents, &outcomes, flight.as_ref())?.len() as u64;
            let mut settled = 0;
            for entry in transaction.open_table(ORDER)?.iter()? {
                let (number, key) = entry?;
                let read = |key: &[u8]| String::from_utf8(key.to_owned()).ok();
                let key = JournalEntry::Order(number.value()).read(key.value(), read)?;
                settled += u64::from(outcomes.get(&*key)?.is_some());
            }
            let (runs, crashed_runs) = (count("runs")?, count("crashed_runs")?);
            let expected = meta.get(EXPECTED)?.map(|expected| expected.value());
            Ok(RunCounts { runs, crashed_runs, in_flight, expected, settled })
        })
    }
}
