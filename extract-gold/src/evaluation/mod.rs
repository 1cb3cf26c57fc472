//! How right agents are on a gold set.

mod page;
mod progress;
mod result;
mod run;
mod score;
mod table;

pub(crate) use self::progress::OnProgress;
pub use self::{
    progress::EvaluationProgress,
    result::{CandidateResult, DocumentResult, Evaluation, FieldScore, PairedDifference},
    run::{Candidate, Evaluator},
    score::{Interval, Score},
};
