//! Entries that differ as JSON and are equal as Rust values: serde keeps one of them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    net::IpAddr,
};

use chrono::{DateTime, Utc};
use extract::{Code, Extractable, WithContext, context::NoContext};
use indexmap::{IndexMap, IndexSet};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

#[derive(Debug, Deserialize, Extractable, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Color {
    Red,
    #[serde(alias = "grün")]
    Green,
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize, Extractable, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    x: u8,
    y: Option<u8>,
}

/// Asserts that `T` accepts `entries` without the last, and that all of them are a violation at `$`.
fn check<T: WithContext<NoContext> + std::fmt::Debug>(entries: &Value) {
    let mut fewer = entries.clone();
    match &mut fewer {
        Value::Array(elements) => drop(elements.pop()),
        Value::Object(members) => drop(members.pop_at_end()),
        _ => unreachable!("lists and objects"),
    }
    T::from_reply(fewer.to_string()).unwrap();
    let error = T::from_reply(entries.to_string()).unwrap_err();
    let found: Vec<_> = error.violations().iter().map(|one| (one.path.to_string(), &one.code)).collect();
    assert_eq!(found, [("$".to_owned(), &Code::InvalidValue)], "{entries}");
}

trait PopAtEnd {
    fn pop_at_end(&mut self) -> Option<(String, Value)>;
}

impl PopAtEnd for serde_json::Map<String, Value> {
    fn pop_at_end(&mut self) -> Option<(String, Value)> {
        let last = self.keys().next_back()?.clone();
        self.remove_entry(&last)
    }
}

#[test]
fn no_entry_is_dropped_silently() {
    check::<BTreeMap<Color, u8>>(&json!({"Green": 1, "grün": 2}));
    check::<HashMap<Color, u8>>(&json!({"x": 1, "y": 1}));
    check::<IndexMap<IpAddr, u8>>(&json!({"::1": 1, "0:0:0:0:0:0:0:1": 2}));
    let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    check::<BTreeMap<Uuid, u8>>(&json!({id: 1, id.to_uppercase(): 2}));
    check::<BTreeSet<Uuid>>(&json!([id, id.to_uppercase()]));
    check::<BTreeSet<DateTime<Utc>>>(&json!(["2024-05-17T10:00:00Z", "2024-05-17T12:00:00+02:00"]));
    check::<HashSet<Url>>(&json!(["http://a.b", "http://a.b/"]));
    check::<IndexSet<Color>>(&json!(["Red", "Green", "grün"]));
    check::<BTreeSet<Decimal>>(&json!(["1.0", "1.00"]));
    check::<BTreeSet<Point>>(&json!([{"x": 1}, {"x": 1, "y": null}]));
}

#[derive(Debug, Deserialize, Extractable)]
struct Row {
    rows: Vec<BTreeMap<Color, BTreeSet<IpAddr>>>,
}

#[test]
fn the_path_is_that_of_the_set_or_map() {
    let reply = json!({"rows": [{}, {"Red": ["::1", "0::1"]}, {"a": [], "b": []}]});
    let error = Row::from_reply(reply.to_string()).unwrap_err();
    let paths: Vec<_> = error.violations().iter().map(|one| one.path.to_string()).collect();
    assert_eq!(paths, ["$.rows[1].Red", "$.rows[2]"]);
}

#[derive(Debug, Deserialize, Extractable)]
struct Flat {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, BTreeSet<u8>>,
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "t")]
enum Tagged {
    Map(BTreeMap<String, BTreeSet<IpAddr>>),
}

/// Where a map shares its object with other keys, that object has more entries than the map.
#[test]
fn keys_beside_a_map_are_none_of_its_entries() {
    let (flat, _) = Flat::from_reply(r#"{"name": "a", "x": [1], "y": [1, 2]}"#).unwrap();
    assert_eq!((flat.name.as_str(), flat.rest.len()), ("a", 2));
    let (Tagged::Map(map), _) = Tagged::from_reply(r#"{"t": "Map", "a": ["::1"]}"#).unwrap();
    assert_eq!(map.len(), 1);
    let error = Tagged::from_reply(r#"{"t": "Map", "a": ["::1", "0::1"]}"#).unwrap_err();
    assert_eq!(error.violations()[0].path.to_string(), "$.a");
}
