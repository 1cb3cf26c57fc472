//! Batches in the journal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::{Clock as _, RealClock};

/// A request of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchLine {
    /// The id in the file.
    pub(crate) id: String,
    /// The key of the document.
    pub(crate) key: String,
    /// The name of the request among the document's.
    pub(crate) name: String,
    /// What the agent needs to read its answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) sent: String,
}

/// What is sent as one batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchRecord {
    /// When, in seconds since 1970.
    pub(crate) at: u64,
    /// The tokens of the requests, as estimated.
    pub(crate) tokens: u64,
    /// Whether the provider was told to cancel it.
    #[serde(default)]
    pub(crate) is_cancelled: bool,
    /// Whether it is one request that was refused alone before.
    #[serde(default)]
    pub(crate) is_repeated: bool,
    pub(crate) lines: Vec<BatchLine>,
}

/// A batch whose answers are not all in the journal yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenBatch {
    pub(crate) mark: String,
    /// The provider's id; `None` if it is not known whether the file was sent.
    pub(crate) id: Option<String>,
    pub(crate) record: BatchRecord,
}

/// An answer in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownAnswer {
    /// What the agent needs to read it.
    pub(crate) sent: String,
    pub(crate) answer: Vec<u8>,
}

impl KnownAnswer {
    /// The bytes in the journal: the length of the note, the note, and the answer.
    pub(crate) fn bytes(sent: &str, answer: &[u8]) -> Vec<u8> {
        let length = u32::try_from(sent.len()).unwrap_or_default();
        [&length.to_le_bytes(), sent.as_bytes(), answer].concat()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (sent, answer) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
        Some(Self { sent: str::from_utf8(sent).ok()?.to_owned(), answer: answer.to_owned() })
    }
}

/// A batch of a job whose answers are not all in its journal; see
/// [`JournalSummary`](crate::JournalSummary).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JournalBatch {
    /// The provider's id, if it is known.
    pub id: Option<String>,
    /// The mark that the provider has with it.
    pub mark: String,
    /// Its state.
    pub state: BatchState,
    /// How many requests it has.
    pub requests: u64,
    /// How long ago it was sent, in seconds.
    pub age_seconds: u64,
}

/// The state of a batch, as far as the journal knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BatchState {
    /// The process ended while it was sent. The next run looks for it.
    Unknown,
    /// It was sent.
    Sent,
    /// It was sent, and [cancelled](crate::Journal::cancel_batches). The next run with batches
    /// takes the answers that it has.
    Cancelled,
}

impl JournalBatch {
    pub(crate) fn of(batch: &OpenBatch) -> Self {
        let OpenBatch { mark, id, record } = batch;
        Self {
            id: id.clone(),
            mark: mark.clone(),
            state: match id {
                None => BatchState::Unknown,
                Some(_) if record.is_cancelled => BatchState::Cancelled,
                Some(_) => BatchState::Sent,
            },
            requests: record.lines.len() as u64,
            age_seconds: RealClock.unix_seconds().saturating_sub(record.at),
        }
    }
}

impl fmt::Display for JournalBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, mark, state, requests, age_seconds } = self;
        let s = if *requests == 1 { "" } else { "s" };
        let state = match state {
            BatchState::Unknown => "perhaps sent",
            BatchState::Sent => "sent",
            BatchState::Cancelled => "cancelled, sent",
        };
        let (hours, minutes) = (age_seconds / 3_600, age_seconds / 60 % 60);
        let id = id.as_deref().unwrap_or(mark);
        write!(f, "batch {id}: {requests} request{s}, {state} {hours} h {minutes:02} min ago")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written_and_nothing_else_is() {
        for (sent, answer) in [("", "{}"), ("{\"s\":true}", ""), ("ä", "x")] {
            let bytes = KnownAnswer::bytes(sent, answer.as_bytes());
            let expected = KnownAnswer { sent: sent.to_owned(), answer: answer.as_bytes().to_owned() };
            assert_eq!(KnownAnswer::read(&bytes), Some(expected));
        }
        for wrong in [&b""[..], b"abc", b"\xFF\xFF\xFF\xFF", b"\x05\0\0\0abcd", b"\x01\0\0\0\xFF"] {
            assert_eq!(KnownAnswer::read(wrong), None);
        }
    }
}
