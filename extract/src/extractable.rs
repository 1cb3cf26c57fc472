//! The public trait.

use std::{
    any::TypeId,
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use serde_json::Value;

use crate::{
    agent::{Agent, Prompt, Reply},
    contract::{Contract, TypeJudges},
    derive_support::{self, AnyThread, DescribedType, WithContext},
    error::ExtractionResult,
    extraction::{self, Extraction, Extractor},
    schema,
    schema::SchemaError,
    toolkit::Toolkit,
    validation::{self, RuleJudge},
    vocabulary::{context::ErasedContext, violation::Violation},
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

impl Contract {
    /// Returns the contract of a type: its schema, its example, serde and its rules.
    ///
    /// # Errors
    ///
    /// If the schema does not compile. For a derived type the causes are a `pattern` that is not
    /// a regular expression, a mistake in a hand-written schema, a map with keys that are never
    /// strings in JSON, such as tuples, an enum whose names its `Deserialize` does not read (as with
    /// `serde_repr`), and a type in a flattened field or beside the tag of an
    /// enum that is not an object or that serde cannot read there. The last is possible for a type
    /// parameter or a type inside [`BySchemars`](crate::BySchemars).
    ///
    /// Checks and rules that need a context (`#[extract(context = ...)]`) or are async
    /// (`async_check`, `async_rule`) do not run: a contract has no context and does not wait. An
    /// extraction runs them.
    pub fn of<T: Extractable>() -> Result<Self, SchemaError> {
        Self::shared_of::<T>().cloned()
    }

    /// The contract of a type, compiled once and kept for the life of the process.
    fn shared_of<T: Extractable>() -> Result<&'static Self, SchemaError> {
        static COMPILED: LazyLock<RwLock<ByType<&'static Contract>>> = LazyLock::new(RwLock::default);
        let id = TypeId::of::<T>();
        // A panic while the lock is held leaves the map as it was.
        let compiled = COMPILED.read().unwrap_or_else(PoisonError::into_inner).get(&id).copied();
        if let Some(contract) = compiled {
            return Ok(contract);
        }
        let (schema, orders) = derive_support::schema_of::<T>();
        if let Some((path, message)) = schema::mistake(&schema) {
            return Err(SchemaError::new(path, message));
        }
        let judges = TypeJudges {
            parts: derive_support::judge_parts::<T>,
            part: derive_support::judge_part::<T>,
            orders,
        };
        let contract =
            Self::compile(schema, vec![Arc::new(violations_of::<T>)], Some(judges))?.of_type(Some(id));
        let mut compiled = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
        Ok(*compiled.entry(id).or_insert_with(|| Box::leak(Box::new(contract))))
    }
}

type ByType<V> = HashMap<TypeId, V, BuildHasherDefault<TypeHasher>>;

/// A `TypeId` is a hash already.
#[derive(Default)]
struct TypeHasher(u64);

impl Hasher for TypeHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn violations_of<T: Extractable>(value: &Value) -> Vec<Violation> {
    match validation::deserialize::<T>(value) {
        Ok(typed) => derive_support::judge(&typed, RuleJudge::of(value, ErasedContext::default())),
        Err(broken) => derive_support::with_parts::<T>(value, broken, ErasedContext::default()),
    }
}

impl Extractor {
    /// Asks `agent` for a `T` with these settings.
    pub fn extract<'a, T: Extractable + Send>(
        &self,
        agent: &'a (impl Agent + ?Sized),
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, T> {
        T::extract(agent, prompt).with(self)
    }
}

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
