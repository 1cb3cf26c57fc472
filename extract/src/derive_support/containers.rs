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
    DerivedType, DescribedType, FieldPosition, FieldSchema,
    macros::scalar,
    partial_types::{
        CowGrowth, ElementsGrowth, EntriesGrowth, OptionGrowth, PointerGrowth, TupleGrowth, WholeGrowth,
    },
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

/// Sequences. Their elements have the index in the JSON array.
macro_rules! sequences {
    ($growth:ty: $($type:ty),* $(,)?) => {$(
        impl<T: DescribedType> DerivedType for $type {
            type __ExtractContext = T::__ExtractContext;
            type __ExtractGrowth = $growth;

            inline!(format!("List_of_{}", T::__extract_schema_name()), sequence::<T>);

            fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
                part.elements().for_each(|element| T::__extract_part(Some(element), valid_parts, &|_, _, _| {}));
            }

            fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
                for (index, element) in self.iter().enumerate() {
                    element.__extract_judge(&place.index(index), judge);
                }
            }
        }
    )*};
}

sequences!(ElementsGrowth<T>: Vec<T>, VecDeque<T>, LinkedList<T>, Box<[T]>);

// Their elements cannot be moved out.
#[cfg(feature = "rc")]
sequences!(WholeGrowth: std::rc::Rc<[T]>, std::sync::Arc<[T]>);

fn sequence<T: DescribedType>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": generator.subschema_for::<FieldSchema<T>>() })
}

impl<T: DescribedType + Ord> DerivedType for BinaryHeap<T> {
    type __ExtractContext = T::__ExtractContext;
    type __ExtractGrowth = ElementsGrowth<T>;

    inline!(format!("List_of_{}", T::__extract_schema_name()), sequence::<T>);

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        part.elements().for_each(|element| T::__extract_part(Some(element), valid_parts, &|_, _, _| {}));
    }

    // A heap has no positions: a rejection of an element is reported for the whole heap.
    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        for element in self {
            element.__extract_judge(&place.inside(), judge);
        }
    }
}

/// Sets. They have no positions: a rejection of an element is reported for the whole set.
///
/// serde drops equal elements silently. The schema does not allow them, and the judge rejects those
/// that differ only as JSON.
macro_rules! sets {
    ($($type:ty [$($bounds:tt)*] $([$($generics:tt)*])?),* $(,)?) => {$(
        impl<T: DescribedType + $($bounds)*, $($($generics)*)?> DerivedType for $type {
            type __ExtractContext = T::__ExtractContext;
            type __ExtractGrowth = ElementsGrowth<T>;

            inline!(format!("Set_of_{}", T::__extract_schema_name()), set::<T>);

            fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
                part.elements().for_each(|element| T::__extract_part(Some(element), valid_parts, &|_, _, _| {}));
            }

            fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
                judge.require_all(self.len(), place);
                for element in self {
                    element.__extract_judge(&place.inside(), judge);
                }
            }
        }
    )*};
}

sets!(
    BTreeSet<T> [Ord],
    HashSet<T, S> [Eq + Hash] [S: BuildHasher + Default + 'static],
);

pub(super) fn set<T: DescribedType>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = sequence::<T>(generator);
    schema.insert("uniqueItems".to_owned(), true.into());
    schema
}

/// serde implements `Deserialize` for arrays up to 32 elements.
impl<T: DescribedType, const N: usize> DerivedType for [T; N]
where
    [T; N]: DeserializeOwned,
{
    type __ExtractContext = T::__ExtractContext;
    type __ExtractGrowth = ElementsGrowth<T>;

    inline!(format!("{N}_of_{}", T::__extract_schema_name()), array::<T, N>);

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        part.elements().for_each(|element| T::__extract_part(Some(element), valid_parts, &|_, _, _| {}));
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        for (index, element) in self.iter().enumerate() {
            element.__extract_judge(&place.index(index), judge);
        }
    }
}

fn array<T: DescribedType, const N: usize>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": generator.subschema_for::<FieldSchema<T>>(),
        "minItems": N,
        "maxItems": N,
    })
}

/// The needs of several types, as nested pairs.
macro_rules! all_of {
    ($first:ident $(, $rest:ident)*) => {
        ($first::__ExtractContext, all_of!($($rest),*))
    };
    () => { NoContext };
}

macro_rules! tuples {
    ($($size:literal: $($name:ident $index:tt)+;)+) => {$(
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
    )+};
}

tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
    7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    13: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    14: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
    15: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
    16: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
}

impl<K, V> DerivedType for BTreeMap<K, V>
where
    K: DescribedType + Ord,
    V: DescribedType,
{
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

impl<K, V, S> DerivedType for HashMap<K, V, S>
where
    K: DescribedType + Eq + Hash,
    V: DescribedType,
    S: BuildHasher + Default + 'static,
{
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

pub(super) fn judge_entries<'m, K: DescribedType, V: DescribedType>(
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

pub(super) fn map<K: DescribedType, V: DescribedType>(generator: &mut SchemaGenerator) -> Schema {
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
