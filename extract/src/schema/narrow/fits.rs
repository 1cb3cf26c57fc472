//! Which of the listed values fit the narrowed part.

use serde_json::Value;

/// The replacement of a part, and which of the listed values fit it.
pub(crate) type NarrowedPart = (Value, FittingValues);

/// One bit per listed value; no bits without a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FittingValues(Vec<bool>);

impl FittingValues {
    pub(crate) fn new(fits: Vec<bool>) -> Self {
        Self(fits)
    }

    /// The values that fit both of two schemas that apply at once.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(here, there)| *here &= there);
        self
    }

    /// The values that fit at least one of two alternatives.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(here, there)| *here |= there);
        self
    }

    /// Returns whether no values were listed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The index of the first value that does not fit.
    pub(crate) fn first_misfit(&self) -> Option<usize> {
        self.0.iter().position(|fits| !fits)
    }
}
