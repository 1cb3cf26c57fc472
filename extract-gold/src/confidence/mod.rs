//! How likely each leaf of a value is right.

mod calibration;
mod evidence;
mod fit;
mod quality;

pub use self::{
    calibration::{Calibration, CalibrationError, JudgedLeaf},
    quality::{ConfidenceQuality, KeptShare},
};
