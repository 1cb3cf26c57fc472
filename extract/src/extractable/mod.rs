//! The public trait.

mod contract;
mod extractor;
mod toolkit;

use serde_json::Value;

use crate::{
    agent::{Agent, Prompt, Reply},
    contract::Contract,
    derive_support::{self, AnyThread, DescribedType, WithContext},
    error::ExtractionResult,
    extraction::{self, Extraction},
    schema,
    vocabulary::context::ErasedContext,
};

/// A type that an agent can be asked for.
///
/// Derive it beside `serde::Deserialize`. Numbers, strings, `Option`, `Vec`, `Box`, maps and other
/// common types implement it. A foreign type with `Deserialize` and `schemars::JsonSchema` gets it
/// inside [`BySchemars`](crate::BySchemars).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Extractable`",
    label = "an agent cannot be asked for this type",
    note = "for a type of your own, add `#[derive(serde::Deserialize, extract::Extractable)]` to it",
    note = "for a type of another crate, enable the feature named after it, such as `url2`, or use `extract::BySchemars<{Self}>` if it implements `Deserialize` and `schemars::JsonSchema`"
)]
pub trait Extractable: DescribedType {
    /// Returns the JSON Schema (2020-12) of the values that deserialize into this type, including
    /// its constraints.
    ///
    /// Keys are in the order of the declared fields.
    fn schema() -> Value {
        derive_support::schema_of::<Self>().0
    }

    /// Returns a value that satisfies [`schema`](Self::schema): from the `example` attributes where
    /// present, generated elsewhere. `null` if no small one (at most 32 KiB of JSON) was found, for
    /// example for a list of at least 100,000 elements; see
    /// [`Contract::example`](crate::Contract::example).
    fn example() -> Value {
        schema::example(&Self::schema()).unwrap_or(Value::Null)
    }

    /// Asks `agent` for a value of this type. The prompt is the text to extract from, or the
    /// question.
    ///
    /// Nothing is asked until the extraction is awaited. Before that, its methods set the number of
    /// attempts, callbacks and more.
    ///
    /// # Errors
    ///
    /// Awaiting it fails with [`ExtractionError`](crate::ExtractionError), which has every attempt.
    ///
    /// ```
    /// # use extract::testing::{ScriptedAgent, block_on};
    /// use extract::Extractable as _;
    ///
    /// let agent = ScriptedAgent::new(["three", "[3, 4]"]);
    /// # block_on(async {
    /// let (numbers, metrics) = Vec::<u8>::extract(&agent, "Which numbers?").max_attempts(2).await?;
    /// assert_eq!(numbers, [3, 4]);
    /// assert_eq!(metrics.attempts, 2);
    /// # Ok::<(), extract::ExtractionError>(())
    /// # }).unwrap();
    /// ```
    fn extract<A: Agent + ?Sized>(agent: &A, prompt: impl Into<Prompt>) -> Extraction<'_, Self>
    where
        Self: AnyThread,
    {
        Extraction::typed(Contract::of::<Self>(), agent, prompt.into())
    }

    /// Makes a value from an existing reply: from a batch, a cache, a log. No agent is asked.
    ///
    /// The reply is read and judged as in an extraction with one attempt, except that async checks
    /// and rules (`async_check`, `async_rule`) do not run.
    ///
    /// # Errors
    ///
    /// As [`extract`](Self::extract); the history has one attempt.
    ///
    /// ```
    /// use extract::Extractable as _;
    ///
    /// let (numbers, _) = Vec::<u8>::from_reply("Here they are: [3, 4]")?;
    /// assert_eq!(numbers, [3, 4]);
    /// let error = Vec::<u8>::from_reply("[3, 400]").unwrap_err();
    /// assert_eq!(error.violations()[0].path.to_string(), "$[1]");
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    fn from_reply(reply: impl Into<Reply>) -> ExtractionResult<Self>
    where
        Self: WithContext,
    {
        extraction::judge_reply(Contract::shared_of::<Self>()?, reply.into(), ErasedContext::default())
    }

    /// Like [`from_reply`](Self::from_reply), for a type whose rules need a context.
    ///
    /// # Errors
    ///
    /// As [`from_reply`](Self::from_reply).
    ///
    /// ```
    /// use extract::Extractable;
    /// use serde::Deserialize;
    ///
    /// struct Catalogue(Vec<String>);
    ///
    /// #[derive(Deserialize, Extractable)]
    /// #[extract(context = Catalogue)]
    /// struct Order {
    ///     #[extract(check = is_in_the_catalogue)]
    ///     part: String,
    /// }
    ///
    /// fn is_in_the_catalogue(part: &String, catalogue: &Catalogue) -> Result<(), &'static str> {
    ///     if catalogue.0.contains(part) { Ok(()) } else { Err("not in the catalogue") }
    /// }
    ///
    /// let catalogue = Catalogue(vec!["bolt".to_owned()]);
    /// assert!(Order::from_reply_within(r#"{"part": "bolt"}"#, &catalogue).is_ok());
    /// assert!(Order::from_reply_within(r#"{"part": "nut"}"#, &catalogue).is_err());
    /// # let _ = |order: Order| order.part;
    /// ```
    fn from_reply_within<C: Sync + 'static>(reply: impl Into<Reply>, context: &C) -> ExtractionResult<Self>
    where
        Self: WithContext<C>,
    {
        extraction::judge_reply(Contract::shared_of::<Self>()?, reply.into(), ErasedContext::new(context))
    }
}

#[diagnostic::do_not_recommend]
impl<T: DescribedType> Extractable for T {}
