//! The contract of a toolkit, narrowed at run time.

use serde::Serialize;

use super::Toolkit;
use crate::{
    contract::Contract, judging::with_example_for, schema::NarrowingError, vocabulary::path::IntoPathPattern,
};

impl<T, C> Toolkit<'_, T, C> {
    /// Allows only `values` at `place`; see [`Contract::one_of`]. The tools then describe the
    /// narrowed contract, and accept no other value.
    ///
    /// ```
    /// use extract::{Extractable, Toolkit, at};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Ticket {
    ///     category: String,
    /// }
    ///
    /// let toolkit = Toolkit::<Ticket>::new()?.one_of(at!(Ticket, category), ["billing", "delivery"])?;
    /// let submit = &toolkit.tools()[2];
    /// let category = &submit.input_schema["properties"]["category"];
    /// assert_eq!(category["enum"], serde_json::json!(["billing", "delivery"]));
    /// # let _ = |ticket: Ticket| ticket.category;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the contract has no such path, a value does not fit there, or no value is left.
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, NarrowingError> {
        let place = place.into_place();
        self.narrowed(|contract| contract.one_of(place, values))
    }

    /// Replaces the description at `place`; see [`Contract::describe`].
    ///
    /// # Errors
    ///
    /// If the contract has no such path.
    pub fn describe(
        self,
        place: impl IntoPathPattern<T>,
        text: impl AsRef<str>,
    ) -> Result<Self, NarrowingError> {
        let place = place.into_place();
        self.narrowed(|contract| contract.describe(place, text))
    }

    fn narrowed(
        mut self,
        with: impl FnOnce(&Contract) -> Result<Contract, NarrowingError>,
    ) -> Result<Self, NarrowingError> {
        let contract = with(&self.contract)?;
        self.tool_set = self.tool_set.for_contract(&contract);
        self.contract = if self.context.is_some() {
            with_example_for(self.checks, contract, self.context)
        } else {
            contract
        };
        Ok(self)
    }
}
