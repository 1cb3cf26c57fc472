//! Reading replies: what is mended, what is told, what is refused.

mod align;
mod fixtures;
mod notations;
mod properties;
pub(crate) mod random;
