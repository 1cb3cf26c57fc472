//! `indexmap` 2, which keeps the order of the JSON.

use std::{
    borrow::Cow,
    hash::{BuildHasher, Hash},
};

use indexmap2::{IndexMap, IndexSet};
use schemars::{Schema, SchemaGenerator};

use crate::{
    described::{
        Derived, Described,
        containers::{judge_entries, map, set},
        growth::{Elements, Entries},
    },
    schema::accepts::{AcceptsElements, AcceptsEntries, AcceptsLength, Length},
    validation::{Healthy, Judge, LazyPath, Part},
};

impl<K, V, S> Derived for IndexMap<K, V, S>
where
    K: Described + Eq + Hash,
    V: Described,
    S: BuildHasher + Default + 'static,
{
    type __ExtractContext = (K::__ExtractContext, V::__ExtractContext);
    type __ExtractGrowth = Entries<K, V>;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Map_of_{}", V::__extract_schema_name()))
    }

    fn __extract_inline_schema() -> bool {
        true
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        map::<K, V>(generator)
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut Judge<'v>) {
        judge_entries(self, place, judge);
    }

    fn __extract_healthy<Use>(part: &Part<'_>, healthy: &mut Healthy<'_>) {
        part.entries().for_each(|entry| V::__extract_part(Some(entry), healthy, &|_, _, _| {}));
    }
}

/// An index set keeps the order but drops equal elements; the schema does not allow them.
impl<T, S> Derived for IndexSet<T, S>
where
    T: Described + Eq + Hash,
    S: BuildHasher + Default + 'static,
{
    type __ExtractContext = T::__ExtractContext;
    type __ExtractGrowth = Elements<T>;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Set_of_{}", T::__extract_schema_name()))
    }

    fn __extract_inline_schema() -> bool {
        true
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        set::<T>(generator)
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut Judge<'v>) {
        for (index, element) in self.iter().enumerate() {
            element.__extract_judge(&place.index(index), judge);
        }
    }

    fn __extract_healthy<Use>(part: &Part<'_>, healthy: &mut Healthy<'_>) {
        part.elements().for_each(|element| T::__extract_part(Some(element), healthy, &|_, _, _| {}));
    }
}

impl<K, V, S, D> AcceptsEntries<D> for IndexMap<K, V, S> {
    type Key = K;
    type Value = V;
}

impl<K, V, S, D> AcceptsLength<D> for IndexMap<K, V, S> {
    const LENGTH: Length = Length::Map;
}

impl<T, S, D> AcceptsElements<D> for IndexSet<T, S> {
    type Element = T;
}

impl<T, S, D> AcceptsLength<D> for IndexSet<T, S> {
    const LENGTH: Length = Length::Sequence;
}
