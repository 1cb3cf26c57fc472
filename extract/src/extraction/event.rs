//! What an observer is told.

use std::time::Duration;

use crate::{
    AttemptRecord, ExtractionMetrics,
    agent::{AgentError, Reply, Request},
};

/// A step of an extraction, as it happens.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The agent is about to be asked.
    Asked {
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Attempts allowed.
        max_attempts: u32,
        /// The whole question; its last turn is the prompt or the feedback.
        request: &'a Request,
    },
    /// There was no reply; the same request is about to be repeated.
    TransportFailed {
        /// Number of the attempt that still waits for a reply.
        attempt: u32,
        /// Why.
        error: &'a AgentError,
        /// How long until then.
        wait: Duration,
    },
    /// The agent replied.
    Replied {
        /// Number of the attempt.
        attempt: u32,
        /// The reply, not judged yet.
        reply: &'a Reply,
    },
    /// The reply was read and judged. Accepted, unless the record has violations that are no warnings.
    Judged {
        /// The attempt as it stands in the history.
        record: &'a AttemptRecord,
        /// Whether the value is accepted, which ends the extraction.
        is_accepted: bool,
    },
    /// The extraction is over.
    Done {
        /// Whether there is a value.
        is_success: bool,
        /// What it took.
        metrics: &'a ExtractionMetrics,
    },
}
