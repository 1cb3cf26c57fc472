//! Types without other values inside.

use serde_json::Value;

use super::{GrowthOf, WrittenPart};

/// A type that is unknown until it is complete.
#[derive(Debug)]
pub enum WholeGrowth {}

impl<T> GrowthOf<T> for WholeGrowth {
    type Writing = ();

    fn writing(_: WrittenPart<'_>) {}

    fn known(_: T) -> Option<()> {
        Some(())
    }
}

/// A string, whose start may be known.
#[derive(Debug)]
pub enum StringGrowth {}

impl<T: Into<String>> GrowthOf<T> for StringGrowth {
    type Writing = String;

    fn writing(part: WrittenPart<'_>) -> String {
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
pub enum JsonGrowth {}

impl<T: Into<Value>> GrowthOf<T> for JsonGrowth {
    type Writing = Value;

    fn writing(part: WrittenPart<'_>) -> Value {
        part.value().unwrap_or_default()
    }

    fn known(value: T) -> Option<Value> {
        Some(value.into())
    }
}
