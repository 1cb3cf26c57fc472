//! The batches and their answers that a journal has.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::{Error, ReadTransaction, ReadableTable as _, TableError};

use super::{
    batch_tables::{ANSWERS, BATCH_IDS, BATCH_LINES},
    entry::Entry,
    error::JournalError,
    store::Store,
};
use crate::batches::OpenBatch;

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
                let read = |bytes: &[u8]| serde_json::from_slice(bytes).ok();
                let lines = Entry::BatchLines(&mark).read(bytes.value(), read)?;
                open.push(OpenBatch { id: id_of(&transaction, &mark)?, mark, lines });
            }
            Ok(open)
        })
    }

    /// The answer to a request in a batch.
    pub(crate) fn answer(&self, key: &str, name: &str) -> Result<Option<Vec<u8>>, JournalError> {
        self.with(|database| {
            let answers = match database.begin_read()?.open_table(ANSWERS) {
                Ok(answers) => answers,
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let answer = answers.get((key, name))?;
            answer.map(|answer| Ok(Entry::Answer(key, name).content(answer.value())?.to_owned())).transpose()
        })
    }
}

fn id_of(transaction: &ReadTransaction, mark: &str) -> Result<Option<String>, Error> {
    let read = |bytes: &[u8]| String::from_utf8(bytes.to_owned()).ok();
    let id = transaction.open_table(BATCH_IDS)?.get(mark)?;
    id.map(|id| Entry::BatchId(mark).read(id.value(), read)).transpose()
}
