//! Chooses how to ask, by checked documents.

mod budget;
mod descriptions;
mod halves;
mod result;
mod search;
mod settings;
mod table;

pub use self::{
    budget::TuningBudget,
    result::{Tuning, TuningEnd, TuningError, TuningReport, TuningTrial, TuningVerdict},
    search::{Tuner, tune},
    settings::TunedSettings,
};
