//! The steps of a value while it is extracted.

use super::partial::Partial;
use crate::{metrics::ExtractionMetrics, vocabulary::violation::Violation};

/// One step of an extraction, from [`Partials`](super::Partials).
#[derive(Debug)]
#[non_exhaustive]
pub enum PartialStep<T> {
    /// More is known of the value.
    Partial(Partial<T>),
    /// Everything shown before is superseded. A partial of the new value may follow.
    #[non_exhaustive]
    Restarted {
        /// Number of the attempt that continues, from 1.
        attempt: u32,
        /// The violations of the previous attempt. Empty if the attempt is the same: the transport
        /// failed and the agent was asked again, or the reader chose another value of the reply as
        /// the answer.
        violations: Vec<Violation>,
    },
    /// The value and its metrics. The stream ends.
    ///
    /// The metrics are boxed because a step is moved with each delta: unboxed, these moves took
    /// half as long as parsing the reply.
    Finished(T, Box<ExtractionMetrics>),
}
