//! The tools of a type.

use super::Extractable;
use crate::{contract::Contract, schema::SchemaError, toolkit::Toolkit};

impl<T: Extractable + Send> Toolkit<'_, T> {
    /// Returns the tools of a type.
    ///
    /// # Errors
    ///
    /// As [`Contract::of`].
    pub fn new() -> Result<Self, SchemaError> {
        Ok(Self::typed(Contract::of::<T>()?))
    }
}
