//! Quotes as a person writes them: their words.

use extract::Contract;
use serde_json::Value;

/// Returns whether the schema marks strings that are quotes.
pub(super) fn has_quotes(contract: &Contract) -> bool {
    fn is_marked(schema: &Value) -> bool {
        match schema {
            Value::Object(map) => {
                map.get("x-quote") == Some(&Value::Bool(true)) || map.values().any(is_marked)
            }
            Value::Array(list) => list.iter().any(is_marked),
            _ => false,
        }
    }
    is_marked(contract.schema())
}

/// Replaces each quote with a span, as the library writes it into a value of an agent, by its
/// words. The schema knows only those.
pub(super) fn without_spans(value: &mut Value) {
    if let Value::Object(map) = value
        && map.len() == 2
        && map.get("span").is_some_and(|span| span.is_null() || span.get("start").is_some())
        && let Some(Value::String(words)) = map.get_mut("words")
    {
        *value = Value::String(std::mem::take(words));
        return;
    }
    match value {
        Value::Array(list) => list.iter_mut().for_each(without_spans),
        Value::Object(map) => map.values_mut().for_each(without_spans),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use extract::document::Document;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_quote_is_its_words() {
        let span = Document::from_text("She takes").span(0..3).unwrap();
        let mut value = json!({"who": [{"words": "She", "span": span}], "words": "a", "span": 1});
        without_spans(&mut value);
        assert_eq!(value, json!({"who": ["She"], "words": "a", "span": 1}));
        let of = |schema| has_quotes(&Contract::from_schema(schema).unwrap());
        assert!(of(json!({"type": "array", "items": {"type": "string", "x-quote": true}})));
        assert!(!of(json!({"type": "object", "properties": {"x-quote": {"type": "string"}}})));
    }
}
