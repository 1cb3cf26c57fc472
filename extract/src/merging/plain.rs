//! What two values are compared by, and where their quotes stand.

use std::fmt::Write as _;

use serde_json::Value;

use super::place::{Place, What};
use crate::{
    document::Span,
    validation::{sorted, write_number},
};

/// What a quote counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Its words. The same words elsewhere state the same.
    Words,
    /// Its words and their place: an element of a list that is a quote is a place.
    Places,
}

/// `value` as one string that is the same for equal values: keys in order, numbers by value, of a value
/// with a quote only the value.
pub(super) fn plain(place: &Place<'_>, value: &Value, quotes: Quotes) -> String {
    let mut text = String::new();
    write(place, value, quotes, &mut text);
    text
}

fn write(place: &Place<'_>, value: &Value, quotes: Quotes, text: &mut String) {
    match (place.what(), value) {
        (What::Grounded, Value::Object(map)) if map.contains_key("value") => {
            write(&place.key("value"), &map["value"], quotes, text);
        }
        (What::Quote, Value::Object(map)) if map.contains_key("words") => {
            let _ = write!(text, "{}", map["words"]);
            if let (Quotes::Places, Some(span)) = (quotes, span(value)) {
                let _ = write!(text, "@{}..{}", span.start(), span.end());
            }
        }
        (_, Value::Number(number)) => write_number(number, text),
        (_, Value::Array(list)) => {
            text.push('[');
            for (index, element) in list.iter().enumerate() {
                write(&place.index(index), element, quotes, text);
                text.push(',');
            }
            text.push(']');
        }
        (_, Value::Object(map)) => {
            text.push('{');
            for (key, member) in sorted(map).into_iter().filter(|(_, member)| !member.is_null()) {
                let _ = write!(text, "{}:", Value::from(key));
                write(&place.key(key), member, quotes, text);
                text.push(',');
            }
            text.push('}');
        }
        (_, scalar) => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// The value that a statement is about: without places and quotes.
pub(super) fn stated(place: &Place<'_>, value: &Value) -> Value {
    match (place.what(), value) {
        (What::Grounded, Value::Object(map)) if map.contains_key("value") => map["value"].clone(),
        (What::Quote, Value::Object(map)) if map.contains_key("words") => map["words"].clone(),
        (_, Value::Array(list)) => {
            list.iter().enumerate().map(|(index, element)| stated(&place.index(index), element)).collect()
        }
        (_, Value::Object(map)) => {
            map.iter().map(|(key, member)| (key.clone(), stated(&place.key(key), member))).collect()
        }
        (_, scalar) => scalar.clone(),
    }
}

/// The places of the quotes in `value`, in its order.
pub(super) fn spans(place: &Place<'_>, value: &Value, found: &mut Vec<Span>) {
    match value {
        Value::Object(_) if place.what() == What::Quote => found.extend(span(value)),
        Value::Object(map) => {
            map.iter().for_each(|(key, member)| spans(&place.key(key), member, found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, element)| spans(&place.index(index), element, found));
        }
        _ => {}
    }
}

fn span(quote: &Value) -> Option<Span> {
    serde::Deserialize::deserialize(quote.get("span")?).ok()
}
