//! The batches and their answers that a journal has.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use extract::agent::{AgentError, BatchAgent, BatchSearch, LostBatch};
use redb::{Error, ReadTransaction, ReadableTable as _, TableError};

use super::{
    batch_tables::{BATCH_IDS, BATCH_LINES},
    entry::JournalEntry,
    error::JournalError,
    open::Journal,
    store::{BATCHES_SINCE, META, Store},
    write::Write,
};
use crate::batches::{BatchRecord, JournalBatch, OpenBatch};

impl Store {
    /// The batches whose answers are not all in the journal.
    pub(crate) fn open_batches(&self) -> Result<Vec<OpenBatch>, JournalError> {
        self.with(|database| {
            let transaction = database.begin_read()?;
            let lines = match transaction.open_table(BATCH_LINES) {
                Ok(lines) => lines,
                Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            };
            let mut open = Vec::new();
            for entry in lines.iter()? {
                let (mark, bytes) = entry?;
                let mark = mark.value().to_owned();
                let record = JournalEntry::BatchLines(&mark).read(bytes.value(), BatchRecord::read)?;
                open.push(OpenBatch { id: id_of(&transaction, &mark)?, mark, record });
            }
            Ok(open)
        })
    }

    /// When the first batch of the job was sent, in seconds since 1970.
    pub(crate) fn batches_since(&self) -> Result<Option<u64>, JournalError> {
        self.with(|database| {
            let since = database.begin_read()?.open_table(META)?.get(BATCHES_SINCE)?;
            Ok(since.map(|since| since.value()))
        })
    }
}

/// Why the batches of a job could not be cancelled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CancelError {
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The provider refuses, or cannot be reached. The batches before it are cancelled.
    #[error("batch {batch} cannot be cancelled: {error}")]
    #[non_exhaustive]
    Agent {
        /// The id or the mark of the batch.
        batch: String,
        /// Why.
        error: AgentError,
    },
}

impl Journal {
    /// Cancels the open batches of the job at their provider, and records that. Returns them.
    ///
    /// A provider may go on for a while, and answers until then are paid for. They are not lost: the
    /// next run of the job [with batches](crate::Bulk::batches) collects them, and asks for the
    /// others again, directly with
    /// [`ask_directly_below(usize::MAX)`](crate::Batches::ask_directly_below).
    ///
    /// # Errors
    ///
    /// [`CancelError`]; it can be repeated.
    pub async fn cancel_batches(&self, agent: &dyn BatchAgent) -> Result<Vec<JournalBatch>, CancelError> {
        let mut cancelled = Vec::new();
        for mut batch in self.store().open_batches()? {
            let name = batch.id.clone().unwrap_or_else(|| batch.mark.clone());
            let wrong = |error| CancelError::Agent { batch: name.clone(), error };
            if batch.id.is_none() {
                let lost = LostBatch { mark: &batch.mark, requests: batch.record.lines.len() };
                match agent.find(lost).await.map_err(wrong)? {
                    BatchSearch::Found(id) => {
                        self.store().write(&[Write::BatchId(batch.mark.clone(), id.clone())])?;
                        batch.id = Some(id);
                    }
                    // It was never sent.
                    BatchSearch::Missing => {
                        self.store().write(&[Write::BatchEnded(batch.mark)])?;
                        continue;
                    }
                    BatchSearch::Undecided => {
                        cancelled.push(JournalBatch::of(&batch));
                        continue;
                    }
                }
            }
            agent.cancel(batch.id.as_deref().unwrap_or_default()).await.map_err(wrong)?;
            batch.record.is_cancelled = true;
            self.store().write(&[Write::intent_of(&batch.mark, &batch.record)])?;
            cancelled.push(JournalBatch::of(&batch));
        }
        Ok(cancelled)
    }

    /// Forgets the open batches of the job without asking their provider, such as those that it has
    /// deleted. Their requests are sent, and paid for, again. Returns the batches.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read or written.
    pub fn forget_batches(&self) -> Result<Vec<JournalBatch>, JournalError> {
        let open = self.store().open_batches()?;
        let ended: Vec<_> = open.iter().map(|batch| Write::BatchEnded(batch.mark.clone())).collect();
        self.store().write(&ended)?;
        Ok(open.iter().map(JournalBatch::of).collect())
    }
}

fn id_of(transaction: &ReadTransaction, mark: &str) -> Result<Option<String>, Error> {
    let read = |bytes: &[u8]| String::from_utf8(bytes.to_owned()).ok();
    let id = transaction.open_table(BATCH_IDS)?.get(mark)?;
    id.map(|id| JournalEntry::BatchId(mark).read(id.value(), read)).transpose()
}
