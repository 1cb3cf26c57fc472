//! The record of a job on disk.

mod answers;
mod batch_tables;
mod batches;
mod compact;
mod copied;
mod entry;
mod error;
#[cfg(test)]
mod format_2;
mod letters;
mod line;
mod merged;
mod open;
mod output;
mod owner;
mod pinned;
mod record;
mod runs;
mod store;
mod summary;
#[cfg(feature = "parquet")]
mod table;
mod write;

#[cfg(feature = "parquet")]
pub(super) use self::table::Table;
pub(super) use self::{
    answers::AnswerPack,
    line::write_line,
    record::{Record, RecordBody, RecordHead},
    store::Store,
    write::{InFlight, Intent, Write},
};
pub use self::{
    batches::CancelError,
    error::JournalError,
    letters::{DeadLetters, JournalOutcomes},
    merged::Merged,
    open::{Compacted, Journal},
    output::OutputFile,
    owner::Holder,
    summary::JournalSummary,
};
