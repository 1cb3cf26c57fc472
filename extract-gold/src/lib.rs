#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod compare;
mod confidence;
mod evaluation;
mod facts;
mod gold;
mod nearest;
mod ratio;
mod review;
mod shots;
mod tuning;

pub use self::{
    compare::{LeafComparison, LeafOutcome, Tolerance, ValueComparer},
    confidence::{Calibration, CalibrationError, ConfidenceQuality, JudgedLeaf, KeptShare},
    evaluation::{
        Candidate, CandidateResult, DocumentResult, Evaluation, EvaluationProgress, Evaluator, FieldScore,
        Interval, PairedDifference, Score,
    },
    gold::{GoldDocument, GoldError, GoldSchema, GoldSet, WrongGoldLine},
    nearest::NearestDocuments,
    review::{
        ReviewCandidate, ReviewError, ReviewEstimate, ReviewFile, ReviewItem, ReviewQueue, ReviewReason,
        ReviewResult,
    },
    shots::{GoldShots, ShotChoice},
    tuning::{
        TunedSettings, Tuner, Tuning, TuningBudget, TuningEnd, TuningError, TuningReport, TuningTrial,
        TuningVerdict, tune,
    },
};
