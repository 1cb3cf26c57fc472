//! The quotes in a value: the strings that the schema marks.

use serde_json::Value;

use super::nodes::SchemaNodes;
use crate::{
    schema::{DECIMAL, GROUNDED, QUOTE, is_marked_within},
    vocabulary::path::{Path, Segment},
};

/// The quotes in the values that a schema describes. In a union, the mark of one alternative counts
/// for the strings at the same path in all of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuoteCollector<'s> {
    schema: &'s Value,
}

/// A string that must occur in the document.
#[derive(Debug, Clone)]
pub(crate) struct QuotedString<'v> {
    pub(crate) path: Path,
    pub(crate) words: &'v str,
    /// The value beside it that it supports, and that value's path.
    pub(crate) shows: Option<SupportedValue<'v>>,
}

/// A value that a quote supports.
#[derive(Debug, Clone)]
pub(crate) struct SupportedValue<'v> {
    pub(crate) path: Path,
    pub(crate) value: &'v Value,
    /// Whether it is a decimal, which may be a string of digits.
    pub(crate) is_decimal: bool,
}

impl<'s> QuoteCollector<'s> {
    pub(crate) fn of(schema: &'s Value) -> Self {
        Self { schema }
    }

    /// Returns whether the schema marks one.
    pub(crate) fn are_marked(self) -> bool {
        is_marked_within(self.schema, QUOTE)
    }

    /// The quotes in `value`, the part at `path`, in order.
    pub(crate) fn within<'v>(self, path: &Path, value: &'v Value) -> Vec<QuotedString<'v>> {
        let mut found = Vec::new();
        let nodes = path.segments().iter().fold(SchemaNodes::of(self.schema), |nodes, step| nodes.step(step));
        gather(&nodes, value, path.clone(), None, &mut found);
        found
    }

    /// Strips the spans of the quotes in `value`, and keeps their words.
    pub(crate) fn drop_spans(self, value: &mut Value) {
        drop_spans(&SchemaNodes::of(self.schema), value);
    }
}

fn drop_spans(nodes: &SchemaNodes<'_>, value: &mut Value) {
    if nodes.are_marked(QUOTE)
        && let Some(words) = value.get_mut("words").map(Value::take)
    {
        *value = words;
        return;
    }
    match value {
        Value::Array(list) => {
            for (index, item) in list.iter_mut().enumerate() {
                drop_spans(&nodes.step(&Segment::Index(index)), item);
            }
        }
        Value::Object(map) => {
            for (key, member) in map {
                drop_spans(&nodes.step(&Segment::Key(key.as_str().into())), member);
            }
        }
        _ => {}
    }
}

fn gather<'v>(
    nodes: &SchemaNodes<'_>,
    value: &'v Value,
    path: Path,
    shows: Option<SupportedValue<'v>>,
    found: &mut Vec<QuotedString<'v>>,
) {
    match value {
        Value::String(words) if nodes.are_marked(QUOTE) => found.push(QuotedString { path, words, shows }),
        Value::Array(list) => {
            for (index, item) in list.iter().enumerate() {
                let step = Segment::Index(index);
                gather(&nodes.step(&step), item, path.clone().step(step), None, found);
            }
        }
        Value::Object(map) => {
            let grounded = map.get("value").filter(|_| nodes.are_marked(GROUNDED));
            for (key, member) in map {
                let step = Segment::Key(key.as_str().into());
                let beside = grounded.filter(|_| key == "quote");
                let shows = beside.map(|value| SupportedValue {
                    path: path.clone().key("value"),
                    value,
                    is_decimal: nodes.step(&Segment::Key("value".into())).are_marked(DECIMAL),
                });
                gather(&nodes.step(&step), member, path.clone().step(step), shows, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quotes_come_in_the_order_of_the_value_with_what_they_show() {
        let schema = json!({
            "type": "object",
            "properties": {
                "reasons": {"type": "array", "items": {"type": "string", "x-quote": true}},
                "dose": {"anyOf": [{"$ref": "#/$defs/Dose"}, {"type": "null"}]},
                "remark": {"type": "string"},
            },
            "$defs": {
                "Dose": {
                    "type": "object",
                    "properties": {"value": {"type": "number"}, "quote": {"type": "string", "x-quote": true}},
                    "x-grounded": true,
                },
            },
        });
        let quotes = QuoteCollector::of(&schema);
        assert!(quotes.are_marked());
        let value =
            json!({"dose": {"quote": "5 mg", "value": 5}, "reasons": ["pain", "fever"], "remark": "none"});
        let found: Vec<_> = quotes
            .within(&Path::root(), &value)
            .into_iter()
            .map(|quoted| {
                (
                    quoted.path.to_string(),
                    quoted.words,
                    quoted.shows.map(|shown| format!("{} {}", shown.path, shown.value)),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("$.dose.quote".to_owned(), "5 mg", Some("$.dose.value 5".to_owned())),
                ("$.reasons[0]".to_owned(), "pain", None),
                ("$.reasons[1]".to_owned(), "fever", None),
            ]
        );
        assert!(quotes.within(&Path::root(), &json!({"dose": null, "remark": "pain"})).is_empty());
        let with = |words| json!({"words": words, "span": null});
        let mut spanned = json!({
            "dose": {"quote": with("5 mg"), "value": 5},
            "reasons": [with("pain"), "fever"],
            // Not a quote, however it looks.
            "remark": with("none"),
        });
        quotes.drop_spans(&mut spanned);
        let words = json!({
            "dose": {"quote": "5 mg", "value": 5},
            "reasons": ["pain", "fever"],
            "remark": with("none"),
        });
        assert_eq!(spanned, words);
        assert!(!QuoteCollector::of(&json!({"properties": {"x-quote": {"const": true}}})).are_marked());
    }
}
