//! The lists that may lose broken items: the value itself, and those that the schema marks. In a
//! union, the mark of one alternative counts for the lists at the same path in all of them.

use serde_json::Value;

use super::nodes::SchemaNodes;
use crate::{
    schema::KEEP_VALID_ITEMS,
    vocabulary::path::{Path, Segment},
};

/// The innermost item at or around `path` in `value` that its list may lose.
pub(crate) fn item_around(schema: &Value, path: &Path, value: &Value) -> Option<Path> {
    let mut nodes = SchemaNodes::of(schema);
    let (mut at, mut here, mut found) = (Path::root(), Some(value), None);
    for segment in path.segments() {
        let may_lose = matches!(segment, Segment::Index(_)) && may_lose(&nodes, &at, here);
        nodes = nodes.step(segment);
        here = here.and_then(|value| segment.within(value));
        at = at.step(segment.clone());
        // A violation may concern a missing item.
        if may_lose && here.is_some() {
            found = Some(at.clone());
        }
    }
    found
}

/// The total number of items in `value` that their lists may lose.
pub(crate) fn count_items(schema: &Value, value: &Value) -> usize {
    count(&SchemaNodes::of(schema), value, &Path::root())
}

fn count(nodes: &SchemaNodes<'_>, value: &Value, at: &Path) -> usize {
    let own = value.as_array().filter(|_| may_lose(nodes, at, Some(value))).map_or(0, Vec::len);
    let inside = |(step, part)| count(&nodes.step(&step), part, &at.clone().step(step));
    own + Segment::parts(value).map(inside).sum::<usize>()
}

/// Returns whether the value `here`, at the path `at` and described by `nodes`, is a list that may
/// lose items. In a tuple the position of an item is its meaning, so no item may move.
fn may_lose(nodes: &SchemaNodes<'_>, at: &Path, here: Option<&Value>) -> bool {
    let is_asked_for = at.is_root() || nodes.are_marked(KEEP_VALID_ITEMS);
    let is_tuple = nodes.all.iter().any(|node| node.get("prefixItems").is_some());
    here.is_some_and(Value::is_array) && is_asked_for && !is_tuple
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn around(schema: &Value, value: &Value, path: &str) -> Option<String> {
        item_around(schema, &Path::from(path), value).map(|path| path.to_string())
    }

    #[test]
    fn the_innermost_item_of_a_marked_list_is_found() {
        let schema = json!({
            "properties": {
                "orders": {"$ref": "#/$defs/Orders", "x-keep-valid-items": true},
                "other": {"items": {"type": "integer"}},
            },
            "$defs": {
                "Orders": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Order"}},
                "Order": {"properties": {"lines": {"type": "array", "x-keep-valid-items": true}, "tags": {}}},
            },
        });
        let value = json!({"orders": [{"lines": [1, {"a": 2}], "tags": [3]}], "other": ["x"]});
        for (path, expected) in [
            ("$.orders[0].lines[1].a", Some("$.orders[0].lines[1]")),
            ("$.orders[0].lines[1]", Some("$.orders[0].lines[1]")),
            ("$.orders[0].lines", Some("$.orders[0]")),
            ("$.orders[0].tags[0]", Some("$.orders[0]")),
            ("$.orders[1]", None),
            ("$.orders", None),
            ("$.other[0]", None),
            ("$", None),
        ] {
            assert_eq!(around(&schema, &value, path).as_deref(), expected, "{path}");
        }
        assert_eq!(count_items(&schema, &value), 3);
    }

    #[test]
    fn the_items_of_a_list_by_itself_are_found_and_those_of_a_tuple_are_not() {
        assert_eq!(around(&json!({"items": {}}), &json!([[1]]), "$[0][0]").as_deref(), Some("$[0]"));
        let tuple = json!({"prefixItems": [{}, {}], "x-keep-valid-items": true});
        assert_eq!(around(&tuple, &json!([1, 2]), "$[0]"), None);
        assert_eq!(around(&json!({}), &json!({"0": 1}), "$[0]"), None);
    }
}
