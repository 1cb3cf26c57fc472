#![doc = include_str!("../front_page.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
pub mod agent;
mod attempt;
mod contract;
mod derive_support;
pub mod document;
mod error;
mod extractable;
mod extraction;
pub mod feedback;
mod judging;
mod merging;
pub mod metrics;
mod prompt;
pub mod reading;
pub mod schema;
pub mod settings;
pub mod testing;
pub mod toolkit;
mod validation;
mod vocabulary;

/// The same for a page that needs a feature.
pub use self::{
    agent::Agent,
    attempt::{AttemptRecord, Continuation, Regression},
    contract::Contract,
    derive_support::{AnyThread, BySchemars, WithContext},
    error::{Coverage, ExtractionError, ExtractionRecord, ExtractionResult},
    extractable::Extractable,
    extraction::{Extraction, Extractor, Passes, QuestionFingerprint, ShotSource, items, partials},
    feedback::Feedback,
    judging::{AcceptedJson, Event},
    metrics::ExtractionMetrics,
    settings::Confidence,
    toolkit::Toolkit,
    vocabulary::{
        attempt_status::AttemptStatus,
        context,
        path::{self, Path},
        rejection::{IntoRejections, Rejection, Rejections},
        usage::TokenUsage,
        violation::{Code, LeftOutItem, Severity, Violation},
    },
};

/// Derives `Extractable`, so that agents can be asked for the type.
#[cfg(feature = "derive")]
pub use extract_derive::Extractable;

/// The examples of the book in `docs/`, for the tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../docs/start.md")]
    struct StartPage;
    #[doc = include_str!("../../docs/modelling.md")]
    struct ModellingPage;
    #[doc = include_str!("../../docs/rules.md")]
    struct RulesPage;
    #[doc = include_str!("../../docs/agents.md")]
    struct AgentsPage;
    #[doc = include_str!("../../docs/feedback.md")]
    struct FeedbackPage;
    #[doc = include_str!("../../docs/streaming.md")]
    struct StreamingPage;
    #[doc = include_str!("../../docs/testing.md")]
    struct TestingPage;
    #[doc = include_str!("../../docs/production.md")]
    struct ProductionPage;
    #[doc = include_str!("../../docs/coming-from.md")]
    struct ComingFromPage;
}
