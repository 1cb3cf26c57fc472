//! Types that contain other extractable values, and values with a quote.

use std::{
    any::type_name,
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    hash::{BuildHasher, Hash},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;

use super::{
    DerivedType, DescribedType, FieldPosition, FieldSchema, each_tuple,
    partial_types::{
        CowGrowth, ElementsGrowth, EntriesGrowth, OptionGrowth, PointerGrowth, TupleGrowth, WholeGrowth,
    },
    scalars::scalar,
};
use crate::{
    document::{Grounded, Quote},
    schema::{GROUNDED, QUOTE, SerdeRefusal, flatten::HasKeys, keys_of_type},
    validation::{LazyPath, RuleJudge, ValidParts, ValuePart},
    vocabulary::context::NoContext,
};

/// Delegates everything to the inner type.
macro_rules! transparent {
    ($inner:ty, $growth:ty) => {
        type __ExtractContext = <$inner as DerivedType>::__ExtractContext;
        type __ExtractGrowth = $growth;

        fn __extract_schema_name() -> Cow<'static, str> {
            <$inner>::__extract_schema_name()
        }

        fn __extract_schema_id() -> Cow<'static, str> {
            <$inner>::__extract_schema_id()
        }

        fn __extract_inline_schema() -> bool {
            <$inner>::__extract_inline_schema()
        }

        fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
            <$inner>::__extract_json_schema(generator)
        }

        fn __extract_flat_schema(generator: &mut SchemaGenerator) -> Schema {
            <$inner>::__extract_flat_schema(generator)
        }

        fn __extract_key_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
            <$inner>::__extract_key_schema(generator)
        }

        const __EXTRACT_IS_DESERIALIZABLE: Option<SerdeRefusal> = <$inner>::__EXTRACT_IS_DESERIALIZABLE;
        const __EXTRACT_OPTIONAL: bool = <$inner>::__EXTRACT_OPTIONAL;

        const __EXTRACT_STEPS: &'static [(&'static str, FieldPosition)] = <$inner>::__EXTRACT_STEPS;

        fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
            <$inner>::__extract_valid_parts::<Use>(part, valid_parts);
        }

        const __EXTRACT_IS_RECORD: bool = <$inner>::__EXTRACT_IS_RECORD;
    };
}

/// A schema that is written inline.
macro_rules! inline {
    ($name:expr, $schema:expr) => {
        fn __extract_schema_name() -> Cow<'static, str> {
            Cow::Owned($name)
        }

        fn __extract_inline_schema() -> bool {
            true
        }

        fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
            $schema(generator)
        }
    };
}

impl<T: DescribedType> DerivedType for Option<T> {
    type __ExtractContext = T::__ExtractContext;
    type __ExtractGrowth = OptionGrowth<T>;

    inline!(
        format!("Optional_{}", T::__extract_schema_name()),
        <Option<FieldSchema<T>> as JsonSchema>::json_schema
    );

    const __EXTRACT_OPTIONAL: bool = true;

    // serde reads every key as a value that is there.
    fn __extract_key_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::__extract_key_schema(generator)
    }

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        T::__extract_valid_parts::<Use>(part, valid_parts);
    }

    const __EXTRACT_IS_RECORD: bool = T::__EXTRACT_IS_RECORD;

    fn __extract_flat_schema(generator: &mut SchemaGenerator) -> Schema {
        T::__extract_flat_schema(generator)
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        if let Some(value) = self {
            value.__extract_judge(place, judge);
        }
    }

    fn __extract_key(&self) -> Cow<'_, str> {
        self.as_ref().map_or(Cow::Borrowed("*"), T::__extract_key)
    }
}

macro_rules! pointers {
    ($([$($generics:tt)*] $type:ty => $inner:ty $(, where $bounds:tt)?;)*) => {$(
        impl<$($generics)*> DerivedType for $type $(where $bounds: DeserializeOwned)? {
            transparent!($inner, PointerGrowth<$inner>);

            fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
                (**self).__extract_judge(place, judge);
            }

            fn __extract_key(&self) -> Cow<'_, str> {
                (**self).__extract_key()
            }
        }
    )*};
}

pointers! {
    [T: DescribedType] Box<T> => T;
}

#[cfg(feature = "rc")]
pointers! {
    [T: DescribedType] std::rc::Rc<T> => T;
    [T: DescribedType] std::sync::Arc<T> => T;
}

/// Shared strings and slices. The unsized form is not extractable, but its owner is.
macro_rules! shared {
    ($([$($generics:tt)*] $type:ty => $owned:ty),* $(,)?) => {$(
        #[cfg(feature = "rc")]
        impl<$($generics)*> DerivedType for $type {
            transparent!($owned, super::partial_types::WholeGrowth);
        }
    )*};
}

shared!([] std::rc::Rc<str> => String, [] std::sync::Arc<str> => String);

impl<B> DerivedType for Cow<'static, B>
where
    B: ToOwned + ?Sized + 'static,
    B::Owned: DescribedType,
{
    transparent!(B::Owned, CowGrowth<B::Owned>);

    // The borrowed form has no judge; serde only makes the owned form.
    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        if let Cow::Owned(value) = self {
            value.__extract_judge(place, judge);
        }
    }

    fn __extract_key(&self) -> Cow<'_, str> {
        match self {
            Cow::Owned(value) => value.__extract_key(),
            Cow::Borrowed(_) => Cow::Borrowed("*"),
        }
    }
}

/// Types with elements: how their schema is named and made, how they grow, and which of the functions
/// below judges them.
macro_rules! elements {
    ($([$($generics:tt)*] $type:ty $(where [$($bounds:tt)*])?:
        $name:literal, $schema:expr, $growth:ty, $judge:path;)*) => {$(
        impl<T: DescribedType $($generics)*> DerivedType for $type $(where $($bounds)*)? {
            type __ExtractContext = T::__ExtractContext;
            type __ExtractGrowth = $growth;

            inline!(format!($name, T::__extract_schema_name()), $schema);

            fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
                part.elements().for_each(|element| T::__extract_part(Some(element), valid_parts, &|_, _, _| {}));
            }

            fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
                $judge(self.iter(), place, judge);
            }
        }
    )*};
}

elements! {
    [] Vec<T>: "List_of_{}", sequence::<T>, ElementsGrowth<T>, judge_list;
    [] VecDeque<T>: "List_of_{}", sequence::<T>, ElementsGrowth<T>, judge_list;
    [] LinkedList<T>: "List_of_{}", sequence::<T>, ElementsGrowth<T>, judge_list;
    [] Box<[T]>: "List_of_{}", sequence::<T>, ElementsGrowth<T>, judge_list;
    [+ Ord] BinaryHeap<T>: "List_of_{}", sequence::<T>, ElementsGrowth<T>, judge_heap;
    // serde implements `Deserialize` for arrays up to 32 elements.
    [, const N: usize] [T; N] where [[T; N]: DeserializeOwned]:
        "{N}_of_{}", array::<T, N>, ElementsGrowth<T>, judge_list;
    [+ Ord] BTreeSet<T>: "Set_of_{}", set::<T>, ElementsGrowth<T>, judge_set;
    [+ Eq + Hash, S: BuildHasher + Default + 'static] HashSet<T, S>:
        "Set_of_{}", set::<T>, ElementsGrowth<T>, judge_set;
}

// Their elements cannot be moved out.
#[cfg(feature = "rc")]
elements! {
    [] std::rc::Rc<[T]>: "List_of_{}", sequence::<T>, WholeGrowth, judge_list;
    [] std::sync::Arc<[T]>: "List_of_{}", sequence::<T>, WholeGrowth, judge_list;
}

// `indexmap` 2, which keeps the order of the JSON.
#[cfg(feature = "indexmap2")]
elements! {
    [+ Eq + Hash, S: BuildHasher + Default + 'static] indexmap2::IndexSet<T, S>:
        "Set_of_{}", set::<T>, ElementsGrowth<T>, judge_ordered_set;
}

/// Elements have the index in the JSON array.
fn judge_list<'v, T: DerivedType>(
    elements: impl Iterator<Item = &'v T>,
    place: &LazyPath<'_>,
    judge: &mut RuleJudge<'v>,
) {
    for (index, element) in elements.enumerate() {
        element.__extract_judge(&place.index(index), judge);
    }
}

/// A heap has no positions: a rejection of an element is reported for the whole heap.
fn judge_heap<'v, T: DerivedType>(
    elements: impl Iterator<Item = &'v T>,
    place: &LazyPath<'_>,
    judge: &mut RuleJudge<'v>,
) {
    elements.for_each(|element| element.__extract_judge(&place.inside(), judge));
}

/// A set has no positions either. serde drops equal elements silently. The schema does not allow
/// them, and the judge rejects those that differ only as JSON.
fn judge_set<'v, T: DerivedType>(
    elements: impl ExactSizeIterator<Item = &'v T>,
    place: &LazyPath<'_>,
    judge: &mut RuleJudge<'v>,
) {
    judge.require_all(elements.len(), place);
    judge_heap(elements, place, judge);
}

/// A set that keeps the order of the JSON.
#[cfg(feature = "indexmap2")]
fn judge_ordered_set<'v, T: DerivedType>(
    elements: impl ExactSizeIterator<Item = &'v T>,
    place: &LazyPath<'_>,
    judge: &mut RuleJudge<'v>,
) {
    judge.require_all(elements.len(), place);
    judge_list(elements, place, judge);
}

fn sequence<T: DescribedType>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": generator.subschema_for::<FieldSchema<T>>() })
}

fn set<T: DescribedType>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = sequence::<T>(generator);
    schema.insert("uniqueItems".to_owned(), true.into());
    schema
}

fn array<T: DescribedType, const N: usize>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = sequence::<T>(generator);
    schema.insert("minItems".to_owned(), N.into());
    schema.insert("maxItems".to_owned(), N.into());
    schema
}

/// The needs of several types, as nested pairs.
macro_rules! all_of {
    ($first:ident $(, $rest:ident)*) => {
        ($first::__ExtractContext, all_of!($($rest),*))
    };
    () => { NoContext };
}

macro_rules! tuple {
    ($size:literal: $($name:ident $index:tt)+) => {
        impl<$($name: DescribedType),+> DerivedType for ($($name,)+) {
            type __ExtractContext = all_of!($($name),+);
            type __ExtractGrowth = TupleGrowth;

            fn __extract_schema_name() -> Cow<'static, str> {
                Cow::Owned(["Tuple".into(), $($name::__extract_schema_name()),+].join("_"))
            }

            fn __extract_inline_schema() -> bool {
                true
            }

            fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "array",
                    "prefixItems": [$(generator.subschema_for::<FieldSchema<$name>>()),+],
                    "minItems": $size,
                    "maxItems": $size,
                })
            }

            fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
                $(self.$index.__extract_judge(&place.index($index), judge);)+
            }

            fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
                $($name::__extract_part(part.index($index), valid_parts, &|_, _, _| {});)+
            }
        }
    };
}

each_tuple!(tuple);

macro_rules! maps {
    ($([$($bounds:tt)*] $type:ty;)*) => {$(
        impl<K: DescribedType $($bounds)*> DerivedType for $type {
            type __ExtractContext = (K::__ExtractContext, V::__ExtractContext);
            type __ExtractGrowth = EntriesGrowth<K, V>;

            inline!(format!("Map_of_{}", V::__extract_schema_name()), map::<K, V>);

            fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
                part.entries().for_each(|entry| V::__extract_part(Some(entry), valid_parts, &|_, _, _| {}));
            }

            fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
                judge_entries(self, place, judge);
            }
        }
    )*};
}

maps! {
    [+ Ord, V: DescribedType] BTreeMap<K, V>;
    [+ Eq + Hash, V: DescribedType, S: BuildHasher + Default + 'static] HashMap<K, V, S>;
}

#[cfg(feature = "indexmap2")]
maps! {
    [+ Eq + Hash, V: DescribedType, S: BuildHasher + Default + 'static] indexmap2::IndexMap<K, V, S>;
}

fn judge_entries<'m, K: DescribedType, V: DescribedType>(
    map: impl IntoIterator<Item = (&'m K, &'m V), IntoIter: ExactSizeIterator>,
    place: &LazyPath<'_>,
    judge: &mut RuleJudge<'m>,
) {
    let entries = map.into_iter();
    judge.require_all(entries.len(), place);
    for (key, value) in entries {
        let name = key.__extract_key();
        let place = place.key(&name);
        key.__extract_judge(&place, judge);
        value.__extract_judge(&place, judge);
    }
}

fn map<K: DescribedType, V: DescribedType>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = json_schema!({ "type": "object" });
    if let Some(keys) = K::__extract_key_schema(generator) {
        let keys = keys_of_type(keys, type_name::<K>());
        schema.insert("propertyNames".to_owned(), keys.to_value());
    }
    let values = generator.subschema_for::<FieldSchema<V>>().to_value();
    schema.insert("additionalProperties".to_owned(), values);
    schema
}

/// The description of a quote for agents.
const COPIED: &str = "words copied from the text exactly as they stand there";

impl DerivedType for Quote {
    scalar!("Quote", quote(COPIED));
}

impl<T: DerivedType + DeserializeOwned> DerivedType for Grounded<T> {
    type __ExtractContext = T::__ExtractContext;

    // Its value is only shown together with the quote that supports it.
    type __ExtractGrowth = WholeGrowth;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Grounded_{}", T::__extract_schema_name()))
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<FieldSchema<T>>();
        json_schema!({
            "type": "object",
            "properties": {"value": value, "quote": quote(&format!("{COPIED}, that show the value"))},
            "required": ["value", "quote"],
            GROUNDED: true,
        })
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        self.value.__extract_judge(&place.key("value"), judge);
    }

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        T::__extract_part(part.key(&["value"]), valid_parts, &|_, _, _| {});
    }

    const __EXTRACT_IS_RECORD: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T, D> HasKeys<D> for Grounded<T> {}

fn quote(description: &str) -> Schema {
    json_schema!({"type": "string", "minLength": 1, "description": description, QUOTE: true})
}
