//! What cannot be meant.
//!
//! One file for each kind of mistake. After this stage a model can be expanded without a question.

pub(crate) mod known;
mod names;
mod serde;
mod shape;
mod skipped;

use crate::{Errors, model::Model};

pub(crate) fn type_(model: &Model, errors: &mut Errors) {
    shape::check(model, errors);
    serde::check(model, errors);
    skipped::check(model, errors);
    names::check(model, errors);
}
