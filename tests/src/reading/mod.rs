//! Reading replies: what is repaired, reported and refused.

mod align;
mod field;
mod fixtures;
mod notations;
mod null_strings;
mod properties;
pub(crate) mod random;
mod wrappers;
