//! Batches in the journal.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    clock::{Clock as _, RealClock},
    packed::{PackedFields, push_field},
    request_name::{RequestId, RequestName},
};

/// The first byte of a packed record. Still earlier ones are JSON.
const PACKED: u8 = 2;
/// The first byte of an earlier packed record, whose lines do not have [`BatchLine::unanswered`].
const PACKED_BEFORE: u8 = 1;

/// A request of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BatchLine {
    /// The id in the file, which the key and the name imply.
    pub(crate) id: RequestId,
    /// The key of the document.
    pub(crate) key: Arc<str>,
    /// The name of the request among the document's.
    pub(crate) name: RequestName,
    /// What the agent needs to read its answer.
    pub(crate) sent: String,
    /// How many batches ended before without an answer to it.
    pub(crate) unanswered: u8,
}

/// What is sent as one batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BatchRecord {
    /// When, in seconds since 1970.
    pub(crate) at: u64,
    /// The tokens of the requests, as estimated.
    pub(crate) tokens: u64,
    /// Whether the provider was told to cancel it.
    pub(crate) is_cancelled: bool,
    /// Whether it is one request that was refused alone before.
    pub(crate) is_repeated: bool,
    pub(crate) lines: Vec<BatchLine>,
}

impl BatchRecord {
    /// The bytes in the journal.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Self { at, tokens, is_cancelled, is_repeated, lines } = self;
        let mut bytes = vec![PACKED, u8::from(*is_cancelled), u8::from(*is_repeated)];
        bytes.extend_from_slice(&at.to_le_bytes());
        bytes.extend_from_slice(&tokens.to_le_bytes());
        for BatchLine { id: _, key, name, sent, unanswered } in lines {
            push_field(&mut bytes, key.as_bytes());
            name.push_to(&mut bytes);
            push_field(&mut bytes, sent.as_bytes());
            bytes.push(*unanswered);
        }
        bytes
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (has_unanswered, packed) = match bytes.split_first() {
            Some((&PACKED, packed)) => (true, packed),
            Some((&PACKED_BEFORE, packed)) => (false, packed),
            _ => return serde_json::from_slice::<JsonRecord>(bytes).ok()?.into_record(),
        };
        let mut fields = PackedFields::of(packed);
        let [is_cancelled, is_repeated] = fields.array()?.map(|flag: u8| flag != 0);
        let (at, tokens) = (fields.u64()?, fields.u64()?);
        let mut lines = Vec::new();
        while !fields.is_empty() {
            let (key, name) = (fields.text()?, RequestName::of_packed(&mut fields)?);
            let (id, sent) = (RequestId::new(key, name), fields.text()?.to_owned());
            let [unanswered] = if has_unanswered { fields.array()? } else { [0] };
            lines.push(BatchLine { id, key: key.into(), name, sent, unanswered });
        }
        Some(Self { at, tokens, is_cancelled, is_repeated, lines })
    }
}

/// A record as format 2 of journals has it.
#[derive(Deserialize)]
struct JsonRecord {
    at: u64,
    tokens: u64,
    #[serde(default)]
    is_cancelled: bool,
    #[serde(default)]
    is_repeated: bool,
    lines: Vec<JsonLine>,
}

#[derive(Deserialize)]
struct JsonLine {
    id: String,
    key: String,
    name: String,
    #[serde(default)]
    sent: String,
}

impl JsonRecord {
    fn into_record(self) -> Option<BatchRecord> {
        let Self { at, tokens, is_cancelled, is_repeated, lines } = self;
        let line = |JsonLine { id, key, name, sent }| {
            let (id, name) = (RequestId::read(&id)?, RequestName::read(&name)?);
            Some(BatchLine { id, key: key.into(), name, sent, unanswered: 0 })
        };
        let lines = lines.into_iter().map(line).collect::<Option<_>>()?;
        Some(BatchRecord { at, tokens, is_cancelled, is_repeated, lines })
    }
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
    /// Reads an answer of format 2 of journals: the length of the note, the note, and the answer.
    pub(crate) fn read_entry(bytes: &[u8]) -> Option<Self> {
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
    use serde_json::json;

    use super::*;

    fn record() -> BatchRecord {
        let line = |key: &str, number, sent: &str| {
            let name = RequestName { digest: [7; 32], number };
            let (id, sent) = (RequestId::new(key, name), sent.to_owned());
            BatchLine { id, key: key.into(), name, sent, unanswered: 0 }
        };
        let mut lines = vec![line("a", 0, ""), line("ä/b", 3, "{\"s\":true}"), line("", 1, "x")];
        lines[1].unanswered = 2;
        BatchRecord { at: 1_764_000_000, tokens: 12, is_cancelled: true, is_repeated: false, lines }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_nothing_shorter_is() {
        let (record, bytes) = (record(), record().bytes());
        assert_eq!(BatchRecord::read(&bytes), Some(record.clone()));
        let read = (0..bytes.len()).filter_map(|end| BatchRecord::read(&bytes[..end]));
        // Between two lines it is a record too; the checksum of the entry covers that.
        assert!(read.map(|shorter| shorter.lines.len()).eq(0..record.lines.len()));
        assert_eq!(BatchRecord::read(b"{}"), None);
    }

    #[test]
    fn a_record_of_an_earlier_version_is_read() {
        let mut record = record();
        record.lines[1].unanswered = 0;
        // Each line ends with the number that was not there.
        let mut packed = record.bytes()[..19].to_owned();
        packed[0] = PACKED_BEFORE;
        for BatchLine { key, name, sent, .. } in &record.lines {
            push_field(&mut packed, key.as_bytes());
            name.push_to(&mut packed);
            push_field(&mut packed, sent.as_bytes());
        }
        assert_eq!(BatchRecord::read(&packed), Some(record.clone()));
        let line = |line: &BatchLine| {
            let (id, name) = (line.id.to_string(), line.name.to_string());
            json!({"id": id, "key": &*line.key, "name": name, "sent": line.sent})
        };
        let lines: Vec<_> = record.lines.iter().map(line).collect();
        let json = json!({"at": record.at, "tokens": 12, "is_cancelled": true, "lines": lines}).to_string();
        assert_eq!(BatchRecord::read(json.as_bytes()), Some(record));
    }

    #[test]
    fn an_answer_of_an_earlier_version_is_read_and_nothing_else_is() {
        for (sent, answer) in [("", "{}"), ("{\"s\":true}", ""), ("ä", "x")] {
            let length = u32::try_from(sent.len()).unwrap().to_le_bytes();
            let bytes = [&length, sent.as_bytes(), answer.as_bytes()].concat();
            let expected = KnownAnswer { sent: sent.to_owned(), answer: answer.as_bytes().to_owned() };
            assert_eq!(KnownAnswer::read_entry(&bytes), Some(expected));
        }
        for wrong in [&b""[..], b"abc", b"\xFF\xFF\xFF\xFF", b"\x05\0\0\0abcd", b"\x01\0\0\0\xFF"] {
            assert_eq!(KnownAnswer::read_entry(wrong), None);
        }
    }
}
