//! Types of other crates with a `schemars::JsonSchema`.

use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
    panic::{AssertUnwindSafe, catch_unwind},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, schema_for};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

use super::{DerivedType, is_deserializable, partial_types::WholeGrowth};
use crate::{
    schema,
    schema::{
        DECIMAL, F32_MAX, NARROWER, STRING_KEYS, SerdeRefusal, flatten::HasKeys, note_mistake, unbuffered,
        view::keywords::types,
    },
    vocabulary::{context::NoContext, path::Path},
};

/// Makes a type of another crate extractable: serde reads it, and its schema comes from
/// `schemars::JsonSchema`.
///
/// Transparent for serde and for the schema; its value is the public field.
///
/// ```
/// use extract::{Extractable, BySchemars};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// # mod other_crate {
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// pub struct Celsius(pub f64);
/// # }
///
/// assert_eq!(BySchemars::<other_crate::Celsius>::schema()["type"], "number");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BySchemars<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + 'static> DerivedType for BySchemars<T> {
    const __EXTRACT_IS_DESERIALIZABLE: Option<SerdeRefusal> = is_deserializable::<T>();

    type __ExtractContext = NoContext;
    type __ExtractGrowth = WholeGrowth;

    fn __extract_schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn __extract_inline_schema() -> bool {
        T::inline_schema()
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(reason) = refused_keys::<T>() {
            note_mistake(
                &mut schema,
                format!(
                    "a map inside of `BySchemars<{}>` has keys that are never strings, as keys are in JSON: \
                 {reason}; use keys of the type `String`, or a list of structs with the key and the value",
                    T::schema_name()
                ),
            );
        }
        schema
    }
}

/// The pattern of the decimals that `schemars` 1 knows, from `rust_decimal` and `bigdecimal`.
const DECIMAL_PATTERN: &str = r"^-?\d+(\.\d+)?([eE]\d+)?$";

/// The patterns of the keys that are integers.
const NUMBER_KEYS: [&str; 2] = [r"^\d+$", r"^-?\d+$"];

/// Adds what `schemars` does not write: the bounds of `f32`, the mark of decimals, and the marks of
/// types that serde cannot read from its buffer.
pub(super) fn complete(schema: &mut Schema) {
    for format in ["int128", "uint128"] {
        if schema.get("format").is_some_and(|found| found == format) {
            *schema = unbuffered(std::mem::take(schema), "an integer of 128 bits", NARROWER);
        }
    }
    let has_number_keys =
        |patterns: &Value| NUMBER_KEYS.iter().any(|pattern| patterns.get(pattern).is_some());
    if schema.get("patternProperties").is_some_and(has_number_keys) {
        *schema = unbuffered(std::mem::take(schema), "a map with keys of a number type", STRING_KEYS);
    }
    let Some(object) = schema.as_object_mut() else { return };
    let has = |keyword, value| object.get(keyword).is_some_and(|found| *found == value);
    let (is_f32, is_decimal) = (has("format", "float"), has("pattern", DECIMAL_PATTERN));
    if is_f32 && allows(object, "number") {
        for (keyword, bound) in [("minimum", -F32_MAX), ("maximum", F32_MAX)] {
            object.entry(keyword).or_insert_with(|| bound.into());
        }
    }
    if is_decimal && allows(object, "number") && allows(object, "string") {
        object.insert(DECIMAL.to_owned(), true.into());
    }
}

fn allows(schema: &Map<String, Value>, type_: &str) -> bool {
    schema.get("type").is_some_and(|of| types(of).contains(&type_))
}

// Its content is unknown.
#[diagnostic::do_not_recommend]
impl<T, D> HasKeys<D> for BySchemars<T> {}

impl<T> Deref for BySchemars<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for BySchemars<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for BySchemars<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// Keys that some type of keys reads: a string, a number, and a boolean.
const KEYS: [&str; 3] = ["a", "1", "true"];

/// Returns why serde refuses each key of a map in `T`; `None` if it reads one, or if it cannot be
/// found out.
fn refused_keys<T: DeserializeOwned + JsonSchema>() -> Option<String> {
    let schema = schema_for!(T).to_value();
    let refusals = KEYS.map(|key| refused_key::<T>(&schema, key));
    refusals.into_iter().reduce(|first, next| next.and(first)).flatten()
}

/// Returns why serde refuses `key` in the maps of a `T`.
fn refused_key<T: DeserializeOwned>(schema: &Value, key: &str) -> Option<String> {
    let mut with_key = schema.clone();
    let mut is_map = false;
    schema::each(&mut with_key, &mut |part| is_map |= require_key(part, key));
    let example = schema::example(&with_key).filter(|_| is_map)?;
    // It is another crate's code, which nobody asked to run.
    let read = catch_unwind(AssertUnwindSafe(|| serde_path_to_error::deserialize::<_, T>(&example).err()));
    let error = read.ok()??;
    let last = error.path().iter().next_back()?;
    let is_at_key = matches!(last, Segment::Map { key: found } if found == key);
    let pointer: String = error.path().iter().map(step).collect::<Option<_>>()?;
    let is_value = example.pointer(&pointer)? == key;
    let reason = error.into_inner().to_string();
    // The path of a value ends like that of its key, and a key of the wrong form has another message.
    let is_refused = reason.starts_with(&format!("invalid type: string {key:?}, "));
    (is_at_key && !is_value && is_refused).then_some(reason)
}

/// Requires an entry of a map. Returns whether `schema` describes one.
fn require_key(schema: &mut Map<String, Value>, key: &str) -> bool {
    if schema.contains_key("properties") {
        return false;
    }
    match schema.get("additionalProperties") {
        None | Some(Value::Bool(false)) => false,
        Some(entry) => {
            let entry = entry.clone();
            schema.insert("properties".to_owned(), json!({ key: entry }));
            schema.insert("required".to_owned(), json!([key]));
            true
        }
    }
}

/// A step of a JSON Pointer.
fn step(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(Path::root().index(*index).to_pointer()),
        Segment::Map { key } => Some(Path::root().key(key).to_pointer()),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, HashMap},
        net::IpAddr,
    };

    use serde::Deserialize;

    use super::*;
    use crate::{contract::Contract, derive_support::BySchemars};

    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
    struct Pair(u8, u8);

    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
    struct Point {
        x: u8,
    }

    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
    enum Side {
        Left,
        Right,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its contract is made")]
    struct Foreign<K: Ord> {
        name: String,
        inside: Option<Vec<BTreeMap<K, Vec<u8>>>>,
    }

    /// The mistakes of four types with a map with such keys.
    fn mistakes<K: Ord + JsonSchema + DeserializeOwned + 'static>() -> Vec<String> {
        let all = [
            Contract::of::<BySchemars<BTreeMap<K, u8>>>(),
            Contract::of::<BySchemars<Vec<BTreeMap<K, Value>>>>(),
            Contract::of::<BySchemars<Foreign<K>>>(),
            Contract::of::<Vec<BySchemars<BTreeMap<String, BTreeMap<K, String>>>>>(),
        ];
        all.into_iter().filter_map(|contract| Some(contract.err()?.to_string())).collect()
    }

    #[test]
    fn keys_that_are_never_strings_are_mistakes() {
        for (mistakes, expected) in [
            (mistakes::<(u8, u8)>(), "a tuple of size 2"),
            (mistakes::<Vec<u8>>(), "a sequence"),
            (mistakes::<Pair>(), "tuple struct Pair"),
            (mistakes::<Point>(), "struct Point"),
            (mistakes::<()>(), "unit"),
        ] {
            let says = |mistake: &String| mistake.contains("never strings") && mistake.contains(expected);
            assert!(mistakes.len() == 4 && mistakes.iter().all(says), "{expected} {mistakes:#?}");
        }
        assert!(Contract::of::<BySchemars<HashMap<Point, u8>>>().is_err());
    }

    #[test]
    fn keys_that_are_strings_in_json_are_none() {
        for mistakes in [
            mistakes::<String>(),
            mistakes::<char>(),
            mistakes::<bool>(),
            mistakes::<u8>(),
            mistakes::<i64>(),
            mistakes::<Side>(),
            mistakes::<IpAddr>(),
            mistakes::<Option<String>>(),
        ] {
            assert_eq!(mistakes, [""; 0]);
        }
    }
}
