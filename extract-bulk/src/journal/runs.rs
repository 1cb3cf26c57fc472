//! The runs of a journal.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::{Error, ReadableTable as _};

use super::{
    entry::Entry,
    error::JournalError,
    store::{INTENTS, META, Store},
    write::Intent,
};

/// Statistics that a journal keeps about itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) runs: u64,
    pub(super) crashed_runs: u64,
    pub(super) in_flight: u64,
}

impl Store {
    /// Starts a run. Open intents belong to a run that crashed; returns their number. If there are
    /// more than `few`, the crash says little about each of them.
    pub(crate) fn begin_run(&self, few: usize) -> Result<u64, JournalError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            let mut crashed = 0;
            {
                let mut intents = transaction.open_table(INTENTS)?;
                let mut open = Vec::new();
                for entry in intents.iter()? {
                    let (key, intent) = entry?;
                    let intent = Entry::Intent(key.value()).read(intent.value(), Intent::read)?;
                    if intent.is_open {
                        open.push((key.value().to_owned(), intent));
                    }
                }
                let are_few = open.len() <= few;
                for (key, mut intent) in open {
                    crashed += 1;
                    let count = if are_few { &mut intent.crashes } else { &mut intent.crowded };
                    *count = count.saturating_add(1);
                    intent.is_open = false;
                    intents.insert(&*key, &*Entry::Intent(&key).sealed(&intent.bytes()))?;
                }
                let mut meta = transaction.open_table(META)?;
                for (name, add) in [("runs", 1), ("crashed_runs", u64::from(crashed > 0))] {
                    let count = meta.get(name)?.map_or(0, |count| count.value());
                    meta.insert(name, count.saturating_add(add))?;
                }
            }
            transaction.commit()?;
            Ok(crashed)
        })
    }

    pub(super) fn counts(&self) -> Result<Counts, JournalError> {
        self.with(|database| {
            let transaction = database.begin_read()?;
            let meta = transaction.open_table(META)?;
            let count = |name| Ok::<_, Error>(meta.get(name)?.map_or(0, |count| count.value()));
            let mut in_flight = 0;
            for entry in transaction.open_table(INTENTS)?.iter()? {
                let (key, intent) = entry?;
                let intent = Entry::Intent(key.value()).read(intent.value(), Intent::read)?;
                in_flight += u64::from(intent.is_open);
            }
            Ok(Counts { runs: count("runs")?, crashed_runs: count("crashed_runs")?, in_flight })
        })
    }
}
