//! Spans of an extraction and of each of its attempts, for whoever collects them.
//!
//! With the feature `tracing` they are those of [`spans`], in the semantic conventions of OpenTelemetry for generative AI;
//! without it nothing is left of them.

#[cfg(not(feature = "tracing"))]
mod silent;
#[cfg(feature = "tracing")]
mod spans;
#[cfg(all(test, feature = "tracing"))]
mod tests;

#[cfg(not(feature = "tracing"))]
pub(super) use self::silent::Trace;
#[cfg(feature = "tracing")]
pub(super) use self::spans::Trace;
