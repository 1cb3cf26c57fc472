//! The tables of a journal that batches are written to.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::{Error, ReadableTable as _, Table, TableDefinition, WriteTransaction};

use super::{entry::Entry, store::META, write::Write};

/// Mark of a batch to its record.
pub(super) const BATCH_LINES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("batch-lines");
/// Mark of a batch to the provider's id of it.
pub(super) const BATCH_IDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("batch-ids");
/// Key and name of a request to its answer in a batch.
pub(super) const ANSWERS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("answers");

/// In [`META`], when the first batch of the job was sent, in seconds since 1970.
pub(super) const BATCHES_SINCE: &str = "batches_since";

/// The tables of batches in a transaction.
pub(super) struct BatchTables<'t> {
    lines: Table<'t, &'static str, &'static [u8]>,
    ids: Table<'t, &'static str, &'static [u8]>,
    meta: Table<'t, &'static str, u64>,
}

impl<'t> BatchTables<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, Error> {
        let (lines, ids) = (transaction.open_table(BATCH_LINES)?, transaction.open_table(BATCH_IDS)?);
        Ok(Self { lines, ids, meta: transaction.open_table(META)? })
    }

    /// Writes what is known of a batch.
    pub(super) fn write(&mut self, write: &Write) -> Result<(), Error> {
        match write {
            Write::BatchIntent(mark, record) => {
                // Records are always JSON.
                let bytes = serde_json::to_vec(record).unwrap_or_default();
                self.lines.insert(&**mark, &*Entry::BatchLines(mark).sealed(&bytes))?;
                if self.meta.get(BATCHES_SINCE)?.is_none() {
                    self.meta.insert(BATCHES_SINCE, record.at)?;
                }
            }
            Write::BatchId(mark, id) => {
                self.ids.insert(&**mark, &*Entry::BatchId(mark).sealed(id.as_bytes()))?;
            }
            Write::BatchEnded(mark) => {
                self.lines.remove(&**mark)?;
                self.ids.remove(&**mark)?;
            }
            // The job is complete.
            Write::Documents(_) => drop(self.meta.remove(BATCHES_SINCE)?),
            _ => {}
        }
        Ok(())
    }
}
