//! `indexmap` 2, which keeps the order of the JSON.

use std::{
    borrow::Cow,
    hash::{BuildHasher, Hash},
};

use indexmap2::{IndexMap, IndexSet};
use schemars::{Schema, SchemaGenerator};

use crate::{
    derive_support::{
        DerivedType, DescribedType,
        containers::{judge_entries, map, set},
        partial_types::{ElementsGrowth, EntriesGrowth},
    },
    schema::accepts::{AcceptsElements, AcceptsEntries, AcceptsLength, LengthUnit},
    validation::{LazyPath, RuleJudge, ValidParts, ValuePart},
};

impl<K, V, S> DerivedType for IndexMap<K, V, S>
where
    K: DescribedType + Eq + Hash,
    V: DescribedType,
    S: BuildHasher + Default + 'static,
{
    type __ExtractContext = (K::__ExtractContext, V::__ExtractContext);
    type __ExtractGrowth = EntriesGrowth<K, V>;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Map_of_{}", V::__extract_schema_name()))
    }

    fn __extract_inline_schema() -> bool {
        true
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        map::<K, V>(generator)
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        judge_entries(self, place, judge);
    }

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        part.entries().for_each(|entry| V::__extract_part(Some(entry), valid_parts, &|_, _, _| {}));
    }
}

/// An index set keeps the order but drops equal elements; the schema does not allow them.
impl<T, S> DerivedType for IndexSet<T, S>
where
    T: DescribedType + Eq + Hash,
    S: BuildHasher + Default + 'static,
{
    type __ExtractContext = T::__ExtractContext;
    type __ExtractGrowth = ElementsGrowth<T>;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Set_of_{}", T::__extract_schema_name()))
    }

    fn __extract_inline_schema() -> bool {
        true
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        set::<T>(generator)
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        judge.require_all(self.len(), place);
        for (index, element) in self.iter().enumerate() {
            element.__extract_judge(&place.index(index), judge);
        }
    }

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        part.elements().for_each(|element| T::__extract_part(Some(element), valid_parts, &|_, _, _| {}));
    }
}

impl<K, V, S, D> AcceptsEntries<D> for IndexMap<K, V, S> {
    type Key = K;
    type Value = V;
}

impl<K, V, S, D> AcceptsLength<D> for IndexMap<K, V, S> {
    const LENGTH: LengthUnit = LengthUnit::Map;
}

impl<T, S, D> AcceptsElements<D> for IndexSet<T, S> {
    type Element = T;
}

impl<T, S, D> AcceptsLength<D> for IndexSet<T, S> {
    const LENGTH: LengthUnit = LengthUnit::Sequence;
}
