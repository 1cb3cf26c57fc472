//! The tools over the Model Context Protocol, with a client from another crate, and with
//! handwritten requests.

mod client;
mod corpus;
mod cost;
mod crowd;
mod domain;
mod garbage;
mod http;
mod narrow;
mod streams;

use serde_json::{Map, Value};

/// A call with `value` as its arguments.
fn arguments(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().expect("arguments are an object")
}
