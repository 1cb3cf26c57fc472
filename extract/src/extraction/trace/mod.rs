//! Spans of an extraction and its attempts.
//!
//! With the feature `tracing`, [`spans`] makes them, in the semantic conventions of
//! OpenTelemetry for generative AI. Without it they compile to nothing.

#[cfg(not(feature = "tracing"))]
mod silent;
#[cfg(feature = "tracing")]
mod spans;
#[cfg(all(test, feature = "tracing"))]
mod tests;

#[cfg(not(feature = "tracing"))]
pub(super) use self::silent::ExtractionTrace;
#[cfg(feature = "tracing")]
pub(super) use self::spans::ExtractionTrace;
