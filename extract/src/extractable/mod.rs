//! The trait that the derive implements.

mod containers;
mod crates;
mod foreign;
mod macros;
mod naming;
mod number_key;
mod scalars;

use std::{borrow::Cow, marker::PhantomData};

use schemars::{Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::{
    foreign::Foreign,
    naming::{constant, doc, name},
};
use crate::{
    Agent, Extraction, ExtractionResult, Judge, Place, Within,
    agent::{Prompt, Reply},
    context::Given,
    extraction,
    schema::{self, Field, Source},
    validation::{Healthy, Part, Step},
};

/// A type that an agent can be asked for.
///
/// Derive it beside `serde::Deserialize`. It is implemented for numbers, strings, `Option`, `Vec`,
/// `Box`, maps and the other types that such a type is made of; a foreign type that implements
/// `Deserialize` and `schemars::JsonSchema` becomes one inside [`Foreign`].
///
/// The methods whose names start with `__extract_` are written by the derive and are not part of the
/// stable interface.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Extractable`",
    label = "an agent cannot be asked for this type",
    note = "for a type of your own, add `#[derive(serde::Deserialize, extract::Extractable)]` to it",
    note = "for a type of another crate that implements `Deserialize` and `schemars::JsonSchema`, use `extract::Foreign<{Self}>`"
)]
pub trait Extractable: DeserializeOwned + 'static {
    /// The JSON Schema (2020-12) of what deserializes into this type, with its constraints.
    ///
    /// Keys stand in the order in which the fields are declared.
    fn schema() -> Value {
        schema::of::<Self>()
    }

    /// A value that satisfies [`schema`](Self::schema): from the `example` attributes where there
    /// are some, generated elsewhere. `null` where none was found that is small, at most 32 KiB of JSON, such as for a list of at
    /// least 100,000 elements; see [`Contract::example`](crate::Contract::example).
    fn example() -> Value {
        schema::example(&Self::schema()).unwrap_or(Value::Null)
    }

    /// Asks `agent` for a value of this type; the prompt is the text to extract from, or the question.
    ///
    /// Nothing is asked until the extraction is awaited. Before that, its methods set the number of attempts,
    /// callbacks and more.
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
        Self: Send,
    {
        Extraction::typed(agent, prompt.into())
    }

    /// Makes a value of a reply that is there already: from a batch, a cache, a log. Nobody is asked.
    ///
    /// The reply is read and judged as in an extraction with one attempt, except that what has to be awaited
    /// (`async_check`, `async_rule`) is left out.
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
        Self: Within + Send,
    {
        extraction::judge_reply(reply.into(), Given::default())
    }

    /// As [`from_reply`](Self::from_reply), for a type whose rules need a context.
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
        Self: Within<C> + Send,
    {
        extraction::judge_reply(reply.into(), Given::new(context))
    }

    /// Offers this type to clients of the Model Context Protocol, such as Claude Code, until one of them has submitted a
    /// value that is accepted; see [`mcp`](crate::mcp).
    #[cfg(feature = "mcp")]
    fn serve_mcp() -> crate::mcp::Serving<'static, Self>
    where
        Self: Send,
    {
        crate::mcp::Serving::typed()
    }

    /// What the rules inside need: [`NoContext`], `Needs<C>`, or a pair of such.
    #[doc(hidden)]
    type __ExtractContext;

    #[doc(hidden)]
    fn __extract_schema_name() -> Cow<'static, str>;

    #[doc(hidden)]
    fn __extract_schema_id() -> Cow<'static, str> {
        Cow::Owned(schema::id_of::<Self>())
    }

    /// Whether the schema stands where it is used, instead of behind a reference.
    #[doc(hidden)]
    fn __extract_inline_schema() -> bool {
        false
    }

    #[doc(hidden)]
    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema;

    /// The schema of what is merged into another object; differs for `Option` only.
    #[doc(hidden)]
    fn __extract_flat_schema(generator: &mut SchemaGenerator) -> Schema {
        Self::__extract_json_schema(generator)
    }

    /// The schema of the keys of a map, which are texts in JSON; `None` when every text is one.
    #[doc(hidden)]
    fn __extract_key_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<Field<Self>>())
    }

    /// Whether a field of this type may be absent (serde: `Option` only).
    #[doc(hidden)]
    const __EXTRACT_OPTIONAL: bool = false;

    /// The type of a value that is named and not evaluated.
    #[doc(hidden)]
    fn __extract_type(&self) -> PhantomData<Self> {
        PhantomData
    }

    /// Where fields stand in the JSON whose place is not their name in Rust.
    #[doc(hidden)]
    const __EXTRACT_STEPS: &'static [(&'static str, Step)] = &[];

    #[doc(hidden)]
    const __EXTRACT_SOURCE: Source = Source::of::<Self>();

    /// Runs the checks and rules inside this value, or gathers those that have to be awaited.
    #[doc(hidden)]
    fn __extract_judge<'v>(&'v self, _place: &Place<'_>, _judge: &mut Judge<'v>) {}

    /// Judges the parts of what should be such a value and is broken somewhere.
    ///
    /// Generic over nothing, so that it is compiled where a value is asked for and not with every type.
    #[doc(hidden)]
    fn __extract_healthy<Use>(_part: &Part<'_>, _healthy: &mut Healthy<'_>) {}

    /// Judges a part that should be such a value, and runs further `checks` of it if it is healthy.
    #[doc(hidden)]
    fn __extract_part(
        part: Option<Part<'_>>,
        healthy: &mut Healthy<'_>,
        checks: &dyn Fn(&Self, &Place<'_>, &mut Judge<'_>),
    ) {
        healthy.judge_with(part, checks);
    }

    /// Judges the parts of such a value, whose keys stand among others. Which keys are those of a map, nobody can tell.
    #[doc(hidden)]
    fn __extract_among(part: &Part<'_>, healthy: &mut Healthy<'_>) {
        if Self::__EXTRACT_IS_RECORD {
            Self::__extract_healthy::<()>(part, healthy);
        }
    }

    /// Whether its keys are those of its fields, so that they can be told from others beside them.
    #[doc(hidden)]
    const __EXTRACT_IS_RECORD: bool = false;

    /// This value as the key of a JSON object, for paths.
    #[doc(hidden)]
    fn __extract_key(&self) -> Cow<'_, str> {
        Cow::Borrowed("*")
    }
}
