#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod compare;
mod evaluation;
mod gold;
mod nearest;
mod ratio;
mod shots;

pub use self::{
    compare::{LeafComparison, LeafOutcome, Tolerance, ValueComparer},
    evaluation::{
        Candidate, CandidateResult, DocumentResult, Evaluation, Evaluator, FieldScore, Interval,
        PairedDifference, Score,
    },
    gold::{GoldDocument, GoldError, GoldSet},
    nearest::NearestDocuments,
    shots::{GoldShots, ShotChoice},
};
