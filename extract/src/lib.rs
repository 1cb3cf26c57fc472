#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod agent;
mod attempt;
pub mod context;
mod contract;
mod described;
mod error;
mod extractable;
mod extraction;
mod feedback;
#[cfg(feature = "mcp")]
pub mod mcp;
mod metrics;
pub mod path;
mod prompt;
mod reading;
mod redaction;
mod rejection;
mod schema;
pub mod testing;
mod text;
mod time_limit;
pub mod toolkit;
mod validation;
mod violation;

#[doc(hidden)]
pub mod __private;

/// Makes a type one that an agent can be asked for.
#[cfg(feature = "derive")]
pub use extract_derive::Extractable;
pub use schemars::{Schema, SchemaGenerator, json_schema};

pub use self::{
    agent::Agent,
    attempt::{AttemptRecord, Regression},
    context::NoContext,
    contract::Contract,
    described::{BySchemars, Within},
    error::{ExtractionError, SchemaError, SettingsError},
    extractable::Extractable,
    extraction::{Event, Extraction, ExtractionResult, Extractor},
    feedback::{
        FailedAttempt, Feedback, FeedbackStrategy, Question, build_repair_prompt,
        format_violations_for_display, should_retry,
    },
    metrics::{AttemptMetrics, ExtractionMetrics, TokenUsage},
    path::Path,
    prompt::{SchemaNotation, SchemaPlace},
    reading::{Change, ChangeKind, Completeness, Leniency, Loss, Reader, Reading, ReplyEnd},
    rejection::{IntoRejections, Rejection, Rejections},
    schema::dialect,
    toolkit::Toolkit,
    violation::{Code, Severity, Violation},
};
