//! Maps of other crates' types whose keys cannot be written in JSON, where every key is a string.
//!
//! The schema of such a map says nothing about its keys, so serde is tried on an example.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

use crate::{schema, vocabulary::path::Path};

/// Keys that some type of keys reads: a string, a number, and a boolean.
const KEYS: [&str; 3] = ["a", "1", "true"];

/// Returns why serde refuses each key of a map in `T`; `None` if it reads one, or if it cannot be
/// found out.
pub(super) fn refused_keys<T: DeserializeOwned + JsonSchema>() -> Option<String> {
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
