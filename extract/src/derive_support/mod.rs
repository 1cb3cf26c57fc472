//! The traits that the derive implements, and their implementations for types of other crates.

mod asked_type;
mod built_path;
mod by_schemars;
mod containers;
mod crates;
mod judging;
mod partial_types;
mod scalars;

use std::{
    any::{TypeId, type_name},
    borrow::Cow,
    fmt::Display,
    marker::PhantomData,
    sync::Arc,
};

use schemars::{
    JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

pub(crate) use self::judging::{deferred_checks, judge, judge_part, judge_parts, with_parts};
pub use self::{
    asked_type::{
        Accepted, AcceptedArray, AcceptedAsKeys, AcceptedWithChrono04, AcceptedWithChrono04OrTime03,
        AcceptedWithIndexmap2, AcceptedWithJiff02, AcceptedWithJiff02OrTime03, AcceptedWithRc,
        AcceptedWithRustDecimal1, AcceptedWithSemver1, AcceptedWithTime03, AcceptedWithUrl2,
        AcceptedWithUuid1, AskedAnswer, AskedType, CanBeAsked, CannotBeAsked, DisabledFeature,
        EnabledFeature, FeatureIndexmap2, FeatureRc, IsDerived, IsDescribed, IsSized, IsUnsized, NotAsked,
        NotOptional, ReportedElsewhere, source_without_rules,
    },
    built_path::{BuiltPath, FieldPosition, TypePath, element, inside, type_of},
    by_schemars::BySchemars,
    judging::{ContextCheck, FieldContextChecks, NoContextCheck, WithContext},
    partial_types::{
        CowGrowth, ElementsGrowth, EntriesGrowth, FieldsGrowth, GrowthOf, HasPartial, JsonGrowth,
        OptionGrowth, PointerGrowth, Progress, StringGrowth, TupleGrowth, WhileWriting, WholeGrowth,
        WrittenPart, read_value,
    },
};
use crate::{
    schema::{self, SchemaSource, SerdeRefusal, TypeOrders, ValueOrder},
    validation::{self, LazyPath, RuleJudge, ValidParts, ValuePart},
    vocabulary::violation::Violation,
};

/// Everything that an extraction needs to know about a type, except how serde reads it. The derive
/// implements it; users never name it.
///
/// `Deserialize` is not a supertrait. If it were missing, the compiler would report it with a list
/// of types that depends on which crates are compiled. [`is_deserializable`] reports it instead.
///
/// Its items start with `__extract_`, because a type parameter that is `Extractable` has them too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Extractable`",
    label = "an agent cannot be asked for this type",
    note = "for a type of your own, add `#[derive(serde::Deserialize, extract::Extractable)]` to it",
    note = "for a type of another crate, enable the feature named after it, such as `url2`, or use `extract::BySchemars<{Self}>` if it implements `Deserialize` and `schemars::JsonSchema`"
)]
pub trait DerivedType: Sized + 'static {
    /// Checks that serde reads the type, and says what it refuses. The derive uses it.
    const __EXTRACT_IS_DESERIALIZABLE: Option<SerdeRefusal> = None;

    /// The context that its rules need: [`NoContext`](crate::context::NoContext), `Needs<C>`, or a
    /// pair of these.
    type __ExtractContext;

    /// How it grows while it streams in.
    type __ExtractGrowth: GrowthOf<Self>;

    /// The name of its definition.
    fn __extract_schema_name() -> Cow<'static, str>;

    /// A name that no other type has, even if two types have the same path (inside functions).
    fn __extract_schema_id() -> Cow<'static, str> {
        Cow::Owned(format!("{} {:?}", type_name::<Self>(), TypeId::of::<Self>()))
    }

    /// Returns whether the schema is written inline instead of behind a reference.
    fn __extract_inline_schema() -> bool {
        false
    }

    /// The schema.
    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema;

    /// The schema when it is merged into another object; differs for `Option` only.
    fn __extract_flat_schema(generator: &mut SchemaGenerator) -> Schema {
        Self::__extract_json_schema(generator)
    }

    /// The schema of the type as the key of a map, which is a string in JSON; `None` if every
    /// string is valid.
    fn __extract_key_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<FieldSchema<Self>>())
    }

    /// Whether a field of this type may be absent (serde: `Option` only).
    const __EXTRACT_OPTIONAL: bool = false;

    /// Whether it has checks or rules of its own, which run on a value of this type and on no other.
    const __EXTRACT_RULED: bool = false;

    /// The type of a value that is named and not evaluated.
    fn __extract_type(&self) -> PhantomData<Self> {
        PhantomData
    }

    /// The positions in the JSON of fields whose Rust name does not apply there.
    const __EXTRACT_STEPS: &'static [(&'static str, FieldPosition)] = &[];

    /// The same as a value.
    const __EXTRACT_SOURCE: SchemaSource = SchemaSource::of::<Self>();

    /// Runs the checks and rules inside this value, or collects the async ones.
    fn __extract_judge<'v>(&'v self, _place: &LazyPath<'_>, _judge: &mut RuleJudge<'v>) {}

    /// Judges the parts of a value that should be of this type and is broken somewhere.
    ///
    /// Not generic, so that it is compiled only where a value is asked for and not for every type.
    fn __extract_valid_parts<Use>(_part: &ValuePart<'_>, _valid_parts: &mut ValidParts<'_>) {}

    /// Judges a part that should be of this type: as a whole if it is valid, else its own parts.
    /// Also runs `checks` on a valid one.
    ///
    /// The checks are behind a reference, so this is compiled once per type and not once per field.
    fn __extract_part(
        part: Option<ValuePart<'_>>,
        valid_parts: &mut ValidParts<'_>,
        checks: &dyn Fn(&Self, &LazyPath<'_>, &mut RuleJudge<'_>),
    ) where
        Self: DeserializeOwned,
    {
        let Some(part) = part else { return };
        if !part.is_valid() {
            return Self::__extract_valid_parts::<()>(&part, valid_parts);
        }
        match validation::deserialize::<Self>(part.value()) {
            Ok(value) => {
                let mut judge = RuleJudge::new(valid_parts.context());
                value.__extract_judge(part.place(), &mut judge);
                checks(&value, part.place(), &mut judge);
                valid_parts.add(judge);
            }
            // A constraint that the schema cannot express fails here too.
            Err(violations) => valid_parts.add_violations(violations.into_iter().map(|violation| {
                let path = part.place().to_path().join(&violation.path);
                Violation { path, ..violation }
            })),
        }
    }

    /// Judges the parts of a value whose keys are among others. For a map it is unknown which keys
    /// belong to it.
    fn __extract_among(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        if Self::__EXTRACT_IS_RECORD {
            Self::__extract_valid_parts::<()>(part, valid_parts);
        }
    }

    /// Whether its keys are its field names, so that other keys can be distinguished from them.
    const __EXTRACT_IS_RECORD: bool = false;

    /// This value as the key of a JSON object, for paths.
    fn __extract_key(&self) -> Cow<'_, str> {
        Cow::Borrowed("*")
    }
}

/// Represents a `T` where `schemars` is asked for a schema. `schemars` handles definitions,
/// references and recursion; [`DerivedType`] describes the `T`.
#[derive(Debug)]
pub(crate) struct FieldSchema<T>(PhantomData<fn() -> T>);

impl<T: DerivedType> JsonSchema for FieldSchema<T> {
    fn inline_schema() -> bool {
        T::__extract_inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::__extract_schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::__extract_schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::__extract_json_schema(generator);
        if let Some(refusal) = T::__EXTRACT_IS_DESERIALIZABLE {
            schema::note_refused(&mut schema, &T::__extract_schema_name(), refusal);
        }
        schema
    }
}

impl SchemaSource {
    /// From the type itself.
    #[must_use]
    pub const fn of<T: DerivedType>() -> Self {
        Self {
            optional: T::__EXTRACT_OPTIONAL,
            subschema: SchemaGenerator::subschema_for::<FieldSchema<T>>,
            flat: T::__extract_flat_schema,
        }
    }
}

/// The JSON Schema (2020-12) of the values that deserialize into `T`, with the orders that its
/// marks refer to.
pub(crate) fn schema_of<T: DescribedType>() -> (Value, Arc<[ValueOrder]>) {
    let orders = TypeOrders::default();
    let settings = SchemaSettings::draft2020_12()
        .for_deserialize()
        .with_transform(orders.clone())
        .with_transform(RecursiveTransform(by_schemars::complete));
    let mut schema = settings.into_generator().into_root_schema_for::<FieldSchema<T>>().to_value();
    schema::check_keys(&mut schema);
    schema::check_buffered(&mut schema);
    schema::constrain_values(&mut schema);
    (schema, orders.found())
}

/// The name of a generic type's definition: `Page_of_Line`.
#[must_use]
pub fn name(base: &str, arguments: &[Cow<'_, str>]) -> Cow<'static, str> {
    Cow::Owned(format!("{base}_of_{}", arguments.join("_and_")))
}

/// A const parameter as part of a name.
#[must_use]
pub fn constant(value: &dyn Display) -> Cow<'static, str> {
    Cow::Owned(value.to_string())
}

/// A doc comment as a string, if the derive cannot read it itself (`#[doc = include_str!(...)]`).
#[must_use]
pub fn doc(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// A type that may be sent to another thread, as an extraction may be: every type that is `Send`.
///
/// It is implemented automatically, and says what to do where it is not. Functions that are generic
/// over the extracted type may use it or `Send` as a bound.
///
/// ```
/// use extract::{Agent, AnyThread, Extractable, ExtractionError, WithContext};
///
/// async fn ask<T: Extractable + WithContext + AnyThread>(agent: &dyn Agent) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").await?.0)
/// }
/// # let _ = ask::<u8>;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to another thread, and an extraction may run on any",
    label = "hold an `Arc` instead of an `Rc`, or read a reply that is already there with `from_reply`"
)]
pub trait AnyThread: Send {}

#[diagnostic::do_not_recommend]
impl<T: Send> AnyThread for T {}

/// A type that can be asked for and deserialized.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Extractable`",
    label = "an agent cannot be asked for this type",
    note = "for a type of your own, add `#[derive(serde::Deserialize, extract::Extractable)]` to it",
    note = "for a type of another crate, enable the feature named after it, such as `url2`, or use `extract::BySchemars<{Self}>` if it implements `Deserialize` and `schemars::JsonSchema`"
)]
pub trait DescribedType: DerivedType + DeserializeOwned {}

impl<T: DerivedType + DeserializeOwned> DescribedType for T {}

/// A type that serde deserializes. It is a separate trait for its error message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `serde::Deserialize`",
    label = "serde cannot deserialize this type",
    note = "derive it beside `Extractable`: `#[derive(serde::Deserialize, extract::Extractable)]`",
    note = "where it is derived already, serde reports a mistake in the type; fix that first"
)]
pub trait DeserializableType {
    /// Returns why serde refuses `value`; `None` if it reads it.
    fn refusal(value: &Value) -> Option<String>;
}

#[diagnostic::do_not_recommend]
impl<T: for<'de> Deserialize<'de>> DeserializableType for T {
    fn refusal(value: &Value) -> Option<String> {
        T::deserialize(value).err().map(|error| error.to_string())
    }
}

/// Compiles if serde deserializes a `T`. Returns the function that says what it refuses.
pub const fn is_deserializable<T: DeserializableType>() -> Option<SerdeRefusal> {
    Some(T::refusal)
}

/// Calls a macro for each size of tuples that is supported.
macro_rules! each_tuple {
    ($for_one:ident) => {
        $for_one!(1: A 0);
        $for_one!(2: A 0 B 1);
        $for_one!(3: A 0 B 1 C 2);
        $for_one!(4: A 0 B 1 C 2 D 3);
        $for_one!(5: A 0 B 1 C 2 D 3 E 4);
        $for_one!(6: A 0 B 1 C 2 D 3 E 4 F 5);
        $for_one!(7: A 0 B 1 C 2 D 3 E 4 F 5 G 6);
        $for_one!(8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
        $for_one!(9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
        $for_one!(10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
        $for_one!(11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
        $for_one!(12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
        $for_one!(13: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
        $for_one!(14: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
        $for_one!(15: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
        $for_one!(16: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15);
    };
}

use each_tuple;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generic_name_lists_its_arguments() {
        assert_eq!(name("Pair", &["A".into(), "B".into()]), "Pair_of_A_and_B");
    }

    #[test]
    fn a_doc_keeps_its_lines_and_loses_the_space_around() {
        assert_eq!(doc("\n one  \n\n  two\n"), "one\n\n  two");
    }
}
