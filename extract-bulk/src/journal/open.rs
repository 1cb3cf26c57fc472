//! The public interface of a journal.

use std::{io, path::Path, sync::Arc};

#[cfg(feature = "parquet")]
use extract::Contract;
use serde::Serialize;

#[cfg(feature = "parquet")]
use super::table::Table;
use super::{
    error::JournalError,
    letters::{DeadLetters, JournalOutcomes, Records},
    line::{write_export, write_line},
    merged::{Merged, merge},
    output::OutputFile,
    store::{FORMAT, Store},
    summary::JournalSummary,
};
#[cfg(feature = "parquet")]
use crate::confidence_columns::ParquetColumns;
use crate::{batches::JournalBatch, outcome::Outcome, reviewed::ReviewedValue};

/// The record of a job on disk, with the outcome of every document.
///
/// A journal belongs to one process at a time; [`read`](Self::read) looks at it meanwhile. It
/// contains, unencrypted, the keys, metadata, answers, and all attempts at documents without an
/// answer, but not the documents.
///
/// ```
/// use extract::testing::{ScriptedAgent, block_on};
/// use extract_bulk::{BulkExt as _, Doc, Journal};
/// # let path = std::env::temp_dir().join(format!("extract-doc-journal-{}.redb", std::process::id()));
///
/// let agent = ScriptedAgent::new(["[8]"]);
/// block_on(Vec::<u8>::bulk(&agent, [Doc::new("spider", "How many legs?")]).journal(&path))?;
///
/// let journal = Journal::open(&path)?;
/// assert_eq!(journal.inspect()?.done, 1);
/// assert_eq!(journal.get("spider")?.unwrap().result.unwrap(), serde_json::json!([8]));
/// # drop(journal);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    store: Arc<Store>,
    #[cfg(feature = "parquet")]
    table_columns: ParquetColumns,
}

/// The size of a journal before and after it was [compacted](Journal::compact), in bytes. Closing
/// the journal adds a list of its free pages, of about 2 MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Compacted {
    /// The size before.
    pub before: u64,
    /// The size after.
    pub after: u64,
}

impl Journal {
    /// Opens the journal at `path`, which must exist. Compares the checksums of all its pages, so
    /// the whole file is read; a damaged one is not changed.
    ///
    /// # Errors
    ///
    /// If it does not exist, if another process has it open, if it is damaged or in a format of
    /// another version, or if it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        Store::open(path.as_ref()).map(|store| Self::of_store(Arc::new(store)))
    }

    /// Opens the journal at `path` only to be read, also while a job writes it: as it was after one
    /// of its last commits. It never waits for the job, the job never waits for it, and the file is
    /// not changed.
    ///
    /// It is copied to a temporary file, which is removed with this value, and the checksums of all
    /// pages of the copy are compared, so the whole file is read. On Windows a file that is open
    /// elsewhere cannot be read.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc, Journal};
    /// # let path = std::env::temp_dir().join(format!("extract-doc-read-{}.redb", std::process::id()));
    ///
    /// let agent = ScriptedAgent::new(["[8]"]);
    /// block_on(Vec::<u8>::bulk(&agent, [Doc::new("spider", "How many legs?")]).journal(&path))?;
    ///
    /// let open = Journal::open(&path)?; // such as by another process
    /// let summary = Journal::read(&path)?.inspect()?;
    /// assert_eq!((summary.done, summary.is_running), (1, true));
    /// # drop(open);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it does not exist, is damaged, in a format of another version, or cannot be read or
    /// copied. [`merge`](Self::merge) and [`compact`](Self::compact) are an error.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        Store::open_copy(path.as_ref()).map(|store| Self::of_store(Arc::new(store)))
    }

    pub(crate) fn of_store(store: Arc<Store>) -> Self {
        Self {
            store,
            #[cfg(feature = "parquet")]
            table_columns: ParquetColumns::default(),
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Lets reviewed values, by the key of their document, take precedence over the extracted ones in
    /// everything that is read from now on: their outcomes are done, say [who reviewed
    /// them](Outcome::reviewed_by), and have no confidences, conflicts and gaps. Keys that are not in the journal are
    /// ignored. The journal itself does not change.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc, Journal, ReviewedValue};
    /// use serde_json::json;
    /// # let path = std::env::temp_dir().join(format!("extract-doc-reviewed-{}.redb", std::process::id()));
    ///
    /// let agent = ScriptedAgent::new(["[6]"]);
    /// block_on(Vec::<u8>::bulk(&agent, [Doc::new("spider", "How many legs?")]).journal(&path))?;
    ///
    /// let eight = ReviewedValue::new(json!([8]), "ann");
    /// let journal = Journal::open(&path)?.with_reviewed([("spider".to_owned(), eight)])?;
    /// let outcome = journal.get("spider")?.unwrap();
    /// assert_eq!(outcome.result.unwrap(), json!([8]));
    /// assert_eq!(outcome.reviewed_by.as_deref(), Some("ann"));
    /// # drop(journal);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If iterators over the journal are in use.
    pub fn with_reviewed(
        mut self,
        reviewed: impl IntoIterator<Item = (String, ReviewedValue)>,
    ) -> Result<Self, JournalError> {
        self.exclusive()?.set_reviewed(reviewed.into_iter().collect());
        Ok(self)
    }

    /// Returns the store, if nobody reads from it.
    fn exclusive(&mut self) -> Result<&mut Store, JournalError> {
        let path = self.store.shown_path().to_owned();
        let in_use =
            || JournalError::Io { path, message: "it is being read; drop the iterators first".to_owned() };
        Arc::get_mut(&mut self.store).ok_or_else(in_use)
    }

    /// Returns a summary of its contents in numbers. Reads the whole journal.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn inspect(&self) -> Result<JournalSummary, JournalError> {
        let (counts, documents) = (self.store.counts()?, self.store.documents()?);
        let expected = counts.expected.map(|expected| expected.max(documents));
        let mut summary = JournalSummary {
            documents,
            expected,
            missing: expected.unwrap_or(documents).saturating_sub(counts.settled),
            runs: counts.runs,
            crashed_runs: counts.crashed_runs,
            in_flight: counts.in_flight,
            batches: self.store.open_batches()?.iter().map(JournalBatch::of).collect(),
            bytes: self.store.bytes(),
            format: FORMAT,
            is_running: self.store.copied.as_ref().is_some_and(|copied| copied.is_running),
            running: self.store.copied.as_ref().and_then(|copied| copied.by.clone()),
            ..JournalSummary::default()
        };
        let mut last = None;
        loop {
            let batch = self.store.next_by_key(last.as_deref())?;
            let Some((key, _)) = batch.last() else { return Ok(summary) };
            last = Some(key.clone());
            for (_, record) in &batch {
                summary.add(record);
            }
        }
    }

    /// Returns the outcome of the document with this key.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn get(&self, key: &str) -> Result<Option<Outcome>, JournalError> {
        Ok(self.store.record(key)?.map(|record| record.into_outcome(key.to_owned(), Some)))
    }

    /// Returns the outcomes of the documents of the last source, in its order. If that source was
    /// not read to its end, the remaining ones follow from the source before.
    pub fn outcomes(&self) -> JournalOutcomes {
        JournalOutcomes(Records::new(Arc::clone(&self.store)))
    }

    /// Returns the documents without an answer, in the same order.
    ///
    /// # Errors
    ///
    /// None at present; each item may be an error.
    pub fn dead_letters(&self) -> Result<DeadLetters, JournalError> {
        Ok(DeadLetters(Records::new(Arc::clone(&self.store))))
    }

    /// Writes the same lines as [`into_jsonl`](crate::Bulk::into_jsonl) to a temporary file,
    /// which then replaces `path`. Returns the number of lines.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read, or the file cannot be written.
    pub fn write_jsonl(&self, path: impl AsRef<Path>) -> Result<u64, JournalError> {
        let path = path.as_ref();
        let io = |error: io::Error| JournalError::of_io(&error, path.to_owned());
        let mut file = OutputFile::create(path).map_err(io)?;
        let mut lines = 0;
        for found in Records::new(Arc::clone(&self.store)) {
            let (key, record) = found?;
            write_line(&mut file, &key, &record).map_err(io)?;
            lines += 1;
        }
        file.finish().map_err(io)?;
        Ok(lines)
    }

    /// Adds the columns of [`confidence_columns`](crate::Bulk::confidence_columns) to Parquet files
    /// that are written from now on.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn with_confidence_columns(self) -> Self {
        Self { table_columns: ParquetColumns::WithConfidence, ..self }
    }

    /// Writes the same rows as [`into_parquet`](crate::Bulk::into_parquet), with the columns
    /// of `contract`, to a temporary file, which then replaces `path`. Returns the number of rows.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read, or the file cannot be written.
    #[cfg(feature = "parquet")]
    pub fn write_parquet(&self, path: impl AsRef<Path>, contract: &Contract) -> Result<u64, JournalError> {
        let path = path.as_ref();
        let io = |error: io::Error| JournalError::of_io(&error, path.to_owned());
        let mut table = Table::create(path, contract.schema(), self.table_columns).map_err(io)?;
        let mut rows = 0;
        for found in Records::new(Arc::clone(&self.store)) {
            let (key, record) = found?;
            table.add(&key, &record).map_err(io)?;
            rows += 1;
        }
        table.finish().map_err(io)?;
        Ok(rows)
    }

    /// Writes everything in the journal as lines of JSON, in the order of the keys: answers with
    /// metrics, changes and warnings, and all attempts at documents without an answer. Returns the
    /// number of lines.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read, or `to` fails.
    pub fn export(&self, mut to: impl io::Write) -> Result<u64, JournalError> {
        let io = |error: io::Error| JournalError::of_io(&error, "the export".into());
        let (mut lines, mut last) = (0, None);
        loop {
            let batch = self.store.next_by_key(last.as_deref())?;
            let Some((key, _)) = batch.last() else { break };
            last = Some(key.clone());
            for (key, record) in &batch {
                write_export(&mut to, key, record).map_err(io)?;
                lines += 1;
            }
        }
        to.flush().map_err(io)?;
        Ok(lines)
    }

    /// Adds the outcomes of another journal, for example from another machine with another part of
    /// the documents. Of two outcomes for a document, one with an answer is preferred, and
    /// otherwise the later one.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read or written. Outcomes that were already merged are kept.
    pub fn merge(&mut self, other: &Self) -> Result<Merged, JournalError> {
        merge(&self.store, &other.store)
    }

    /// Shrinks the file to its minimum size. A growing file doubles its size each time.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read or written, or while iterators over it are in use.
    pub fn compact(&mut self) -> Result<Compacted, JournalError> {
        let before = self.store.bytes();
        self.exclusive()?.compact()?;
        Ok(Compacted { before, after: self.store.bytes() })
    }
}
