//! The members that tell the rows of a list apart, as the schema marks them.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

/// The keyword by which a schema marks a member as a key of its list (`#[extract(key)]`).
const KEY: &str = "x-key";

/// Most subschemas that are looked at. Types that contain each other have more ways down than that.
const MAX_VISITS: usize = 20_000;

/// Names of keys, by the field name of the list.
#[derive(Debug, Clone, Default)]
pub(super) struct RowKeys(BTreeMap<String, Vec<String>>);

impl RowKeys {
    /// Collects the keys of a schema. A type that contains itself is entered once on each way down.
    pub(super) fn of(schema: &Value) -> Self {
        let mut collector =
            KeyCollector { root: schema, entered: HashSet::new(), visits: 0, keys: Self::default() };
        collector.visit(schema, "");
        collector.keys
    }

    pub(super) fn insert(&mut self, list: String, keys: Vec<String>) {
        self.0.insert(list, keys);
    }

    /// Adds the keys of lists that have none yet.
    pub(super) fn extend(&mut self, others: Self) {
        for (list, keys) in others.0 {
            self.0.entry(list).or_insert(keys);
        }
    }

    pub(super) fn get(&self, list: &str) -> Option<&[String]> {
        self.0.get(list).map(Vec::as_slice)
    }
}

struct KeyCollector<'s> {
    root: &'s Value,
    entered: HashSet<&'s str>,
    visits: usize,
    keys: RowKeys,
}

impl<'s> KeyCollector<'s> {
    fn visit(&mut self, schema: &'s Value, field: &str) {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return;
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str)
            && self.entered.insert(reference)
        {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            if let Some(target) = target {
                self.visit(target, field);
            }
            self.entered.remove(reference);
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            for branch in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.visit(branch, field);
            }
        }
        for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if member.get(KEY) == Some(&Value::Bool(true)) {
                self.add(field, name);
            }
            let dot = if field.is_empty() { "" } else { "." };
            self.visit(member, &format!("{field}{dot}{name}"));
        }
        if let Some(items) = schema.get("items") {
            self.visit(items, &format!("{field}[]"));
        }
    }

    fn add(&mut self, row: &str, name: &str) {
        let Some(list) = row.strip_suffix("[]") else { return };
        let keys = self.keys.0.entry(list.to_owned()).or_default();
        if !keys.iter().any(|key| key == name) {
            keys.push(name.to_owned());
        }
    }
}
