//! Replies in a file.

use std::{
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use redb::{
    Database, ReadableTable as _, ReadableTableMetadata as _, Table, TableDefinition, TableError,
    WriteTransaction,
};
use serde_json::{from_str, to_string};

use super::{ReplyStore, StoreError};
use crate::agent::Reply;

/// Key to number and reply. The numbers count what was ever kept.
const REPLIES: TableDefinition<'_, &str, (u64, &str)> = TableDefinition::new("extract-replies-1");
/// Number to key, the oldest first.
const ORDER: TableDefinition<'_, u64, &str> = TableDefinition::new("extract-order-1");

/// Replies in one file, through the embedded store [`redb`](https://docs.rs/redb). Feature `redb`. Clones share it.
///
/// The file is made when it is missing, survives a crash, and belongs to one process at a time. It holds prompts and replies as they
/// are, so it is as secret as they are. When [`max_replies`](Self::max_replies), 100,000 by default, are in it, the oldest
/// goes; deleting the file is how to forget all. A read or a write blocks the thread for some milliseconds, which is little
/// beside a model.
///
/// ```
/// use extract::agent::{AgentExt as _, RedbStore};
/// # use extract::testing::ScriptedAgent;
/// # let agent = ScriptedAgent::new(["8"]);
/// # let path = std::env::temp_dir().join(format!("extract-doc-{}.redb", std::process::id()));
///
/// let agent = agent.cached(RedbStore::open(&path)?.max_replies(10_000));
/// # drop(agent);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Clone)]
pub struct RedbStore {
    database: Arc<Database>,
    max_replies: Arc<RwLock<u64>>,
}

impl RedbStore {
    /// The store at `path`.
    ///
    /// # Errors
    ///
    /// When the file cannot be made or read, is no store, or is open already, in this process or another.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let database = Database::create(path)
            .map_err(|error| format!("the cache `{}` cannot be opened: {error}", path.display()))?;
        Ok(Self { database: Arc::new(database), max_replies: Arc::new(RwLock::new(100_000)) })
    }

    /// How many replies are kept at most, from the next one that is kept on.
    pub fn max_replies(self, replies: u64) -> Self {
        *self.max_replies.write().unwrap_or_else(PoisonError::into_inner) = replies;
        self
    }

    fn write(&self, transaction: &WriteTransaction, key: &str, reply: &str) -> Result<(), StoreError> {
        let mut replies = transaction.open_table(REPLIES)?;
        let mut order = transaction.open_table(ORDER)?;
        let number = order.last()?.map_or(0, |(number, _)| number.value() + 1);
        if let Some(old) = replies.insert(key, (number, reply))? {
            order.remove(old.value().0)?;
        }
        order.insert(number, key)?;
        let most = *self.max_replies.read().unwrap_or_else(PoisonError::into_inner);
        shrink(&mut replies, &mut order, most)
    }
}

fn shrink(
    replies: &mut Table<'_, &str, (u64, &str)>,
    order: &mut Table<'_, u64, &str>,
    most: u64,
) -> Result<(), StoreError> {
    while replies.len()? > most {
        let Some((_, oldest)) = order.pop_first()? else { return Ok(()) };
        replies.remove(oldest.value())?;
    }
    Ok(())
}

impl ReplyStore for RedbStore {
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError> {
        let replies = match self.database.begin_read()?.open_table(REPLIES) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            table => table?,
        };
        let Some(found) = replies.get(key)? else { return Ok(None) };
        Ok(Some(from_str(found.value().1)?))
    }

    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError> {
        let reply = to_string(reply)?;
        let transaction = self.database.begin_write()?;
        self.write(&transaction, key, &reply)?;
        Ok(transaction.commit()?)
    }
}

impl std::fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbStore").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        Extractable as _,
        agent::{AgentExt as _, FinishReason, Usage},
        testing::{ScriptedAgent, block_on},
    };

    struct File(PathBuf);

    impl File {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("extract-{name}-{}.redb", std::process::id())))
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn replies_outlive_the_store() {
        let file = File::new("outlive");
        let reply = Reply::new("8").finished(FinishReason::Stop).with_usage(Usage::new(5, 1));
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
}
