//! Replies in a file.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

mod entry;
mod file;
#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use extract::agent::{Reply, ReplyStore, StoreError};
use redb::{
    Database, Error, ReadableTable as _, ReadableTableMetadata as _, Table, TableDefinition, TableError,
};
use serde_json::to_string;

use self::file::File;
pub use self::file::OpenStoreError;

/// Key to number and entry. The numbers count all replies ever stored.
const REPLIES: TableDefinition<'_, &str, (u64, &str)> = TableDefinition::new("extract-replies-2");
/// Number to key, oldest first.
const ORDER: TableDefinition<'_, u64, &str> = TableDefinition::new("extract-order-2");

/// Replies in one file, with the embedded store [`redb`](https://docs.rs/redb). Feature `redb`.
/// Clones share it.
///
/// The file is created if it is missing, survives a crash, and belongs to one process at a time. It
/// holds prompts and replies unencrypted, so protect it like them. At
/// [`max_replies`](Self::max_replies), 100,000 by default, the oldest reply is dropped. Delete the
/// file to forget everything. A read or a write blocks the thread for some milliseconds, which is
/// little compared with a model.
///
/// # Damaged files
///
/// A damaged file (by a full or failing disk, or an incomplete copy) never gives a wrong reply.
/// Each reply has a checksum, and opening the file reads it once to compare the checksums of its
/// pages. A damaged reply is an error, and is replaced. A damaged file is moved aside, never
/// deleted: `replies.redb` becomes `replies.redb.damaged-1`, and an empty file replaces it.
/// [`CacheStats::last_failure`](extract::agent::CacheStats) of a [`Cached`](extract::agent::Cached) reports it, and
/// [`moved_aside`](Self::moved_aside) lists such files. The extraction continues by asking the
/// agent.
///
/// `redb` panics on some kinds of damage. These panics are caught, so a program built with `panic =
/// "abort"` ends instead. The panic hook still runs, and prints them by default. Checksums detect
/// accidents, not forgery: whoever can write the file can forge its replies.
///
/// ```
/// use extract::agent::AgentExt as _;
/// use extract_agents::RedbStore;
/// # use extract::testing::ScriptedAgent;
/// # let agent = ScriptedAgent::new(["8"]);
/// # let path = std::env::temp_dir().join(format!("extract-doc-{}.redb", std::process::id()));
///
/// let agent = agent.cached(RedbStore::open(&path)?.max_replies(10_000));
/// # drop(agent);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RedbStore {
    file: Arc<File>,
    max_replies: Arc<AtomicU64>,
}

impl RedbStore {
    /// Opens the store at `path`. A damaged file is [moved aside](Self#damaged-files), and the
    /// first read reports it.
    ///
    /// # Errors
    ///
    /// If the file cannot be created or read, is not a store, or is already open in this or another
    /// process; or if a damaged file cannot be moved aside.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenStoreError> {
        let file = Arc::new(File::open(path.as_ref())?);
        Ok(Self { file, max_replies: Arc::new(AtomicU64::new(100_000)) })
    }

    /// Sets the maximum number of replies, from the next write on.
    pub fn max_replies(self, replies: u64) -> Self {
        self.max_replies.store(replies, Ordering::Relaxed);
        self
    }

    /// Returns the damaged files that this store found and replaced; the oldest first.
    pub fn moved_aside(&self) -> Vec<PathBuf> {
        self.file.moved_aside()
    }
}

fn read(database: &Database, key: &str) -> Result<Option<String>, Error> {
    let replies = match database.begin_read()?.open_table(REPLIES) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        table => table?,
    };
    Ok(replies.get(key)?.map(|found| found.value().1.to_owned()))
}

fn write(database: &Database, key: &str, entry: &str, most: u64) -> Result<(), Error> {
    let transaction = database.begin_write()?;
    {
        let mut replies = transaction.open_table(REPLIES)?;
        let mut order = transaction.open_table(ORDER)?;
        let number = order.last()?.map_or(0, |(number, _)| number.value().saturating_add(1));
        if let Some(old) = replies.insert(key, (number, entry))? {
            order.remove(old.value().0)?;
        }
        order.insert(number, key)?;
        shrink(&mut replies, &mut order, most)?;
    }
    Ok(transaction.commit()?)
}

fn shrink(
    replies: &mut Table<'_, &str, (u64, &str)>,
    order: &mut Table<'_, u64, &str>,
    most: u64,
) -> Result<(), Error> {
    while replies.len()? > most {
        let Some((_, oldest)) = order.pop_first()? else { return Ok(()) };
        replies.remove(oldest.value())?;
    }
    Ok(())
}

impl ReplyStore for RedbStore {
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError> {
        let found = self.file.with(|database| read(database, key))?;
        found.map(|found| entry::read(key, &found)).transpose()
    }

    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError> {
        let entry = entry::of(key, &to_string(reply)?);
        let most = self.max_replies.load(Ordering::Relaxed);
        self.file.with(|database| write(database, key, &entry, most))
    }
}

impl std::fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbStore").finish_non_exhaustive()
    }
}
