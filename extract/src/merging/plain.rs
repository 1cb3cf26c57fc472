//! The form in which values are compared, and the spans of their quotes.

use std::fmt::Write as _;

use serde_json::Value;

use super::place::{MergeMethod, MergePosition};
use crate::{
    document::Span,
    validation::{sorted, write_number},
};

/// How quotes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteComparison {
    /// By their words. The same words elsewhere state the same.
    Words,
    /// By their words and span: if a list's elements are quotes, each is a mention of its own.
    Places,
}

/// `value` as a string that is the same for equal values: keys are sorted, numbers are written by
/// value, and quotes beside values are dropped.
pub(super) fn plain(place: &MergePosition<'_>, value: &Value, quotes: QuoteComparison) -> String {
    let mut text = String::new();
    write(place, value, quotes, &mut text);
    text
}

fn write(place: &MergePosition<'_>, value: &Value, quotes: QuoteComparison, text: &mut String) {
    match (place.what(), value) {
        (MergeMethod::Grounded, Value::Object(map)) if map.contains_key("value") => {
            write(&place.key("value"), &map["value"], quotes, text);
        }
        (MergeMethod::Quote, Value::Object(map)) if map.contains_key("words") => {
            let _ = write!(text, "{}", map["words"]);
            if let (QuoteComparison::Places, Some(span)) = (quotes, span(value)) {
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

/// Returns the bare value, without quotes and their spans.
pub(super) fn stated(place: &MergePosition<'_>, value: &Value) -> Value {
    match (place.what(), value) {
        (MergeMethod::Grounded, Value::Object(map)) if map.contains_key("value") => map["value"].clone(),
        (MergeMethod::Quote, Value::Object(map)) if map.contains_key("words") => map["words"].clone(),
        (_, Value::Array(list)) => {
            list.iter().enumerate().map(|(index, element)| stated(&place.index(index), element)).collect()
        }
        (_, Value::Object(map)) => {
            map.iter().map(|(key, member)| (key.clone(), stated(&place.key(key), member))).collect()
        }
        (_, scalar) => scalar.clone(),
    }
}

/// Collects the spans of the quotes in `value`, in its order.
pub(super) fn spans(place: &MergePosition<'_>, value: &Value, found: &mut Vec<Span>) {
    match value {
        Value::Object(_) if place.what() == MergeMethod::Quote => found.extend(span(value)),
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
