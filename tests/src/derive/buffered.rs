//! Types that serde cannot read from its buffer: refused where serde buffers, and read elsewhere.

use std::collections::{BTreeMap, HashMap};

use extract::{BySchemars, Contract, Extractable};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Holder<T> {
    deep: Vec<Option<T>>,
}

#[derive(Deserialize, Extractable)]
#[serde(untagged)]
#[allow(dead_code, reason = "read by serde only")]
enum Untagged<T> {
    One { value: T },
    Two(Holder<T>),
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "read by serde only")]
enum Internal<T> {
    One { value: T },
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "read by serde only")]
enum InternalNewtype<T> {
    One(Holder<T>),
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
enum OneUntagged<T> {
    Named(u8),
    #[serde(untagged)]
    Rest {
        value: T,
    },
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Flat<T> {
    #[serde(flatten)]
    inner: Holder<T>,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct OptionalFlat<T> {
    #[serde(flatten)]
    inner: Option<Internal<T>>,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct FlatMap<K: Ord> {
    #[serde(flatten)]
    all: BTreeMap<K, u8>,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
enum External<T> {
    One { value: T },
    Two(Holder<T>),
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind", content = "content")]
#[allow(dead_code, reason = "read by serde only")]
enum Adjacent<T> {
    One { value: T },
}

fn mistake<T: Extractable>() -> Option<String> {
    let error = Contract::of::<T>().err();
    assert!(!T::schema().to_string().contains("buffered"), "{}", T::schema());
    error.map(|error| error.to_string())
}

/// Returns the mistakes of `T` in each position where serde buffers; the others have none.
fn mistakes<T: Extractable>() -> Vec<String> {
    assert_eq!(mistake::<T>(), None);
    assert_eq!(mistake::<Vec<Holder<T>>>(), None);
    assert_eq!(mistake::<External<T>>(), None);
    assert_eq!(mistake::<Adjacent<T>>(), None);
    let all = [
        mistake::<Untagged<T>>(),
        mistake::<Internal<T>>(),
        mistake::<InternalNewtype<T>>(),
        mistake::<OneUntagged<T>>(),
        mistake::<Flat<T>>(),
        mistake::<OptionalFlat<T>>(),
        mistake::<Option<Vec<Flat<T>>>>(),
        mistake::<External<Flat<T>>>(),
    ];
    all.into_iter().flatten().collect()
}

#[test]
fn what_the_buffer_does_not_hold_is_refused_when_the_contract_is_made() {
    for (mistakes, what) in [
        (mistakes::<u128>(), "`u128`"),
        (mistakes::<Option<i128>>(), "`i128`"),
        (mistakes::<BTreeMap<u32, String>>(), "a map with keys of the type `u32`"),
        (mistakes::<HashMap<i64, Vec<u8>>>(), "a map with keys of the type `i64`"),
        (mistakes::<BTreeMap<bool, u8>>(), "a map with keys of the type `bool`"),
        (mistakes::<BySchemars<Theirs>>(), "an integer of 128 bits"),
        (mistakes::<BySchemars<TheirMap>>(), "a map with keys of a number type"),
    ] {
        assert_eq!(mistakes.len(), 8, "{what} {mistakes:#?}");
        assert!(mistakes.iter().all(|mistake| mistake.contains(what)), "{what} {mistakes:#?}");
    }
    let map = mistake::<FlatMap<u8>>().unwrap();
    assert!(map.contains("a map with keys of the type `u8` cannot be read in a flattened field"), "{map}");
    assert!(map.contains("use keys of the type `String`"), "{map}");
}

#[test]
fn what_the_buffer_holds_is_read() {
    assert!(mistakes::<u64>().is_empty());
    assert!(mistakes::<BTreeMap<String, u8>>().is_empty());
    assert!(mistakes::<BTreeMap<char, u8>>().is_empty());
    assert!(mistakes::<BTreeMap<Side, u8>>().is_empty());
    assert!(mistakes::<Value>().is_empty());
    assert!(mistake::<FlatMap<String>>().is_none() && mistake::<FlatMap<Side>>().is_none());
    let read = |value: Value| Untagged::<BTreeMap<Side, u8>>::deserialize(&value).is_ok();
    assert!(read(json!({"value": {"Left": 1}})) && !read(json!({"value": {"Up": 1}})));
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
enum Side {
    Left,
    Right,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "read by serde only")]
struct Theirs {
    wide: u128,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "read by serde only")]
struct TheirMap {
    map: BTreeMap<u16, bool>,
}
