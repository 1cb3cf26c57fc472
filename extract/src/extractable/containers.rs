//! Types that hold other extractable values.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, VecDeque},
    fmt::Display,
    hash::{BuildHasher, Hash},
};

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::Extractable;
use crate::{Judge, Place, schema::Field};

/// Delegates the schema to that of the container around [`Field`].
macro_rules! schema_of {
    ($type:ty) => {
        fn __extract_schema_name() -> Cow<'static, str> {
            <$type as JsonSchema>::schema_name()
        }

        fn __extract_schema_id() -> Cow<'static, str> {
            <$type as JsonSchema>::schema_id()
        }

        fn __extract_inline_schema() -> bool {
            <$type as JsonSchema>::inline_schema()
        }

        fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
            <$type as JsonSchema>::json_schema(generator)
        }
    };
}

impl<T: Extractable> Extractable for Option<T> {
    schema_of!(Option<Field<T>>);

    const __EXTRACT_OPTIONAL: bool = true;

    fn __extract_judge(&self, place: &Place<'_>, judge: &mut Judge) {
        if let Some(value) = self {
            value.__extract_judge(place, judge);
        }
    }
}

impl<T: Extractable> Extractable for Box<T> {
    schema_of!(Field<T>);

    const __EXTRACT_OPTIONAL: bool = T::__EXTRACT_OPTIONAL;

    fn __extract_judge(&self, place: &Place<'_>, judge: &mut Judge) {
        (**self).__extract_judge(place, judge);
    }
}

/// Sequences, whose elements stand at their index in the JSON array.
macro_rules! sequences {
    ($($type:ty [$($bounds:tt)*] as $schema:ty),* $(,)?) => {$(
        impl<T: Extractable + $($bounds)*> Extractable for $type {
            schema_of!($schema);

            fn __extract_judge(&self, place: &Place<'_>, judge: &mut Judge) {
                for (index, element) in self.iter().enumerate() {
                    element.__extract_judge(&place.index(index), judge);
                }
            }
        }
    )*};
}

sequences!(
    Vec<T> [] as Vec<Field<T>>,
    VecDeque<T> [] as Vec<Field<T>>,
    Box<[T]> [] as Vec<Field<T>>,
);

impl<K, V> Extractable for BTreeMap<K, V>
where
    K: Extractable + Ord + Display,
    V: Extractable,
{
    schema_of!(BTreeMap<Field<K>, Field<V>>);

    fn __extract_judge(&self, place: &Place<'_>, judge: &mut Judge) {
        for (key, value) in self {
            value.__extract_judge(&place.key(&key.to_string()), judge);
        }
    }
}

impl<K, V, S> Extractable for HashMap<K, V, S>
where
    K: Extractable + Eq + Hash + Display,
    V: Extractable,
    S: BuildHasher + Default + 'static,
{
    schema_of!(HashMap<Field<K>, Field<V>>);

    fn __extract_judge(&self, place: &Place<'_>, judge: &mut Judge) {
        for (key, value) in self {
            value.__extract_judge(&place.key(&key.to_string()), judge);
        }
    }
}
