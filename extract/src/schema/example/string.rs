//! Strings for examples.

use serde_json::{Map, Value};

use super::{budget::ExampleBudget, count, pattern};

/// A string for the keywords of `object`; `None` if the budget is used up.
pub(super) fn example(object: &Map<String, Value>, budget: &mut ExampleBudget) -> Option<String> {
    let keyword = |name| object.get(name).and_then(Value::as_str);
    if let Some(text) = keyword("pattern").and_then(|pattern| pattern::example(pattern, budget)) {
        return Some(text);
    }
    if let Some(text) = keyword("format").and_then(format_example) {
        budget.take(text.len())?;
        return Some(text.to_owned());
    }
    let least = count(object, "minLength");
    let most = object
        .get("maxLength")
        .and_then(Value::as_u64)
        .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let chars = least.max(4).min(most);
    budget.take(chars)?;
    let text = "text ".repeat(least / 5 + 1);
    Some(text.trim_end().chars().chain(std::iter::repeat_n('x', least)).take(chars).collect())
}

/// An example of a format of JSON Schema (2020-12 validation, section 7.3).
pub(crate) fn format_example(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2024-05-17",
        "time" => "14:30:00Z",
        "date-time" => "2024-05-17T14:30:00Z",
        "duration" => "PT1H30M",
        "email" | "idn-email" => "ada@example.com",
        "uri" | "iri" | "uri-reference" | "iri-reference" => "https://example.com/page",
        "uri-template" => "https://example.com/{page}",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "hostname" | "idn-hostname" => "example.com",
        "json-pointer" => "/lines/0",
        "relative-json-pointer" => "1/name",
        "regex" => "^[a-z]+$",
        _ => return None,
    })
}
