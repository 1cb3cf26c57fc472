//! How right agents are on a gold set.

mod page;
mod result;
mod run;
mod score;
mod table;

pub use self::{
    result::{CandidateResult, DocumentResult, Evaluation, FieldScore, PairedDifference},
    run::{Candidate, Evaluator},
    score::{Interval, Score},
};
