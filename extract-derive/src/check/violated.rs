//! Literals that break the constraints beside them.

use super::{length, literal::LiteralValue, pattern, range};
use crate::parse::FieldConstraints;

/// Returns why `literal` does not satisfy `constraints`, as the rest of a sentence after its name.
pub(super) fn violated(literal: &LiteralValue, constraints: &FieldConstraints) -> Option<String> {
    range::violated(literal, constraints)
        .or_else(|| length::violated(literal, constraints))
        .or_else(|| pattern::violated(literal, constraints))
}
