//! What happens to a value while it is extracted.

use super::partial::Partial;
use crate::{metrics::ExtractionMetrics, violation::Violation};

/// One step of an extraction, from [`Partials`](super::Partials).
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<T> {
    /// More is known of the value.
    Partial(Partial<T>),
    /// Everything shown before no longer counts. A partial of the new value may follow.
    #[non_exhaustive]
    Restarted {
        /// Number of the attempt that goes on, from 1.
        attempt: u32,
        /// What was wrong with the value of the attempt before. Empty if the attempt is the same:
        /// the transport broke off and the agent was asked again, or the reader took another value
        /// of the reply for the answer.
        violations: Vec<Violation>,
    },
    /// The value, and what it took. The stream ends.
    ///
    /// The metrics are in a box because a step is moved with each delta: with them inside, these moves took half as
    /// long as parsing the reply.
    Finished(T, Box<ExtractionMetrics>),
}
