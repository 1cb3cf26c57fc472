//! The columns that a schema has.

use serde_json::{Map, Value};

use super::node::ColumnNode;

/// Maximum number of visited parts of a schema: definitions that refer to others twice grow
/// exponentially. Parts beyond the limit are one cell.
const MOST_PARTS: usize = 10_000;

/// Returns the paths of all values that `schema` allows. An object without known keys, a list, and
/// a definition inside itself are one cell each.
pub(super) fn of(schema: &Value) -> ColumnNode {
    let mut root = ColumnNode::default();
    SchemaReader { root: schema, open: vec!["#"], parts: 0 }.add(schema, &mut root);
    if root.is_unknown() { ColumnNode::whole() } else { root }
}

struct SchemaReader<'s> {
    root: &'s Value,
    /// The references being followed.
    open: Vec<&'s str>,
    parts: usize,
}

impl<'s> SchemaReader<'s> {
    /// Adds the paths of `schema` to `node`.
    fn add(&mut self, schema: &'s Value, node: &mut ColumnNode) {
        self.parts += 1;
        let Value::Object(schema) = schema else { return node.add_whole() };
        if self.parts > MOST_PARTS {
            return node.add_whole();
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            self.add_reference(reference, node);
        }
        for part in
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|name| schema.get(*name)?.as_array()).flatten()
        {
            if !is_null(part) {
                self.add(part, node);
            }
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            self.add_properties(properties, node);
        }
        if allows_others(schema) {
            node.add_cell();
        }
        if node.is_unknown() {
            node.add_whole();
        }
    }

    fn add_reference(&mut self, reference: &'s str, node: &mut ColumnNode) {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        match target {
            Some(target) if !self.open.contains(&reference) => {
                self.open.push(reference);
                self.add(target, node);
                self.open.pop();
            }
            _ => node.add_whole(),
        }
    }

    fn add_properties(&mut self, properties: &'s Map<String, Value>, node: &mut ColumnNode) {
        for (key, schema) in properties {
            self.add(schema, node.child(key));
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// Returns whether a schema names types besides objects and null, or lists its values.
fn allows_others(schema: &Map<String, Value>) -> bool {
    let is_other = |name: &Value| name != "object" && name != "null";
    let names = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_other),
        Some(name) => is_other(name),
        None => false,
    };
    names || schema.contains_key("enum") || schema.contains_key("const")
}
