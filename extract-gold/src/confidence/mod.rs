//! How likely each leaf of a value is right.

mod agreement;
mod calibration;
mod evidence;
mod fit;
mod quality;
mod samples;

pub use self::{
    agreement::{Agreement, LeafAgreement},
    calibration::{Calibration, CalibrationError, JudgedLeaf},
    evidence::LeafEvidence,
    quality::{ConfidenceQuality, KeptShare},
    samples::{Confidences, LeafConfidence, Sampled, Samples},
};
