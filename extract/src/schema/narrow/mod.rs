//! Changes a schema at one path.
//!
//! The part there gets its own schemas: a definition on the way that is used elsewhere too is
//! copied, so that nothing else changes. In a recursive type the way is unrolled, with one copy per
//! step.

mod definitions;
mod edits;
mod error;
mod examples;
mod fits;
mod meanings;
mod part;
mod reached;
#[cfg(test)]
mod tests;
mod walk;

use serde_json::Value;

pub use self::error::NarrowingError;
use self::walk::NarrowingWalk;
pub(crate) use self::{
    fits::{FittingValues, NarrowedPart},
    part::{described, is_sensitive, listed},
    reached::{NarrowingFailure, ReachedSchemas},
};
use crate::vocabulary::path::PathPattern;

/// Replaces the parts of `root` at `place`. Drops examples with a value there that `allows`
/// rejects.
///
/// # Errors
///
/// If `root` does not describe the path, or the way there passes the same definitions too often.
pub(crate) fn narrowed<'s>(
    root: &'s Value,
    place: &PathPattern,
    replace: &mut dyn FnMut(&'s Value) -> NarrowedPart,
    allows: &dyn Fn(&Value) -> bool,
) -> Result<NarrowedPart, NarrowingFailure> {
    let mut walk = NarrowingWalk::new(root, place.steps(), replace, allows);
    let (schema, fits) = walk.root()?;
    let (moved, copies) = walk.into_parts();
    Ok((definitions::settled(schema, root, &moved, copies), fits))
}
