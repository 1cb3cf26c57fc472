//! The output of a job, made from its journal.

use std::{io, path::PathBuf, sync::Arc};

use super::journal::{JournalError, OutputFile, Store, write_line};
use crate::time_limit::look_at_the_clock;

/// Why there is no output.
pub(super) enum OutputError {
    Journal(JournalError),
    Io(io::Error),
}

/// Writes a line for each document of the last source.
pub(super) async fn write_output(store: Arc<Store>, path: PathBuf) -> Result<(), OutputError> {
    let mut file = OutputFile::create(&path).map_err(OutputError::Io)?;
    let mut number = 0;
    while let Some((next, batch)) = store.next_in_order(number).map_err(OutputError::Journal)? {
        number = next;
        for (key, record) in batch {
            write_line(&mut file, &key, &record).map_err(OutputError::Io)?;
        }
        // A million lines take some seconds.
        look_at_the_clock().await;
    }
    file.finish().map_err(OutputError::Io)
}
