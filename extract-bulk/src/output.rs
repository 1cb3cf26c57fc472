//! The outputs of a job, derived from its journal.

use std::{io, path::PathBuf, sync::Arc};

use serde_json::Value;

#[cfg(feature = "parquet")]
use super::journal::Table;
use super::journal::{JournalError, OutputFile, Record, Store, write_line};
use crate::{clock::yield_now, confidence_columns::ParquetColumns};

/// A file that a job writes when it is complete.
#[derive(Debug, Clone)]
pub(super) enum JobOutput {
    /// A line of JSON for each document.
    Lines(PathBuf),
    /// A row of a Parquet file for each document.
    #[cfg(feature = "parquet")]
    Parquet(PathBuf),
}

/// Why an output could not be written.
pub(super) enum OutputError {
    Journal(JournalError),
    Io(io::Error),
}

impl JobOutput {
    pub(super) fn path(&self) -> &PathBuf {
        match self {
            Self::Lines(path) => path,
            #[cfg(feature = "parquet")]
            Self::Parquet(path) => path,
        }
    }

    /// Writes an entry for each document of the last source. Their values follow `schema`.
    pub(super) async fn write(
        &self,
        store: Arc<Store>,
        schema: &Value,
        columns: ParquetColumns,
    ) -> Result<(), OutputError> {
        let mut file = self.open(schema, columns).map_err(OutputError::Io)?;
        let mut number = 0;
        while let Some((next, batch)) = store.next_in_order(number).map_err(OutputError::Journal)? {
            number = next;
            for (key, record) in batch {
                file.add(&key, &record).map_err(OutputError::Io)?;
            }
            // A million documents take several seconds.
            yield_now().await;
        }
        file.finish().map_err(OutputError::Io)
    }

    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "lines need no columns"))]
    fn open(&self, schema: &Value, columns: ParquetColumns) -> io::Result<OpenedOutput> {
        match self {
            Self::Lines(path) => Ok(OpenedOutput::Lines(OutputFile::create(path)?)),
            #[cfg(feature = "parquet")]
            Self::Parquet(path) => Ok(OpenedOutput::Parquet(Box::new(Table::create(path, schema, columns)?))),
        }
    }
}

/// A file that is being written.
enum OpenedOutput {
    Lines(OutputFile),
    #[cfg(feature = "parquet")]
    Parquet(Box<Table>),
}

impl OpenedOutput {
    fn add(&mut self, key: &str, record: &Record) -> io::Result<()> {
        match self {
            Self::Lines(file) => write_line(file, key, record),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.add(key, record),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Lines(file) => file.finish(),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.finish(),
        }
    }
}
