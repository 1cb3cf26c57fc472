//! Makes a journal small.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use extract_disk::catch_damage;
use redb::ReadableTable as _;

use super::{
    error::JournalError,
    store::{INTENTS, OUTCOMES, REPLIES, Store},
};

impl Store {
    /// Drops replies that no unfinished document needs, and returns free pages to the file system.
    pub(super) fn compact(&mut self) -> Result<(), JournalError> {
        if self.copied.is_some() {
            return Err(JournalError::ReadOnly { path: self.shown_path().to_owned() });
        }
        self.with(|database| {
            self.pinned.clear();
            let transaction = database.begin_write()?;
            {
                let (intents, outcomes) =
                    (transaction.open_table(INTENTS)?, transaction.open_table(OUTCOMES)?);
                let mut replies = transaction.open_table(REPLIES)?;
                let mut unneeded: Vec<(String, String)> = Vec::new();
                for entry in replies.iter()? {
                    let (key, _) = entry?;
                    let (key, request) = key.value();
                    if intents.get(key)?.is_none() && outcomes.get(key)?.is_some() {
                        unneeded.push((key.to_owned(), request.to_owned()));
                    }
                }
                for (key, request) in unneeded {
                    replies.remove((&*key, &*request))?;
                }
            }
            Ok(transaction.commit()?)
        })?;
        let path = self.shown_path().to_owned();
        let Some(database) = self.database.as_mut() else { return Ok(()) };
        let compacted = catch_damage(|| {
            // Each call moves some pages.
            while database.compact()? {}
            Ok::<_, redb::CompactionError>(())
        });
        compacted.map_err(|trouble| JournalError::of(trouble, &path))
    }
}
