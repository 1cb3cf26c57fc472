//! The format of an outcome in the journal.

use extract::metrics::{Confidences, ExtractionMetrics};
use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    identity::{Hash, Identity},
    outcome::{DeadLetter, Failure, Outcome, Status},
    reviewed::ReviewedValue,
};

/// Maximum askers that an outcome remembers; beyond that, the oldest is dropped.
const MOST_ASKERS: usize = 16;

/// The first part of an outcome, which is enough to tell whether it answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordHead {
    pub(crate) question: Hash,
    /// Who gave the answer, and the earlier askers it replaces: a dead letter that another agent
    /// answered is answered for the first agent too.
    pub(crate) askers: Vec<Hash>,
    pub(crate) status: Status,
}

impl RecordHead {
    pub(crate) fn answers(&self, identity: &Identity) -> bool {
        self.question == identity.question && self.askers.contains(&identity.asker)
    }
}

/// The rest of an outcome.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordBody {
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) meta: Value,
    /// As text, so that it is written back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failure>,
    pub(crate) metrics: ExtractionMetrics,
    /// Who reviewed the value, if it is not the extracted one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reviewed_by: Option<String>,
    /// When it was written, in milliseconds since 1970. In a merge the later of two outcomes is
    /// preferred.
    pub(crate) at: u64,
}

/// An outcome as stored in the journal.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) head: RecordHead,
    pub(crate) body: RecordBody,
}

impl RecordHead {
    /// Encodes the status, the number of askers, the question and the askers.
    fn bytes(&self) -> Vec<u8> {
        let askers = &self.askers[self.askers.len().saturating_sub(MOST_ASKERS)..];
        let status = match self.status {
            Status::Done => 0,
            Status::InPart => 1,
            Status::Failed => 2,
        };
        // At most 16.
        let mut bytes = vec![status, u8::try_from(askers.len()).unwrap_or_default()];
        bytes.extend(self.question);
        for asker in askers {
            bytes.extend(asker);
        }
        bytes
    }

    /// Decodes the head, and returns the bytes of the body.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (start, rest) = bytes.split_at_checked(2)?;
        let status = match start[0] {
            0 => Status::Done,
            1 => Status::InPart,
            2 => Status::Failed,
            _ => return None,
        };
        let (question, mut rest) = rest.split_first_chunk::<32>()?;
        let mut askers = Vec::new();
        for _ in 0..start[1] {
            let (asker, after) = rest.split_first_chunk::<32>()?;
            askers.push(*asker);
            rest = after;
        }
        Some((Self { question: *question, askers, status }, rest))
    }
}

impl Record {
    pub(crate) fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = self.head.bytes();
        serde_json::to_writer(&mut bytes, &self.body)?;
        Ok(bytes)
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = RecordHead::read(bytes)?;
        Some(Self { head, body: serde_json::from_slice(rest).ok()? })
    }

    /// Replaces its value by the one that a reviewer decided on. Confidences, conflicts and gaps were of the other.
    pub(super) fn review(&mut self, reviewed: &ReviewedValue) {
        let Ok(value) = to_raw_value(&reviewed.value) else { return };
        self.head.status = Status::Done;
        (self.body.value, self.body.failure) = (Some(value), None);
        let metrics = &mut self.body.metrics;
        metrics.confidences = Confidences::default();
        metrics.conflicts.clear();
        metrics.gaps.clear();
        self.body.reviewed_by = Some(reviewed.by.clone());
    }

    /// Returns whether it is an answer to chunks that state a value in different ways.
    pub(crate) fn is_in_conflict(&self) -> bool {
        self.head.status != Status::Failed && !self.body.metrics.conflicts.is_empty()
    }

    /// Converts it into an outcome; `read` deserializes the value.
    pub(crate) fn into_outcome<T>(self, key: String, read: impl Fn(Value) -> Option<T>) -> Outcome<T> {
        let Self { head: RecordHead { status, .. }, body } = self;
        let RecordBody { meta, value, failure, metrics, reviewed_by, .. } = body;
        let value = value.map(|value| serde_json::from_str(value.get()).ok().and_then(read));
        let result = match (value, failure) {
            (Some(Some(value)), _) => Ok(value),
            (_, Some(failure)) => Err(failure),
            _ => {
                let message = "the answer in the journal is not a value of this type any more".to_owned();
                Err(Failure::new("Unreadable", message))
            }
        };
        Outcome { key, meta, status, result, metrics, is_resumed: true, reviewed_by }
    }

    /// Converts it into a dead letter, if it is one.
    pub(crate) fn into_dead_letter(self, key: String) -> Option<DeadLetter> {
        let RecordBody { meta, failure, metrics, .. } = self.body;
        Some(DeadLetter { key, meta, failure: failure?, metrics })
    }

    /// The dead letter, if it is one.
    pub(crate) fn dead_letter(&self, key: &str) -> Option<DeadLetter> {
        let RecordBody { meta, failure, metrics, .. } = &self.body;
        let (meta, metrics) = (meta.clone(), metrics.clone());
        Some(DeadLetter { key: key.to_owned(), meta, failure: failure.clone()?, metrics })
    }
}
