//! The contract of an extraction, narrowed at run time, and the document that it asks about.

use std::any::TypeId;

use serde::Serialize;

use super::Extraction;
use crate::{
    contract::Contract,
    derive_support::DescribedType,
    document::Document,
    schema::NarrowingError,
    vocabulary::path::{IntoPathPattern, PathPattern},
};

impl<T, C> Extraction<'_, T, C> {
    /// Allows only `values` at `place`, such as categories from a database. The result stays a `T`.
    ///
    /// The agent is asked for these values, and constrained to them if it can be; reading, feedback
    /// and tools know them too. See [`Contract::one_of`] for what a place and a value can be. Each
    /// call compiles the contract again, which takes about a millisecond; to ask often, narrow once
    /// and pass the [`contract`](Self::contract).
    ///
    /// ```
    /// use extract::{Extractable, at, testing::{ScriptedAgent, block_on}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Ticket {
    ///     category: String,
    /// }
    ///
    /// let categories = vec!["billing".to_owned(), "delivery".to_owned()]; // from a database
    /// let agent = ScriptedAgent::new([r#"{"category": "post"}"#, r#"{"category": "delivery"}"#]);
    /// let extraction = Ticket::extract(&agent, "My parcel is late.").one_of(at!(Ticket, category), categories);
    /// let (ticket, metrics) = block_on(extraction)?;
    /// assert_eq!((ticket.category.as_str(), metrics.attempts), ("delivery", 2));
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the path does not exist, a value does not fit there or no value is left, awaiting fails
    /// with [`ExtractionError::Narrowing`](crate::ExtractionError::Narrowing) before anything is
    /// asked. A path of another type does not compile.
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let place = place.into_place();
        self.narrowed(|contract| contract.one_of(place, values))
    }

    /// Replaces the description at `place`: the text about a field that the agent gets. See
    /// [`Contract::describe`].
    ///
    /// ```
    /// # use extract::{Extractable, at, testing::{ScriptedAgent, block_on}};
    /// # use serde::Deserialize;
    /// # #[derive(Deserialize, Extractable)]
    /// # struct Ticket { category: String }
    /// let agent = ScriptedAgent::new([r#"{"category": "delivery"}"#]);
    /// let extraction = Ticket::extract(&agent, "My parcel is late.")
    ///     .describe(at!(Ticket, category), "The department that answers, from the list of May.");
    /// # assert_eq!(block_on(extraction)?.0.category, "delivery");
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the path does not exist, awaiting fails with
    /// [`ExtractionError::Narrowing`](crate::ExtractionError::Narrowing) before anything is asked.
    pub fn describe(self, place: impl IntoPathPattern<T>, text: impl AsRef<str>) -> Self {
        let place = place.into_place();
        self.narrowed(|contract| contract.describe(place, text))
    }

    fn narrowed(self, with: impl FnOnce(&Contract) -> Result<Contract, NarrowingError>) -> Self {
        self.asking(|input| {
            if let Ok(contract) = &input.contract {
                input.contract = with(contract).map_err(Into::into);
            }
        })
    }
}

impl<T: DescribedType, C> Extraction<'_, T, C> {
    /// Asks for a value of `contract`, a contract of `T` that was narrowed before. The contract,
    /// and the forms that prompts and providers need, are then compiled once for many extractions.
    /// It replaces every earlier narrowing of this extraction.
    ///
    /// ```
    /// use extract::{Contract, Extractable, at, testing::{ScriptedAgent, block_on}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Ticket {
    ///     category: String,
    /// }
    ///
    /// let contract = Contract::of::<Ticket>()?.one_of(at!(Ticket, category), ["billing", "delivery"])?;
    /// # let agent = ScriptedAgent::new([r#"{"category": "billing"}"#, r#"{"category": "delivery"}"#]);
    /// for letter in ["What do I owe you?", "My parcel is late."] {
    ///     let (ticket, _) = block_on(Ticket::extract(&agent, letter).contract(&contract))?;
    ///     println!("{}", ticket.category);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it is not a contract of `T`, awaiting fails with
    /// [`ExtractionError::Narrowing`](crate::ExtractionError::Narrowing) before anything is asked.
    pub fn contract(self, contract: &Contract) -> Self {
        self.asking(|input| {
            input.contract = if contract.is_of(TypeId::of::<T>()) {
                Ok(input
                    .document
                    .as_ref()
                    .map_or_else(|| contract.clone(), |document| contract.document(document)))
            } else {
                let message =
                    "it is the contract of another type; narrow `Contract::of` the type that is asked for";
                Err(NarrowingError::new(&PathPattern::root(), message).into())
            };
        })
    }
}

impl<T, C> Extraction<'_, T, C> {
    /// Extracts from `document`: the agent sees its text after the prompt, and
    /// [quotes](crate::document::Quote) must occur in it.
    ///
    /// The prompt is the question, and may be empty. The text is fenced, so that it cannot pose as
    /// instructions.
    ///
    /// ```
    /// use extract::{Extractable, document::{Document, Quote}, testing::{ScriptedAgent, block_on}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Symptoms {
    ///     denied: Vec<Quote>,
    /// }
    ///
    /// let document = Document::from_text("She denied chest pain, but not fever.");
    /// let agent = ScriptedAgent::new([r#"{"denied": ["no chest pain"]}"#, r#"{"denied": ["chest pain"]}"#]);
    /// let (symptoms, metrics) = block_on(Symptoms::extract(&agent, "Which?").document(&document))?;
    /// assert_eq!((symptoms.denied[0].span().unwrap().range(), metrics.attempts), (11..21, 2));
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn document(self, document: &Document) -> Self {
        self.asking(|input| {
            if let Ok(contract) = &mut input.contract {
                *contract = contract.document(document);
            }
            input.document = Some(document.clone());
        })
    }
}
