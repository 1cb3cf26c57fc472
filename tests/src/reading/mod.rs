//! Reading replies: what is repaired, reported and refused.

mod align;
mod fixtures;
mod notations;
mod properties;
pub(crate) mod random;
