//! Files that the provider refuses as a whole, because of a request in them.
//!
//! Such a file is divided, and its halves are sent, until the requests are found that are refused
//! alone. A provider charges nothing for a refused file.

use std::collections::VecDeque;

use extract::agent::{AgentError, AgentErrorKind};

use super::{
    parked::ParkedState,
    record::{BatchLine, BatchRecord},
};
use crate::request_name::RequestId;

/// Most files that may be refused in a run, so that one with many such requests ends.
const MOST_REFUSED: usize = 500;

/// What is left of a wave that is being sent.
#[derive(Default)]
pub(super) struct Unsent {
    pub(super) ids: VecDeque<RequestId>,
    /// The next request, which did not fit.
    pub(super) held: Option<(BatchLine, Vec<u8>)>,
    /// The halves of refused files, each to be sent as a file; the next one last.
    pub(super) halves: Vec<Vec<RequestId>>,
    /// Requests that were refused alone, to be sent again when no other batch fills the queue.
    pub(super) suspects: Vec<RequestId>,
    /// How many files were refused in this run.
    refused: usize,
}

impl Unsent {
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.held.is_none() && self.halves.is_empty() && self.suspects.is_empty()
    }

    /// Counts a refused file. Returns whether its requests are divided.
    pub(super) fn may_divide(&mut self, error: &AgentError) -> bool {
        self.refused += 1;
        self.refused <= MOST_REFUSED && may_be_of_file(error)
    }

    /// Divides the requests of a refused file. One that is refused alone fails its document.
    pub(super) fn divide(
        &mut self,
        record: BatchRecord,
        (refusal, error): (RefusalTime, AgentError),
        state: &mut ParkedState,
    ) {
        let is_alone = record.lines.len() == 1;
        let ids = record.lines.into_iter().map(|line| line.id);
        let mut ids: Vec<RequestId> = ids.filter(|id| state.is_waiting(*id)).collect();
        if !is_alone {
            let second = ids.split_off(ids.len().div_ceil(2));
            self.halves.extend([second, ids].into_iter().filter(|half| !half.is_empty()));
        } else if let Some(id) = ids.pop() {
            if refusal == RefusalTime::Later && !record.is_repeated {
                self.suspects.push(id);
            } else {
                state.resolve(id, Err(error.of_request()));
            }
        }
    }

    /// Removes all requests.
    pub(super) fn take_ids(&mut self) -> Vec<RequestId> {
        let Self { ids, held, halves, suspects, refused } = std::mem::take(self);
        self.refused = refused;
        let held = held.into_iter().map(|(line, _)| line.id);
        held.chain(ids).chain(halves.into_iter().flatten()).chain(suspects).collect()
    }
}

/// When a file was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalTime {
    /// While it was sent.
    Sending,
    /// After it had an id. The reason may be what else is in the queue.
    Later,
}

/// Returns whether other requests than those of the file may be accepted.
fn may_be_of_file(error: &AgentError) -> bool {
    matches!(error.kind(), AgentErrorKind::Refused | AgentErrorKind::TooLong)
        && matches!(error.status(), None | Some(400 | 413 | 422))
}
