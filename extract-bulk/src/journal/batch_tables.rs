//! The tables of a journal that batches are written to.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::{Error, Table, TableDefinition, WriteTransaction};

use super::{entry::JournalEntry, write::Write};

/// Mark of a batch to its record.
pub(super) const BATCH_LINES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("batch-lines");
/// Mark of a batch to the provider's id of it.
pub(super) const BATCH_IDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("batch-ids");

/// The tables of batches in a transaction.
pub(super) struct BatchTables<'t> {
    lines: Table<'t, &'static str, &'static [u8]>,
    ids: Table<'t, &'static str, &'static [u8]>,
}

impl<'t> BatchTables<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, Error> {
        let (lines, ids) = (transaction.open_table(BATCH_LINES)?, transaction.open_table(BATCH_IDS)?);
        Ok(Self { lines, ids })
    }

    /// Writes what is known of a batch.
    pub(super) fn write(&mut self, write: &Write) -> Result<(), Error> {
        match write {
            Write::BatchIntent { mark, record, .. } => {
                self.lines.insert(&**mark, &*JournalEntry::BatchLines(mark).sealed(record))?;
            }
            Write::BatchId(mark, id) => {
                self.ids.insert(&**mark, &*JournalEntry::BatchId(mark).sealed(id.as_bytes()))?;
            }
            Write::BatchEnded(mark) => {
                self.lines.remove(&**mark)?;
                self.ids.remove(&**mark)?;
            }
            _ => {}
        }
        Ok(())
    }
}
