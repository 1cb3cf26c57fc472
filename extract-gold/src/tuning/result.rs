//! What a tuning found.

use extract::{TokenUsage, metrics::Cost};
use serde::Serialize;

use super::settings::TunedSettings;
use crate::evaluation::{CandidateResult, PairedDifference};

/// What a [tuning](crate::tune) chose, and what it is worth on documents that it was not chosen on.
///
/// Prints as a short report.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Tuning {
    /// What was tried, in this order. There is no number of the half that decided: it would flatter.
    pub trials: Vec<TuningTrial>,
    /// What did best on the first half.
    pub chosen: TunedSettings,
    /// What it is worth on the other half. `None` if nothing did better than the settings as they
    /// were, or if the budget was used up before.
    pub report: Option<TuningReport>,
    /// Why it ended.
    pub ended: TuningEnd,
    /// Number of documents that decided.
    pub chosen_on: usize,
    /// Requests of everything.
    pub requests: u64,
    /// Tokens of everything.
    pub usage: TokenUsage,
    /// Cost of everything, if the budget has prices.
    pub cost: Option<Cost>,
}

impl Tuning {
    /// Returns the settings to use from now on: the chosen ones, if the other half says that they
    /// are better by more than noise.
    pub fn recommended(&self) -> Option<&TunedSettings> {
        self.report.as_ref().filter(|report| report.is_better()).map(|_| &self.chosen)
    }
}

/// The settings before and after, on documents that decided nothing.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TuningReport {
    /// The settings as they were.
    pub baseline: CandidateResult,
    /// The chosen settings.
    pub tuned: CandidateResult,
    /// The difference, document by document.
    pub difference: PairedDifference,
}

impl TuningReport {
    /// Returns whether the chosen settings are better by more than noise.
    pub fn is_better(&self) -> bool {
        self.difference.is_better()
    }
}

/// One combination of settings that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TuningTrial {
    /// The settings.
    pub settings: TunedSettings,
    /// What became of them.
    pub verdict: TuningVerdict,
}

/// What became of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TuningVerdict {
    /// Better than what was best before it, and kept.
    Kept,
    /// Better than before, but another trial of the same kind was better still.
    Surpassed,
    /// No difference by more than noise.
    Noise,
    /// Worse by more than noise.
    Worse,
    /// The budget was used up, so it was not finished.
    Unfinished,
}

/// Why a tuning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TuningEnd {
    /// Everything was tried.
    Complete,
    /// The budget left no room for the next trial.
    Budget,
}

/// Why there is no tuning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// There are too few documents.
    #[error("tuning needs {needed} documents with known values, and there are {documents}")]
    #[non_exhaustive]
    TooFewDocuments {
        /// Number of documents.
        documents: usize,
        /// Fewest documents.
        needed: usize,
    },
    /// The right value of a document does not conform to the schema. As a worked example it would
    /// be an error, because an agent would copy its mistake.
    #[error("the value of the document {document:?} does not conform: {violation}")]
    #[non_exhaustive]
    NotConforming {
        /// What tells the document from the others, at most 60 characters of it.
        document: String,
        /// The first violation.
        violation: String,
    },
    /// The budget has no room for one trial and its report.
    #[error("a budget of {requests} requests has no room for one trial and its report, which take {needed}")]
    #[non_exhaustive]
    TooFewRequests {
        /// Requests of the budget.
        requests: u64,
        /// Fewest requests.
        needed: u64,
    },
    /// The cost of a model is limited, but it has no price.
    #[error("the cost is limited, and `{model}` has no price")]
    #[non_exhaustive]
    NoPrice {
        /// Name of the model.
        model: String,
    },
    /// No document has an answer with the settings as they are.
    #[error("the agent answers no document with the settings as they are: {first}")]
    #[non_exhaustive]
    NoAnswers {
        /// Error of the first document.
        first: String,
    },
}
