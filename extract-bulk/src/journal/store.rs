//! The tables of a journal.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use extract_disk::{FileStart, catch_damage};
use redb::{
    Builder, Database, Error, ReadableTable as _, ReadableTableMetadata as _, StorageBackend, Table,
    TableDefinition, backends::InMemoryBackend,
};

use super::{
    answers::{AnswerIndex, find_answers, has_answers, pack_answers},
    batch_tables::BatchTables,
    entry::JournalEntry,
    error::JournalError,
    owner::OwnerFile,
    pinned::{Copied, Pinned},
    record::{Record, RecordHead},
    write::{Intent, Write},
};
use crate::{batches::KnownAnswer, outcome::Status, request_name::RequestName, reviewed::ReviewedValues};

/// The newest known format of journals.
pub(super) const FORMAT: u32 = 3;

/// The oldest known format, in which each answer of a batch is an entry. The one before had no
/// checksums.
const OLDEST: u32 = 2;

/// Size of the page cache. The default of `redb` is a gigabyte.
const CACHE_BYTES: usize = 16 << 20;

/// How many entries are read at once.
pub(crate) const BATCH: usize = 256;

/// `format`, `runs`, `crashed_runs`, `batches_since`, `expected`.
pub(super) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("extract-journal");
/// In [`META`], when the first batch of the job was sent, in seconds since 1970.
pub(super) const BATCHES_SINCE: &str = "batches_since";
/// In [`META`], how many documents the last source has, if that is known.
pub(super) const EXPECTED: &str = "expected";
// The values of the other tables begin with the checksum of their [`JournalEntry`].
/// Key to [`Record`].
pub(super) const OUTCOMES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("outcomes");
/// Number of a document in the last source to key.
pub(super) const ORDER: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("order");
/// Key to [`Intent`].
pub(super) const INTENTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("intents");
/// The documents of a job with batches that are in flight, as one entry.
pub(super) const IN_FLIGHT: TableDefinition<'_, (), &[u8]> = TableDefinition::new("in-flight");
/// Key and digest of a request to the reply.
pub(super) const REPLIES: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("replies");

/// Records with their keys.
pub(crate) type FoundOutcome = Vec<(String, Record)>;

/// What is known of the file of a journal before it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JournalFile {
    /// It has just been created, or is in memory.
    New,
    Existing,
}

/// An open journal.
pub(crate) struct Store {
    // Dropped before the database.
    pub(super) pinned: Pinned,
    /// `None` after it was closed.
    pub(super) database: Option<Database>,
    path: Option<PathBuf>,
    // Dropped after the database, which holds the lock.
    owner: Option<OwnerFile>,
    /// Set if it is a copy.
    pub(super) copied: Option<Copied>,
    /// Values that take precedence over those in the database.
    reviewed: ReviewedValues,
    /// Where the answers of batches are; `None` before it is read, and after a failure.
    answers: Mutex<Option<AnswerIndex>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the journal at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let file_start = extract_disk::file_start(path);
        match file_start.map_err(|error| held(JournalError::of_io(&error, path.to_owned())))? {
            FileStart::Missing => Err(JournalError::Missing { path: path.to_owned() }),
            _ => Self::open_or_create(path),
        }
    }

    /// Opens the journal at `path`, which is created if it is missing.
    pub(crate) fn open_or_create(path: &Path) -> Result<Self, JournalError> {
        let io = |error: std::io::Error| held(JournalError::of_io(&error, path.to_owned()));
        match extract_disk::file_start(path).map_err(io)? {
            FileStart::Foreign => return Err(JournalError::NotAJournal { path: path.to_owned() }),
            FileStart::Damaged => return Err(JournalError::damaged(path, &"its header makes no sense")),
            FileStart::Missing | FileStart::Database => {}
        }
        let is_new = fs::metadata(path).map_or(true, |file| file.len() == 0);
        let file = if is_new { JournalFile::New } else { JournalFile::Existing };
        let database = extract_disk::open(path, Builder::new().set_cache_size(CACHE_BYTES));
        let database = database.map_err(|trouble| held(JournalError::of(trouble, path)))?;
        let owner = Some(OwnerFile::write(path));
        Self::checked(database, Some(path), owner, None, file)
    }

    pub(super) fn checked(
        database: Database,
        path: Option<&Path>,
        owner: Option<OwnerFile>,
        copied: Option<Copied>,
        file: JournalFile,
    ) -> Result<Self, JournalError> {
        let path = path.map(Path::to_owned);
        let reviewed = ReviewedValues::new();
        let (pinned, answers) = (Pinned::default(), Mutex::default());
        let store = Self { pinned, database: Some(database), path, owner, copied, reviewed, answers };
        store.check(file)?;
        Ok(store)
    }

    /// A journal in memory, which is lost with the process.
    pub(crate) fn in_memory() -> Result<Self, JournalError> {
        Self::with_backend(InMemoryBackend::new())
    }

    pub(crate) fn with_backend(backend: impl StorageBackend) -> Result<Self, JournalError> {
        let database =
            catch_damage(|| Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(backend));
        let path = Path::new("in memory");
        let database = database.map_err(|trouble| JournalError::of(trouble, path))?;
        Self::checked(database, None, None, None, JournalFile::New)
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn shown_path(&self) -> &Path {
        self.path().unwrap_or(Path::new("in memory"))
    }

    /// The size of the file in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.path().and_then(|path| fs::metadata(path).ok()).map_or(0, |file| file.len())
    }

    /// Runs `what` on the database. A panic in it counts as damage.
    pub(super) fn with<T>(
        &self,
        what: impl FnOnce(&Database) -> Result<T, Error>,
    ) -> Result<T, JournalError> {
        let closed = || JournalError::damaged(self.shown_path(), &"it could not be closed");
        let database = self.database.as_ref().ok_or_else(closed)?;
        catch_damage(|| what(database)).map_err(|trouble| JournalError::of(trouble, self.shown_path()))
    }

    /// Checks that it is a journal in a known format. Initialises a new one.
    fn check(&self, file: JournalFile) -> Result<(), JournalError> {
        let format = self.with(|database| {
            let transaction = database.begin_read()?;
            match transaction.open_table(META) {
                Ok(meta) => Ok(meta.get("format")?.map(|format| format.value())),
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })?;
        let path = self.shown_path().to_owned();
        match format {
            None => {
                let is_empty = file == JournalFile::New
                    || self.with(|database| Ok(database.begin_read()?.list_tables()?.next().is_none()))?;
                // A file of another program, which must not get our tables.
                if is_empty { self.create() } else { Err(JournalError::NotAJournal { path }) }
            }
            Some(format) if format > u64::from(FORMAT) => {
                let found = u32::try_from(format).unwrap_or(u32::MAX);
                Err(JournalError::Newer { path, found, known: FORMAT })
            }
            Some(format) if format < u64::from(OLDEST) => {
                let found = u32::try_from(format).unwrap_or_default();
                Err(JournalError::Older { path, found, known: OLDEST })
            }
            Some(format) if format < u64::from(FORMAT) => self.upgrade(),
            Some(_) => Ok(()),
        }
    }

    /// Brings a journal to the newest format. The next run of an older version refuses it.
    fn upgrade(&self) -> Result<(), JournalError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            pack_answers(&transaction)?;
            transaction.open_table(META)?.insert("format", u64::from(FORMAT))?;
            Ok(transaction.commit()?)
        })
    }

    fn create(&self) -> Result<(), JournalError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            transaction.open_table(META)?.insert("format", u64::from(FORMAT))?;
            transaction.open_table(OUTCOMES)?;
            transaction.open_table(ORDER)?;
            transaction.open_table(INTENTS)?;
            transaction.open_table(REPLIES)?;
            Ok(transaction.commit()?)
        })
    }

    /// Commits all of `writes` or none.
    pub(crate) fn write(&self, writes: &[Write]) -> Result<(), JournalError> {
        if self.copied.is_some() {
            return Err(JournalError::ReadOnly { path: self.shown_path().to_owned() });
        }
        let done = self.with(|database| self.commit(database, writes));
        if done.is_err() {
            // It may be ahead of the journal.
            *self.answers.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        done
    }

    fn commit(&self, database: &Database, writes: &[Write]) -> Result<(), Error> {
        let is_copied = self.owner.as_ref().is_some_and(OwnerFile::is_copied);
        let transaction = database.begin_write()?;
        self.pinned.set(&transaction, is_copied)?;
        {
            let mut order = transaction.open_table(ORDER)?;
            let mut outcomes = transaction.open_table(OUTCOMES)?;
            let mut intents = transaction.open_table(INTENTS)?;
            let mut replies = transaction.open_table(REPLIES)?;
            let mut batches = None;
            let mut locked = self.answer_index(database)?;
            let answers = locked.get_or_insert_default();
            for write in writes {
                match write {
                    Write::Order(number, key) => {
                        order.insert(number, &*JournalEntry::Order(*number).sealed(key.as_bytes()))?;
                    }
                    Write::Intent(key, intent) => {
                        intents.insert(&**key, &*JournalEntry::Intent(key).sealed(&intent.bytes()))?;
                    }
                    Write::InFlight(documents) => {
                        let mut flight = transaction.open_table(IN_FLIGHT)?;
                        flight.insert((), &*JournalEntry::InFlight.sealed(documents.bytes()))?;
                    }
                    Write::Outcome(key, record) => {
                        outcomes.insert(&**key, &*JournalEntry::Outcome(key).sealed(record))?;
                        intents.remove(&**key)?;
                        remove_of_key(&mut replies, key)?;
                        answers.settle(key);
                    }
                    Write::Reply(key, request, reply) => {
                        let reply = JournalEntry::Reply(key, request).sealed(reply);
                        replies.insert((&**key, &**request), &*reply)?;
                    }
                    Write::Answers(pack) => answers.insert(&transaction, pack)?,
                    Write::BatchIntent { .. } | Write::BatchId(..) | Write::BatchEnded(_) => {
                        if let Write::BatchIntent { at, .. } = write {
                            set_once(&mut transaction.open_table(META)?, BATCHES_SINCE, *at)?;
                        }
                        let tables = match &mut batches {
                            Some(tables) => tables,
                            None => batches.insert(BatchTables::open(&transaction)?),
                        };
                        tables.write(write)?;
                    }
                    Write::Documents(count) => {
                        order.retain_in(*count.., |_, _| false)?;
                        // The rest is about documents that are not in the source any more.
                        answers.clear(&transaction)?;
                        let mut meta = transaction.open_table(META)?;
                        meta.remove(BATCHES_SINCE)?;
                        meta.insert(EXPECTED, *count)?;
                    }
                }
            }
            answers.remove_settled(&transaction)?;
        }
        Ok(transaction.commit()?)
    }

    /// Where the answers of batches are, which is read if it is not known.
    fn answer_index(&self, database: &Database) -> Result<MutexGuard<'_, Option<AnswerIndex>>, Error> {
        let mut index = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if index.is_none() {
            *index = Some(AnswerIndex::read(&database.begin_read()?)?);
        }
        Ok(index)
    }

    /// Returns whether there is an answer to any request in a batch.
    pub(crate) fn has_answers(&self) -> Result<bool, JournalError> {
        self.with(|database| has_answers(&database.begin_read()?))
    }

    /// The answers to a request in a batch, in the order in which they were read. There may be
    /// several of which the first ones are no use.
    pub(crate) fn answers(&self, key: &str, name: RequestName) -> Result<Vec<KnownAnswer>, JournalError> {
        self.with(|database| {
            let packs = self.answer_index(database)?.as_ref().map(|index| index.packs_of(key));
            find_answers(&database.begin_read()?, &packs.unwrap_or_default(), (key, name))
        })
    }

    /// Lets these values take precedence wherever outcomes are read.
    pub(crate) fn set_reviewed(&mut self, reviewed: ReviewedValues) {
        self.reviewed = reviewed;
    }

    fn review(&self, key: &str, record: &mut Record) {
        if let Some(reviewed) = self.reviewed.get(key) {
            record.review(reviewed);
        }
    }

    pub(crate) fn head(&self, key: &str) -> Result<Option<RecordHead>, JournalError> {
        let mut head = self.outcome(key, |bytes| RecordHead::read(bytes).map(|(head, _)| head))?;
        if let Some(head) = head.as_mut().filter(|_| self.reviewed.contains_key(key)) {
            head.status = Status::Done;
        }
        Ok(head)
    }

    pub(crate) fn record(&self, key: &str) -> Result<Option<Record>, JournalError> {
        let mut record = self.outcome(key, Record::read)?;
        if let Some(record) = &mut record {
            self.review(key, record);
        }
        Ok(record)
    }

    fn outcome<T>(
        &self,
        key: &str,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, JournalError> {
        self.with(|database| {
            let outcomes = database.begin_read()?.open_table(OUTCOMES)?;
            outcomes.get(key)?.map(|bytes| JournalEntry::Outcome(key).read(bytes.value(), read)).transpose()
        })
    }

    pub(crate) fn intent(&self, key: &str) -> Result<Option<Intent>, JournalError> {
        self.with(|database| {
            let intents = database.begin_read()?.open_table(INTENTS)?;
            intents
                .get(key)?
                .map(|bytes| JournalEntry::Intent(key).read(bytes.value(), Intent::read))
                .transpose()
        })
    }

    /// The head of a document's outcome, and whether the document had this number in the last
    /// source.
    pub(crate) fn known(&self, number: u64, key: &str) -> Result<(Option<RecordHead>, bool), JournalError> {
        let has_number = self.with(|database| {
            let order = database.begin_read()?.open_table(ORDER)?;
            let found = order.get(number)?;
            found.map_or(Ok(false), |found| {
                Ok(JournalEntry::Order(number).content(found.value())? == key.as_bytes())
            })
        })?;
        Ok((self.head(key)?, has_number))
    }

    /// Returns whether there is a kept reply of any document.
    pub(crate) fn has_replies(&self) -> Result<bool, JournalError> {
        self.with(|database| Ok(!database.begin_read()?.open_table(REPLIES)?.is_empty()?))
    }

    /// The kept replies of a document that needs several, by the digest of the request.
    pub(crate) fn replies(&self, key: &str) -> Result<HashMap<String, Vec<u8>>, JournalError> {
        self.with(|database| {
            let replies = database.begin_read()?.open_table(REPLIES)?;
            let mut found = HashMap::new();
            for entry in replies.range(of_key(key))? {
                let (request, reply) = entry?;
                let (key, request) = request.value();
                let reply = JournalEntry::Reply(key, request).content(reply.value())?;
                found.insert(request.to_owned(), reply.to_owned());
            }
            Ok(found)
        })
    }

    /// The next documents of the last source from `number` on that have an outcome, and the number
    /// after them; `None` at the end.
    pub(crate) fn next_in_order(&self, number: u64) -> Result<Option<(u64, FoundOutcome)>, JournalError> {
        self.with(|database| {
            let transaction = database.begin_read()?;
            let (order, outcomes) = (transaction.open_table(ORDER)?, transaction.open_table(OUTCOMES)?);
            let (mut next, mut found) = (None, Vec::new());
            for entry in order.range(number..)?.take(BATCH) {
                let (number, key) = entry?;
                next = Some(number.value().saturating_add(1));
                let read = |key: &[u8]| String::from_utf8(key.to_owned()).ok();
                let key = JournalEntry::Order(number.value()).read(key.value(), read)?;
                if let Some(record) = outcomes.get(&*key)? {
                    let mut record = JournalEntry::Outcome(&key).read(record.value(), Record::read)?;
                    self.review(&key, &mut record);
                    found.push((key, record));
                }
            }
            Ok(next.map(|next| (next, found)))
        })
    }

    /// The next outcomes after `key`, in the order of keys.
    pub(crate) fn next_by_key(&self, key: Option<&str>) -> Result<FoundOutcome, JournalError> {
        self.with(|database| {
            use std::ops::Bound::{Excluded, Unbounded};
            let outcomes = database.begin_read()?.open_table(OUTCOMES)?;
            let range = outcomes.range::<&str>((key.map_or(Unbounded, Excluded), Unbounded))?;
            let mut found = Vec::new();
            for entry in range.take(BATCH) {
                let (key, record) = entry?;
                let mut record = JournalEntry::Outcome(key.value()).read(record.value(), Record::read)?;
                self.review(key.value(), &mut record);
                found.push((key.value().to_owned(), record));
            }
            Ok(found)
        })
    }

    /// How many documents the last source had.
    pub(super) fn documents(&self) -> Result<u64, JournalError> {
        self.with(|database| {
            let order = database.begin_read()?.open_table(ORDER)?;
            Ok(order.last()?.map_or(0, |(number, _)| number.value().saturating_add(1)))
        })
    }

    #[cfg(test)]
    pub(crate) fn outcome_bytes(&self, key: &str) -> Result<Vec<u8>, JournalError> {
        self.with(|database| {
            let outcomes = database.begin_read()?.open_table(OUTCOMES)?;
            Ok(outcomes.get(key)?.map_or(Vec::new(), |bytes| bytes.value().to_owned()))
        })
    }

    /// Writes `bytes` as the outcome of a document.
    #[cfg(test)]
    pub(crate) fn set_outcome(&self, key: &str, bytes: &[u8]) -> Result<(), JournalError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            transaction.open_table(OUTCOMES)?.insert(key, bytes)?;
            Ok(transaction.commit()?)
        })
    }

    #[cfg(test)]
    pub(crate) fn set_format(&self, format: u64) -> Result<(), JournalError> {
        self.with(|database| {
            let transaction = database.begin_write()?;
            transaction.open_table(META)?.insert("format", format)?;
            Ok(transaction.commit()?)
        })
    }
}

/// Adds to the error who has the journal open, if known.
fn held(error: JournalError) -> JournalError {
    match error {
        JournalError::Held { path, .. } => {
            let by = OwnerFile::read(&path);
            JournalError::Held { path, by }
        }
        error => error,
    }
}

/// Sets an entry that is missing.
fn set_once(table: &mut Table<'_, &'static str, u64>, name: &str, number: u64) -> Result<(), Error> {
    if table.get(name)?.is_none() {
        table.insert(name, number)?;
    }
    Ok(())
}

/// Removes the entries of a document, which are few. `retain_in` takes four times as long.
fn remove_of_key(
    table: &mut Table<'_, (&'static str, &'static str), &'static [u8]>,
    key: &str,
) -> Result<(), Error> {
    if table.is_empty()? {
        return Ok(());
    }
    let mut names = Vec::new();
    for entry in table.range(of_key(key))? {
        names.push(entry?.0.value().1.to_owned());
    }
    for name in names {
        table.remove((key, &*name))?;
    }
    Ok(())
}

fn of_key(key: &str) -> std::ops::RangeInclusive<(&str, &str)> {
    // Digests are hexadecimal digits and a number.
    (key, "")..=(key, "~")
}

impl Drop for Store {
    fn drop(&mut self) {
        self.pinned.clear();
        // Closing writes to the file, which may fail in any way.
        if let Some(database) = self.database.take() {
            extract_disk::close(database);
        }
        drop(self.owner.take());
    }
}
