#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod agent;
mod attempt;
mod change;
pub mod context;
mod contract;
mod described;
mod error;
mod extractable;
mod extraction;
mod feedback;
mod judging;
#[cfg(feature = "mcp")]
pub mod mcp;
mod metrics;
pub mod path;
mod prompt;
mod reading;
mod redaction;
mod rejection;
mod schema;
mod settings;
pub mod testing;
mod text;
mod time_limit;
pub mod toolkit;
mod usage;
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
    change::{Change, ChangeKind, Loss},
    context::NoContext,
    contract::Contract,
    described::{Foreign, Within},
    error::{ExtractionError, ExtractionRecord, ExtractionResult, SettingsError},
    extractable::Extractable,
    extraction::{Extraction, Extractor},
    feedback::{
        FailedAttempt, Feedback, FeedbackStrategy, Question, build_repair_prompt,
        format_violations_for_display, should_retry,
    },
    judging::Event,
    metrics::{AttemptMetrics, ExtractionMetrics},
    path::Path,
    prompt::{PromptOptions, SchemaNotation, SchemaPlace},
    reading::{Completeness, Leniency, Reader, Reading, ReadingOptions, ReplyEnd},
    rejection::{IntoRejections, Rejection, Rejections},
    schema::{SchemaError, dialect},
    settings::{FeedbackOptions, TransportOptions},
    toolkit::Toolkit,
    usage::TokenUsage,
    violation::{Code, Severity, Violation},
};
