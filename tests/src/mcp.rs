//! The tools over the Model Context Protocol, met by a client of another crate, and by requests written by hand.

mod client;
mod crowd;
mod garbage;
mod http;
mod streams;

use serde_json::{Map, Value};

/// What is called with `value` as its arguments.
fn arguments(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().expect("arguments are an object")
}
