//! Rejects mistakes in a model.
//!
//! One file for each kind of mistake. After this stage a model can be expanded without further
//! checks.

mod constraints;
mod example;
mod flatten;
mod format;
pub(crate) mod known;
mod length;
mod literal;
mod merging;
mod names;
mod one_of;
mod partial;
mod pattern;
mod range;
mod regex;
mod serde;
mod shape;
mod skipped;
mod subject;
mod violated;

use crate::{MistakeCollector, model::TypeModel};

pub(crate) fn type_(model: &TypeModel, errors: &mut MistakeCollector) {
    shape::check(model, errors);
    serde::check(model, errors);
    flatten::check(model, errors);
    skipped::check(model, errors);
    partial::check(model, errors);
    names::check(model, errors);
    constraints::check(model, errors);
    merging::check(model, errors);
}
