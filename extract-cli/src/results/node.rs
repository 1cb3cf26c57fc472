//! The columns of a table, as a tree of keys.

use std::collections::HashMap;

use extract::Path;
use serde_json::{Map, Value};

/// A path in values, with the paths below it.
#[derive(Debug, Default)]
pub(super) struct ColumnNode {
    /// Whether an object at this path is one cell, because its keys are not known.
    is_whole: bool,
    /// Whether something else than an object with keys may be at this path.
    has_cell: bool,
    /// The keys below, in their order.
    keys: Vec<String>,
    nodes: HashMap<String, ColumnNode>,
}

impl ColumnNode {
    /// A path whose value is one cell, whatever its type.
    pub(super) fn whole() -> Self {
        Self { is_whole: true, has_cell: true, ..Self::default() }
    }

    /// Returns the node of `key`, which is added if it is new.
    pub(super) fn child(&mut self, key: &str) -> &mut Self {
        if !self.nodes.contains_key(key) {
            self.keys.push(key.to_owned());
        }
        self.nodes.entry(key.to_owned()).or_default()
    }

    /// Makes room for a value that is not an object with keys.
    pub(super) fn add_cell(&mut self) {
        self.has_cell = true;
    }

    /// Makes room for an object whose keys are not known.
    pub(super) fn add_whole(&mut self) {
        // Known keys keep their columns.
        self.is_whole = self.keys.is_empty();
        self.has_cell = true;
    }

    /// Returns whether nothing is known about this path.
    pub(super) fn is_unknown(&self) -> bool {
        self.keys.is_empty() && !self.has_cell
    }

    /// Adds the paths of `value`.
    pub(super) fn add_value(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::Object(object) if self.divides(object) => {
                object.iter().for_each(|(key, value)| self.child(key).add_value(value));
            }
            _ => self.has_cell = true,
        }
    }

    /// Returns whether the parts of an object at this path have their own cells.
    fn divides(&self, object: &Map<String, Value>) -> bool {
        !self.is_whole && !object.is_empty()
    }

    fn has_column(&self) -> bool {
        self.has_cell || self.keys.is_empty()
    }

    /// The number of columns, counted up to `most`.
    pub(super) fn columns(&self, most: usize) -> usize {
        let mut count = usize::from(self.has_column());
        for node in self.nodes.values() {
            if count >= most {
                break;
            }
            count += node.columns(most - count);
        }
        count
    }

    /// Collects the names of the columns: `name` for this path, and keys joined with dots below.
    pub(super) fn names(&self, name: &str, prefix: &str, names: &mut Vec<String>) {
        if self.has_column() {
            names.push(name.to_owned());
        }
        for key in &self.keys {
            let name = joined(prefix, key);
            self.nodes[key].names(&name, &name, names);
        }
    }

    /// Collects the paths of the columns, in the order of the [names](Self::names).
    pub(super) fn paths(&self, path: &Path, paths: &mut Vec<Path>) {
        if self.has_column() {
            paths.push(path.clone());
        }
        for key in &self.keys {
            self.nodes[key].paths(&path.clone().key(key), paths);
        }
    }

    /// The cells of `value`, in the order of the [names](Self::names).
    pub(super) fn cells(&self, value: Option<&Value>, cells: &mut Vec<String>) {
        let object = match value {
            Some(Value::Object(object)) if self.divides(object) => Some(object),
            _ => None,
        };
        if self.has_column() {
            cells.push(if object.is_some() { String::new() } else { cell(value) });
        }
        for key in &self.keys {
            self.nodes[key].cells(object.and_then(|object| object.get(key)), cells);
        }
    }
}

/// Returns a key after the keys above it. One that could be taken for several keys is quoted.
fn joined(prefix: &str, key: &str) -> String {
    if key.is_empty() || key.contains('.') || key.starts_with('[') {
        return format!("{prefix}[{}]", Value::from(key));
    }
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

/// A value in a cell: strings as they are, nothing for null, lists and objects as JSON.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
