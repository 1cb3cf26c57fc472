//! Types without other values inside.

use serde_json::Value;

use super::{Growth, Written};

/// A type that is unknown until it is complete.
#[derive(Debug)]
pub enum Whole {}

impl<T> Growth<T> for Whole {
    type Writing = ();

    fn writing(_: Written<'_>) {}

    fn known(_: T) -> Option<()> {
        Some(())
    }
}

/// A string, whose start may be known.
#[derive(Debug)]
pub enum Start {}

impl<T: Into<String>> Growth<T> for Start {
    type Writing = String;

    fn writing(part: Written<'_>) -> String {
        match part.value() {
            Some(Value::String(text)) => text,
            _ => String::new(),
        }
    }

    fn known(value: T) -> Option<String> {
        Some(value.into())
    }
}

/// Any JSON.
#[derive(Debug)]
pub enum Any {}

impl<T: Into<Value>> Growth<T> for Any {
    type Writing = Value;

    fn writing(part: Written<'_>) -> Value {
        part.value().unwrap_or_default()
    }

    fn known(value: T) -> Option<Value> {
        Some(value.into())
    }
}
