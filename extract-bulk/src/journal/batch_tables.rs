//! The tables of a journal that batches are written to.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::{Error, TableDefinition, WriteTransaction};

use super::{entry::Entry, write::Write};

/// Mark of a batch to its requests.
pub(super) const BATCH_LINES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("batch-lines");
/// Mark of a batch to the provider's id of it.
pub(super) const BATCH_IDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("batch-ids");
/// Key and name of a request to its answer in a batch.
pub(super) const ANSWERS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("answers");

/// Writes what is known of a batch.
pub(super) fn write(transaction: &WriteTransaction, write: &Write) -> Result<(), Error> {
    let mut lines = transaction.open_table(BATCH_LINES)?;
    let mut ids = transaction.open_table(BATCH_IDS)?;
    match write {
        Write::BatchIntent(mark, requests) => {
            // Lines are always JSON.
            let bytes = serde_json::to_vec(requests).unwrap_or_default();
            lines.insert(&**mark, &*Entry::BatchLines(mark).sealed(&bytes))?;
        }
        Write::BatchId(mark, id) => {
            ids.insert(&**mark, &*Entry::BatchId(mark).sealed(id.as_bytes()))?;
        }
        Write::BatchEnded(mark) => {
            lines.remove(&**mark)?;
            ids.remove(&**mark)?;
        }
        _ => {}
    }
    Ok(())
}
